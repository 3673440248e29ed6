"""Documents as JSON text: put together of parts that are text already, they are the same bytes."""

import json
from typing import Any

import pytest

from calendar_api.domain import json_text
from calendar_api.domain.json_text import Written

RECORD: dict[str, Any] = {
    "id": 7, "title": 'Ta"ngo \U0001f600 ω', "venue": {"city": "Faro"}, "tags": [{"id": 1}, {"id": 2}],
    "categories": [], "ticketed": False, "lat": 1.5, "none": None,
}  # fmt: skip


def of_parts(*names: str) -> dict[str, Any]:
    """The record with these values as text."""
    return {key: json_text.written(value) if key in names else value for key, value in RECORD.items()}


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("id",),
        ("none",),
        ("venue", "tags"),
        ("venue", "tags", "categories"),
        ("title", "lat"),
        tuple(RECORD),
    ],
)
def test_record_of_parts_is_the_same_text(names: tuple[str, ...]) -> None:
    plain, parted = json_text.rendered(RECORD), json_text.rendered(of_parts(*names))

    assert parted == plain == json_text.dumps(RECORD)
    assert parted.digest == plain.digest
    assert json.loads(parted) == RECORD


def test_text_among_the_values_is_a_text() -> None:
    assert json_text.rendered({"title": '{"id":1}', "venue": Written('{"id":1}')}) == (
        b'{"title":"{\\"id\\":1}","venue":{"id":1}}'
    )
    assert json_text.rendered({}) == b"{}"


@pytest.mark.parametrize("parts", [[], [1], [{"id": 1}, {"id": 2}]])
def test_list_of_parts(parts: list[Any]) -> None:
    assert json_text.listed(map(json_text.written, parts)) == json_text.dumps(parts).decode()


@pytest.mark.parametrize(
    "document",
    [
        RECORD,
        {"events": [RECORD, {"id": 8}], "total": 2},
        {"events": [], "total": 0},
        {"total": 1, "tags": [{"id": 8}], "rest_url": "x"},
        [1, 2],
    ],
)
def test_body_and_tag_are_those_that_each_makes_alone(document: Any) -> None:
    for given in (document, json_text.as_rendered(document)):
        assert json_text.tagged(given) == (json_text.dumps(document), json_text.etag(document))
