"""The form for events: what was not touched is not sent, what two people have changed is found."""

from typing import Any

import pytest

from calendar_api.database.models import Event
from calendar_api.domain import costs
from calendar_api.representations import event_form
from calendar_api.representations.form_fields import Inputs
from tests import factories
from tests.client import Client

NO_LABELS: dict[str, dict[str, int]] = {"venue": {}, "organizer": {}}
DETAILED: dict[str, Any] = {
    "title": "R&D <b>&lt;i&gt;</b> &copy",
    "start_date": "2031-05-01 10:00:30", "end_date": "2031-05-02 11:00:00",
    "timezone": "UTC+5:30", "cost": "€5, €10, €15", "tags": ['a, "b"', "plain", '"q'],
    "categories": ["Music"],
    "description": "<h2>Head</h2><p>Text", "website": "https://a.example/?b=1&c", "image": "https://a.example/i.png",
    "venue": [{"venue": "Hall", "city": "Ulm"}, {"venue": "Yard"}], "organizer": {"organizer": "Ann & Bob"},
    "featured": True, "event_status": "postponed", "event_status_reason": "rain <x>", "show_map": True,
    "excerpt": "Short", "sticky": True, "password": "sesame",
}  # fmt: skip


@pytest.fixture
def event(client: Client) -> dict[str, Any]:
    return factories.event(client, **DETAILED)


def inputs(event: dict[str, Any]) -> dict[str, Any]:
    return event_form.inputs_of(event, {})


def sent(before: Inputs, after: Inputs, event: dict[str, Any] | None = None) -> dict[str, Any]:
    """What an update sends when a form that held `before` comes back with `after`."""
    names = event_form.FIELDS.changed(after, event_form.FIELDS.digests(before))
    found, problems = event_form.payload(after, names, NO_LABELS, event)
    assert problems == {}
    return found


def test_inputs_of_an_event(event: dict[str, Any]) -> None:
    found = inputs(event)

    assert {name: found[name] for name in ("title", "start_day", "start_time", "end_time", "timezone")} == {
        "title": "R&D &copy", "start_day": "2031-05-01", "start_time": "10:00:30", "end_time": "11:00",
        "timezone": "UTC+5:30",
    }  # fmt: skip
    assert found["tags"] == '"""q", "a, ""b""", plain'
    assert (found["venue"], len(found["venues"]), found["organizer"]) == ("", 2, "Ann & Bob")
    assert (found["description_format"], found["website"]) == ("html", "https://a.example/?b=1&c")
    assert (found["cost"], found["event_status_reason"], found["password"]) == ("€5 – €15", "rain <x>", "")


def test_untouched_form_sends_nothing(event: dict[str, Any]) -> None:
    before = inputs(event)
    as_sent = {name: value for name, value in before.items() if value}  # boxes that are off are not sent
    as_sent["description"] = before["description"].replace("\n", "\r\n") + " "
    assert sent(before, as_sent, event) == {}


CHANGES: list[tuple[Inputs, dict[str, Any]]] = [
    ({"title": "Other"}, {"title": "Other"}), ({"website": ""}, {"website": ""}),
    ({"start_day": "2031-04-30"}, {"start_date": "2031-04-30 10:00:30"}),
    ({"end_day": "2031-05-01", "end_time": ""}, {"end_date": "2031-05-01 10:00:30"}),
    ({"end_day": ""}, {"end_date": "2031-05-01 11:00"}), ({"all_day": "1"}, {"all_day": True}),
    ({"featured": ""}, {"featured": False}), ({"venues": ["12", "x"]}, {"venue": [12]}),
    ({"password": "new"}, {"password": "new"}), ({"no_password": "on"}, {"password": ""}),
    ({"description": "<p>x</p>"}, {"description": "<p>x</p>"}),
    ({"description": "x\n\n<", "description_format": "text"}, {"description": "<p>x</p>\n<p>&lt;</p>"}),
    ({"venue": "Barn", "venues": []}, {"venue": [{"venue": "Barn"}]}),
    ({"organizer": ""}, {"organizer": []}), ({"categories": ["7"]}, {"categories": ["7"]}),
    ({"organizer": "E", "organizer_email": "e@a"}, {"organizer": [{"organizer": "E", "email": "e@a"}]}),
]  # fmt: skip


def test_what_was_changed_is_sent(event: dict[str, Any]) -> None:
    before = inputs(event)
    assert [(typed, sent(before, before | typed, event)) for typed, _ in CHANGES] == CHANGES
    _, problems = event_form.payload(before | {"end_time": ""}, {"end_date"}, NO_LABELS, event)
    assert list(problems) == ["end_date"]


def test_password_of_spaces_is_a_problem(event: dict[str, Any]) -> None:
    """It is none of the fields that were changed, and must not look like saved."""
    _, problems = event_form.payload(inputs(event) | {"password": "  "}, set(), NO_LABELS, event)

    assert list(problems) == ["password"]


def test_end_of_one_day_moves_with_the_start(client: Client) -> None:
    for start, end, day, end_date in (
        ("01 10:00:00", "01 11:00:00", "2031-06-01", "2031-06-01 11:00"),
        ("01 10:00:00", "01 11:00:00", "2031-04-30", "2031-04-30 11:00"),
        ("01 22:00:00", "02 03:00:00", "2031-05-03", "2031-05-04 03:00"),
        ("01 10:00:00", "02 11:00:00", "2031-04-30", None),
        ("01 10:00:00", "01 11:00:00", "soon", "2031-05-01 11:00"),
    ):
        event = factories.event(client, start_date=f"2031-05-{start}", end_date=f"2031-05-{end}")
        before = inputs(event)
        assert sent(before, before | {"start_day": day}, event).get("end_date") == end_date


def test_tags_that_stay_are_sent_by_id(event: dict[str, Any]) -> None:
    before, ids = inputs(event), {tag["name"]: tag["id"] for tag in event["tags"]}
    after = before | {"tags": before["tags"] + ' , 2024,"x, y", "z'}
    assert sent(before, after, event) == {"tags": [*ids.values(), "2024", "x, y", '"z']}


def test_label_means_a_record() -> None:
    after = event_form.blank("UTC") | {"venue": "Hall, Ulm", "venue_city": "Rome"}
    labels: dict[str, dict[str, int]] = {"venue": {"Hall, Ulm": 7}, "organizer": {}}
    assert event_form.payload(after, {"venue"}, labels)[0] == {"venue": [7]}


def test_new_event_needs_a_day_and_a_time_or_all_day() -> None:
    new = event_form.blank("Europe/Berlin") | {"title": "Tea"}
    problems = [
        list(event_form.payload(new | typed, event_form.WHEN, NO_LABELS)[1])
        for typed in (
            {}, {"start_day": "2031-05-01"}, {"start_day": "2031-05-01", "all_day": "1"},
            {"start_day": "2031-05-01", "start_time": "10:00"},
            {"start_day": "2031-05-01", "start_time": "10:00", "end_day": "2031-05-02"},
        )
    ]  # fmt: skip

    assert problems == [["start_date"], ["start_date"], [], [], ["end_date"]]


def test_changes_of_two_people_are_joined() -> None:
    before = event_form.blank("UTC") | {"title": "Tea", "cost": "1", "start_day": "2031-05-01"}
    mine = before | {"title": "Mine", "start_day": "2031-05-02", "tags": "a"}
    theirs = before | {"title": "Theirs", "cost": "2", "start_day": "2031-05-02"}
    found, both = event_form.FIELDS.merged(mine, theirs, event_form.FIELDS.digests(before))
    assert (found["title"], found["cost"], found["tags"]) == ("Mine", "2", "a")
    assert both == {"title"}


def test_copy_takes_what_its_user_may_set_and_the_stored_cost(event: dict[str, Any]) -> None:
    cost = Event.get_by_id(event["id"]).cost
    copied = event_form.copied(event, cost, may_publish=True)
    assert (copied["cost"], "sticky" in copied) == (cost, True)
    assert "sticky" not in event_form.copied(event, cost, may_publish=False)
    for given in ("0", "Free", "Donation, please", "5 – 10", "$1,234.56", "7,50 €, 9 €", "-5", "EUR 5 or 6"):
        stored = costs.parse(given)
        assert costs.parse(stored) == stored  # what a copy sends


def test_copy_of_next_week() -> None:
    moved = event_form.shifted({"start_day": "2031-12-30", "end_day": "9999-12-30", "title": "x"}, 7)
    assert moved == {"start_day": "2032-01-06", "end_day": "9999-12-30", "title": "x"}
