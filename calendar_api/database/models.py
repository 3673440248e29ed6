"""The tables of users, records and requests; `tables.TABLES` lists these and all others.

Instants are UTC as "YYYY-MM-DD HH:MM:SS" text, next to the wall time and the zone that they were given in:
they sort as text on every database and print without conversion (docs/decisions/0003). Events, venues,
organizers, images, categories and tags share one sequence of ids (docs/decisions/0001).

After a change run `calendar-api migrate --make NAME`, which writes the migration.
"""

from typing import ClassVar

from peewee import AutoField, CharField, Check, CompositeKey, ForeignKeyField, IntegerField, Model, TextField

from calendar_api.database import db, fields


class Table(Model):
    class Meta:
        database = db
        legacy_table_names = False


class User(Table):
    id = AutoField()
    login = CharField(60, unique=True)
    role = fields.one_of("role", 20, "administrator", "editor", "author", "contributor", "subscriber")
    created_utc = fields.utc()
    password = CharField(200, null=True)  # a digest; NULL: cannot sign in
    last_active_utc = fields.utc(null=True)  # of a session, to the hour
    session_epoch = IntegerField(default=0)  # each increase ends all sessions and links of the user


class ApplicationPassword(Table):
    """Stores only a digest; the secret is printed once, when it is created."""

    id = AutoField()
    user = ForeignKeyField(User, backref="passwords", on_delete="CASCADE", lazy_load=False)
    name = CharField(100)
    digest = fields.digest(unique=True)
    created_utc = fields.utc()


class Record(Table):
    """The sequence of ids; a row stays when its record is deleted, so that no id is used twice."""

    id = AutoField()
    kind = fields.required("kind", 40)  # any noun: a new one needs no change of this table


class SearchText(Table):
    """Searchable text, folded by `text.folded`: one row per field of a record."""

    id = AutoField()
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False, index=False)
    field = CharField(16)
    folded = fields.FoldedField()

    class Meta:
        indexes = ((("record", "field"), True),)


class FormerSlug(Table):
    """A slug that an event, venue or organizer had before; a record that has it now comes first."""

    kind = CharField(40)
    slug = CharField(191)
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)

    class Meta:
        primary_key = CompositeKey("kind", "slug")


class Image(Table):
    """An image by its URL; it is never fetched, so its sizes are known only if a client sent them."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    url = TextField()
    url_digest = fields.digest(unique=True)
    extension = CharField(20)
    width = IntegerField(null=True)
    height = IntegerField(null=True)
    filesize = IntegerField(null=True)


class Term(Table):
    """Categories and tags, distinguished by `taxonomy`."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    taxonomy = fields.one_of("taxonomy", 20, "tribe_events_cat", "post_tag")
    name = CharField(200)
    name_folded = TextField()
    name_key = fields.digest(unique=True)  # digest of taxonomy, parent and casefolded name
    slug = CharField(191)
    description = TextField()
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    version = IntegerField(default=1)
    counted = IntegerField(default=0)  # number of links with a `counted_from_utc`
    document = fields.DocumentField(null=True)

    class Meta:
        indexes = ((("taxonomy", "slug"), True),)
        constraints = [Check("parent_id IS NULL OR (parent_id <> id AND taxonomy = 'tribe_events_cat')")]


_LISTED = ((("status", "published_utc", "id"), False), (("author", "status", "published_utc", "id"), False))


class PublishedRecord(Table):
    """Columns that events, venues and organizers share."""

    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    author = ForeignKeyField(User, on_delete="RESTRICT", lazy_load=False, index=False)
    status = fields.one_of("status", 10, "publish", "draft", "pending", "private", "trash")
    published_utc = fields.instant("published_utc")
    modified_utc = fields.instant("modified_utc")
    trashed_utc = fields.utc(null=True)
    slug = CharField(191, null=True, unique=True, constraints=[Check("slug <> ''")])
    slug_before_trash = CharField(191, null=True)
    description = TextField()
    excerpt = TextField()
    image = ForeignKeyField(Image, null=True, on_delete="SET NULL", lazy_load=False)
    version = IntegerField(default=1, constraints=[Check("version > 0")])
    document = fields.DocumentField(null=True)  # JSON made of this row, see representations.documents
    json_ld = fields.DocumentField(null=True)

    #: Text fields that are stored and answered as they are sent, in the order of the answer.
    PLAIN_FIELDS: ClassVar[tuple[str, ...]] = ()

    class Meta:
        indexes = _LISTED


class Venue(PublishedRecord):
    venue = fields.required("venue", 255)
    name_casefold = CharField(191, index=True)
    address = CharField(255)
    city = CharField(255)
    country = CharField(255)
    province = CharField(255)
    state = CharField(255)
    stateprovince = CharField(255)
    zip = CharField(255)
    phone = CharField(255)
    website = CharField(2048)
    show_map = fields.flag("show_map")
    show_map_link = fields.flag("show_map_link")
    geo_lat = fields.degrees("geo_lat", 90)
    geo_lng = fields.degrees("geo_lng", 180)
    # The point on a unit sphere: distances are plain arithmetic in SQL, also at the poles and longitude 180.
    geo_x = fields.real()
    geo_y = fields.real()
    geo_z = fields.real()

    class Meta:
        indexes = (*_LISTED, (("geo_lat", "geo_lng"), False))
        constraints = [
            Check("(geo_lat IS NULL) = (geo_lng IS NULL)"),
            Check("(geo_lat IS NULL) = (geo_x IS NULL)"),
        ]


class Organizer(PublishedRecord):
    organizer = fields.required("organizer", 255)
    name_casefold = CharField(191, index=True)
    phone = CharField(255)
    website = CharField(2048)
    email = CharField(255)


class Event(PublishedRecord):
    title = fields.required("title", 255)
    all_day = fields.flag("all_day")
    timezone = CharField(64)
    start_date = fields.instant("start_date")
    end_date = fields.instant("end_date")
    utc_start_date = fields.instant("utc_start_date")
    utc_end_date = fields.instant("utc_end_date")
    cost = TextField()
    website = CharField(2048, null=True)  # NULL: never set; the URL of the event's page is shown
    show_map = fields.flag("show_map")
    show_map_link = fields.flag("show_map_link")
    hide_from_listings = fields.flag("hide_from_listings")
    sticky = fields.flag("sticky")
    featured = fields.flag("featured")
    ticketed = fields.flag("ticketed")
    password = CharField(200)  # a salted digest; empty if not protected
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    uid = CharField(255, unique=True)  # never changes; imported events keep theirs
    sequence = IntegerField(default=0)  # of changes that calendars have to announce (docs/interface.md#uid)
    event_status = fields.one_of("event_status", 10, "scheduled", "canceled", "postponed")
    event_status_reason = CharField(1000)
    # Long columns last: SQLite reads a row up to the last column that a statement needs.
    document = fields.DocumentField(null=True)
    description = TextField()
    excerpt = TextField()
    json_ld = fields.DocumentField(null=True)
    calendar_lines = fields.DocumentField(null=True)  # in iCalendar

    class Meta:
        indexes = (
            # Covers all that decides whether an event is listed, so that totals need no table rows.
            (
                (
                    "hide_from_listings", "status", "utc_start_date", "id", "utc_end_date", "published_utc",
                    "featured", "ticketed", "author", "password",
                ),
                False,
            ),
            (("status", "published_utc"), False),
            (("hide_from_listings", "utc_start_date", "id"), False),
            (("author", "status", "utc_start_date", "id"), False),
            (("featured", "utc_start_date", "id"), False),
            (("ticketed", "utc_start_date", "id"), False),
            (("start_date", "title"), False),
        )  # fmt: skip
        constraints = [
            # Instants only: when clocks are set back, the wall time of the end may precede that of the start.
            Check("utc_end_date >= utc_start_date"),
            Check("parent_id IS NULL OR parent_id <> id"),
        ]


Venue.PLAIN_FIELDS = fields.plain(Venue, PublishedRecord, "venue", "name_casefold", "stateprovince")
Organizer.PLAIN_FIELDS = fields.plain(Organizer, PublishedRecord, "organizer", "name_casefold")


class EventVenue(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    venue = ForeignKeyField(Venue, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = fields.event_start()

    class Meta:
        primary_key = CompositeKey("event", "venue")
        without_rowid = True
        indexes = ((("venue", "utc_start_date", "event"), False),)


class EventOrganizer(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    organizer = ForeignKeyField(Organizer, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = fields.event_start()

    class Meta:
        primary_key = CompositeKey("event", "organizer")
        without_rowid = True
        indexes = ((("organizer", "utc_start_date", "event"), False),)


class EventTerm(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    term = ForeignKeyField(Term, on_delete="CASCADE", lazy_load=False, index=False)
    utc_start_date = fields.event_start()
    counted_from_utc = fields.utc(null=True)  # from when the link counts; NULL: never

    class Meta:
        primary_key = CompositeKey("event", "term")
        without_rowid = True
        indexes = ((("term", "utc_start_date", "event"), False), (("term", "counted_from_utc"), False))


class IdempotentResponse(Table):
    """The response to a POST with an Idempotency-Key, returned again for the same key."""

    user = ForeignKeyField(User, on_delete="CASCADE", lazy_load=False, index=False)
    key_digest = fields.digest()
    request_digest = fields.digest()
    body = TextField()
    headers = TextField()
    created_utc = fields.utc(index=True)

    class Meta:
        primary_key = CompositeKey("user", "key_digest")


class Revision(Table):
    """One row, which every write transaction changes first: this serialises writers."""

    id = IntegerField(primary_key=True)
    number = fields.big_number()  # of writes that can change a response
    other_writes = fields.big_number()  # of all others; MySQL counts them: each write has to change the row


class CommitToken(Table):
    """Written by each transaction on MySQL, to find out after a lost connection whether it was committed."""

    token = fields.digest(32, primary_key=True)
    number = fields.big_number(index=True)


class FailedAttempt(Table):
    """Failed guesses at a secret from one network, and each guess that was counted."""

    key_digest = fields.digest(primary_key=True)  # of the target or the guess, and the network
    failures = IntegerField()
    since_utc = fields.utc()
    blocks = IntegerField()
    blocked_until_utc = fields.utc()
    forgotten_utc = fields.utc(index=True)
