"""What the role rules say about every cell of the matrix, written from the rules alone.

Nothing of the service is imported here. `python -m tests.confidentiality.rules` writes `matrix.csv`, which a
test holds against these functions, and another against the service. A principal ends in "+" where the
record is their own; "-" is a cell that cannot be.
"""

import csv
import io
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

FILE = Path(__file__).with_name("matrix.csv")
ROLES = ("subscriber", "contributor", "author", "editor", "administrator")
PRINCIPALS = ("anonymous", "wrong", *(role + own for role in ROLES for own in ("+", "")))
STATES = {
    "event": ("publish", "protected", "unlisted", "future", "draft", "protected draft", "pending", "private",
              "trash", "absent", "other kind"),
    "linked": ("publish", "future", "draft", "pending", "private", "trash", "absent", "other kind"),
    "category": ("publish", "absent", "other kind"),
    "tag": ("publish", "absent", "other kind"),
}  # fmt: skip
OPERATIONS = {
    "event": ("read", "read with key", "allowed", "change", "delete", "list", "list status", "list include",
              "list search", "filter by it", "link to it", "form", "send form"),
    "linked": ("read", "allowed", "change", "delete", "list", "list status", "list search", "nested",
               "filter by it", "link to it", "form", "send form"),
    "category": ("read", "allowed", "change", "delete", "filter by it", "link to it", "form", "send form"),
    "tag": ("read", "allowed", "change", "delete", "filter by it", "link to it", "form", "send form"),
}  # fmt: skip
ASKED = ("nothing", "publish", "publish ahead", "future", "draft", "pending", "private", "trash")
#: A field and what is sent in it, by who may send it.
FIELDS = {
    "everybody": ("author self", "featured false", "sticky false", "hide_from_listings false",
                  "ticketed true", "show_map true", "password set", "post_parent none", "post_parent public",
                  "categories known", "tags known", "categories unknown id", "venue public",
                  "organizer public", "image public", "venue inline", "organizer inline",
                  "venue inline image public"),
    "publishers": ("featured true", "sticky true", "hide_from_listings true", "tags new"),
    "editors": ("author other", "categories new", "venue inline author other",
                "organizer inline author other"),
    "uploaders": ("image new", "venue inline image new", "organizer inline image new"),
    "seers": ("post_parent hidden", "venue hidden", "organizer hidden", "venue mixed hidden", "image hidden",
              "venue inline image hidden"),
    "nobody": ("post_parent absent", "venue absent", "organizer absent", "image absent"),
}  # fmt: skip

_EDITORS = ("editor", "administrator")
_PUBLISHERS = ("author", *_EDITORS)
_WRITERS = ("contributor", *_PUBLISHERS)
_MANAGERS = {"event": _WRITERS, "linked": _WRITERS, "category": _PUBLISHERS, "tag": _EDITORS}
#: Pages of editing without a record, and the roles that may open them and send their forms.
PAGES = {
    "/edit/": _WRITERS, "/edit/event/new/": _WRITERS, "/edit/events/": _EDITORS, "/edit/waiting/": _EDITORS,
    "/edit/venues/": _WRITERS, "/edit/venues/new/": _WRITERS, "/edit/organizers/": _WRITERS,
    "/edit/organizers/new/": _WRITERS, "/edit/categories/": _PUBLISHERS, "/edit/categories/new/": _PUBLISHERS,
    "/edit/tags/": _EDITORS, "/edit/tags/new/": _EDITORS, "/edit/account/": ROLES,
    "/edit/users/": ("administrator",), "/edit/users/1/": ("administrator",),
    "/submit/": PRINCIPALS, "/submit/unknown/": PRINCIPALS,
}  # fmt: skip
#: Pages with a form that stores something -> the answer to it.
FORMS = {
    "/edit/event/new/": "303", "/edit/venues/new/": "303", "/edit/organizers/new/": "303",
    "/edit/categories/new/": "303", "/edit/tags/new/": "303", "/edit/users/": "200",
}  # fmt: skip
_HIDDEN = ("future", "draft", "protected draft", "pending", "private", "trash")
_NOWHERE = ("absent", "other kind")


def readable(role: str, own: bool, state: str) -> bool:
    """Published for all, the rest for editors and for an owner who writes."""
    if state in _NOWHERE:
        return False
    return state not in _HIDDEN or role in _EDITORS or (own and role in _WRITERS)


def editable(role: str, own: bool, state: str) -> bool:
    """Editors all, publishers what is theirs, contributors what is theirs and not out yet."""
    unpublished = state in ("draft", "protected draft", "pending", "trash")
    return role in _EDITORS or (own and (role in _PUBLISHERS or (role in _WRITERS and unpublished)))


def refused(role: str, noun: str) -> str:
    """The answer to any write of a caller who has no right to write this kind of record; "" if there is."""
    if role in _MANAGERS[noun]:
        return ""
    return "401" if role == "anonymous" else "403"


def record_cell(noun: str, state: str, operation: str, role: str, own: bool) -> str:
    there = readable(role, own, state)
    terms = noun in ("category", "tag")
    edits = there and (role in _MANAGERS[noun] if terms else editable(role, own, state))
    opened = "protected" not in state or own or role in _EDITORS
    seen = "no" if not there or state == "unlisted" else "shown" if opened else "masked"
    match operation:
        case "read" if there and not opened:
            return "403 password"
        case "read" | "read with key":
            return "200" if there else "404"
        case "allowed":
            return "all" if edits or (not there and not refused(role, noun)) else "GET"
        case "change" | "delete" if refused(role, noun):
            return refused(role, noun)
        case "change" | "delete":
            gone = operation == "delete" and state == "trash"
            return "404" if not there else "403" if not edits else "410" if gone else "200"
        case "list status":
            return "400" if state in _HIDDEN and role not in _WRITERS else seen
        case "list" | "list include" | "list search" | "nested":
            found = seen if state != "trash" else "no"
            return "no" if operation == "list search" and found == "masked" else found
        case "filter by it":
            return "200" if there else "400"
        case "link to it":
            # An unknown number is the id of no term, and is passed over; of a record it is a mistake.
            return refused(role, "event") or ("201" if there or terms else "400")
    raise ValueError(operation)


def form_cell(noun: str, state: str, operation: str, role: str, own: bool) -> str:
    """The form of a record, and sending it with a change."""
    if role == "anonymous":
        return "sign in"
    cell = record_cell(noun, state, "change", role, own)
    return cell if operation == "form" else cell.replace("200", "303")


def page_cell(path: str, operation: str, role: str) -> str:
    if path == "/submit/unknown/":
        return "404"
    if path.startswith("/submit/"):
        return "200" if operation == "open" else "400"  # the form was not opened before
    if role in ("anonymous", "wrong"):
        return "sign in"
    if path == "/edit/" and role == "subscriber":
        return "303"  # to the account
    if role not in PAGES[path]:
        return "403"
    return "200" if operation == "open" else FORMS[path]


def created_cell(asked: str, role: str) -> str:
    if role not in _WRITERS:
        return refused(role, "event")
    if role == "contributor" and asked in ("publish", "publish ahead", "future", "private"):
        return "201 pending"
    default = "draft" if role == "contributor" else "publish"
    return "201 " + {"nothing": default, "publish ahead": "future", "future": "publish"}.get(asked, asked)


def restatus_cell(asked: str, role: str, own: bool) -> str:
    """Another status for a draft."""
    if role not in _WRITERS or not (own or role in _EDITORS):
        return refused(role, "event") or "404"
    kept = "201 draft" if asked == "nothing" else created_cell(asked, role)
    return kept.replace("201", "200")


def field_cell(who: str, target: str, role: str, own: bool) -> str:
    """A field sent with a new event, with an own or another's draft, or with a published event."""
    base = refused(role, "event")
    if not base and target != "new":
        base = record_cell("event", target, "change", role, own).replace("200", "")
    # What is sent is looked at before the record, rights on single fields after it.
    wrong = {
        "uploaders": role not in _PUBLISHERS, "seers": role not in _EDITORS, "nobody": True,
    }.get(who, False)  # fmt: skip
    if role in _WRITERS and wrong:
        return "400"
    lacking = (who == "publishers" and role not in _PUBLISHERS) or (who == "editors" and role not in _EDITORS)
    return base or ("403" if lacking else "201" if target == "new" else "200")


def rows() -> Iterator[list[str]]:
    for noun, states in STATES.items():
        for state, operation in product(states, OPERATIONS[noun]):
            owned = noun in ("event", "linked") and state not in _NOWHERE
            of_form = "form" in operation
            wrong = "sign in" if of_form else "401"
            cell = partial(form_cell if of_form else record_cell, noun, state, operation)
            yield _row((noun, state, operation), cell, owned=owned, wrong=wrong)
    for path in PAGES:
        for operation in ("open", "send") if path in FORMS or path == "/submit/" else ("open",):
            cell = partial(lambda path, operation, role, _: page_cell(path, operation, role), path, operation)
            yield _row(
                ("page", path, operation), cell, owned=False, wrong=page_cell(path, operation, "wrong")
            )
    for noun, asked in product(("event", "linked"), ASKED):
        yield _row(
            (noun, "new", f"status {asked}"), lambda role, _, a=asked: created_cell(a, role), owned=False
        )
        yield _row((noun, "draft", f"status {asked}"), partial(restatus_cell, asked), owned=True)
    for who, fields in FIELDS.items():
        for sent, target in product(fields, ("new", "draft", "publish")):
            yield _row(("event", target, sent), partial(field_cell, who, target), owned=target != "new")


def _row(
    key: tuple[str, str, str], cell: Callable[[str, bool], str], *, owned: bool, wrong: str = "401"
) -> list[str]:
    cells = []
    for principal in PRINCIPALS:
        role, own = principal.rstrip("+"), principal.endswith("+")
        cells.append("-" if own and not owned else wrong if role == "wrong" else cell(role, own))
    return [*key, *cells]


def written() -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["noun", "state", "operation", *PRINCIPALS])
    writer.writerows(rows())
    return out.getvalue()


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
