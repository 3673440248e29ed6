"""Lists and single events as iCalendar, RSS, Atom, CSV and JSON-LD (docs/interface.md#feeds)."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain, islice
from typing import Unpack

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.database.models import Event
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import PageNotFound
from calendar_api.domain.feed_formats import LISTS, MEDIA_TYPES, SINGLE
from calendar_api.domain.translation import message, translated
from calendar_api.representations import archive, csv_files, icalendar, schema_org, syndication
from calendar_api.representations import events as representation
from calendar_api.representations.archive import Page
from calendar_api.representations.feed import Feed, disposition
from calendar_api.representations.links import RenderContext, with_query
from calendar_api.representations.records import EventJson, OrganizerJson
from calendar_api.representations.rows import ListedEventRow
from calendar_api.resources import request_body
from calendar_api.resources.archive import no_problems
from calendar_api.resources.events import is_open, opened_digests, unknown_records, with_opened
from calendar_api.resources.resource import Endpoints, Json, Query, ReadOnly, Resource, RouteKey
from calendar_api.store import date_range, documents, event_query

_WRITERS: Mapping[str, Callable[[Iterable[EventJson], Feed], bytes]] = {
    "ics": icalendar.calendar,
    "rss": syndication.rss,
    "atom": syndication.atom,
    "csv": lambda events, _: csv_files.events(events),
    "jsonld": lambda events, _: schema_org.graph(events),
}
_PAGED, _PER_PAGE = ("rss", "atom"), 50
#: Most records in a file of all of them.
MOST = 50_000
#: Parameters that the addresses in a feed do not repeat.
_NOT_REPEATED = ("page", "per_page", "password", "format")


class FeedResource(ReadOnly, Resource):
    """A read-only address with a body of another media type than JSON."""

    query_problems = staticmethod(no_problems)

    def read_query(self, req: falcon.Request) -> tuple[Query, Json]:
        """The checked query of the list, and those of its parameters that were sent and that links repeat.

        Raises InvalidParameters.
        """
        given = self.given(req)
        query: Query = validation.parse_query(
            self.noun, "query", given, lambda sound: self.query_problems(sound, req.context.caller)
        )
        sent = {name: query[name] for name in query if name in given and name not in _NOT_REPEATED}
        return query, sent

    def given(self, req: falcon.Request) -> Json:
        """The parameters of the query string by their names in the interface."""
        return request_body.query(req, self.config, validation.list_names(self.noun, "query"))

    def feed(self, req: falcon.Request, self_url: str, page_url: str, json_url: str) -> Feed:
        """The feed of the whole site, with these addresses."""
        about = message("Events of {site}", site=self.config.site_name)
        return Feed(
            name=self.config.site_name,
            description=translated(about, req.context.translate),
            self_url=self_url,
            page_url=page_url if self.config.pages == "on" else "",
            json_url=json_url,
            timezone=self.config.timezone,
            language=req.context.language,
            translate=req.context.translate,
            ttl=self.config.feed_ttl,
            clock=self.config.clock,
        )

    def respond(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        format: str,
        body: bytes,
        feed: Feed,
        name: str,
        page: Page[object] | None = None,
    ) -> None:
        """Set body and headers; `name` is that of the file without its suffix, `page` None for one record."""
        attached = page is None or format == "csv"
        resp.content_type, resp.data = MEDIA_TYPES[format], body
        resp.set_header("Content-Disposition", disposition(name, format, attached=attached))
        resp.set_headers(req.context.site.links.discovery(feed.json_url if page is None else ""))
        resp.append_header("Link", f'<{feed.json_url}>; rel="alternate"; type="application/json"')
        if feed.page_url:
            resp.append_header("Link", f'<{feed.page_url}>; rel="alternate"; type="text/html"')
        if feed.next_url:
            resp.append_header("Link", f'<{feed.next_url}>; rel="next"')
        if page is not None:
            totals = archive.total_headers(page)
            resp.set_headers(totals if format in _PAGED else totals | {"X-TEC-TotalPages": "1"})

    def endpoints(self, context: TableContext) -> Endpoints:
        table = argument_tables.table(self.noun, "query", context)
        return [(("GET",), {name: rule for name, rule in table.items() if name != "format"})]


class EventFeed(FeedResource):
    """`/events.{format}`"""

    noun = "event"
    plural = "events"
    formats = LISTS
    query_problems = staticmethod(unknown_records)

    def on_get(self, req: falcon.Request, resp: falcon.Response, format: str) -> None:
        links = req.context.site.links
        query, sent = self.read_query(req)
        window = self.window(query, format, req.context.caller)
        self_url = with_query(f"{links.root}/events.{format}", sent)
        page_url = with_query(f"{links.home}/events/", sent)
        feed = self.feed(req, self_url, page_url, links.listing("events", sent | window))
        self.send(req, resp, format, query | window, feed)

    def window(self, query: Query, format: str, caller: Caller) -> Json:
        """The default window as a filter; {} if the query has a date filter.

        It begins with a whole day of the site, so that the feed is the same all day, includes what goes on
        at that time, and has no end.
        """
        if any(name in query for name in date_range.DATE_FILTERS):
            return {}
        past = 0 if format in _PAGED else self.config.feed_past
        first = caller.at.astimezone(self.site.zone).date() - timedelta(days=past)
        return {"ends_after": f"{first - timedelta(days=1)} 23:59:59"}

    def send(self, req: falcon.Request, resp: falcon.Response, format: str, query: Query, feed: Feed) -> None:
        """Answer with the events of a checked query of the list.

        `feed` has the name of the site and no page in its address. Raises InvalidParameters and PageNotFound.
        """
        caller: Caller = req.context.caller
        if "password" not in query and date_range.absolute(query):
            req.context.cacheable = True
        number, size = 1, self.config.feed_max if format == "ics" else MOST
        if format in _PAGED:
            number, size = query["page"], min(query.get("per_page", _PER_PAGE), self.config.per_page_max)
        query = with_opened(query, caller, self.config)
        opened = query.get("opened") or self.opened(query, caller, (number - 1) * size, size)
        more: documents.More | None = None
        if format == "ics" and self.config.pages == "on":
            more = "calendar_lines"

        def work() -> tuple[Page[ListedEventRow], Feed, bytes]:
            first = (number - 1) * size
            total, chunks = event_query.search_all(query, caller, self.site.zone, first, size, more)
            page: Page[ListedEventRow] = Page([], total, number, size)
            if format in _PAGED and page.past_the_end:
                raise PageNotFound(self.noun)
            names = ", ".join(event_query.filter_names(query, caller))
            own = feed
            if names:
                own = replace(feed, name=f"{feed.name}: {names}", description=f"{feed.description}: {names}")
            if number > 1:
                own = replace(own, self_url=_of_page(feed.self_url, number, size))
            if format in _PAGED and number < page.pages:
                own = replace(own, next_url=_of_page(feed.self_url, number + 1, size))
            known: dict[bytes, Json] = {}
            context = req.context.site
            events = (self.records(rows, caller, opened, context, known, more) for rows in chunks)
            return page, own, _WRITERS[format](chain.from_iterable(events), own)

        page, feed, body = database.run_read(work)
        self.respond(req, resp, format, body, feed, feed.name, page)

    def opened(self, query: Query, caller: Caller, first: int, size: int) -> Container[str]:
        """The digests that the password of the query opens, of as many events as a page of JSON has."""
        if "password" not in query:
            return ()

        def work() -> dict[int, str]:
            _, chunks = event_query.search_all(query, caller, self.site.zone, first, size)
            locked = (row for rows in chunks for row in rows if not is_open(row, caller))
            return {int(row.id): row.password for row in islice(locked, self.config.per_page_max)}

        return opened_digests(query["password"], database.run_read(work), caller)

    def records(
        self,
        rows: Sequence[ListedEventRow],
        caller: Caller,
        opened: Container[str],
        context: RenderContext,
        known: dict[bytes, Json],
        more: documents.More | None = None,
    ) -> list[EventJson]:
        """The events in rows of the list as objects; masked unless their digest is in `opened`."""
        events = documents.load_events(rows, caller, self.site, more=more)
        masked = {one.id for one in events if not (is_open(one, caller) or one.password in opened)}
        found = representation.records(events, masked, context, known, for_calendar=more is not None)
        return found if self.config.pages == "on" else [_without_pages(event) for event in found]


class SingleEventFeed(EventFeed):
    """`/events/{id}.{format}`"""

    formats = SINGLE
    key_name = "id"

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, format: str, **key: Unpack[RouteKey]
    ) -> None:
        """Answer with the event of this id or slug; raises NotFound."""
        caller: Caller = req.context.caller
        password = validation.parse_query("event", "read", request_body.query(req, self.config)).get(
            "password"
        )
        if password is None:
            req.context.cacheable = True

        value = text.slug(key["slug"]) if self.key_name == "slug" else key["id"]
        find = partial(documents.find, Event, self.key_name, value, caller)
        row = database.run_read(find) if password else None
        protected = {} if row is None or is_open(row, caller) else {int(row.id): row.password}
        opened = opened_digests(str(password), protected, caller)
        (event,) = database.run_read(lambda: self.records([find()], caller, opened, req.context.site, {}))
        address, name = str(event["rest_url"]), str(event["slug"] or event["id"])
        feed = self.feed(req, f"{address}.{format}", str(event["url"]), address)
        body = icalendar.single(event, feed) if format == "ics" else schema_org.graph([event])
        self.respond(req, resp, format, body, feed, name)

    def endpoints(self, context: TableContext) -> Endpoints:
        key = argument_tables.key(self.key_name, context.translate)
        return [(("GET",), key | argument_tables.table("event", "read", context))]


class EventFeedBySlug(SingleEventFeed):
    """`/events/by-slug/{slug}.{format}`"""

    key_name = "slug"


def _without_pages(event: EventJson) -> EventJson:
    """The event with its address in the interface instead of that of its page, which does not exist."""
    address = event["rest_url"]
    website = address if event["website"] == event["url"] else event["website"]
    organizers: list[OrganizerJson] = [{**organizer, "url": ""} for organizer in event["organizer"]]
    return {**event, "url": address, "website": website, "organizer": organizers}


def _of_page(address: str, number: int, size: int) -> str:
    return f"{address}{'&' if '?' in address else '?'}page={number}&per_page={size}"
