"""Dates of events: forms, zones, whole days, clock changes, and updates of one end or the zone."""

from tests.conformance.play import Play

SHOWN = "start_date,end_date,utc_start_date,utc_end_date,timezone,timezone_abbr,all_day"

FORMS = (
    "2026-12-24 18:00:00",
    "2026-12-24 18:00",
    "2026-12-24T18:00:00",
    "2026-12-24T18:00:00Z",
    "2026-12-24T18:00:00+09:00",
    "2026-12-24",
    "20261224",
    "24 December 2026 18:00",
    "Dec 24, 2026 6pm",
    "tomorrow 9am",
    "+2 weeks",
    "next friday",
    "1798135200",
    1798135200,
    "2026-12-24 25:00:00",
    "2027-02-29",
    "30 February 2027",
    "24.13.2026",
    "",
    True,
)
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "UTC",
    "UTC+2",
    "UTC-4:30",
    "+02:00",
    "europe/berlin",
    "UTC+99",
    "Nowhere",
    "",
    None,
)
CLOCK_CHANGES = (
    ("2027-03-28 02:30:00", "2027-03-28 03:30:00"),
    ("2027-10-31 02:30:00", "2027-10-31 03:30:00"),
    ("2027-10-31 02:30:00+02:00", "2027-10-31 02:30:00+01:00"),
)
UPDATES = (
    {"start_date": "2026-12-24 12:00:00"},
    {"end_date": "2026-12-25 01:00:00"},
    {"start_date": "2026-12-26 00:00:00"},
    {"end_date": "2026-12-23 00:00:00"},
    {"timezone": "Asia/Tokyo"},
    {"timezone": "Asia/Tokyo", "start_date": "2026-12-24T12:00:00Z"},
    {"all_day": True},
    {"start_date": "2026-12-20"},
    {"all_day": False},
    {"start_date": "2026-12-20 08:00", "end_date": "2026-12-20 08:00"},
    {"timezone": "Europe/Berlin"},
    {"timezone": ""},
)


def date_forms(play: Play) -> None:
    """One start, written in many ways, by a site in UTC."""
    for form in FORMS:
        body = {"title": "Form", "start_date": form, "end_date": "2027-06-01 00:00:00"}
        play(f"POST /events?_fields={SHOWN}", body, as_="admin")


def date_zones(play: Play) -> None:
    """One evening in many zones."""
    for zone in ZONES:
        evening = {"start_date": "2026-12-24 18:00", "end_date": "2026-12-24 20:00"}
        play(f"POST /events?_fields={SHOWN}", {"title": "Zone", "timezone": zone, **evening}, as_="admin")


def date_updates(play: Play) -> None:
    """A site in Berlin: what moves when one date, the zone or the length changes."""
    evening = {"start_date": "2026-12-24 18:00", "end_date": "2026-12-24 20:00"}
    play("POST /events", {"title": "Berlin", **evening}, as_="admin", save="berlin")
    for update in UPDATES:
        play(f"PATCH /events/{{berlin}}?_fields={SHOWN}", update, as_="admin")
    for start, end in CLOCK_CHANGES:
        body = {"title": "Clock", "start_date": start, "end_date": end}
        play(f"POST /events?_fields={SHOWN}", body, as_="admin")
    days = {"start_date": "2027-03-27", "end_date": "2027-03-28", "all_day": True}
    play("POST /events", {"title": "Whole days", **days}, as_="admin", save="days")
    for query in (
        "start_date=2027-03-28&end_date=2027-03-28",
        "start_date=2027-03-29",
        "starts_after=2027-03-27",
        "starts_before=2027-03-28",
        "ends_before=2027-03-29",
        "ends_after=2027-03-28%2023:00:00&strict_dates=true",
    ):
        play(f"GET /events?{query}&_fields=rest_url,total,events.slug")


GROUPS = ((date_forms, {}), (date_zones, {}), (date_updates, {"timezone": "Europe/Berlin"}))
