"""Serializers and the view, as the tutorial of Django REST Framework has them."""

from datetime import UTC, datetime
from typing import Any

from rest_framework import generics, pagination, serializers
from rest_framework.response import Response

from bench.peers import rendering
from bench.peers.drf.models import Event, Image, Organizer, Term, Venue

_COMMON = (
    "id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", "slug", "description",
    "global_id", "global_id_lineage",
)  # fmt: skip
_KINDS = {"tribe_events_cat": "categories", "post_tag": "tags"}


class ImageSerializer(serializers.ModelSerializer):
    class Meta:
        model = Image
        fields = ("url", "id", "extension")


class TermSerializer(serializers.ModelSerializer):
    term_group = serializers.ReadOnlyField(default=0)
    term_taxonomy_id = serializers.IntegerField(source="id")
    parent = serializers.SerializerMethodField()
    count = serializers.IntegerField(source="counted")
    filter = serializers.ReadOnlyField(default="raw")
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Term
        fields = (
            "name", "slug", "term_group", "term_taxonomy_id", "taxonomy", "description", "parent", "count",
            "filter", "id", "urls",
        )  # fmt: skip

    def get_parent(self, term: Any) -> int:
        return term.parent_id or 0

    def get_urls(self, term: Any) -> dict[str, str]:
        collection = f"{rendering.API}/{_KINDS[term.taxonomy]}"
        return {"self": f"{collection}/{term.id}", "collection": collection}


class PublishedSerializer(serializers.ModelSerializer):
    kind = ""
    author = serializers.CharField(source="author_id")
    date = serializers.CharField(source="published_utc")
    date_utc = serializers.CharField(source="published_utc")
    modified = serializers.CharField(source="modified_utc")
    url = serializers.SerializerMethodField()
    global_id = serializers.SerializerMethodField()
    global_id_lineage = serializers.SerializerMethodField()

    def get_url(self, record: Any) -> str:
        return f"{rendering.BASE}/{self.kind}/{record.slug}/"

    def get_global_id(self, record: Any) -> str:
        return f"calendar.example.org?id={record.id}"

    def get_global_id_lineage(self, record: Any) -> list[str]:
        return [self.get_global_id(record)]


class VenueSerializer(PublishedSerializer):
    kind = "venue"

    class Meta:
        model = Venue
        fields = (
            *_COMMON, "venue", "address", "city", "country", "state", "zip", "phone", "website",
            "stateprovince", "geo_lat", "geo_lng", "show_map", "show_map_link",
        )  # fmt: skip


class OrganizerSerializer(PublishedSerializer):
    kind = "organizer"

    class Meta:
        model = Organizer
        fields = (*_COMMON, "organizer", "phone", "website", "email")


class DetailsField(serializers.CharField):
    def to_representation(self, value: str) -> Any:
        return rendering.details(value)


class EventSerializer(PublishedSerializer):
    kind = "event"
    rest_url = serializers.SerializerMethodField()
    image = ImageSerializer()
    start_date_details = DetailsField(source="start_date")
    end_date_details = DetailsField(source="end_date")
    utc_start_date_details = DetailsField(source="utc_start_date")
    utc_end_date_details = DetailsField(source="utc_end_date")
    timezone_abbr = serializers.SerializerMethodField()
    cost = serializers.SerializerMethodField()
    cost_details = serializers.SerializerMethodField()
    categories = serializers.SerializerMethodField()
    tags = serializers.SerializerMethodField()
    venue = serializers.SerializerMethodField()
    organizer = OrganizerSerializer(source="organizers", many=True)
    hide_from_listings = serializers.BooleanField()
    custom_fields = serializers.ReadOnlyField(default=())
    post_parent = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = (
            *_COMMON, "rest_url", "title", "excerpt", "image", "all_day", "start_date", "start_date_details",
            "end_date", "end_date_details", "utc_start_date", "utc_start_date_details", "utc_end_date",
            "utc_end_date_details", "timezone", "timezone_abbr", "cost", "cost_details", "website",
            "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "categories", "tags",
            "venue", "organizer", "custom_fields", "post_parent", "ticketed", "uid",
            "event_status", "event_status_reason",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Made once for a list: to make a serializer takes longer than to use it.
        self.term, self.place = TermSerializer(), VenueSerializer()

    def get_rest_url(self, event: Any) -> str:
        return f"{rendering.API}/events/{event.id}"

    def get_timezone_abbr(self, event: Any) -> str:
        return rendering.ABBREVIATIONS.get(event.timezone, "")

    def get_cost(self, event: Any) -> str:
        return str(event.cost.replace("\n", " – "))

    def get_cost_details(self, event: Any) -> dict[str, Any]:
        return rendering.cost(event.cost)

    def get_categories(self, event: Any) -> Any:
        return self._terms(event, "tribe_events_cat")

    def get_tags(self, event: Any) -> Any:
        return self._terms(event, "post_tag")

    def _terms(self, event: Any, taxonomy: str) -> Any:
        terms = (term for term in event.terms.all() if term.taxonomy == taxonomy)
        return list(map(self.term.to_representation, terms))

    def get_venue(self, event: Any) -> Any:
        venues = list(map(self.place.to_representation, event.venues.all()))
        return venues[0] if len(venues) == 1 else venues

    def get_post_parent(self, event: Any) -> int:
        return event.parent_id or 0


class Pages(pagination.PageNumberPagination):
    page_size = 10
    page_size_query_param = "per_page"

    def get_paginated_response(self, data: Any) -> Response:
        page = self.page
        return Response(rendering.page(data, page.number, page.paginator.per_page, page.paginator.count))


class Events(generics.ListAPIView):
    serializer_class = EventSerializer
    pagination_class = Pages

    def get_queryset(self) -> Any:
        now, start, end = rendering.window(datetime.now(UTC))
        found = Event.objects.filter(
            hide_from_listings=0, status="publish", published_utc__lte=now, utc_start_date__gte=start,
            utc_end_date__lte=end,
        )  # fmt: skip
        linked = found.select_related("image").prefetch_related("venues", "organizers", "terms")
        return linked.order_by("utc_start_date", "id")
