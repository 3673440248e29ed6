"""Documents as JSON text, and their tags."""

import json
from typing import Any

import pytest

from calendar_api.domain import json_text

RECORD: dict[str, Any] = {
    "id": 7, "title": 'Ta"ngo \U0001f600 ω', "venue": {"city": "Faro"}, "tags": [{"id": 1}, {"id": 2}],
    "categories": [], "ticketed": False, "lat": 1.5, "none": None,
}  # fmt: skip


def test_rendered_record_is_its_json() -> None:
    assert json_text.rendered(RECORD) == json_text.dumps(RECORD)
    assert json.loads(json_text.rendered(RECORD)) == RECORD


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
