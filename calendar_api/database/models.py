"""Every table of the database, on a page.

Instants are UTC as "YYYY-MM-DD HH:MM:SS" text, next to the wall time and the zone that they were given in:
they sort as they are, on every database, and print without conversion. Events, venues, organizers, images,
categories and tags share one sequence of ids, so that an id names one thing whatever its kind.
"""

from typing import Any, ClassVar

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    DoubleField,
    FixedCharField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from calendar_api.database import db

INSTANT = 19


class Table(Model):
    class Meta:
        database = db
        legacy_table_names = False


class User(Table):
    id = AutoField()
    login = CharField(60, unique=True)
    role = CharField(
        20, constraints=[Check("role IN ('administrator', 'editor', 'author', 'contributor', 'subscriber')")]
    )
    created_utc = FixedCharField(INSTANT)


class ApplicationPassword(Table):
    """Only the digest is kept; the secret is printed once, when it is made."""

    id = AutoField()
    user = ForeignKeyField(User, backref="passwords", on_delete="CASCADE", lazy_load=False)
    name = CharField(100)
    digest = FixedCharField(64, unique=True)
    created_utc = FixedCharField(INSTANT)


class Record(Table):
    """Gives out the ids; a row stays when its record goes, so that no id comes back."""

    id = AutoField()
    kind = CharField(
        10, constraints=[Check("kind IN ('event', 'venue', 'organizer', 'image', 'category', 'tag')")]
    )


class FoldedField(TextField):
    """Text that a server keeps as bytes in UTF-8: it finds bytes ten times as fast as letters."""

    field_type = "FOLDED"

    def python_value(self, value: Any) -> Any:
        return value.decode() if isinstance(value, bytes) else value


class SearchText(Table):
    """What a search looks through, folded by `text.folded`: one row for each field of a record."""

    id = AutoField()
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False, index=False)
    field = CharField(16)
    folded = FoldedField()

    class Meta:
        table_name = "search_text"
        indexes = ((("record", "field"), True),)


class Image(Table):
    """An image by its address; it is never fetched, so sizes are known only when somebody told them."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    url = TextField()
    url_digest = FixedCharField(64, unique=True)
    extension = CharField(20)
    width = IntegerField(null=True)
    height = IntegerField(null=True)
    filesize = IntegerField(null=True)


class Term(Table):
    """Categories and tags; `taxonomy` says which."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    taxonomy = CharField(20, constraints=[Check("taxonomy IN ('tribe_events_cat', 'post_tag')")])
    name = CharField(200)
    name_folded = TextField()
    name_key = FixedCharField(64, unique=True)  # of taxonomy, parent and caseless name: siblings differ
    slug = CharField(191)
    description = TextField()
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    version = IntegerField(default=1)
    counted = IntegerField(default=0, constraints=[SQL("DEFAULT 0")])  # links with a `counted_from_utc`

    class Meta:
        indexes = ((("taxonomy", "slug"), True),)
        constraints = [Check("parent_id IS NULL OR (parent_id <> id AND taxonomy = 'tribe_events_cat')")]


class PublishedRecord(Table):
    """What events, venues and organizers have in common."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    author = ForeignKeyField(User, on_delete="RESTRICT", lazy_load=False)
    status = CharField(
        10, constraints=[Check("status IN ('publish', 'draft', 'pending', 'private', 'trash')")]
    )
    published_utc = FixedCharField(INSTANT, constraints=[Check("length(published_utc) = 19")])
    modified_utc = FixedCharField(INSTANT, constraints=[Check("length(modified_utc) = 19")])
    trashed_utc = FixedCharField(INSTANT, null=True)
    slug = CharField(191, null=True, unique=True, constraints=[Check("slug <> ''")])
    slug_before_trash = CharField(191, null=True)
    description = TextField()
    excerpt = TextField()
    image = ForeignKeyField(Image, null=True, on_delete="SET NULL", lazy_load=False)
    version = IntegerField(default=1, constraints=[Check("version > 0")])

    #: Text fields that are stored and answered as they are sent, in the order of the answer.
    PLAIN_FIELDS: ClassVar[tuple[str, ...]] = ()


class Venue(PublishedRecord):
    venue = CharField(255, constraints=[Check("venue <> ''")])
    name_caseless = CharField(191, index=True)
    address = CharField(255)
    city = CharField(255)
    country = CharField(255)
    province = CharField(255)
    state = CharField(255)
    stateprovince = CharField(255)
    zip = CharField(255)
    phone = CharField(255)
    website = CharField(2048)
    show_map = BooleanField(constraints=[Check("show_map IN (0, 1)")])
    show_map_link = BooleanField(constraints=[Check("show_map_link IN (0, 1)")])
    geo_lat = DoubleField(null=True, constraints=[Check("geo_lat BETWEEN -90 AND 90")])
    geo_lng = DoubleField(null=True, constraints=[Check("geo_lng BETWEEN -180 AND 180")])
    # The same place as a point on a ball of radius 1: distances are then plain arithmetic in SQL,
    # exact across the 180th meridian and at the poles.
    geo_x = DoubleField(null=True)
    geo_y = DoubleField(null=True)
    geo_z = DoubleField(null=True)

    class Meta:
        indexes = (
            (("status", "published_utc", "id"), False),
            (("author", "status", "published_utc", "id"), False),
            (("geo_lat", "geo_lng"), False),
        )
        constraints = [
            Check("(geo_lat IS NULL) = (geo_lng IS NULL)"),
            Check("(geo_lat IS NULL) = (geo_x IS NULL)"),
        ]


class Organizer(PublishedRecord):
    organizer = CharField(255, constraints=[Check("organizer <> ''")])
    name_caseless = CharField(191, index=True)
    phone = CharField(255)
    website = CharField(2048)
    email = CharField(255)

    class Meta:
        indexes = (
            (("status", "published_utc", "id"), False),
            (("author", "status", "published_utc", "id"), False),
        )


class Event(PublishedRecord):
    title = CharField(255, constraints=[Check("title <> ''")])
    all_day = BooleanField(constraints=[Check("all_day IN (0, 1)")])
    timezone = CharField(64)
    start_date = FixedCharField(INSTANT, constraints=[Check("length(start_date) = 19")])
    end_date = FixedCharField(INSTANT, constraints=[Check("length(end_date) = 19")])
    utc_start_date = FixedCharField(INSTANT, constraints=[Check("length(utc_start_date) = 19")])
    utc_end_date = FixedCharField(INSTANT, constraints=[Check("length(utc_end_date) = 19")])
    cost = TextField()
    website = CharField(2048, null=True)  # NULL: never had one, and then the event's own page stands in
    show_map = BooleanField(constraints=[Check("show_map IN (0, 1)")])
    show_map_link = BooleanField(constraints=[Check("show_map_link IN (0, 1)")])
    hide_from_listings = BooleanField(constraints=[Check("hide_from_listings IN (0, 1)")])
    sticky = BooleanField(constraints=[Check("sticky IN (0, 1)")])
    featured = BooleanField(constraints=[Check("featured IN (0, 1)")])
    ticketed = BooleanField(constraints=[Check("ticketed IN (0, 1)")])
    password = CharField(200)  # a salted digest; empty: not protected
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")

    class Meta:
        indexes = (
            # With all that decides whether an event is listed: totals are counted without a look at the rows.
            (
                (
                    "hide_from_listings",
                    "status",
                    "utc_start_date",
                    "id",
                    "utc_end_date",
                    "published_utc",
                    "featured",
                    "ticketed",
                    "author",
                    "password",
                ),
                False,
            ),
            (("status", "published_utc"), False),
            (("hide_from_listings", "utc_start_date", "id"), False),
            (("author", "status", "utc_start_date", "id"), False),
            (("featured", "utc_start_date", "id"), False),
            (("ticketed", "utc_start_date", "id"), False),
            (("start_date", "title"), False),
        )
        constraints = [
            # Of instants only: in the hour that comes twice the wall clock may run backwards.
            Check("utc_end_date >= utc_start_date"),
            Check("parent_id IS NULL OR parent_id <> id"),
        ]


# Those that go on over the end of a month are few; whatever else is on at a moment began in its month. Over
# how many ends an event goes on says how long before a moment it can have begun.
Event.add_index(
    Event.index(
        SQL(
            "12 * (substr(utc_end_date, 1, 4) - substr(utc_start_date, 1, 4)) "
            "+ (substr(utc_end_date, 6, 2) - substr(utc_start_date, 6, 2))"
        ),
        Event.utc_start_date, Event.utc_end_date, Event.id,
        where=SQL("substr(utc_start_date, 1, 7) <> substr(utc_end_date, 1, 7)"), name="event_months_gone_on",
    )
)  # fmt: skip


def _plain_fields(model: type[PublishedRecord], *others: str) -> tuple[str, ...]:
    """The text columns of a model's own, without `others`, which have rules of their own."""
    own = [field for field in model._meta.sorted_fields if field.name not in PublishedRecord._meta.fields]
    return tuple(
        field.name for field in own if isinstance(field, CharField | TextField) and field.name not in others
    )


Venue.PLAIN_FIELDS = _plain_fields(Venue, "venue", "name_caseless", "stateprovince")
Organizer.PLAIN_FIELDS = _plain_fields(Organizer, "organizer", "name_caseless")


def _start_again() -> FixedCharField:
    """The start of the event once more: what has a venue or a term is found in order, without sorting."""
    return FixedCharField(INSTANT, default="", constraints=[SQL("DEFAULT ''")])


class EventVenue(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    venue = ForeignKeyField(Venue, on_delete="CASCADE", lazy_load=False)
    position = IntegerField()
    utc_start_date = _start_again()

    class Meta:
        table_name = "event_venue"
        primary_key = CompositeKey("event", "venue")
        indexes = ((("venue", "utc_start_date", "event"), False),)


class EventOrganizer(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    organizer = ForeignKeyField(Organizer, on_delete="CASCADE", lazy_load=False)
    position = IntegerField()
    utc_start_date = _start_again()

    class Meta:
        table_name = "event_organizer"
        primary_key = CompositeKey("event", "organizer")
        indexes = ((("organizer", "utc_start_date", "event"), False),)


class EventTerm(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    term = ForeignKeyField(Term, on_delete="CASCADE", lazy_load=False)
    utc_start_date = _start_again()
    counted_from_utc = FixedCharField(INSTANT, null=True)  # NULL: never, see `store.memberships`

    class Meta:
        table_name = "event_term"
        primary_key = CompositeKey("event", "term")
        indexes = (
            (("term", "utc_start_date", "event"), False),
            (("term", "counted_from_utc"), False),
        )


class IdempotentResponse(Table):
    """What a POST with an Idempotency-Key answered, to be answered again."""

    user = ForeignKeyField(User, on_delete="CASCADE", lazy_load=False)
    key_digest = FixedCharField(64)
    request_digest = FixedCharField(64)
    body = TextField()
    headers = TextField()
    created_utc = FixedCharField(INSTANT, index=True)

    class Meta:
        table_name = "first_answer"
        primary_key = CompositeKey("user", "key_digest")


class Revision(Table):
    """One row, changed at the beginning of every write transaction; writers in a cluster may reserve it."""

    id = IntegerField(primary_key=True)
    number = BigIntegerField()
    reserved_by = FixedCharField(32)
    reserved_until = BigIntegerField()  # milliseconds since 1970
    text_changes = CharField(1000, default="", constraints=[SQL("DEFAULT ''")])  # see `database.text_changes`


class CommitToken(Table):
    """Left by a write whose commit may lose its answer on the way, to be found when it is asked for again."""

    token = FixedCharField(32, primary_key=True)
    number = BigIntegerField(index=True)

    class Meta:
        table_name = "write_mark"


class FailedAttempt(Table):
    """Guesses at a secret from one neighbourhood of addresses, and each guess that was counted."""

    key_digest = FixedCharField(
        64, primary_key=True
    )  # of what was guessed at, or of the guess, and from where
    failures = IntegerField()
    since_utc = FixedCharField(INSTANT)
    blocks = IntegerField()
    blocked_until_utc = FixedCharField(INSTANT)
    forgotten_utc = FixedCharField(INSTANT, index=True)

    class Meta:
        table_name = "failed_attempt"


TABLES = (
    User, ApplicationPassword, Record, SearchText, Image, Term,
    Venue, Organizer, Event, EventVenue, EventOrganizer, EventTerm, IdempotentResponse, Revision,
    CommitToken, FailedAttempt,
)  # fmt: skip
