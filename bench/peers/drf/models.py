"""The tables of the service as Django's models; no migration is made of them."""

from django.db import models


class Image(models.Model):
    url = models.TextField()
    extension = models.CharField(max_length=20)

    class Meta:
        db_table = "image"


class Term(models.Model):
    taxonomy = models.CharField(max_length=20)
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=191)
    description = models.TextField()
    parent_id = models.IntegerField(null=True)
    counted = models.IntegerField()

    class Meta:
        db_table = "term"


class Published(models.Model):
    author_id = models.IntegerField()
    status = models.CharField(max_length=10)
    published_utc = models.CharField(max_length=19)
    modified_utc = models.CharField(max_length=19)
    slug = models.CharField(max_length=191)
    description = models.TextField()
    excerpt = models.TextField()

    class Meta:
        abstract = True


class Venue(Published):
    venue = models.CharField(max_length=255)
    address = models.CharField(max_length=255)
    city = models.CharField(max_length=255)
    country = models.CharField(max_length=255)
    state = models.CharField(max_length=255)
    stateprovince = models.CharField(max_length=255)
    zip = models.CharField(max_length=255)
    phone = models.CharField(max_length=255)
    website = models.CharField(max_length=2048)
    show_map = models.BooleanField()
    show_map_link = models.BooleanField()
    geo_lat = models.FloatField(null=True)
    geo_lng = models.FloatField(null=True)

    class Meta:
        db_table = "venue"


class Organizer(Published):
    organizer = models.CharField(max_length=255)
    phone = models.CharField(max_length=255)
    website = models.CharField(max_length=2048)
    email = models.CharField(max_length=255)

    class Meta:
        db_table = "organizer"


class Event(Published):
    title = models.CharField(max_length=255)
    all_day = models.BooleanField()
    timezone = models.CharField(max_length=64)
    start_date = models.CharField(max_length=19)
    end_date = models.CharField(max_length=19)
    utc_start_date = models.CharField(max_length=19)
    utc_end_date = models.CharField(max_length=19)
    cost = models.TextField()
    website = models.CharField(max_length=2048, null=True)
    show_map = models.BooleanField()
    show_map_link = models.BooleanField()
    hide_from_listings = models.SmallIntegerField()  # a comparison that an index answers
    sticky = models.BooleanField()
    featured = models.BooleanField()
    ticketed = models.BooleanField()
    parent_id = models.IntegerField(null=True)
    uid = models.CharField(max_length=255)
    event_status = models.CharField(max_length=20)
    event_status_reason = models.TextField()
    image = models.ForeignKey(Image, models.DO_NOTHING, null=True)
    venues = models.ManyToManyField(Venue, db_table="event_venue")
    organizers = models.ManyToManyField(Organizer, db_table="event_organizer")
    terms = models.ManyToManyField(Term, db_table="event_term")

    class Meta:
        db_table = "event"
