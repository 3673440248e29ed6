"""Those keys of the records in responses (docs/interface.md#event-keys) that pages and feeds read.

Instants are "YYYY-MM-DD HH:MM:SS": with `utc` in the name of the key in UTC, else on the clock of the event
or the site. Titles and names are escaped for HTML, descriptions are sanitised HTML.
"""

from typing import Literal, NotRequired, TypedDict

from calendar_api.domain.costs import CostDetails


class ImageJson(TypedDict):
    url: str
    extension: str


class EventTermJson(TypedDict):
    """A category or tag as events show it."""

    id: int
    name: str


class RecordJson(TypedDict):
    """What events, venues and organizers have in common."""

    id: int
    status: str
    date_utc: str
    modified_utc: str
    url: str


class ContactJson(RecordJson):
    """A venue or organizer: keys without a value are left out."""

    description: NotRequired[str]
    slug: NotRequired[str]
    image: NotRequired[ImageJson]


class VenueJson(ContactJson):
    """`geo_lat` and `geo_lng` are degrees."""

    venue: str
    geo_lat: NotRequired[float]
    geo_lng: NotRequired[float]


class OrganizerJson(ContactJson):
    organizer: str
    email: NotRequired[str]


class OwnEventJson(RecordJson):
    """What depends on the row of an event alone; flags are None where a password masks them."""

    rest_url: str
    title: str
    description: str
    excerpt: str
    slug: str
    image: ImageJson | Literal[False]
    all_day: bool | None
    start_date: str
    end_date: str
    utc_start_date: str
    utc_end_date: str
    timezone: str
    timezone_abbr: str | None
    cost: str
    cost_details: CostDetails
    website: str
    hide_from_listings: bool | None
    featured: bool | None
    uid: str
    event_status: str
    event_status_reason: str


class EventJson(OwnEventJson):
    """An event as lists show it: one venue is an object, none or several are a list.

    Events for feeds and pages have `sequence` and `parent_uid`, those for a calendar `own_lines` as well (see
    `events.records`).
    """

    categories: list[EventTermJson]
    tags: list[EventTermJson]
    venue: VenueJson | list[VenueJson]
    organizer: list[OrganizerJson]
    sequence: int
    parent_uid: str
    own_lines: NotRequired[bytes]
