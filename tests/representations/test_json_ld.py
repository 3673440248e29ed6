"""Events, venues and organizers in the words of schema.org (docs/interface.md#json-ld)."""

from typing import Any

from calendar_api.database.models import Event, Venue
from calendar_api.domain import costs, text, time_zones
from calendar_api.representations import json_ld

PAGE = "https://cal.example.test/event/tango/"


def event(**columns: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "title": "Tango & more", "excerpt": "", "description": "", "timezone": "America/New_York",
        "utc_start_date": "2027-01-10 15:00:00", "utc_end_date": "2027-07-10 15:00:00", "published_utc": "",
        "cost": "", **columns,
    }  # fmt: skip
    shown = {
        "title": text.escape(given["title"]), "url": PAGE, "cost": given["cost"],
        "cost_details": costs.details(given["cost"]), "image": False,
    }  # fmt: skip
    return json_ld.event(Event(**given), shown, time_zones.named(given["timezone"]), "$")


def test_description_is_an_excerpt_or_at_most_55_words() -> None:
    short, long = "<p>Short &amp; <b>bold</b></p>", "<p>Long <b>text</b> &amp;lt;b&gt;</p>"
    assert event(excerpt=short, description=long)["description"] == "&lt;p&gt;Short &amp; bold&lt;/p&gt;\\n"
    assert event(description=long)["description"] == "&lt;p&gt;Long text &amp;lt;b&gt;&lt;/p&gt;\\n"
    assert event()["description"] == ""
    words = [f"w{number}" for number in range(56)]
    whole, cut = " ".join(words), " ".join(words[:55])
    venue = Venue(**dict.fromkeys(("address", "city", "stateprovince", "zip", "country", "phone"), ""))
    venue.venue, venue.website, venue.description = "Hall", "", whole

    found = [
        event(description=whole)["description"], event(description=cut)["description"],
        event(excerpt=whole)["description"], json_ld.place(venue, None)["description"],
    ]  # fmt: skip

    shortened = f"&lt;p&gt;{cut} [&hellip;]&lt;/p&gt;\\n"
    assert found == [
        shortened, f"&lt;p&gt;{cut}&lt;/p&gt;\\n", f"&lt;p&gt;{whole}&lt;/p&gt;\\n", shortened,
    ]  # fmt: skip


def test_event_dates_have_the_offset_of_its_zone() -> None:
    record = event(timezone="America/New_York")
    dates = (record["startDate"], record["endDate"])
    assert dates == ("2027-01-10T10:00:00-05:00", "2027-07-10T11:00:00-04:00")


def test_currency_of_an_offer() -> None:
    for symbol, code in (
        ("$", "USD"), ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("CHF", "CHF"), ("R$", "BRL"), ("zł", "PLN"),
        ("", "USD"), ("kr", "USD"), ("<s$", "USD"),
    ):  # fmt: skip
        cost = costs.parse(f"{symbol}10")
        assert costs.details(cost)["currency_symbol"] == symbol
        assert event(cost=cost)["offers"]["priceCurrency"] == code
