"""An event as lists write it: the text of its record, whatever changed in it since it was written before."""

import json
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest

from calendar_api.database.models import Image
from calendar_api.domain import json_text
from calendar_api.middleware.response_cache.texts import Texts
from calendar_api.representations import events
from calendar_api.representations.links import Links
from calendar_api.store.related_records import RelatedRecords as Nested
from tests.representations.test_events import LINKS, SITE, event, organizer, term, venue

PICTURE = {"url": "https://pics.example.org/a.png", "extension": "png", "width": None, "height": None}
OTHER = {  # a value that a column does not have, where a text would not do
    "published_utc": "2026-06-15 13:00:00", "modified_utc": "2026-06-14 13:00:00", "timezone": "Asia/Tokyo",
    "start_date": "2027-02-10 10:00:00", "end_date": "2027-02-10 10:00:00", "status": "draft", "cost": "€5",
    "utc_start_date": "2027-02-10 10:00:00", "utc_end_date": "2027-02-10 10:00:00", "taxonomy": "post_tag",
    "image_id": 12, "parent_id": 6, "author_id": 3, "geo_lat": 1.5, "geo_lng": 2.5, "width": 7, "height": 8,
    "filesize": 9,
}  # fmt: skip


def row(model: Any, **columns: Any) -> Any:
    """As the store reads it: a tuple of what the columns hold."""
    fields = model._meta.sorted_fields
    values = {field.column_name: model.__data__.get(field.name) for field in fields} | columns
    return namedtuple("row", values)(**values)  # type: ignore[misc]


def shown() -> tuple[Any, Nested]:
    """An event with everything, two of each kind."""
    images = {id: row(Image(**PICTURE, id=id)) for id in (11, 12)}
    nested = Nested(
        venues={7: [row(venue(21), image_id=11, geo_lat=0.5, geo_lng=0.5), row(venue(22))]},
        organizers={7: [row(organizer(31), image_id=11), row(organizer(32))]},
        terms={7: [row(term(41, "tribe_events_cat"), parent_id=43), row(term(42, "post_tag"))]},
        counts={41: 3, 42: 0}, images=images, parents={5, 6},
    )  # fmt: skip
    return row(event(), image_id=11, parent_id=5), nested


def changes() -> Iterator[tuple[str, Any, Nested, Any]]:
    """One thing after the other is another one, in the event, in what hangs on it, and around it."""
    given, nested = shown()
    for name in given._fields:
        if name != "id":
            yield f"event.{name}", _changed(given, name), nested, SITE
    for kind in ("venues", "organizers", "terms"):
        first = getattr(nested, kind)[7][0]
        for name in first._fields:
            if name != "id":
                other = {7: [_changed(first, name), *getattr(nested, kind)[7][1:]]}
                yield f"{kind}.{name}", given, replace(nested, **{kind: other}), SITE
    for name in ("url", "extension", "width", "height", "filesize"):
        yield f"image.{name}", given, replace(nested, images={11: _changed(nested.images[11], name)}), SITE
    for kind in ("venues", "organizers", "terms"):
        yield f"fewer {kind}", given, replace(nested, **{kind: {7: getattr(nested, kind)[7][:1]}}), SITE
    yield "count", given, replace(nested, counts={41: 4, 42: 0}), SITE
    yield "images", given, replace(nested, images={}), SITE
    yield "parents", given, replace(nested, parents=set()), SITE
    yield "now", given, nested, replace(SITE, now="2025-12-31 12:00:00")
    yield "zone", given, nested, replace(SITE, zone=timezone(timedelta(hours=9)))
    yield "currency", _changed(given, "cost", "5"), nested, replace(SITE, currency_symbol="£")
    yield "free", _changed(given, "cost", "0"), nested, replace(SITE, free="umsonst")
    yield "links", given, nested, replace(SITE, links=Links("https://x.example", "https://x.example", "/r"))
    yield "home", given, nested, replace(SITE, links=replace(LINKS, home="https://x.example/de"))


def _changed(given: Any, name: str, value: Any = None) -> Any:
    before = getattr(given, name)
    if value is None:
        value = not before if isinstance(before, bool) else OTHER.get(name, "another")
    assert value != before
    return given._replace(**{name: value})


def fresh(given: Any, nested: Nested, site: Any) -> bytes:
    return json_text.rendered(events.record(given, nested, site, single=False))


@pytest.mark.parametrize("room", [0, 1_000_000])
def test_text_is_that_of_the_record_after_every_change(room: int) -> None:
    texts = Texts(room)
    plain, nested = shown()
    before = events.listed(plain, nested, SITE, texts)
    differing = 0

    for what, given, hanging, site in changes():
        text = events.listed(given, hanging, site, texts)
        assert text == fresh(given, hanging, site), what
        assert text.digest == json_text.rendered(json.loads(text)).digest
        differing += text != before
        again = events.listed(plain, nested, SITE, texts)
        assert again == before
        assert (again is before) is (room > 0)

    assert before == fresh(plain, nested, SITE)
    assert differing > 70


def test_what_events_share_is_written_once() -> None:
    texts = Texts(1_000_000)
    _, nested = shown()
    made: list[str] = []

    def make() -> dict[str, Any]:
        made.append("made")
        return {"name": "Hall"}

    first, second = (texts.part(nested.venues[7][0], (None,), make) for _ in range(2))

    assert (first, made) == ('{"name":"Hall"}', ["made"])
    assert second is first


def test_no_more_is_kept_than_there_is_room_for() -> None:
    texts = Texts(20_000)
    given, nested = shown()

    for number in range(30):
        one = given._replace(description=f"{number} " + "word " * 100)
        assert events.listed(one, nested, SITE, texts) == fresh(one, nested, SITE)
        assert texts._known.size <= 20_000

    assert texts._known.size > 10_000


def test_nothing_is_known_of_records_that_are_known_by_their_ids() -> None:
    """A model is equal to another one of its id, so that its text could be that of another content."""
    given, nested = shown()
    of_models = replace(nested, venues={7: [venue(21)]})

    for one, hanging in ((event(), nested), (given, of_models)):
        with pytest.raises(TypeError):
            events.listed(one, hanging, SITE, Texts(1_000_000))
