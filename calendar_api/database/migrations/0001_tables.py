"""Create all tables: a copy of the models of that time, which later changes of them must not touch."""

import secrets

from peewee import (
    AutoField,
    BigIntegerField,
    CharField,
    Check,
    CompositeKey,
    Database,
    DoubleField,
    FixedCharField,
    ForeignKeyField,
    IntegerField,
    Model,
    MySQLDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from calendar_api.database.fields import (
    INSTANT,
    DocumentField,
    FoldedField,
    event_start,
    flag,
    instant,
    one_of,
    required,
)


class Table(Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = AutoField()
    login = CharField(60, unique=True)
    role = one_of("role", 20, "administrator", "editor", "author", "contributor", "subscriber")
    created_utc = FixedCharField(INSTANT)
    password = CharField(200, null=True)
    last_active_utc = FixedCharField(INSTANT, null=True)
    session_epoch = IntegerField(default=0)


class ApplicationPassword(Table):
    id = AutoField()
    user = ForeignKeyField(User, backref="passwords", on_delete="CASCADE", lazy_load=False)
    name = CharField(100)
    digest = FixedCharField(64, unique=True)
    created_utc = FixedCharField(INSTANT)


class Record(Table):
    id = AutoField()
    kind = required("kind", 40)


class SearchText(Table):
    id = AutoField()
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False, index=False)
    field = CharField(16)
    folded = FoldedField()

    class Meta:
        indexes = ((("record", "field"), True),)


class FormerSlug(Table):
    kind = CharField(40)
    slug = CharField(191)
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)

    class Meta:
        primary_key = CompositeKey("kind", "slug")


class Image(Table):
    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    url = TextField()
    url_digest = FixedCharField(64, unique=True)
    extension = CharField(20)
    width = IntegerField(null=True)
    height = IntegerField(null=True)
    filesize = IntegerField(null=True)


class Term(Table):
    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    taxonomy = one_of("taxonomy", 20, "tribe_events_cat", "post_tag")
    name = CharField(200)
    name_folded = TextField()
    name_key = FixedCharField(64, unique=True)
    slug = CharField(191)
    description = TextField()
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    version = IntegerField(default=1)
    counted = IntegerField(default=0)
    document = DocumentField(null=True)

    class Meta:
        indexes = ((("taxonomy", "slug"), True),)
        constraints = [Check("parent_id IS NULL OR (parent_id <> id AND taxonomy = 'tribe_events_cat')")]


_LISTED = ((("status", "published_utc", "id"), False), (("author", "status", "published_utc", "id"), False))


class PublishedRecord(Table):
    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    author = ForeignKeyField(User, on_delete="RESTRICT", lazy_load=False, index=False)
    status = one_of("status", 10, "publish", "draft", "pending", "private", "trash")
    published_utc = instant("published_utc")
    modified_utc = instant("modified_utc")
    trashed_utc = FixedCharField(INSTANT, null=True)
    slug = CharField(191, null=True, unique=True, constraints=[Check("slug <> ''")])
    slug_before_trash = CharField(191, null=True)
    description = TextField()
    excerpt = TextField()
    image = ForeignKeyField(Image, null=True, on_delete="SET NULL", lazy_load=False)
    version = IntegerField(default=1, constraints=[Check("version > 0")])
    document = DocumentField(null=True)
    json_ld = DocumentField(null=True)

    class Meta:
        indexes = _LISTED


class Venue(PublishedRecord):
    venue = required("venue", 255)
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
    show_map = flag("show_map")
    show_map_link = flag("show_map_link")
    geo_lat = DoubleField(null=True, constraints=[Check("geo_lat BETWEEN -90 AND 90")])
    geo_lng = DoubleField(null=True, constraints=[Check("geo_lng BETWEEN -180 AND 180")])
    geo_x = DoubleField(null=True)
    geo_y = DoubleField(null=True)
    geo_z = DoubleField(null=True)

    class Meta:
        indexes = (*_LISTED, (("geo_lat", "geo_lng"), False))
        constraints = [
            Check("(geo_lat IS NULL) = (geo_lng IS NULL)"),
            Check("(geo_lat IS NULL) = (geo_x IS NULL)"),
        ]


class Organizer(PublishedRecord):
    organizer = required("organizer", 255)
    name_casefold = CharField(191, index=True)
    phone = CharField(255)
    website = CharField(2048)
    email = CharField(255)


class Event(PublishedRecord):
    title = required("title", 255)
    all_day = flag("all_day")
    timezone = CharField(64)
    start_date = instant("start_date")
    end_date = instant("end_date")
    utc_start_date = instant("utc_start_date")
    utc_end_date = instant("utc_end_date")
    cost = TextField()
    website = CharField(2048, null=True)
    show_map = flag("show_map")
    show_map_link = flag("show_map_link")
    hide_from_listings = flag("hide_from_listings")
    sticky = flag("sticky")
    featured = flag("featured")
    ticketed = flag("ticketed")
    password = CharField(200)
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    uid = CharField(255, unique=True)
    sequence = IntegerField(default=0)
    event_status = one_of("event_status", 10, "scheduled", "canceled", "postponed")
    event_status_reason = CharField(1000)
    document = DocumentField(null=True)
    description = TextField()
    excerpt = TextField()
    json_ld = DocumentField(null=True)
    calendar_lines = DocumentField(null=True)

    class Meta:
        indexes = (
            (("hide_from_listings", "status", "utc_start_date", "id", "utc_end_date", "published_utc",
              "featured", "ticketed", "author", "password"), False),
            (("status", "published_utc"), False),
            (("hide_from_listings", "utc_start_date", "id"), False),
            (("author", "status", "utc_start_date", "id"), False),
            (("featured", "utc_start_date", "id"), False),
            (("ticketed", "utc_start_date", "id"), False),
            (("start_date", "title"), False),
        )  # fmt: skip
        constraints = [Check("utc_end_date >= utc_start_date"), Check("parent_id IS NULL OR parent_id <> id")]


class EventVenue(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    venue = ForeignKeyField(Venue, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = event_start()

    class Meta:
        primary_key = CompositeKey("event", "venue")
        without_rowid = True
        indexes = ((("venue", "utc_start_date", "event"), False),)


class EventOrganizer(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    organizer = ForeignKeyField(Organizer, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = event_start()

    class Meta:
        primary_key = CompositeKey("event", "organizer")
        without_rowid = True
        indexes = ((("organizer", "utc_start_date", "event"), False),)


class EventTerm(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    term = ForeignKeyField(Term, on_delete="CASCADE", lazy_load=False, index=False)
    utc_start_date = event_start()
    counted_from_utc = FixedCharField(INSTANT, null=True)

    class Meta:
        primary_key = CompositeKey("event", "term")
        without_rowid = True
        indexes = ((("term", "utc_start_date", "event"), False), (("term", "counted_from_utc"), False))


class IdempotentResponse(Table):
    user = ForeignKeyField(User, on_delete="CASCADE", lazy_load=False, index=False)
    key_digest = FixedCharField(64)
    request_digest = FixedCharField(64)
    body = TextField()
    headers = TextField()
    created_utc = FixedCharField(INSTANT, index=True)

    class Meta:
        primary_key = CompositeKey("user", "key_digest")


class Revision(Table):
    id = IntegerField(primary_key=True)
    number = BigIntegerField()
    other_writes = BigIntegerField()


class CommitToken(Table):
    token = FixedCharField(32, primary_key=True)
    number = BigIntegerField(index=True)


class FailedAttempt(Table):
    key_digest = FixedCharField(64, primary_key=True)
    failures = IntegerField()
    since_utc = FixedCharField(INSTANT)
    blocks = IntegerField()
    blocked_until_utc = FixedCharField(INSTANT)
    forgotten_utc = FixedCharField(INSTANT, index=True)


TABLES = (
    User, ApplicationPassword, Record, SearchText, FormerSlug, Image, Term,
    Venue, Organizer, Event, EventVenue, EventOrganizer, EventTerm, IdempotentResponse, Revision,
    CommitToken, FailedAttempt,
)  # fmt: skip


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    if isinstance(db, MySQLDatabase):
        # It allows no CHECK on a column that a foreign key sets to NULL; the CHECK is more important.
        for model in (Term, Event):
            model._meta.fields["parent"].on_delete = "RESTRICT"
        for link in (EventVenue, EventOrganizer, EventTerm):
            link._meta.without_rowid = False  # InnoDB clusters every table by its primary key
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
        # A random number, so that nothing cached from one database fits another at the same address.
        first = {"id": 1, "number": secrets.randbelow(2**40), "other_writes": 0}
        Revision.insert(first).on_conflict_ignore().execute()
