"""WordPress exports (WXR) with events, venues and organizers of its calendar plugin.

What an event refers to may come after it in the file, so the file is read three times: for terms and images,
for venues and organizers, and for events. Memory holds one post, the terms, and the address of each image.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO
from urllib.parse import unquote
from xml.parsers import expat

from calendar_api.commands import SourceError
from calendar_api.commands.sources.file_values import costs, seekable, wall_time, website
from calendar_api.commands.sources.items import Found, Item, Notice, Noun, Options, Problem, Reference
from calendar_api.domain.text import BLOCK_TAGS

_BLOCK_COMMENT = re.compile(r"<!--\s*/?wp:.*?-->", re.DOTALL)
_BLOCK = re.compile(rf"</?(?:{'|'.join(sorted(BLOCK_TAGS))})\b", re.IGNORECASE)
_CHUNK, _LONGEST = 2**16, 2**23  # bytes that are read together, and of a post
_POSTS = {"item", "wp:term", "wp:tag"}  # elements of the channel that are read
_BLANK = b"\xef\xbb\xbf \t\r\n"  # with a byte order mark
# XML has no such characters, but posts do, and WordPress writes them.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
_TAXONOMIES: dict[str | None, Noun] = {"tribe_events_cat": "category", "post_tag": "tag"}
_TRUE = {"1", "yes", "true", "on"}
_NOT_IMPORTED = {"trash", "auto-draft", "inherit"}  # statuses
_LINKED: dict[str, Noun] = {"tribe_venue": "venue", "tribe_organizer": "organizer"}
#: Post type -> field of the payload by key of the post's metadata.
_TEXTS = {
    "tribe_venue": {
        "_VenueAddress": "address", "_VenueCity": "city", "_VenueCountry": "country",
        "_VenueProvince": "province", "_VenueState": "state", "_VenueStateProvince": "stateprovince",
        "_VenueZip": "zip", "_VenuePhone": "phone", "_VenueURL": "website",
    },
    "tribe_organizer": {
        "_OrganizerEmail": "email", "_OrganizerPhone": "phone", "_OrganizerWebsite": "website",
    },
    "tribe_events": {
        "_EventURL": "website", "_tribe_events_status": "event_status",
        "_tribe_events_status_reason": "event_status_reason",
    },
}  # fmt: skip
_FLAGS = {
    "_EventAllDay": "all_day", "_EventShowMap": "show_map", "_EventShowMapLink": "show_map_link",
    "_EventHideFromUpcoming": "hide_from_listings", "_tribe_featured": "featured",
    "_VenueShowMap": "show_map", "_VenueShowMapLink": "show_map_link",
}  # fmt: skip


def read(stream: BinaryIO, options: Options) -> Iterator[Found]:
    """Yield the records of a file; raises SourceError if it is not an export."""
    with seekable(stream) as source:
        yield from _Export(source, options).read()


class _Post:
    """An element of the channel: the texts of its children, its terms, and its metadata."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.texts: dict[str, str] = {}
        self.terms: list[tuple[Noun, str, str]] = []  # noun, slug, name
        self.meta: dict[str, list[str]] = {}

    def text(self, name: str) -> str:
        return self.texts.get(name, "").strip()

    def values(self, key: str) -> list[str]:
        return [value.strip() for value in self.meta.get(key, []) if value.strip()]

    def value(self, key: str) -> str:
        return next(iter(self.values(key)), "")


class _Parser:
    """Reads a file in pieces; `posts` has those that are complete."""

    def __init__(self) -> None:
        self.posts: list[_Post] = []
        self.is_export = False
        self.blank_lines = 0  # before the file
        self._depth, self._key, self._post = 0, "", _Post("")
        self._parts: list[str] = []
        self._attributes: dict[str, str] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._parts.append

    def read(self, stream: BinaryIO) -> Iterator[_Post]:
        """Yield the posts of a file; raises SourceError, and ExpatError where it breaks off."""
        begin, size = stream.read(_CHUNK), 0
        chunk = begin.lstrip(_BLANK)  # which plugins send before the file
        self.blank_lines = begin[: len(begin) - len(chunk)].count(b"\n")
        while chunk:
            self._parser.Parse(chunk.translate(None, _CONTROLS), False)
            size = 0 if self.posts else size + len(chunk)
            if size > _LONGEST:
                raise SourceError(f"The file has a post of more than {_LONGEST} bytes.")
            yield from self.posts
            self.posts.clear()
            chunk = stream.read(_CHUNK)
        self._parser.Parse(b"", True)

    def _refuse(self, *_declaration: object) -> None:
        raise SourceError("The file has a document type (DOCTYPE), which exports of WordPress do not have.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._parts.clear()
        self._attributes = attributes
        if self._depth == 3:
            self._post = _Post(tag)
            self.is_export |= tag == "wp:wxr_version"

    def _end(self, tag: str) -> None:
        self._depth -= 1
        post, text = self._post, "".join(self._parts)
        self._parts.clear()
        noun = _TAXONOMIES.get(self._attributes.get("domain"))
        if self._depth == 2 and tag in _POSTS:
            self.posts.append(post)
        elif self._depth == 3 and tag == "category" and noun:
            post.terms.append((noun, unquote(self._attributes.get("nicename", "")) or text, text))
        elif self._depth == 3:
            post.texts[tag] = text
        elif tag == "wp:meta_key":
            self._key = text
        elif tag == "wp:meta_value":
            post.meta.setdefault(self._key, []).append(text)


class _Export:
    def __init__(self, stream: BinaryIO, options: Options) -> None:
        self.stream = stream
        self.options = options
        self.images: dict[str, str] = {}
        self.terms: dict[tuple[Noun, str], _Post] = {}
        self.seen: set[Reference] = set()
        self.recurring = self.lacking = 0

    def read(self) -> Iterator[Found]:
        self._collect()
        for noun, slug in list(self.terms):
            if noun == "category":
                yield from self._term(noun, slug, slug)
        for types, items in ((_LINKED.keys(), self._linked), ({"tribe_events"}, self._event)):
            for post in self._all():
                if post.text("wp:post_type") in types and post.text("wp:status") not in _NOT_IMPORTED:
                    yield from items(post)
        if self.recurring:
            yield Notice(f"{self.recurring} events recur: the file has their first date only.")
        if self.lacking:
            yield Notice(
                f"{self.lacking} images are not in the file: choose All content in WordPress to export them."
            )
        if self.broken:
            remedy = "Export it again; if it breaks at the same line, correct that line."
            reason = f"The file breaks off or is broken: {self.broken}. What comes before was read."
            yield Problem(f"line {self.line}", reason, remedy=remedy)

    def _all(self) -> Iterator[_Post]:
        """All posts up to the end, or to where the file is broken."""
        self.stream.seek(0)
        self.parser, self.broken, self.line = _Parser(), "", 0
        try:
            yield from self.parser.read(self.stream)
        except expat.ExpatError as error:
            yield from self.parser.posts
            self.broken = expat.ErrorString(error.code)
            self.line = error.lineno + self.parser.blank_lines
        except (LookupError, ValueError) as error:
            raise SourceError(f"The file cannot be read: {error}.") from error

    def _collect(self) -> None:
        """Read terms, addresses of images, and the ids of posts that are parents."""
        for post in self._all():
            if post.tag != "item":
                noun = "tag" if post.tag == "wp:tag" else _TAXONOMIES.get(post.text("wp:term_taxonomy"))
                slug = unquote(post.text("wp:tag_slug") or post.text("wp:term_slug"))
                if noun and slug:
                    self.terms[noun, slug] = post
            elif post.text("wp:post_type") == "attachment":
                self.images[post.text("wp:post_id")] = post.text("wp:attachment_url")
        if not self.parser.is_export:
            why = f" It is broken at line {self.line}: {self.broken}." if self.broken else ""
            raise SourceError(f"The file is no export of WordPress: there, choose Tools, then Export.{why}")

    def _term(self, noun: Noun, slug: str, name: str) -> Iterator[Item]:
        """A new term, after those above it; `name` is for one without a definition."""
        above: list[str] = []
        while slug and slug not in above and Reference(noun, slug) not in self.seen:
            above.append(slug)
            found = self.terms.get((noun, slug))
            slug = unquote(found.text("wp:term_parent")) if found else ""
        for own in reversed(above):
            post = self.terms.get((noun, own), _Post(""))
            title = post.text("wp:term_name") or post.text("wp:tag_name") or name
            fields: dict[str, Any] = {"name": title, "slug": own}
            fields["description"] = post.text("wp:term_description") or post.text("wp:tag_description")
            parent = Reference(noun, unquote(post.text("wp:term_parent")))
            if parent in self.seen:
                fields["parent"] = parent
            self.seen.add(Reference(noun, own))
            yield Item(noun, own, fields, f"{noun} {own}", title)

    def _linked(self, post: _Post) -> Iterator[Item]:
        noun = _LINKED[post.text("wp:post_type")]
        fields = self._fields(post)
        fields[noun] = fields.pop("title")
        latitude, longitude = post.value("_VenueLat"), post.value("_VenueLng")
        if latitude and longitude:
            fields |= {"geo_lat": latitude, "geo_lng": longitude}
        yield self._item(noun, post, fields)

    def _event(self, post: _Post) -> Iterator[Item]:
        fields = self._fields(post)
        zone = fields["timezone"] = post.value("_EventTimezone") or self.options.timezone
        for name, key in (("start_date", "_EventStartDate"), ("end_date", "_EventEndDate")):
            if local := post.value(key):
                fields[name] = wall_time(local, post.value(f"{key}UTC"), zone) or local
        currency = post.value("_EventCurrencySymbol") or post.value("_EventCurrencyCode")
        if cost := costs(post.values("_EventCost"), currency, post.value("_EventCurrencyPosition")):
            fields["cost"] = cost
        fields["sticky"] = post.text("wp:menu_order") == "-1"
        if password := post.texts.get("wp:post_password"):
            fields["password"] = password
        if excerpt := post.text("excerpt:encoded"):
            fields["excerpt"] = excerpt
        for noun in _LINKED.values():
            ids = [id for id in post.values(f"_Event{noun.title()}ID") if id != "0"]
            fields[noun] = [Reference(noun, id) for id in dict.fromkeys(ids)]
        for name in ("categories", "tags"):
            fields[name] = []
        for which, slug, called in post.terms:
            yield from self._term(which, slug, called)
            fields["tags" if which == "tag" else "categories"].append(Reference(which, slug))
        if (parent := post.text("wp:post_parent")) not in ("", "0"):
            fields["post_parent"] = Reference("event", parent)
        elif post.value("_EventRecurrence"):
            self.recurring += 1
        yield self._item("event", post, fields)

    def _fields(self, post: _Post) -> dict[str, Any]:
        """The fields of all three types of posts."""
        fields: dict[str, Any] = {"title": post.text("title"), "status": post.text("wp:status") or "publish"}
        fields["description"] = _paragraphs(post.texts.get("content:encoded", ""))
        if slug := unquote(post.text("wp:post_name")):
            fields["slug"] = slug
        if (published := post.text("wp:post_date_gmt")) and not published.startswith("0000"):
            fields["date_utc"] = published
        for key, name in _TEXTS[post.text("wp:post_type")].items():
            if value := post.value(key):
                fields[name] = website(value) if name == "website" else value
        fields |= {name: post.value(key).lower() in _TRUE for key, name in _FLAGS.items() if key in post.meta}
        if (image := post.value("_thumbnail_id")) in self.images:
            fields["image"] = self.images[image]
        elif image:
            self.lacking += 1
        return fields

    def _item(self, noun: Noun, post: _Post, fields: dict[str, Any]) -> Item:
        id = post.text("wp:post_id")
        return Item(noun, id, fields, f"post {id}", post.text("title"))


def _paragraphs(content: str) -> str:
    """Text as WordPress shows it: empty lines separate paragraphs, except in the markup of blocks."""
    if "<!-- wp:" in content:
        return _BLOCK_COMMENT.sub("", content).strip()
    parts = re.split(r"\n\s*\n", content.replace("\r\n", "\n").strip())
    return "\n".join(
        part if not part or _BLOCK.match(part) else "<p>{}</p>".format(part.replace("\n", "<br />\n"))
        for part in map(str.strip, parts)
    )
