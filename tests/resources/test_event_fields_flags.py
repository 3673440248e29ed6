"""The flags of an event in every form that is understood (docs/interface.md#lenient-types)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

NAMES = ("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed")
TRUE = (True, 1, "true", "TRUE", "1", "yes", "Yes", "on")
FALSE = (False, 0, "false", "False", "0", "no", "NO", "off")


def test_every_word_for_true_and_false_is_understood(client: Client) -> None:
    path = f"/events/{factories.event(client)['id']}"

    for words, shown in ((TRUE, True), (FALSE, False), (TRUE[:1], True), (FALSE[:1], False)):
        for word in words:
            answer = client.put(path, dict.fromkeys(NAMES, word), as_="admin", status=200).json
            assert [answer[name] for name in NAMES] == [shown] * len(NAMES), word


@pytest.mark.parametrize(("word", "value"), [("yes", True), ("off", False)])
def test_flags_of_a_form_and_of_a_query_string(client: Client, word: str, value: bool) -> None:
    for where in ("form", "params"):
        event = factories.event(client, "admin", **dict.fromkeys(NAMES, not value))
        sent: dict[str, Any] = {where: dict.fromkeys(NAMES, word)}
        answer = client.send("PATCH", f"/events/{event['id']}", as_="admin", status=200, **sent).json
        assert [answer[name] for name in NAMES] == [value] * len(NAMES)


def test_one_flag_leaves_the_others(client: Client) -> None:
    event = factories.event(client, "admin", **dict.fromkeys(NAMES, True))

    for place, flag in enumerate(NAMES):
        answer = client.put(f"/events/{event['id']}", {flag: False}, as_="admin", status=200).json
        assert [answer[name] for name in NAMES] == [False] * (place + 1) + [True] * (len(NAMES) - place - 1)
