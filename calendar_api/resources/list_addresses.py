"""Addresses of pages and feeds that list events: what their paths and query strings ask for."""

import re
from calendar import monthrange
from contextlib import suppress
from datetime import date, timedelta
from functools import cached_property, partial

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import schemas, validation
from calendar_api.database.models import Organizer, Venue
from calendar_api.domain import dates, form_params, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound
from calendar_api.resources import request_body
from calendar_api.resources.events import unknown_records
from calendar_api.resources.resource import Json, Query
from calendar_api.store import date_range, identifiers
from calendar_api.store.terms import Terms, categories, tags

#: The first and last day of windows without a beginning or an end.
BEGINNING, END = f"{dates.EARLIEST:%Y-%m-%d}", f"{dates.LATEST:%Y-%m-%d}"
#: Records whose pages list events.
RECORDS: dict[str, type[Venue | Organizer]] = {"venue": Venue, "organizer": Organizer}
#: Filters that a page of days does not have: it has its own window.
DATED = {*date_range.DATE_FILTERS, "strict_dates"}
#: Where the pages are below the list of the same events, by their first day.
PATHS = {"month": "month/{:%Y-%m}/", "day": "{:%Y-%m-%d}/"}
ONE_DAY = timedelta(days=1)
#: The wall clocks of two zones differ by less.
ZONES = timedelta(days=3)

#: Names of the reference in addresses -> ours.
_ALIASES = {"tribe-bar-date": "start_date", "tribe-bar-search": "search", "event_ids": "include"}
_VIEWS = {"list": "list", "past": "list", "month": "month", "today": "day", "day": "day"}
_NOT_ON_PAGES = frozenset({"page", "per_page", "password", "status"})
# Slugs may look like views.
_PATH = re.compile(
    r"""
    /(?:(?P<kind>events/category|tag|venue|organizer)/(?P<slugs>.+?)|events)/
    (?P<rest>
        (?:(?P<list>list)/)?(?:page/(?P<number>[0-9]{1,9})/)?
        | (?P<month>month)/(?:(?P<when>[^/]+)/)?
        | (?(kind)(?!)|(?:today|(?P<day>[^/]+))/)
    )
    """,
    re.VERBOSE,
)
_MONTH = re.compile(r"\d{4}-\d\d", re.ASCII)
_DAY = re.compile(r"(?!9999-12)[1-9]\d{3}-\d\d-\d\d", re.ASCII)


class ListAddress:
    """The address of a list of events; raises NotFound for a path that is none.

    `kind` is "" for all events, and `slugs` are those of the record or term and of categories above it.
    `named` is the view in the path or "", `when` the month or day in it, `rest` the path after the slugs.
    `view` is "list", "month" or "day": `default` if a list of all events names none.
    """

    def __init__(self, req: falcon.Request, config: Config, path: str, default: str) -> None:
        match = _PATH.fullmatch(path)
        if match is None:
            raise NotFound("event")
        self.req, self.config = req, config
        self.kind, self.when = match["kind"] or "", match["when"] or match["day"] or ""
        self.rest = match["rest"]
        self.slugs = match["slugs"].split("/") if self.kind else []
        self.number = int(match["number"] or 1)
        if match["number"]:
            if bool(match["list"]) == (self.kind in RECORDS):
                raise NotFound("event")
            page = "" if self.number == 1 else f"page/{self.number}/"
            self.rest = self.rest.partition("page/")[0] + page
        self.named = match["list"] or match["month"] or ("day" if self.rest and not self.kind else "")
        if self.named == "day" and _MONTH.fullmatch(self.when):
            self.named, self.rest = "month", f"month/{self.rest}"
        self.today = today(req.context.caller, config)
        # As in the reference.
        display = form_params.last(req.query_string, "eventDisplay") or ""
        self.is_past = display == "past"
        self.view = self.named or self._view(display, default)

    def _view(self, display: str, default: str) -> str:
        """The view of a path that names none; `display` is that of the query string."""
        if self.kind in RECORDS:
            return "list"
        if self.kind:
            return "month" if display == "month" else "list"
        return _VIEWS.get(display) or _VIEWS[default]

    @cached_property
    def parameters(self) -> Json:
        return parameters(self.req, self.config)

    @property
    def filters(self) -> Json:
        """The filters that have a value, by their names in the interface."""
        known = schemas.schema("event", "query")["properties"].keys() - _NOT_ON_PAGES
        return {name: value for name, value in self.parameters.items() if name in known}

    @property
    def query(self) -> Query:
        """The filters, checked and with defaults; raises InvalidParameters."""
        caller = self.req.context.caller
        return validation.parse_query(
            "event", "query", self.filters, lambda sound: unknown_records(sound, caller)
        )

    @cached_property
    def start(self) -> date:
        """Where a page begins without a day in its path: the filter `start_date`, or the day at the site."""
        given = str(self.parameters.get("start_date"))
        start = _DAY.match(f"{given}-01" if _MONTH.fullmatch(given) else given)
        with suppress(ValueError):
            return date.fromisoformat(start[0] if start else "")
        return self.today

    def days(self) -> tuple[date, date]:
        """The first and last day of a month or day: that in the path, or of `start`; raises NotFound."""
        if self.view == "day":
            day = _parsed(self.when) if self.when else self.start
            return day, day
        first = _parsed(f"{self.when}-01") if self.when else self.start.replace(day=1)
        return first, first.replace(day=monthrange(first.year, first.month)[1])

    def titled(self, name: str) -> str:
        """The title of a list with this name."""
        return f"{name} – {self.req.context.translate('Past events')}" if self.is_past else name

    def window(self, given: Json) -> Json:
        """The dates that filters of a list lack: all of the past, or all that go on or come."""
        if self.is_past:
            ended = {"start_date": BEGINNING, "end_date": str(self.today - ONE_DAY)}
            return {name: value for name, value in ended.items() if name not in given}
        dated = [name for name in date_range.DATE_FILTERS if name in given]
        if not dated and "include" not in given:
            return {"ends_after": f"{self.today - ONE_DAY} 23:59:59"}
        return {"end_date": END} if dated == ["start_date"] else {}


def parameters(req: falcon.Request, config: Config) -> Json:
    """The parameters of the query string that have a value, by their names in the interface."""
    lists = validation.list_names("event", "query") | {"event_ids"}
    given = request_body.query(req, config, lists)
    found = {_ALIASES.get(name, name): value for name, value in given.items() if value}
    for name, terms in (("categories", categories), ("tags", tags)):
        if isinstance(value := found.get(name), str):
            found[name] = database.run_read(partial(_with_present_slugs, terms, value))
    return found


def _with_present_slugs(terms: Terms, given: str) -> str:
    """A list of ids and slugs; terms with a former slug by the present one, as their pages lead there."""
    items = [item.strip() for item in given.split(",")]
    if len(items) > request_body.MAX_ITEMS:  # will be refused
        return given
    former = identifiers.former_slugs(terms.noun, map(text.slug, items))
    return ",".join(_with_present_slug(terms, item) if text.slug(item) in former else item for item in items)


def _with_present_slug(terms: Terms, item: str) -> str:
    with suppress(NotFound):
        term = terms.by_former_slug(text.slug(item))
        return item if terms.resolve([item], by_name=False)[item] else term.slug
    return item


def today(caller: Caller, config: Config) -> date:
    """The day at the site."""
    return caller.at.astimezone(config.site.zone).date()


def between(first: date, last: date) -> Json:
    """What takes place on these days, as filters."""
    return {"ends_after": str(first - ONE_DAY), "starts_before": str(last)}


def around(first: date, last: date) -> Json:
    """What takes place on these days on any clock, and on days near them."""
    return {"ends_after": str(first - ZONES), "starts_before": str(last + ZONES)}


def on_days(first: date, last: date) -> Json:
    """What touches these days on its own clock, as filters of the store."""
    return around(first, last) | {"days": (first, last + ONE_DAY)}


def _parsed(given: str) -> date:
    """A day from the year 1000 to November 9999, as days after it are needed; raises NotFound for others."""
    if _DAY.fullmatch(given):
        with suppress(ValueError):
            return date.fromisoformat(given)
    raise NotFound("event")
