"""Read a site that has the interface: terms, venues, organizers and events of all lists.

Everything is read before the first item is returned, so that a site that stops answering changes nothing.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import count
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import urlencode, urljoin, urlsplit

from calendar_api.commands import SourceError
from calendar_api.commands.sources import site_records
from calendar_api.commands.sources.fetch import Fetcher
from calendar_api.commands.sources.items import Found, Item, Notice, Noun, Options, Original, Problem
from calendar_api.commands.sources.site_records import LISTS, NAMES, TERMS, Json
from calendar_api.config import NAMESPACE

_REFERENCE = "tribe/events/v1"
_ROOT = re.compile(r"(.+?[/=](?:tribe|calendar)/events/v1)(?:[/?&].*)?", re.IGNORECASE)
_REST = re.compile(r"""<([^<>]+)>\s*;[^<>]*\brel=["']?https://api\.w\.org/""")
_PAGE = 50  # records
_WINDOW = {"start_date": "1970-01-01", "end_date": "2100-01-01"}
_STATUSES = {"status": "publish,future,draft,pending,private"}
_FILE = "If that stays so, export the events there (Tools, Export) and import the WXR file."


def read(fetcher: Fetcher, address: str, options: Options) -> Iterator[Found]:
    """Yield terms, venues, organizers and events; raises SourceError if a list cannot be read completely."""
    root = find_interface(fetcher, address)
    with TemporaryFile("w+", encoding="utf-8") as file:
        site = _SiteReader(fetcher, root, file)
        for name in LISTS:
            yield Notice(f"{root} has {site.load(name)} {name}.")
        yield from site.items(options)
        yield Notice(_remaining(root, with_drafts=bool(fetcher.user)))


def has_interface_path(address: str) -> bool:
    """Whether an address is that of the interface, rather than of a site or file."""
    return _ROOT.fullmatch(address) is not None


def find_interface(fetcher: Fetcher, address: str) -> str:
    """The address of the interface of a site; raises SourceError."""
    reason = f"{address} has no interface that can be read. Check the address, or import a file of the site:"
    reason += " a calendar (.ics), CSV or a WordPress export (WXR)."
    for root in _candidates(fetcher, address):
        status, body = _answer(fetcher, root, "events", {"per_page": 1}, may_lack=True)
        if isinstance(body.get("events"), list):
            if fetcher.user and not fetcher.sends_password_to(root):
                raise SourceError(f"Give {root} instead of {address}: the password is only sent to one host.")
            return root
        if status in (401, 403):
            reason = f"{root} refuses to be read: {_message(status, body)} {_FILE}"
    raise SourceError(reason)


def _candidates(fetcher: Fetcher, address: str) -> Iterator[str]:
    own = _ROOT.fullmatch(address)
    if own:
        yield own[1]
        return
    home = fetcher.get(address)
    named = _ROOT.fullmatch(home.headers["X-TEC-API-ROOT"] or "")
    if named:
        yield named[1]
    for rest in _REST.findall(", ".join(home.headers.get_all("Link") or ())):
        yield f"{urljoin(home.address, rest).rstrip('/')}/{_REFERENCE}"
    base = home.address.partition("?")[0].rstrip("/")
    for above in dict.fromkeys((base, urljoin(base, "/").rstrip("/"))):
        for below in (f"wp-json/{_REFERENCE}", f"?rest_route=/{_REFERENCE}", NAMESPACE):
            yield f"{above}/{below}"


def _answer(
    fetcher: Fetcher,
    root: str,
    name: str,
    query: Mapping[str, object],
    *,
    may_lack: bool = False,
    anonymous: bool = False,
) -> tuple[int, Json]:
    """The status and the JSON object of a list; an empty one with status 404 if the list `may_lack`."""
    address = f"{root}/{name}{'&' if '?' in root else '?'}{urlencode(query)}"
    try:
        found = fetcher.get(address, anonymous=anonymous)
    except SourceError as error:
        raise SourceError(f"{error} {_FILE}") from error
    content = found.body.read()
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        return found.status, body
    if found.status == 404 and may_lack:
        return found.status, {}
    if found.status == 401:
        raise SourceError(f"{address} rejects the user or the password: give an application password.")
    kind = (
        "a page for people, perhaps a captcha" if content.lstrip()[:1] in (b"<", b"") else "incomplete data"
    )
    raise SourceError(f"{address} answers with {kind} (status {found.status}). {_FILE}")


def _message(status: int, body: Json) -> str:
    return f"{str(body.get('message') or 'not a list').rstrip('.')} (status {status})."


class _SiteReader:
    """Reads lists into a file of JSON lines, and makes items of them."""

    def __init__(self, fetcher: Fetcher, root: str, file: IO[str]) -> None:
        self.fetcher, self.root, self.file = fetcher, root, file
        self.ids: dict[Noun, set[int]] = {noun: set() for noun in LISTS.values()}
        self.slugs: Counter[str] = Counter()
        self.images: set[int] = set()
        self.protected: set[int] = set()

    def load(self, name: str) -> int:
        """Read a list into the file, parents before children; return the number of its records."""
        noun = LISTS[name]
        query = {"hide_empty": "false", "orderby": "id"} if name in TERMS else {}
        query |= _WINDOW if noun == "event" else {}
        own = _STATUSES if self.fetcher.user and name not in TERMS else {}
        waiting: dict[int, list[Json]] = {}
        shows_protected = False
        for record in self._records(name, query | own):
            shows_protected |= noun == "event" and "uid" in record
            for other, one in site_records.nested(record, *TERMS, "venue", "organizer"):
                self._write(other, one | {"parent": 0})  # if its list does not show it
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
        if own and shows_protected:  # to editors: others see them masked
            found = self._records(name, query, anonymous=True)
            self.protected = {one["id"] for one in found if site_records.is_masked(noun, one)}
        return len(self.ids[noun])

    def _records(self, name: str, query: Mapping[str, str], *, anonymous: bool = False) -> Iterator[Json]:
        for page in count(1):
            wanted = {**query, "per_page": _PAGE, "page": page}
            status, body = _answer(self.fetcher, self.root, name, wanted, anonymous=anonymous)
            records = body.get(name)
            if status == 404 and str(body.get("code")).endswith("-archive-page-not-found"):
                return
            if status != 200 or not isinstance(records, list):
                raise SourceError(f"{self.root}/{name} cannot be read: {_message(status, body)} {_FILE}")
            yield from filter(site_records.has_id, records)
            if page >= int(body.get("total_pages") or 0) or not records:
                return

    def _write(self, noun: Noun, record: Json) -> None:
        if record["id"] not in self.ids[noun]:
            self.ids[noun].add(record["id"])
            self.images.add(site_records.image_id(record))
            self.slugs[record.get("slug") or ""] += noun == "event"
            print(json.dumps([noun, record]), file=self.file)

    def items(self, options: Options) -> Iterator[Found]:
        others = self.ids["venue"] | self.ids["organizer"] | self.ids["event"] | self.images
        highest = max(0, *others, *self.ids["category"], *self.ids["tag"])
        zone = options.timezone or options.site_timezone
        odd: list[int] = []
        self.file.seek(0)
        for line in self.file:
            noun, record = json.loads(line)
            id, place = record["id"], f"{noun} {record['id']}"
            if site_records.is_masked(noun, record) or (noun == "event" and id in self.protected):
                title = unescape(record.get("title") or "")
                remedy = "Remove the password there and import again, or import the WXR file."
                yield Problem(place, "A password protects it.", title, "password", remedy, foreign_id=str(id))
                continue
            try:
                fields = site_records.fields(noun, record)
                if noun == "event":
                    shared = self.slugs[record.get("slug") or ""] > 1
                    fields |= site_records.event_fields(record, zone, shares_slug=shared)
                    if not (fields["start_date"] and fields["end_date"]):
                        odd.append(id)
                        fields |= {name: record[name] for name in ("start_date", "end_date")}
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                yield Problem(
                    place, f"It is not as the interface describes it: {error!r}.", foreign_id=str(id)
                )
                continue
            # A term may have the id of another record, which is the one that clients know.
            kept = 0 if noun in ("category", "tag") and id in others else id
            modified = site_records.instant(record, "modified_utc")
            original = Original(kept, site_records.image_id(record), modified, highest)
            yield Item(
                noun, str(id), fields, place, fields[NAMES[noun]], modified=modified, original=original
            )
        if odd:
            text = f"{len(odd)} events have local times that differ from those in UTC; the local ones count:"
            yield Notice(f"{text} {', '.join(map(str, odd[:10]))}.")


def _remaining(root: str, *, with_drafts: bool) -> str:
    """What the administrator has to do after the import."""
    host, alias = urlsplit(root).netloc, (urlsplit(root).query or urlsplit(root).path).strip("/")
    alias = re.sub("^rest_route=/*", "wp-json/", alias)
    return (
        f"To do: clients read {alias}, which CALENDAR_ALIASES has to contain. Give this server the name"
        f" {host}, or redirect old links: the paths are the same. Copy the images, which stay at their old"
        " addresses. Add users: all records belong to the user of the import. Import the WXR file as well if"
        " there are events that are hidden from lists."
        + ("" if with_drafts else " For drafts and private events, import again with --remote-user.")
    )
