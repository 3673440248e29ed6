"""The flags of an event in every form that is understood (docs/interface.md#lenient-types)."""

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

NAMES = ("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed")
FLAGS = pytest.mark.parametrize("flag", NAMES)
TRUE = (True, 1, "true", "TRUE", "1", "yes", "Yes", "on")
FALSE = (False, 0, "false", "False", "0", "no", "NO", "off")


@FLAGS
def test_every_word_for_true_and_false_is_understood(client: Client, flag: str) -> None:
    event = factories.event(client)
    path = f"/events/{event['id']}"

    answers = [
        client.put(path, {flag: value}, as_="admin", status=200).json[flag]
        for pair in zip(TRUE, FALSE, strict=True)
        for value in pair
    ]

    assert answers == [True, False] * len(TRUE)
    assert getattr(Event.get_by_id(event["id"]), flag) is False


@FLAGS
@pytest.mark.parametrize("value", ["", " ", "maybe", "2", 2, -1, 1.5, None, [], {}, [True], "ja", "truee"])
def test_other_value_of_a_flag_is_refused(client: Client, flag: str, value: object) -> None:
    event = factories.event(client, "admin", **{flag: True})

    response = client.put(f"/events/{event['id']}", {flag: value}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == [flag]
    assert response.json["data"]["details"][flag]["code"] == "rest_invalid_type"
    assert client.get(f"/events/{event['id']}").json[flag] is True


@FLAGS
@pytest.mark.parametrize(("word", "value"), [("yes", True), ("off", False), ("1", True), ("false", False)])
def test_flag_of_a_form_and_of_a_query_string(client: Client, flag: str, word: str, value: bool) -> None:
    event = factories.event(client, "admin", **{flag: not value})
    path = f"/events/{event['id']}"

    form = client.send("PATCH", path, form={flag: word}, as_="admin", status=200)
    client.put(path, {flag: not value}, as_="admin", status=200)
    query = client.send("PATCH", path, params={flag: word}, as_="admin", status=200)

    assert (form.json[flag], query.json[flag]) == (value, value)


def test_one_flag_leaves_the_others(client: Client) -> None:
    event = factories.event(client, "admin", **dict.fromkeys(NAMES, True))

    for place, flag in enumerate(NAMES):
        answer = client.put(f"/events/{event['id']}", {flag: False}, as_="admin", status=200).json
        assert [answer[name] for name in NAMES] == [False] * (place + 1) + [True] * (len(NAMES) - place - 1)
