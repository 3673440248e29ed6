"""Read a site that has the interface: terms, venues, organizers and events of all lists.

Everything is read before the first item is returned, so that a site that stops answering changes nothing.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC
from html import unescape
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias
from urllib.parse import unquote, urlencode, urljoin, urlsplit

from calendar_api.commands import SourceError
from calendar_api.commands.sources.fetch import Fetcher
from calendar_api.commands.sources.items import (
    Found,
    Item,
    KeptIds,
    Notice,
    Noun,
    Options,
    Problem,
    Reference,
)
from calendar_api.config import NAMESPACE
from calendar_api.domain import costs, dates, time_zones

Json: TypeAlias = dict[str, Any]

_REFERENCE = "tribe/events/v1"
_ROOT = re.compile(r"(.+?[/=](?:tribe|calendar)/events/v1)(?:[/?&].*)?", re.IGNORECASE)
_REST = re.compile(r"""<([^<>]+)>\s*;[^<>]*\brel=["']?https://api\.w\.org/""")
_SIZES = (50, 10, 1)  # records on a page; smaller if the site cannot send as many
_TERMS: dict[str, Noun] = {"categories": "category", "tags": "tag"}
_LISTS: dict[str, Noun] = {**_TERMS, "venues": "venue", "organizers": "organizer", "events": "event"}
_WINDOW = {"start_date": "1970-01-01", "end_date": "2100-01-01"}
_STATUSES = "publish,future,draft,pending,private"
_NEVER = "0000-00-00"
_ADDRESS = ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince", "website")
#: Fields that are taken as they are.
_SAME: dict[str, tuple[str, ...]] = {
    "category": ("description",),
    "tag": ("description",),
    "venue": ("description", "status", *_ADDRESS, "geo_lat", "geo_lng", "show_map", "show_map_link"),
    "organizer": ("description", "status", "phone", "website", "email"),
    "event": (
        "description", "excerpt", "status", "all_day", "show_map", "show_map_link", "hide_from_listings",
        "sticky", "featured", "ticketed", "event_status", "event_status_reason",
    ),
}  # fmt: skip
_NAMES = {"category": "name", "tag": "name", "venue": "venue", "organizer": "organizer", "event": "title"}
_FILE = "If that stays so, export the events there (Tools, Export) and import the WXR file."


def read(fetcher: Fetcher, address: str, options: Options) -> Iterator[Found]:
    """Yield terms, venues, organizers and events; raises SourceError if a list cannot be read completely."""
    root = find_interface(fetcher, address)
    with TemporaryFile("w+", encoding="utf-8") as file:
        site = _Site(fetcher, root, file)
        for name in _LISTS:
            yield Notice(f"{root} has {site.load(name)} {name}.")
        yield from site.items(options)
        yield Notice(_remaining(root, site.images, with_drafts=bool(fetcher.user)))


def find_interface(fetcher: Fetcher, address: str) -> str:
    """The address of the interface of a site; raises SourceError."""
    refused = ""
    for root in _candidates(fetcher, address):
        status, body = _answer(fetcher, f"{root}/events{'&' if '?' in root else '?'}per_page=1", (404,))
        if isinstance(body.get("events"), list):
            if fetcher.user and not fetcher.sends_password_to(root):
                raise SourceError(f"Give {root} instead of {address}: the password is only sent to one host.")
            return root
        if status in (401, 403):
            refused = f"{root} refuses to be read: {body.get('message') or status}. {_FILE}"
    raise SourceError(
        refused
        or f"{address} has no interface that can be read. Check the address, or import a calendar "
        "(.ics), a CSV file or a WordPress export (WXR) of that site."
    )


def _candidates(fetcher: Fetcher, address: str) -> Iterator[str]:
    own = _ROOT.fullmatch(address)
    if own:
        yield own[1]
        return
    home = fetcher.get(address)
    named = _ROOT.fullmatch(home.headers["X-TEC-API-ROOT"] or "")
    if named:
        yield named[1]
    for link in home.headers.get_all("Link") or ():
        for rest in _REST.findall(link):
            yield f"{urljoin(home.address, rest).rstrip('/')}/{_REFERENCE}"
    base = home.address.partition("?")[0].rstrip("/")
    for above in dict.fromkeys((base, urljoin(base, "/").rstrip("/"))):
        yield f"{above}/wp-json/{_REFERENCE}"
        yield f"{above}/?rest_route=/{_REFERENCE}"
        yield f"{above}/{NAMESPACE}"


def _answer(fetcher: Fetcher, address: str, missing: tuple[int, ...] = ()) -> tuple[int, Json]:
    """The status and the JSON object of an answer; an empty one if its status is in `missing`."""
    try:
        found = fetcher.get(address)
    except SourceError as error:
        raise SourceError(f"{error} {_FILE}") from error
    content = found.body.read()
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict) and found.status != 202:
        return found.status, body
    if found.status in missing:
        return found.status, {}
    if found.status == 401:
        raise SourceError(f"{address} rejects the user or the password: use an application password.")
    kind = (
        "a page for people, perhaps a captcha" if content.lstrip()[:1] in (b"<", b"") else "incomplete data"
    )
    raise SourceError(f"{address} answers with {kind} (status {found.status}). {_FILE}")


class _Site:
    """Reads lists into a file of JSON lines, and makes items of them."""

    def __init__(self, fetcher: Fetcher, root: str, file: IO[str]) -> None:
        self.fetcher, self.root, self.file = fetcher, root, file
        self.ids: dict[str, set[int]] = {noun: set() for noun in _LISTS.values()}
        self.slugs: Counter[str] = Counter()
        self.images: set[int] = set()

    def load(self, name: str) -> int:
        """Read a list into the file, parents before children; return the number of its records."""
        noun = _LISTS[name]
        query = {"hide_empty": "false", "orderby": "id"} if name in _TERMS else {}
        query |= _WINDOW if noun == "event" else {}
        query |= {"status": _STATUSES} if self.fetcher.user and name not in _TERMS else {}
        waiting: dict[int, list[Json]] = {}
        for record in self._records(name, query):
            if noun == "event":
                for other, nested in _nested(record):
                    if nested["id"] not in self.ids[other]:  # shown here only
                        self._write(other, nested | {"parent": 0})
            parent = int(record.get("parent") or record.get("post_parent") or 0)
            if parent and parent not in self.ids[noun]:
                waiting.setdefault(parent, []).append(record)
                continue
            ready = [record]
            while ready:
                one = ready.pop()
                self._write(noun, one)
                ready += waiting.pop(one["id"], [])
        for record in [one for some in waiting.values() for one in some]:
            self._write(noun, record | {"parent": 0, "post_parent": 0})
        return len(self.ids[noun])

    def _records(self, name: str, query: Mapping[str, str]) -> Iterator[Json]:
        size, page, received = _SIZES[0], 1, 0
        while True:
            pairs = urlencode({**query, "per_page": size, "page": page})
            address = f"{self.root}/{name}{'&' if '?' in self.root else '?'}{pairs}"
            status, body = _answer(self.fetcher, address)
            records = body.get(name)
            if status == 404 and str(body.get("code")).endswith("-archive-page-not-found"):
                return
            if status == 400 and size > 1 and '"per_page"' in json.dumps(body):
                size = _SIZES[_SIZES.index(size) + 1]
                page = received // size + 1
                continue
            if status != 200 or not isinstance(records, list):
                reason = f"{body.get('message') or body.get('code')} (status {status})"
                raise SourceError(f"{address} cannot be read: {reason}. {_FILE}")
            yield from (record for record in records if record["id"] not in self.ids[_LISTS[name]])
            received += len(records)
            if page >= int(body.get("total_pages") or 0) or not records:
                return
            page += 1

    def _write(self, noun: Noun, record: Json) -> None:
        self.ids[noun].add(record["id"])
        self.images |= {int(image["id"]) for image in [record.get("image")] if image and image.get("id")}
        if noun == "event":
            self.slugs[record.get("slug") or ""] += 1
        print(json.dumps([noun, record]), file=self.file)

    def items(self, options: Options) -> Iterator[Found]:
        posts = self.ids["venue"] | self.ids["organizer"] | self.ids["event"] | self.images
        highest = max([0, *posts, *self.ids["category"], *self.ids["tag"]])
        odd, extra = [], set[str]()
        self.file.seek(0)
        for line in self.file:
            noun, record = json.loads(line)
            id, name = int(record["id"]), _NAMES[noun]
            place = f"{noun} {id}"
            if record.get("all_day", False) is None or not isinstance(record.get(name), str):
                title = record.get("title") or ""
                text = "Remove it there during the import, or import the WXR file."
                yield Problem(place, "A password protects it.", unescape(title), "password", text)
                continue
            fields = _fields(noun, record)
            if noun == "event":
                fields |= self._event_fields(record)
                fields["timezone"] = record.get("timezone") or options.timezone
                times = _times(record, fields["timezone"])
                odd += [] if times else [id]
                fields |= times or {key: record[key] for key in ("start_date", "end_date")}
                extra |= set(record.get("custom_fields") or ())
            # Terms may have the id of a record of another kind, which is the one that clients know.
            kept = 0 if noun in _TERMS.values() and id in posts else id
            image = int(record["image"].get("id") or 0) if record.get("image") else 0
            modified = "" if record.get("modified_utc", _NEVER).startswith(_NEVER) else record["modified_utc"]
            title = str(fields[name])
            ids = KeptIds(kept, image, highest)
            yield Item(noun, str(id), fields, place, title, modified=modified, ids=ids)
        if odd:
            some = ", ".join(map(str, odd[:10]))
            yield Notice(
                f"{len(odd)} events have times that are not those in UTC, and keep their local times: {some}."
            )
        if extra:
            yield Notice(f"Additional fields are not imported: {', '.join(sorted(extra))}.")

    def _event_fields(self, record: Json) -> Json:
        fields: Json = {
            name: [Reference(noun, str(one["id"])) for one in record[name]] for name, noun in _TERMS.items()
        }
        for noun in ("venue", "organizer"):
            fields[noun] = [Reference(noun, str(one["id"])) for one in _listed(record[noun])]
        if record.get("post_parent"):
            fields["post_parent"] = Reference("event", str(record["post_parent"]))
        slug, day = record.get("slug") or "", record["start_date"][:10]
        # Occurrences of a recurring event have the slug of all of them, and an address with their day.
        if slug and (self.slugs[slug] > 1 or f"/{slug}/{day}/" in record.get("url", "")):
            fields["slug"] = f"{unquote(slug)}-{day}"
        if unescape(record.get("website") or "") != unescape(record.get("url") or ""):
            fields["website"] = record["website"]
        if record.get("uid"):
            fields["uid"] = record["uid"].replace("&lt;", "<")
        fields["cost"] = _cost(record)
        return fields


def _nested(event: Json) -> Iterator[tuple[Noun, Json]]:
    for name, noun in (*_TERMS.items(), ("venue", "venue"), ("organizer", "organizer")):
        for one in _listed(event.get(name) or []):
            yield noun, one


def _listed(value: Json | list[Json]) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _fields(noun: str, record: Json) -> Json:
    """What records of all nouns have in common."""
    fields = {name: record[name] for name in _SAME[noun] if name in record}
    fields[_NAMES[noun]] = unescape(record[_NAMES[noun]])
    if record.get("slug"):
        fields["slug"] = unquote(record["slug"])
    if not str(record.get("date_utc") or _NEVER).startswith(_NEVER):
        fields["date_utc"] = record["date_utc"]
    if record.get("image"):
        fields["image"] = record["image"]["url"]
    if noun == "category" and record.get("parent"):
        fields["parent"] = Reference("category", str(record["parent"]))
    return fields


def _times(record: Json, name: str) -> Json:
    """Start and end, with an offset where the clock shows the time twice; {} if they differ from UTC."""
    found = {}
    try:
        zone = time_zones.named(name)
        for key in ("start_date", "end_date"):
            wall = dates.from_text(record[key])
            for fold in (0, 1):
                moment = wall.replace(tzinfo=zone, fold=fold)
                if dates.text(moment.astimezone(UTC)) == record[f"utc_{key}"]:
                    found[key] = moment.isoformat(" ") if fold else record[key]
                    break
    except (ValueError, OverflowError):
        return {}
    return found if len(found) == 2 else {}


def _cost(record: Json) -> list[str] | str:
    """The cost as it is stored: what is shown has the currency of the site, and only the ends of a range."""
    shown, details = unescape(record.get("cost") or ""), record.get("cost_details") or {}
    symbol, values = details.get("currency_symbol") or "", details.get("values") or []
    after = details.get("currency_position") == "postfix"
    parts = [f"{value}{symbol}" if after else f"{symbol}{value}" for value in values]
    for cost in (shown, parts):
        try:
            parsed = costs.details(costs.parse(cost))
        except ValueError:
            continue
        if parsed["values"] == values and parsed["currency_symbol"] == symbol:
            return cost
    return shown


def _remaining(root: str, images: set[int], *, with_drafts: bool) -> str:
    host, alias = urlsplit(root).netloc, (urlsplit(root).query or urlsplit(root).path).strip("/")
    alias = re.sub("^rest_route=/*", "wp-json/", alias)
    clients = (
        "nothing to do" if alias == NAMESPACE else f"CALENDAR_ALIASES must contain {alias} (as by default)"
    )
    drafts = "" if with_drafts else " Drafts and private events too, unless you give --remote-user."
    return f"""What remains to be done:
1. Addresses of clients: {clients}; give this server the name {host}, or tell clients its name.
2. Old links: if the name changes, redirect {host} with the path, which stays the same. In nginx:
   return 301 https://NEW.NAME$request_uri;
3. Images: {len(images)} still come from {host}; keep them there, or copy them and change their addresses.
4. Users: all records belong to the user of the import. Add others with `calendar-api user add`.
5. Events that are hidden from lists are missing: import the WXR file as well if there are any.{drafts}"""
