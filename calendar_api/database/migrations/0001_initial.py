"""The first schema: a frozen copy of the tables, on purpose independent of what `models.py` says later."""

from peewee import (
    AutoField,
    BooleanField,
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


class Table(Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = AutoField()
    login = CharField(60, unique=True)
    role = CharField(
        20, constraints=[Check("role IN ('administrator', 'editor', 'author', 'contributor', 'subscriber')")]
    )
    created_utc = FixedCharField(19)


class ApplicationPassword(Table):
    id = AutoField()
    user = ForeignKeyField(User, backref="passwords", on_delete="CASCADE", lazy_load=False)
    name = CharField(100)
    digest = FixedCharField(64, unique=True)
    created_utc = FixedCharField(19)


class Record(Table):
    id = AutoField()
    kind = CharField(
        10, constraints=[Check("kind IN ('event', 'venue', 'organizer', 'image', 'category', 'tag')")]
    )


class SearchText(Table):
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)
    field = CharField(16)
    folded = TextField()

    class Meta:
        table_name = "search_text"
        primary_key = CompositeKey("record", "field")


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
    taxonomy = CharField(20, constraints=[Check("taxonomy IN ('tribe_events_cat', 'post_tag')")])
    name = CharField(200)
    name_folded = TextField()
    name_key = FixedCharField(64, unique=True)
    slug = CharField(191)
    description = TextField()
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")
    version = IntegerField(default=1)

    class Meta:
        indexes = ((("taxonomy", "slug"), True),)
        constraints = [Check("parent_id IS NULL OR (parent_id <> id AND taxonomy = 'tribe_events_cat')")]


class Published(Table):
    id = ForeignKeyField(Record, primary_key=True, lazy_load=False, column_name="id")
    author = ForeignKeyField(User, on_delete="RESTRICT", lazy_load=False)
    status = CharField(
        10, constraints=[Check("status IN ('publish', 'draft', 'pending', 'private', 'trash')")]
    )
    published_utc = FixedCharField(19, constraints=[Check("length(published_utc) = 19")])
    modified_utc = FixedCharField(19, constraints=[Check("length(modified_utc) = 19")])
    trashed_utc = FixedCharField(19, null=True)
    slug = CharField(191, null=True, unique=True, constraints=[Check("slug <> ''")])
    slug_before_trash = CharField(191, null=True)
    description = TextField()
    excerpt = TextField()
    image = ForeignKeyField(Image, null=True, on_delete="SET NULL", lazy_load=False)
    version = IntegerField(default=1, constraints=[Check("version > 0")])


class Venue(Published):
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


class Organizer(Published):
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


class Event(Published):
    title = CharField(255, constraints=[Check("title <> ''")])
    all_day = BooleanField(constraints=[Check("all_day IN (0, 1)")])
    timezone = CharField(64)
    start_date = FixedCharField(19, constraints=[Check("length(start_date) = 19")])
    end_date = FixedCharField(19, constraints=[Check("length(end_date) = 19")])
    utc_start_date = FixedCharField(19, constraints=[Check("length(utc_start_date) = 19")])
    utc_end_date = FixedCharField(19, constraints=[Check("length(utc_end_date) = 19")])
    cost = TextField()
    website = CharField(2048, null=True)
    show_map = BooleanField(constraints=[Check("show_map IN (0, 1)")])
    show_map_link = BooleanField(constraints=[Check("show_map_link IN (0, 1)")])
    hide_from_listings = BooleanField(constraints=[Check("hide_from_listings IN (0, 1)")])
    sticky = BooleanField(constraints=[Check("sticky IN (0, 1)")])
    featured = BooleanField(constraints=[Check("featured IN (0, 1)")])
    ticketed = BooleanField(constraints=[Check("ticketed IN (0, 1)")])
    password = CharField(200)
    parent = ForeignKeyField("self", null=True, on_delete="SET NULL", lazy_load=False, backref="children")

    class Meta:
        indexes = (
            (("hide_from_listings", "status", "utc_start_date", "id"), False),
            (("hide_from_listings", "utc_start_date", "id"), False),
            (("hide_from_listings", "status", "utc_end_date", "id"), False),
            (("author", "status", "utc_start_date", "id"), False),
            (("featured", "utc_start_date", "id"), False),
            (("ticketed", "utc_start_date", "id"), False),
            (("start_date", "title"), False),
        )
        constraints = [
            Check("utc_end_date >= utc_start_date"),
            Check("parent_id IS NULL OR parent_id <> id"),
        ]


class EventVenue(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    venue = ForeignKeyField(Venue, on_delete="CASCADE", lazy_load=False)
    position = IntegerField()

    class Meta:
        table_name = "event_venue"
        primary_key = CompositeKey("event", "venue")
        indexes = ((("venue", "event"), True),)


class EventOrganizer(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    organizer = ForeignKeyField(Organizer, on_delete="CASCADE", lazy_load=False)
    position = IntegerField()

    class Meta:
        table_name = "event_organizer"
        primary_key = CompositeKey("event", "organizer")
        indexes = ((("organizer", "event"), True),)


class EventTerm(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    term = ForeignKeyField(Term, on_delete="CASCADE", lazy_load=False)

    class Meta:
        table_name = "event_term"
        primary_key = CompositeKey("event", "term")
        indexes = ((("term", "event"), True),)


TABLES = (
    User,
    ApplicationPassword,
    Record,
    SearchText,
    Image,
    Term,
    Venue,
    Organizer,
    Event,
    EventVenue,
    EventOrganizer,
    EventTerm,
)


def up(migrator: SchemaMigrator, db: Database) -> None:
    if isinstance(db, MySQLDatabase):
        # It takes no CHECK on a column that a foreign key sets to NULL; the CHECK is worth more.
        for model in (Term, Event):
            model._meta.fields["parent"].on_delete = "RESTRICT"
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
