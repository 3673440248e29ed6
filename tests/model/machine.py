"""The service beside the calendar in memory: hypothesis says what is done, and both must say the same."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.client import Client
from tests.model.calendar import Calendar, Record

Fields = dict[str, Any]

CALLERS = ("admin", "admin", "editor", "author", "author", "contributor", "contributor", "subscriber", None)
_STATUSES = ("publish", "publish", "draft", "pending", "private", "trash")
_WORDS = ("Jazz", "jam", "Fair", "night")
_FIRST = date(2031, 6, 1)

_callers = st.sampled_from(CALLERS)
_some = st.integers(0, 12)
_days = st.integers(0, 8)


def day(number: int) -> str:
    return str(_FIRST + timedelta(days=number))


_times = st.builds(
    lambda first, hour, days: {
        "start_date": f"{day(first)} {hour}",
        "end_date": f"{day(first + days)} {hour}",
    },
    _days,
    st.sampled_from(["00:00:00", "12:30:00", "23:59:59"]),
    st.integers(0, 2),
)
_optional = {
    "status": st.sampled_from(_STATUSES),
    "venue": st.lists(_some, max_size=2),
    "tags": st.lists(_some, max_size=2),
    "featured": st.booleans(),
    "hide_from_listings": st.sampled_from([False, False, False, True]),
}
_titles = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=2).map(" ".join)
_sent = st.builds(
    lambda title, times, more: {"title": title, **times, **more}, _titles, _times,
    st.fixed_dictionaries({}, optional=_optional),
)  # fmt: skip
_changes = st.builds(
    lambda more, times: {**more, **times},
    st.fixed_dictionaries({}, optional={"title": _titles, **_optional}),
    st.one_of(st.just({}), st.just({}), _times),
)
_filters = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"status": st.lists(st.sampled_from(_STATUSES), min_size=1, max_size=3, unique=True)}
    ),
    st.fixed_dictionaries({"search": st.sampled_from(("jazz", "JAM", "a", "night", "zz"))}),
    st.fixed_dictionaries({"featured": st.booleans()}),
    st.fixed_dictionaries({"tags": st.lists(_some, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"venue": st.lists(_some, min_size=1, max_size=2)}),
)
_windows = st.builds(
    lambda first, last: {"start_date": day(first // 2), "end_date": day(last + 4)}, _days, _days
)
_everything = {"start_date": day(-1), "end_date": day(20)}
_queries = st.builds(
    lambda window, one, other: window | one | other,
    st.one_of(st.just(_everything), _windows), _filters, st.one_of(st.just({}), st.just({}), _filters),
)  # fmt: skip


class Machine(RuleBasedStateMachine):
    """`renew` gives a client of an empty calendar; `steps` counts what was asked in all."""

    renew: Callable[[], Client]
    steps = 0

    @initialize()
    def begin(self) -> None:
        self.client = type(self).renew()
        self.model = Calendar()
        self._furnish()

    def _furnish(self) -> None:
        """Something to find, change and hide, of several people and in several states."""
        for number, caller in enumerate(
            ("admin", "author", "contributor", "author", "editor", "contributor")
        ):
            if number < 3:
                self.create_venue(caller, "publish")
                self.create_tag()
            at = {"start_date": f"{day(number)} 00:00:00", "end_date": f"{day(number)} 23:59:59"}
            sent = {"title": _WORDS[number % 4], **at, "venue": [number], "tags": [number, number + 1]}
            self.create_event(caller, sent)
        published = {"title": "Jazz", **at, "author": self.client.ids["contributor"]}
        answer = self._send("POST", "/events", "admin", body=published, status=201)
        self.model.created("admin", published, answer.json["id"])
        self.model.events[answer.json["id"]].author = "contributor"
        self.create_event("admin", {"title": "Fair", **at, "hide_from_listings": True})

    def _send(self, method: str, path: str, caller: str | None, **more: Any) -> Any:
        type(self).steps += 1
        return self.client.send(method, path, as_=caller, **more)

    def _pick(self, known: dict[int, Any], number: int) -> int:
        """One of those that there are or were, or, for the largest number, one that never was."""
        ids = list(known)
        return ids[number % len(ids)] if ids and number < 12 else 4_000_000 + number

    def _named(self, sent: Fields) -> Fields:
        """Numbers as ids; tags that are not there are no ids of anything."""
        known: dict[str, dict[int, Any]] = {"venue": self.model.venues, "tags": self.model.tags}
        return sent | {
            name: [self._pick(records, number) for number in sent[name]]
            for name, records in known.items()
            if name in sent
        }

    # -- writing

    @rule(caller=_callers, sent=_sent)
    def make_event(self, caller: str | None, sent: Fields) -> None:
        self.create_event(caller, sent)

    def create_event(self, caller: str | None, sent: Fields) -> None:
        sent = self._named(sent)
        answer = self._send("POST", "/events", caller, body=sent)
        expected = self.model.created(caller, sent, answer.json.get("id"))
        assert answer.status_int == expected, (caller, sent, answer.text)
        if expected == 201:
            self._compare(answer.json, self.model.read(caller, answer.json["id"]))

    def _pick_event(self, caller: str | None, number: int, own: bool) -> int:
        events = self.model.events
        mine = {id: event for id, event in events.items() if event.author == caller}
        return self._pick(mine if own and mine else events, number)

    @rule(caller=_callers, number=_some, own=st.booleans(), sent=_changes)
    def update_event(self, caller: str | None, number: int, own: bool, sent: Fields) -> None:
        id, sent = self._pick_event(caller, number, own), self._named(sent)
        answer = self._send("PATCH", f"/events/{id}", caller, body=sent)
        assert answer.status_int == self.model.updated(caller, id, sent), (caller, sent, answer.text)
        if answer.status_int == 200:
            self._compare(answer.json, self.model.shown(caller, self.model.events[id]))

    @rule(caller=_callers, number=_some, own=st.booleans())
    def delete_event(self, caller: str | None, number: int, own: bool) -> None:
        id = self._pick_event(caller, number, own)
        answer = self._send("DELETE", f"/events/{id}", caller)
        assert answer.status_int == self.model.deleted(caller, self.model.events, id), (caller, answer.text)

    @rule(caller=_callers, number=_some, status=st.sampled_from(["publish", "draft"]))
    def restore_event(self, caller: str | None, number: int, status: str) -> None:
        trashed = {id: event for id, event in self.model.events.items() if event.status == "trash"}
        id, sent = self._pick(trashed, number), {"status": status}
        answer = self._send("PUT", f"/events/{id}", caller, body=sent)
        assert answer.status_int == self.model.updated(caller, id, sent), (caller, answer.text)

    @rule(caller=_callers, status=st.sampled_from(["publish", "draft", "private"]))
    def make_venue(self, caller: str | None, status: str) -> None:
        self.create_venue(caller, status)

    def create_venue(self, caller: str | None, status: str) -> None:
        name = f"Hall {len(self.model.venues)}"
        answer = self._send("POST", "/venues", caller, body={"venue": name, "status": status})
        assert answer.status_int == (self.model.general(caller) or 201), answer.text
        if answer.status_int == 201:
            id = answer.json["id"]
            self.model.venues[id] = Record(id, str(caller), self.model.granted(caller, status), name)

    @rule(caller=_callers, number=_some)
    def delete_venue(self, caller: str | None, number: int) -> None:
        id = self._pick(self.model.venues, number)
        answer = self._send("DELETE", f"/venues/{id}", caller)
        assert answer.status_int == self.model.deleted(caller, self.model.venues, id), (caller, answer.text)

    @rule()
    def make_tag(self) -> None:
        self.create_tag()

    def create_tag(self) -> None:
        name = f"tag {len(self.model.tags)} {type(self).steps}"
        answer = self._send("POST", "/tags", "admin", body={"name": name}, status=201)
        self.model.tags[answer.json["id"]] = name

    @rule(number=_some, caller=st.sampled_from(["admin", "author"]))
    def delete_tag(self, number: int, caller: str) -> None:
        id = self._pick(self.model.tags, number)
        answer = self._send("DELETE", f"/tags/{id}", caller)
        expected = 403 if caller == "author" else 200 if id in self.model.tags else 404
        assert answer.status_int == expected, answer.text
        if expected == 200:
            del self.model.tags[id]
            for event in self.model.events.values():
                event.tags.discard(id)

    # -- reading

    @rule(caller=_callers, number=_some)
    def read_event(self, caller: str | None, number: int) -> None:
        id = self._pick(self.model.events, number)
        answer, expected = self._send("GET", f"/events/{id}", caller), self.model.read(caller, id)
        assert answer.status_int == (404 if expected is None else 200), answer.text
        if expected is not None:
            self._compare(answer.json, expected)
            again = self._send(
                "GET", f"/events/{id}", caller, headers={"If-None-Match": answer.headers["ETag"]}
            )
            assert again.status_int == 304

    @rule(caller=_callers, query=_queries, size=st.integers(1, 4), beyond=st.booleans())
    def list_events(self, caller: str | None, query: Fields, size: int, beyond: bool) -> None:
        """Every page of a list: together they are what the model finds, in its order, nothing twice."""
        query = self._named(query)
        found = self.model.found(caller, query)
        written = {name: _written(value) for name, value in query.items()} | {"per_page": size}
        if isinstance(found, int):
            self._send("GET", "/events", caller, params=written, status=found)
            return
        pages = max(-(-len(found) // size), 1)
        shown: list[Fields] = []
        for page in range(1, pages + 1):
            answer = self._send("GET", "/events", caller, params=written | {"page": page}, status=200)
            assert answer.json["total"] == len(found), (caller, query, answer.text)
            assert int(answer.headers["X-TEC-TotalPages"]) == -(-len(found) // size)
            shown += answer.json["events"]
        assert [one["id"] for one in shown] == [event.id for event in found], (caller, query)
        for one, event in zip(shown, found, strict=True):
            self._compare(one, self.model.shown(caller, event))
        if beyond:
            self._send("GET", "/events", caller, params=written | {"page": pages + 1}, status=404)

    @rule(caller=_callers)
    def list_venues_and_tags(self, caller: str | None) -> None:
        venues = self._send("GET", "/venues", caller, params={"per_page": 50}).json.get("venues", [])
        assert sorted((one["id"] for one in venues), reverse=True) == self.model.visible_venues(caller)[:50]
        tags = self._send("GET", "/tags", caller, params={"per_page": 50, "hide_empty": 0}).json["tags"]
        assert {one["id"]: one["count"] for one in tags} == self.model.counts()

    def _compare(self, answer: Fields, expected: Fields | None) -> None:
        assert expected is not None
        venues = answer["venue"] if isinstance(answer["venue"], list) else [answer["venue"]]
        said = {name: answer[name] for name in expected}
        said |= {"venue": [one["id"] for one in venues], "tags": sorted(one["id"] for one in answer["tags"])}
        assert said == expected


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
