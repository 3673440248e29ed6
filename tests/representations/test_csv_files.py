"""CSV files of events, venues and organizers, and what can be made of them again."""

import csv
import io
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from calendar_api.domain import csv_columns
from calendar_api.domain.text import escape
from calendar_api.representations import csv_files
from tests import csv_rows, factories
from tests.client import Client
from tests.representations.feed_events import (
    SITE,
    Json,
    all_day,
    event,
    image,
    masked,
    organizer,
    term,
    venue,
)  # fmt: skip


def table(content: bytes) -> list[dict[str, str]]:
    """The rows as the csv module reads them."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))


def test_event_with_everything() -> None:
    record = event(
        title="=Tango &#038; &lt;more&gt;", description='<p>Say "hi",\nnow</p>', excerpt="<p>Short</p>",
        venue=[venue(venue="Hall, west"), venue(venue="A &amp; B")], organizer=[organizer()], image=image(),
        categories=[term("Rock & roll")], tags=[term("a"), term("b")], sticky=True,
        website="https://x.example/?a=1&amp;lt=2", cost="€10 – €20",
        cost_details={"currency_symbol": "€", "currency_position": "prefix", "values": ["10", "15", "20"]},
        event_status="canceled", event_status_reason="-&lt;rain", parent_uid="p@x",
    )  # fmt: skip

    (row,) = table(csv_files.events([record]))

    assert row == {
        "Event Name": "'=Tango & <more>", "Event Description": '<p>Say "hi",\nnow</p>',
        "Event Excerpt": "<p>Short</p>", "Event Start Date": "2026-11-22", "Event Start Time": "10:00:00",
        "Event End Date": "2026-11-22", "Event End Time": "16:00:00", "Event Time Zone": "Europe/Berlin",
        "All Day Event": "no", "Hide Event From Event Listings": "no", "Event Sticky in Month View": "yes",
        "Feature Event": "yes", "Event Venue Name": '"Hall, west", A & B',
        "Event Organizer Name(s) or ID(s)": "Ann", "Event Show Map Link": "no", "Event Show Map": "yes",
        "Event Cost": "10, 15, 20", "Event ISO Currency Code": "EUR", "Event Currency Symbol": "€",
        "Event Currency Position": "prefix", "Event Category": "Rock & roll", "Event Tags": "a, b",
        "Event Website": "https://x.example/?a=1&lt=2", "Event Featured Image": image()["url"],
        "Event ID": "12", "Event UID": record["uid"], "Event Slug": "open-day", "Event Status": "canceled",
        "Event URL": record["url"], "Event Parent": "p@x", "Event Status Reason": "'-<rain",
        "Event Publication Status": "publish",
    }  # fmt: skip


def test_protected_event_has_title_and_times_only() -> None:
    row, days = table(csv_files.events([masked(), all_day()]))

    assert [days[label] for label in ("Event Start Date", "Event End Date", "All Day Event")] == [
        "2026-11-22", "2026-11-23", "yes",
    ]  # fmt: skip
    assert {label: cell for label, cell in row.items() if cell} == {
        "Event Name": "Secret party", "Event Start Date": "2026-11-22", "Event Start Time": "10:00:00",
        "Event End Date": "2026-11-22", "Event End Time": "16:00:00", "Event Time Zone": "Europe/Berlin",
        "Event ID": "12", "Event UID": masked()["uid"], "Event Slug": "open-day",
        "Event Status": "scheduled", "Event URL": masked()["url"], "Event Publication Status": "publish",
    }  # fmt: skip


def test_venue_and_organizer() -> None:
    place = venue(
        venue="A &amp; B", address="Am &copy Platz &lt;b", city="Ulm", zip="89073", stateprovince="BW",
        country="Germany", phone="+49 731 1", website="https://x/?a&copy=1", image=image(),
        description="<p>Big</p>", geo_lat=48.4, geo_lng=-9.99,
    )  # fmt: skip
    (hall,) = table(csv_files.venues([place]))
    (ann,) = table(csv_files.organizers([organizer(email="ann@example.org", phone="-12")]))

    assert hall == {
        "Venue Name": "A & B", "Venue Description": "<p>Big</p>", "Venue Country": "Germany",
        "Venue Address": "Am &copy Platz <b", "Venue Address 2": "", "Venue City": "Ulm",
        "Venue State/Province": "BW", "Venue Zip": "89073", "Venue Phone": "'+49 731 1",
        "Venue Website": "https://x/?a&copy=1", "Venue Featured Image": image()["url"],
        "Venue Latitude": "48.4", "Venue Longitude": "-9.99", "Venue ID": "7", "Venue Slug": "town-hall",
        "Venue Publication Status": "publish",
    }  # fmt: skip
    assert ann == {
        "Organizer Name": "Ann", "Organizer Description": "", "Organizer Email": "ann@example.org",
        "Organizer Website": "", "Organizer Phone": "-12", "Organizer Featured Image": "",
        "Organizer ID": "9", "Organizer Slug": "ann", "Organizer Publication Status": "publish",
    }  # fmt: skip


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_come_back_as_they_are(text: str) -> None:
    assume("&lt;" not in text)  # JSON shows it like `<`
    inert = text.replace("<", "&lt;")
    record = event(
        title=escape(text), description=text, website=f"{SITE}/{escape(text)}", event_status_reason=inert,
        uid=inert, venue=[venue(venue=escape(text)), venue()], organizer=[organizer(organizer=escape(text))],
        tags=[term(text), term(",")],
    )  # fmt: skip
    (row,) = csv_rows.read(csv_columns.EVENTS, csv_files.events([record]))

    assert {row[name] for name in ("title", "description", "event_status_reason", "uid")} == {text}
    assert (row["website"], row["organizer"]) == (f"{SITE}/{text}", [text])
    assert (row["venue"], row["tags"]) == ([text, "Town hall"], [text, ","])


def payload(row: dict[str, Any]) -> Json:
    """What a client sends to make the event of a row again."""
    symbol, position, cost = row["currency_symbol"], row["currency_position"], row["cost"]
    parts = cost.split(", ") if symbol else [cost]
    return {
        **{name: row[name] for name in ("title", "description", "timezone", "all_day", "website", "tags")},
        "start_date": f"{row['start_day']} {row['start_time']}",
        "end_date": f"{row['end_day']} {row['end_time']}",
        "cost": [f"{part}{symbol}" if position == "postfix" else f"{symbol}{part}" for part in parts],
        "venue": [{"venue": name} for name in row["venue"]],
    }  # fmt: skip


@pytest.mark.parametrize(
    "cost",
    ["", "0", "Free", "$5, 10", "25,50 €", "CHF 1'000", "Donation", "10 per person", "-5", ["Free", "€7"]],
)
def test_event_is_made_again(client: Client, cost: object) -> None:
    factories.event(
        client, title="'=1 &lt;b", description='one\n\ntwo "<b>&amp;</b>"', cost=cost, all_day=cost == "0",
        tags=["x; y", '"z"'], venue=[{"venue": "Hall, west"}, {"venue": "&copy X"}], website="https://x/?a&lt=b",
    )  # fmt: skip
    own = {"id": 1, "uid": "u", "slug": "s", "url": "u"}
    extra = {"event_status": "scheduled", "event_status_reason": "", "parent_uid": ""}

    def exported() -> tuple[list[dict[str, Any]], bytes]:
        records = client.get("/events", {"per_page": 50}, as_="admin", status=200).json["events"]
        last = max(records, key=lambda record: int(record["id"]))
        content = csv_files.events([{**extra, **last, **own}])
        return list(csv_rows.read(csv_columns.EVENTS, content)), content

    (row,), first = exported()
    client.post("/events", payload(row), as_="admin", status=201)
    (again,), second = exported()

    assert row["title"] == "'=1 <b"
    assert again == row
    assert second == first
