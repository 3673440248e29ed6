"""Every way to carry out an operation of the matrix, and what its answer means in the matrix's words."""

from collections.abc import Callable
from typing import Any

from calendar_api.representations import event_form
from calendar_api.resources.editing import records
from tests.confidentiality.speaking import Answer, segment
from tests.confidentiality.worlds import AHEAD, DATES, KEY, OTHER, World, login

Json = dict[str, Any]
Way = Callable[[], str]
PLURAL = {"category": "categories"}
FULL = "GET, DELETE, POST, PUT, PATCH"
_STATUS = {"protected": "publish", "unlisted": "publish", "protected draft": "draft"}


#: What the forms of pages without a record send.
_SENT = {
    "/edit/event/new/": {"title": "New", "start_day": "2031-05-01", "all_day": "1", "action": "draft"},
    "/edit/venues/new/": {"venue": "Quite new"}, "/edit/organizers/new/": {"organizer": "Quite new"},
    "/edit/categories/new/": {"name": "Quite new"}, "/edit/tags/new/": {"name": "Quite new"},
    "/edit/users/": {"login": "new", "role": "administrator"},
}  # fmt: skip


def plural(noun: str) -> str:
    return PLURAL.get(noun, noun + "s")


class Cell:
    """One row of the matrix for one principal; `noun` is one that there is, not "linked"."""

    def __init__(self, world: World, noun: str, state: str, operation: str, principal: str) -> None:
        self.world, self.noun, self.state, self.operation = world, noun, state, operation
        self.principal, self.login = principal, login(principal)
        self.owner = str(self.login) if principal.endswith("+") else OTHER
        has_record = state != "new" and noun != "page"
        self.word = world.record(noun, self.owner, state).get("word", "") if has_record else ""

    def ways(self) -> list[Way]:
        """All requests that must end as the cell says."""
        if self.operation.startswith("status "):
            return self._status_ways()
        if self.noun == "page":
            return [self._page(self.state, _SENT.get(self.state, {}) if self.operation == "send" else None)]
        if self.state == "new" or self.operation not in _WAYS:
            return self._field_ways()
        return _WAYS[self.operation](self)

    # -- requests

    @property
    def record(self) -> Json:
        return self.world.record(self.noun, self.owner, self.state)

    @property
    def addresses(self) -> list[str]:
        by_id = f"/{plural(self.noun)}/{self.record['id']}"
        if self.noun in ("category", "tag"):
            return [by_id]
        return [by_id, f"/{plural(self.noun)}/by-slug/{segment(self.record['slug'])}"]

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        return self.world.speaker.send(method, path, body, as_=self.login, **more)

    def outcome(self, answer: Answer, noun: str = "") -> str:
        """The words of the matrix, once code and status agree."""
        noun = noun or self.noun
        status = answer.status
        if status < 400 or not answer.body:
            return str(status)
        codes = {
            401: "rest_not_authenticated" if self.principal == "wrong" else "rest_forbidden",
            403: "rest_forbidden", 404: f"rest-{noun}-not-found", 410: f"{noun}-is-in-trash",
            400: "rest_invalid_param",
        }  # fmt: skip
        if (status, answer.code) == (403, "event-password-protected"):
            return "403 password"
        if (status, answer.code.rpartition("-")[0]) == (400, "could-not-create"):  # a nested record
            return "400"
        return str(status) if answer.code == codes.get(status) else f"{status} {answer.code}"

    def sent(self, method: str, path: str, body: Any = None, noun: str = "", **more: Any) -> Way:
        return lambda: self.outcome(self.send(method, path, body, **more), noun)

    # -- pages of editing

    def form(self) -> list[Way]:
        return [self._page(self._form_path())]

    def send_form(self) -> list[Way]:
        """One field is changed."""
        name = {"event": "cost", "venue": "phone", "organizer": "phone"}.get(self.noun, "description")
        fields = event_form.FIELDS if self.noun == "event" else records.FIELDS[self.noun]
        was = fields.digests({"description_format": "text"}, [name])
        return [self._page(self._form_path(), {"was": was, name: "1", "description_format": "text"})]

    def _form_path(self) -> str:
        name = "event" if self.noun == "event" else plural(self.noun)
        return f"/edit/{name}/{self.record['id']}/"

    def _page(self, path: str, fields: dict[str, str] | None = None) -> Way:
        """Open a page with the session of the principal, or send the fields of its form."""
        user = str(self.login)

        def way() -> str:
            headers = {"Cookie": self.world.cookies[user]} if user in self.world.cookies else {}
            form = None if fields is None else {"token": self.world.tokens.get(user, ""), **fields}
            method = "GET" if form is None else "POST"
            answer = self.world.speaker.send(method, "/" + path, headers=headers, form=form)
            asks = "/edit/sign-in/" in answer.header("Location") or b"sign-in-password" in answer.body
            return "sign in" if asks else str(answer.status)

        return way

    # -- operations

    def read(self) -> list[Way]:
        return [self.sent("GET", path) for path in self.addresses] + [
            self._head(path) for path in self.addresses
        ]

    def _head(self, path: str) -> Way:
        def way() -> str:
            head, get = self.send("HEAD", path), self.send("GET", path)
            assert not head.body
            return self.outcome(get) if head.status == get.status else f"HEAD {head.status}"

        return way

    def read_with_key(self) -> list[Way]:
        return [self.sent("GET", path, query={"password": KEY}) for path in self.addresses]

    def allowed(self) -> list[Way]:
        def way(path: str) -> str:
            answer = self.send("OPTIONS", path)
            allow = {"GET": "GET", FULL: "all", "GET, POST, PUT, PATCH, DELETE": "all"}
            return allow.get(answer.header("Allow"), "?") if answer.status == 200 else self.outcome(answer)

        return [lambda path=path: way(path) for path in self.addresses]  # type: ignore[misc]

    def change(self) -> list[Way]:
        name = {"event": "title", "category": "name", "tag": "name"}.get(self.noun, self.noun)
        body = {name: "Changed", "id": 1, "author": self.world.ids.get(self.owner, 1)}
        if self.principal.startswith(("author", "contributor")):
            body.pop("author")
        return self._writes(("POST", "PUT", "PATCH"), body)

    def delete(self) -> list[Way]:
        return self._writes(("DELETE",), None)

    def _writes(self, methods: tuple[str, ...], body: Any) -> list[Way]:
        """Each method by itself, and those that POST may stand for under both of their disguises."""
        ways = []
        for path in self.addresses:
            for method in methods:
                ways.append(self.sent(method, path, body))
                if method != "POST":
                    override = {"X-HTTP-Method-Override": method.lower()}
                    ways.append(self.sent("POST", path, body, headers=override))
                    ways.append(self.sent("POST", path, body, query={"_method": method, "id": 1}))
        return ways

    def listed(self, **query: str) -> list[Way]:
        def way() -> str:
            found = self.whole_list(query)
            return found if isinstance(found, str) else found.get(self.record["id"], "no")

        return [way]

    def whole_list(self, query: dict[str, str]) -> dict[int, str] | str:
        """All ids of a list and how they are shown, or the refusal; asked once for each caller."""
        key = (self.noun, str(self.login), *(f"{k}={v}" for k, v in query.items()))
        if key in self.world.lists:
            return self.world.lists[key]
        found: dict[int, str] = {}
        page = pages = 1
        while page <= pages:
            answer = self.send("GET", f"/{plural(self.noun)}", query={**query, "page": page, "per_page": 50})
            if answer.status != 200:
                return self.outcome(answer)
            pages = answer.json["total_pages"]
            for one in answer.json[plural(self.noun)]:
                found[one["id"]] = "masked" if one.get("all_day", False) is None else "shown"
            page += 1
        assert len(found) == answer.json["total"] == int(answer.header("X-TEC-Total"))
        self.world.lists[key] = found
        return found

    def list_status(self) -> list[Way]:
        status = _STATUS.get(self.state, self.state)
        return self.listed(status="publish" if status in ("absent", "other kind") else status)

    def nested(self) -> list[Way]:
        """In an event that links the record: alone, by slug and in a list."""

        def shown(event: Json) -> str:
            records = event[self.noun] if isinstance(event[self.noun], list) else [event[self.noun]]
            return "shown" if self.record["id"] in [record["id"] for record in records] else "no"

        def alone() -> str:
            answer = self.send("GET", f"/events/{holder}")
            return shown(answer.json) if answer.status == 200 else self.outcome(answer)

        def in_list() -> str:
            answer = self.send("GET", "/events", query={"include": holder})
            return shown(answer.json["events"][0]) if answer.status == 200 else self.outcome(answer)

        holder = self.world.holders[self.owner]
        return [alone, in_list]

    def filter_by_it(self) -> list[Way]:
        id = self.record["id"]
        if self.noun != "event":
            return [
                self.sent(
                    "GET",
                    "/events",
                    query={plural(self.noun) if self.noun in ("category", "tag") else self.noun: id},
                )
            ]
        ways = [self.sent("GET", "/events", query={"post_parent": id})]
        ways += [
            self.sent("GET", f"/{archive}", query={"event": id})
            for archive in ("venues", "organizers", "tags")
        ]
        return [*ways, *(self.sent("GET", "/categories", query={name: id}) for name in ("event", "post"))]

    def link_to_it(self) -> list[Way]:
        """Sent with a new event in every form that the field takes, and with an own draft."""
        id = self.record["id"]
        new = {"title": "Linking", **DATES}
        forms: list[Json]
        if self.noun == "event":
            forms = [{"post_parent": id}, {"post_parent": str(id)}]
        elif self.noun in ("category", "tag"):
            forms = [{plural(self.noun): id}, {plural(self.noun): [str(id)]}]
        else:
            good = self.world.record(self.noun, OTHER, "publish")["id"]
            values: list[Any] = [id, {"id": id}, [id], f"{good},{id}", [{"id": good}, {"id": str(id)}]]
            forms = [{self.noun: value} for value in values]
        ways = [self.sent("POST", "/events", new | form, "event") for form in forms]
        return ways + [self._own_draft(form) for form in forms[:1]]

    def _own_draft(self, form: Json) -> Way:
        owner = str(self.login) if self.login in ("contributor", "author", "editor", "admin") else OTHER
        # Another one than the record itself, which could not be its own parent.
        draft = self.world.record("event", owner, "pending" if self.state == "draft" else "draft")["id"]

        def way() -> str:
            found = self.outcome(self.send("PATCH", f"/events/{draft}", form), "event")
            return "201" if found == "200" else found  # the matrix has one word for both

        return way

    # -- statuses and fields

    def _status_ways(self) -> list[Way]:
        asked = self.operation.removeprefix("status ")
        body: Json = {} if asked == "nothing" else {"status": asked}
        if asked == "publish ahead":
            body = {"status": "publish", "date_utc": AHEAD}
        if self.state != "new":
            return [self._ends(method, path, body) for path in self.addresses for method in ("PUT", "POST")]
        name = {"title": "New", **DATES} if self.noun == "event" else {self.noun: "Quite new"}
        return [self._ends("POST", f"/{plural(self.noun)}", name | body)]

    def _ends(self, method: str, path: str, body: Json) -> Way:
        def way() -> str:
            answer = self.send(method, path, body)
            found = self.outcome(answer)
            return f"{found} {answer.json['status']}" if answer.status < 300 else found

        return way

    def _field_ways(self) -> list[Way]:
        body = self._sent_field()
        if self.state == "new":
            return [self.sent("POST", "/events", {"title": "New", **DATES, **body})]
        ways = [
            self.sent(method, path, body)
            for path, method in zip(self.addresses, ("PATCH", "POST"), strict=True)
        ]
        return ways[:1] if "password" in body else ways  # by slug nobody may send one

    def _sent_field(self) -> Json:
        name, _, what = self.operation.partition(" ")
        record = self.world.record
        public, hidden = "publish", "draft"
        if what.startswith("inline"):
            return {
                name: {
                    name: "Entirely new",
                    **self._sent(*what.removeprefix("inline").strip().partition(" ")),
                }
            }
        if name in ("venue", "organizer"):
            by_what = {"public": public, "hidden": hidden, "absent": "absent"}
            if what == "mixed hidden":
                return {name: [{name: "New too"}, record(name, "admin", hidden)["id"]]}
            return {name: record(name, "admin", by_what[what])["id"]}
        return self._sent(name, " ", what)

    def _sent(self, name: str, _: str, what: str) -> Json:
        if not name:
            return {}
        known = self.world.known
        own = self.world.ids.get(str(self.login), 1)
        values: dict[str, Any] = {
            "author self": own, "author other": self.world.ids["contributor2"],
            "featured true": True, "sticky true": 1, "hide_from_listings true": "yes",
            "featured false": False, "sticky false": 0, "hide_from_listings false": "no",
            "ticketed true": True, "show_map true": True, "password set": "secret",
            "post_parent none": 0, "post_parent absent": 999_999,
            "categories known": "known-category", "tags known": ["Known tag"],
            "categories unknown id": 999_999,
            "categories new": ["Known category", "New one"], "tags new": "New one",
            "image new": "https://pictures.example/new.png", "image absent": 999_999,
        }  # fmt: skip
        return {name: {**values, **known}[f"{name} {what}"]}


_WAYS: dict[str, Callable[[Cell], list[Way]]] = {
    "read": Cell.read, "read with key": Cell.read_with_key, "allowed": Cell.allowed, "change": Cell.change,
    "delete": Cell.delete, "list": Cell.listed, "list status": Cell.list_status,
    "list include": lambda cell: cell.listed(include=str(cell.record["id"])),
    "list search": lambda cell: cell.listed(search=cell.word),
    "form": Cell.form, "send form": Cell.send_form,
    "nested": Cell.nested, "filter by it": Cell.filter_by_it, "link to it": Cell.link_to_it,
}  # fmt: skip
