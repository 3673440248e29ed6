"""One clause for all reads and one decision for all writes: a guard over the code itself.

It knows no more than that a function names a clause; that the clause is right is what the matrix, the twins
and the canaries find out.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from calendar_api.resources.archive import Archive
from calendar_api.resources.base import Single
from calendar_api.resources.routes import ROUTES
from calendar_api.resources.terms import TermById

PACKAGE = Path(__file__).parents[2] / "calendar_api"

#: Tables whose rows may be hidden, or tell of rows that are; `model` and `link` stand for one of them.
GUARDED = {
    "Event", "Venue", "Organizer", "EventVenue", "EventOrganizer", "EventTerm", "SearchText", "model", "link",
}  # fmt: skip
READS = {"select", "join", "get", "get_or_none", "get_by_id", "alias", "raw", "_links_of_events"}
CLAUSES = {"readable", "listed", "in_status", "public", "counted"}

#: Reads without a clause of their own, and why that is right.
WITHOUT = {
    "document_upkeep._render_again": "renders stored documents again, of all records; none of them goes out",
    "documents._by_ids": "of rows that the caller has found visible",
    "document_upkeep._unusable": "ids for `_render_again` and for a command of the operator",
    "documents.columns": "columns of statements that narrow their rows themselves",
    "document_upkeep.problems": "a command of the operator",
    "event_filters._own_venues": "of venues that its callers narrow to those listed",
    "event_filters.links": "`_unknown` has refused venues and organizers that may not be read",
    "event_query._by_id": "of ids that `_ids` has found visible in the same transaction",
    "event_query._count": "all published ones less those that are scheduled, for callers who may not write",
    "event_query._narrowed": "`event_filters.clauses` hold the one on `status`, which nothing replaces",
    "event_query._linked_events": "the same; it leaves out only the one on the links",
    "event_query._spans": "of events that `_events` has found visible in the same statement",
    "events._parent": "keeps circles out of the tree, hidden events or not; shows nothing but a refusal",
    "full_text.texts": "narrows what the clauses beside it let through",
    "import_ledger._links": "a command of the operator",
    "import_ledger._rows": "the same",
    "import_matches._same_starts": "the same",
    "import_matches._same_uids": "the same",
    "import_matches._venues_of": "the same",
    "import_matches._venues_or_organizers": "the same",
    "import_matches.in_same_venues": "the same",
    "login_attempts.new_digest": "the salt of any protected event; it is stored and never answered",
    "merge._announce": "writes the events of a record that the caller may edit; none of them goes out",
    "merge._events_beginning_with": "the same",
    "merge._move_links": "the same",
    "related_records._linked": "ids of links that an update keeps; none of them goes out",
    "sitemap._page": "`_public` holds the one on `listed`, for anonymous callers",
    "sitemap._upcoming": "the same",
    "identifiers._slugs": "the same as `_others`",
    "identifiers._others": "a slug is unique among all; a suffix tells writers that there is another",
    "submissions.waiting_count": "a number, which its callers show to editors alone",
    "submissions.find": "of the secret link that its visitor has",
    "submissions._own": "records that came with the event of this visitor, or that this write decides on",
    "submissions.follow": "the same",
    "related_records._counted": "of the event that this transaction writes",
    "related_records._counting": "a number that is stored, or compared by a command of the operator",
    "visibility.published_events": "a number in a clause, the same for every caller",
    "trash.due": "a command of the operator",
    "trash.due_contacts": "the same",
    "trash.purge": "the same",
    "users.has_records": "whether there are any, for administrators and a command of the operator",
    "venue_organizer_query._count": "the first of `clauses` is `listed` or `in_status`",
    "venue_organizer_query._links_of_events": "a part of a clause; each caller of it names the visible ones",
    "venue_organizer_query._page": "the first of `clauses` is `listed` or `in_status`",
    "visibility._next": "an instant, at which what is remembered is forgotten; no answer shows it",
}
#: Methods of tables and queries.
QUERYING = {"select", "get_by_id", "get_or_none", "get_or_create", "insert_many", "delete_by_id", "execute"}
MODELS = {f"calendar_api.database.{name}" for name in ("models", "tables")}


def functions(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node


def reads(function: ast.FunctionDef) -> bool:
    """Whether it asks one of the guarded tables for rows."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in READS:
            named = [call.func.value, *call.args] if call.func.attr == "join" else [call.func.value]
            if call.func.attr == "_links_of_events" or any(GUARDED & _names(part) for part in named):
                return True
    return False


def _names(part: ast.AST) -> set[str]:
    names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(part) if isinstance(node, ast.Attribute)}


def _called(function: ast.FunctionDef) -> set[str]:
    """Functions that are called by their bare names; a method of the same name is something else."""
    return {
        call.func.id
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }


def unguarded(source: str) -> list[str]:
    """Functions that read without naming a clause."""
    return [
        function.name for function in functions(source) if reads(function) and not CLAUSES & _called(function)
    ]


def test_every_read_names_a_visibility_clause_or_a_reason() -> None:
    found = {
        f"{path.stem}.{name}"
        for folder in ("store", "resources")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for name in unguarded(path.read_text("utf-8"))
    }

    assert found == set(WITHOUT)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def one(id):\n    return Event.get_by_id(id)", ["one"]),
        ("def some(self):\n    return list(self.model.select())", ["some"]),
        ("def linked(ids):\n    return Term.select().join(EventTerm, on=x).where(x.in_(ids))", ["linked"]),
        ("def of(self, e):\n    return self._links_of_events(Event.id == e)", ["of"]),
        ("def one(id, caller):\n    return Event.select().where(x == id, readable(Event, caller))", []),
        ("def two(caller):\n    return Venue.select().where(listed(Venue, caller))", []),
        ("def three(id):\n    return User.get_or_none(User.id == id)", []),
    ],
)
def test_guard_finds_a_read_without_a_clause(source: str, found: list[str]) -> None:
    assert unguarded(source) == found


def queried(source: str) -> set[str]:
    """Tables of which a module uses more than the name, which types and calls of the store need; methods."""
    nodes = list(ast.walk(ast.parse(source)))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in MODELS]
    tables = {alias.asname or alias.name for node in imports for alias in node.names}
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    owners = {node.value.id for node in attributes if isinstance(node.value, ast.Name)}
    methods = {
        node.attr for node in attributes if ast.unparse(node) != "select.select"
    }  # of the standard library
    return owners & tables | methods & QUERYING


def test_only_the_store_and_commands_query_tables() -> None:
    found = {
        path.relative_to(PACKAGE): queried(path.read_text("utf-8"))
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in ("store", "database", "commands")
    }

    assert {path: names for path, names in found.items() if names} == {}


def test_guard_finds_a_query() -> None:
    source = "from calendar_api.database.models import Event\n"

    assert queried(source + "Event.select()") == {"Event", "select"}
    assert queried("self.model.select()") == {"select"}
    assert queried(source + "def find(row: Event): documents.find(Event, row.id)") == set()


@pytest.mark.parametrize(("template", "resource"), ROUTES)
def test_every_route_writes_through_the_same_two_doors(template: str, resource: type) -> None:
    writing = {
        name: getattr(resource, name)
        for name in ("on_post", "on_put", "on_patch", "on_delete")
        if hasattr(resource, name)
    }

    if "{" not in template:
        assert writing == {"on_post": Archive.on_post}
        return
    update = dict.fromkeys(("on_post", "on_put", "on_patch"), Single.update)
    assert writing == {**update, "on_delete": Single.on_delete}
    assert issubclass(resource, Single)
    assert resource.update_record is Single.update_record
    assert resource.remove_record is Single.remove_record
    assert resource.require_edit is Single.require_edit
    assert resource.may_edit in (Single.may_edit, TermById.may_edit)


def calls(function: ast.FunctionDef) -> list[str]:
    """What a function calls on itself, in the order of the source."""
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
    ]
    return [node.func.attr for node in sorted(found, key=lambda node: (node.lineno, node.col_offset))]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "write"), [("update_record", "change"), ("remove_record", "remove")])
def test_record_is_found_then_decided_on_then_changed(name: str, write: str) -> None:
    source = (PACKAGE / "resources" / "base.py").read_text("utf-8")
    (function,) = (function for function in functions(source) if function.name == name)

    order = calls(function)

    assert order[0] == "require_write"
    assert [step for step in order if step in ("find", "require_edit", write)] == [
        "find",
        "require_edit",
        write,
    ]


def test_transactions_that_write_are_begun_in_few_files() -> None:
    """Pages of editing store records through the code of the interface, except what it does not have."""
    folder = PACKAGE / "resources"
    writers = {
        str(path.relative_to(folder).with_suffix(""))
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("run_write", "write")
        and "database" in _names(node)
    }

    own = {"users", "records", "submission"}
    assert writers == {"archive", "base", *(f"editing/{name}" for name in own)}
