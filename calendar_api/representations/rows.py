"""What representations read of a stored row; the store returns named tuples with these attributes."""

from typing import Protocol

Json = dict[str, object]


class Row(Protocol):
    id: int


class StoredRow(Row, Protocol):
    """What a record is shown from: JSON, None until it is made; rows of lists have no `json_ld`."""

    document: bytes | None
    json_ld: bytes | None
    is_scheduled: bool


class ImageRow(Row, Protocol):
    url: str
    extension: str
    width: int | None
    height: int | None
    filesize: int | None


class TermRow(Row, Protocol):
    taxonomy: str
    name: str
    slug: str
    description: str
    parent_id: int | None


class PublishedRow(Row, Protocol):
    """Events, venues and organizers; instants are UTC as "YYYY-MM-DD HH:MM:SS"."""

    author_id: int
    status: str
    published_utc: str
    modified_utc: str
    slug: str | None
    description: str
    excerpt: str


class VenueRow(PublishedRow, Protocol):
    venue: str
    address: str
    city: str
    country: str
    stateprovince: str
    zip: str
    phone: str
    website: str
    show_map: bool
    show_map_link: bool
    geo_lat: float | None
    geo_lng: float | None


class OrganizerRow(PublishedRow, Protocol):
    organizer: str
    phone: str
    website: str
    email: str


class EventRow(PublishedRow, Protocol):
    title: str
    all_day: bool
    timezone: str
    start_date: str
    end_date: str
    utc_start_date: str
    utc_end_date: str
    cost: str
    website: str | None
    ticketed: bool
    uid: str
    event_status: str
    event_status_reason: str


class ListedEventRow(StoredRow, Protocol):
    """A row of a list of events; `shown_parent` is the id of a parent that the caller may read."""

    author_id: int
    status: str
    password: str
    sequence: int
    shown_parent: int | None
    parent_uid: str | None


class CountedTermRow(TermRow, Protocol):
    """A term in a list; `published_count` is the number of its published events."""

    published_count: int
