"""Keys of the records in responses (docs/interface.md#event-keys), which pages and feeds are made of.

Instants are "YYYY-MM-DD HH:MM:SS": with `utc` in the name of the key in UTC, else on the clock of the event
or the site. Titles and names are escaped for HTML, descriptions are sanitised HTML.
"""

from typing import Literal, NotRequired, TypedDict

from calendar_api.domain.costs import CostDetails


class ImageJson(TypedDict):
    """Sizes only if they are known: `width` and `height` in pixels, `filesize` in bytes."""

    url: str
    id: int
    extension: str
    width: NotRequired[int]
    height: NotRequired[int]
    filesize: NotRequired[int]


class TermUrls(TypedDict):
    self: str
    collection: str
    up: NotRequired[str]


class TermBase(TypedDict):
    id: int
    name: str
    slug: str
    taxonomy: str
    description: str
    urls: TermUrls


class TermJson(TermBase):
    """A category or tag alone; only categories have a `parent`, 0 for none."""

    count: int
    parent: NotRequired[int]
    meta: list[object]
    url: str


class EventTermJson(TermBase):
    """A category or tag as events show it."""

    term_group: int
    term_taxonomy_id: int
    parent: int
    count: int
    filter: str


class Described(TypedDict):
    description: str
    excerpt: str


class RecordJson(TypedDict):
    """What events, venues and organizers have in common; `author` is an id as text."""

    id: int
    global_id: str
    global_id_lineage: list[str]
    author: str
    status: str
    date: str
    date_utc: str
    modified: str
    modified_utc: str
    url: str


class ContactJson(RecordJson):
    """A venue or organizer: keys without a value are left out."""

    description: NotRequired[str]
    excerpt: NotRequired[str]
    slug: NotRequired[str]
    image: NotRequired[ImageJson]
    phone: NotRequired[str]
    website: NotRequired[str]


class VenueJson(ContactJson):
    """`geo_lat` and `geo_lng` are degrees."""

    venue: str
    address: NotRequired[str]
    city: NotRequired[str]
    country: NotRequired[str]
    province: NotRequired[str]
    state: NotRequired[str]
    stateprovince: NotRequired[str]
    zip: NotRequired[str]
    geo_lat: NotRequired[float]
    geo_lng: NotRequired[float]
    show_map: bool
    show_map_link: bool


class OrganizerJson(ContactJson):
    organizer: str
    email: NotRequired[str]


class DateDetails(TypedDict):
    year: str
    month: str
    day: str
    hour: str
    minutes: str
    seconds: str


class OwnEventJson(RecordJson, Described):
    """What depends on the row of an event alone; flags are None where a password masks them."""

    rest_url: str
    title: str
    slug: str
    image: ImageJson | Literal[False]
    all_day: bool | None
    start_date: str
    start_date_details: DateDetails
    end_date: str
    end_date_details: DateDetails
    utc_start_date: str
    utc_start_date_details: DateDetails
    utc_end_date: str
    utc_end_date_details: DateDetails
    timezone: str
    timezone_abbr: str | None
    cost: str
    cost_details: CostDetails
    website: str
    show_map: bool | None
    show_map_link: bool | None
    hide_from_listings: bool | None
    sticky: bool | None
    featured: bool | None
    ticketed: bool | None
    uid: str
    event_status: str
    event_status_reason: str


class StoredEventJson(OwnEventJson):
    """Before other records are inserted: `categories` marks the place of the fields up to `post_parent`."""

    categories: str


class EventJson(OwnEventJson):
    """An event as lists show it: one venue is an object, none or several are a list.

    Events for feeds and pages have `sequence` and `parent_uid`, those for a calendar `own_lines` as well (see
    `events.records`).
    """

    categories: list[EventTermJson]
    tags: list[EventTermJson]
    venue: VenueJson | list[VenueJson]
    organizer: list[OrganizerJson]
    custom_fields: list[object]
    post_parent: int | None
    sequence: int
    parent_uid: str
    own_lines: NotRequired[bytes]
