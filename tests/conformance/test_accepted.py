"""The form of `accepted.txt`: each line names one exchange and one aspect, and the section that wants it."""

import re
from pathlib import Path

ACCEPTED = Path(__file__).parent / "accepted.txt"
ASPECTS = ("status", "code", "keys", "types", "values", "headers", "all")
_REASON = re.compile(r"(?:follows from )?docs/interface\.md#[\w-]+(?:(?:, |; |; follows from )#[\w-]+)*")


def rules() -> list[tuple[str, str, str]]:
    """Exchange, aspect and reason of every line that is a rule."""
    lines = [line for line in ACCEPTED.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    found = []
    for line in lines:
        rule, mark, reason = line.rpartition("  # ")
        exchange, _, aspect = rule.rpartition("  ")
        assert mark, line
        found.append((exchange, aspect, reason))
    return found


def test_every_rule_names_one_exchange_of_a_group_and_an_aspect() -> None:
    wrong = [rule for rule in rules() if not re.fullmatch(r"[a-z-]+/.+", rule[0]) or rule[1] not in ASPECTS]

    assert wrong == []
    assert len(rules()) > 1000


def test_no_rule_stands_for_more_than_one_exchange() -> None:
    """The comparison takes `*` for anything, and a rule with one hides differences that nobody wanted.

    It takes `?` for any one character; in the name of an exchange it is the start of a query.
    """
    assert [rule for rule in rules() if "*" in rule[0]] == []


def test_every_rule_cites_the_interface() -> None:
    """That the sections exist is checked by tests/test_docs.py."""
    assert [rule for rule in rules() if not _REASON.fullmatch(rule[2])] == []


def test_no_rule_stands_twice() -> None:
    keys = [rule[:2] for rule in rules()]
    whole = {exchange for exchange, aspect in keys if aspect == "all"}

    assert len(keys) == len(set(keys))
    assert [key for key in keys if key[0] in whole and key[1] != "all"] == []
