"""Documents as JSON text, and their tags."""

import json
import re
from typing import Any

import pytest

from calendar_api.domain import etags, json_text
from calendar_api.representations import archive

RECORD: dict[str, Any] = {
    "id": 7, "title": 'Ta"ngo \U0001f600 ω', "venue": {"city": "Faro"}, "tags": [{"id": 1}, {"id": 2}],
    "categories": [], "ticketed": False, "lat": 1.5, "none": None,
}  # fmt: skip


def test_json_is_compact_and_keeps_letters_as_they_are() -> None:
    encoded = json_text.encode(RECORD)

    assert encoded.startswith('{"id":7,"title":"Ta\\"ngo \U0001f600 ω","venue":{"city":"Faro"},')
    assert json.loads(encoded) == RECORD


@pytest.mark.parametrize("records", [[], [RECORD], [RECORD, {"id": 8}]])
@pytest.mark.parametrize(
    "document", [{"events": [], "total": 2}, {"total": 1, "url": '"events":[] ω', "events": [], "tags": []}]
)
def test_records_stand_in_the_list_of_their_document(document: dict[str, Any], records: list[Any]) -> None:
    texts = [json_text.encode(record).encode() for record in records]

    body = archive.with_records(document, "events", texts)

    assert body == json_text.encode({**document, "events": records}).encode()


def test_tag_is_strong_and_differs_with_the_body() -> None:
    tags = [etags.etag(body) for body in (b"", b"{}", b"{} ", b"{}")]

    assert all(re.fullmatch('"[0-9a-f]{32}"', tag) for tag in tags)
    assert (len(set(tags)), tags[1]) == (3, tags[3])
