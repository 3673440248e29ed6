"""Documents: the JSON of a record as far as it depends on its own row, stored in that row.

Nested records, addresses and the word for a cost of nothing are inserted when a response is made. Bytes that
never occur in UTF-8 mark their places. See docs/decisions/0013.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from calendar_api.domain import json_text
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.representations.links import Links, RenderContext
from calendar_api.representations.rows import DocumentRow, ImageRow, Json

#: Increase it whenever the document of an unchanged row changes: older documents are then not used any more.
VERSION = 4

_SEPARATOR = b"\xff"
#: What the content follows: version and checksum.
_START, _CHECKSUM_LENGTH = b"%b %08x\xff", 10
#: A value that is inserted: a nested record, a list of them, an image, a count. As it is rendered, and as it
#: is stored, without quotation marks: a single byte is found fastest.
INSERTED, INSERTED_JSON = "\udcfe", b"\xfe"
_QUOTED = b'"\xfe"'
#: Links as they are stored.
LINKS = Links(site="\udcf8", home="\udcf9", root="\udcfa", host="\udcfb")
#: The word for a cost of nothing.
FREE = "\udcfc"
JSON_LD = b',"json_ld":'
_IMAGE = b',"image":'


def version(site: SiteSettings) -> bytes:
    """What a document begins with: others are not used."""
    return f"{VERSION} {site.timezone} {site.currency_symbol}".encode()


def stored(record: Json, site: SiteSettings, more: Iterable[bytes] = ()) -> bytes:
    """The document of a record, whose `json_ld` becomes a part of its own; `more` are parts after it."""
    json_ld = record.get("json_ld")
    text = encode({**record, "json_ld": "\udcff"} if json_ld else record)
    head, tail = text.split(JSON_LD + b'"\xff"') if json_ld else (text[:-1], b"}")
    content = _SEPARATOR.join((head, encode(json_ld) if json_ld else b"", tail, *more))
    content = content.replace(_QUOTED, INSERTED_JSON)
    return _START % (version(site), crc32(content)) + content


def parts(document: object, version: bytes) -> list[bytes] | None:
    """The record up to its `json_ld`, the `json_ld`, the rest, and what else is stored beside it.

    None for a document that cannot be used: it is missing, damaged, or of another version or other settings.
    """
    if not isinstance(document, bytes):
        return None
    content = document[len(version) + _CHECKSUM_LENGTH :]
    is_usable = document.startswith(_START % (version, crc32(content)))
    return content.split(_SEPARATOR) if is_usable else None


class Loader:
    """Reads documents for one response.

    `render_all` makes the documents of all rows of a noun, by id.
    """

    def __init__(self, site: SiteSettings, render_all: Callable[[str], Mapping[int, bytes]]) -> None:
        self.version = version(site)
        self.render_all = render_all
        self.rendered: dict[str, Mapping[int, bytes]] = {}

    def __call__(self, noun: str, row: DocumentRow) -> list[bytes]:
        """The parts of the document of a row; one that cannot be used is rendered again."""
        found = parts(row.document, self.version)
        if found is None:
            rendered = self.rendered.get(noun) or self.rendered.setdefault(noun, self.render_all(noun))
            found = rendered[row.id].split(_SEPARATOR)[1:]
        return _scheduled(found, noun, row.id) if row.is_scheduled else found


def joined(parts: list[bytes], *, json_ld: bool) -> bytes:
    """A record with or without its `json_ld`."""
    head, ld, tail = parts[:3]
    return b"".join((head, JSON_LD, ld, tail)) if json_ld else head + tail


def encode(value: object) -> bytes:
    """Compact JSON in UTF-8; marks become bytes that are not UTF-8."""
    return json_text.encode(value).encode("utf-8", "surrogateescape")


def decode(document: bytes) -> Json:
    """A record without what is inserted, as `encode` takes it."""
    text = document.replace(INSERTED_JSON, _QUOTED).decode("utf-8", "surrogateescape")
    decoded: Json = json.loads(text)
    return decoded


def with_links(document: bytes, context: RenderContext) -> bytes:
    """Insert addresses and the word for a cost of nothing."""
    for mark, text in _insertions(context.links, context.free):
        document = document.replace(mark, text)
    return document


@lru_cache(maxsize=64)
def _insertions(links: Links, free: str) -> list[tuple[bytes, bytes]]:
    """The marks, each with what it stands for."""
    texts = {b"\xf8": links.site, b"\xf9": links.home, b"\xfa": links.root, b"\xfb": links.host}
    found = [(mark, text.encode()) for mark, text in texts.items()]
    return [*found, (b"\xfc", json_text.encode(free)[1:-1].encode())]


def _scheduled(parts: list[bytes], noun: str, id: int) -> list[bytes]:
    """The parts of a published record whose publication date has not come yet: its page has no address."""
    slug = str(decode(joined(parts, json_ld=False)).get("slug") or "")
    published, not_yet = (
        encode(LINKS.page(noun, id, slug, status))[1:-1] for status in ("publish", "future")
    )
    changed = [part.replace(published, not_yet) for part in parts]
    changed[0] = changed[0].replace(b'"status":"publish"', b'"status":"future"', 1)
    return changed


class ImageJson(NamedTuple):
    """An image, and its address, as JSON."""

    record: bytes
    url: bytes


def image(row: ImageRow) -> ImageJson:
    """Sizes only if they are known (docs/interface.md#parts-of-records)."""
    url = json_text.quoted(row.url)
    sizes = (("width", row.width), ("height", row.height), ("filesize", row.filesize))
    known = "".join([f',"{name}":{size}' for name, size in sizes if size is not None])
    record = f'{{"url":{url},"id":{row.image_id},"extension":{json_text.quoted(row.extension)}{known}}}'
    return ImageJson(record.encode(), url.encode())


def with_image(parts: list[bytes], row: ImageRow) -> list[bytes]:
    """The parts of a venue or an organizer with its image; without one the key is left out."""
    record = address = b""
    if row.image_id:
        shown = image(row)
        record, address = _IMAGE + shown.record, _IMAGE + shown.url
    head, ld, tail = parts
    place = _IMAGE + INSERTED_JSON
    return [head.replace(place, record, 1), ld.replace(place, address, 1), tail]


def with_count(parts: list[bytes], count: int) -> bytes:
    """A term as events show it."""
    head, _, tail = parts
    return head.replace(INSERTED_JSON, b"%d" % count, 1) + tail
