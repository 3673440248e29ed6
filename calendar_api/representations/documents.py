"""Documents: the JSON of a record as far as it depends on its own row, stored in that row.

Nested records, addresses and the word for a cost of nothing are inserted when a response is made. Bytes that
never occur in UTF-8 mark their places. What lists do not show is stored apart. See docs/decisions/0013.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from calendar_api.domain import json_text
from calendar_api.representations.links import Links, RenderContext
from calendar_api.representations.records import ImageJson
from calendar_api.representations.rows import ImageRow, Json

#: Increase it whenever the document of an unchanged row changes: older documents are then not used any more.
VERSION = 7

#: What is inserted: nested records, a count. As it is rendered, and as it is stored, without quotation marks.
INSERTED, INSERTED_JSON = "\udcfe", b"\xfe"
_QUOTED = b'"\xfe"'
#: Links as they are stored.
LINKS = Links(site="\udcf8", home="\udcf9", root="\udcfa", host="\udcfb")
#: The word for a cost of nothing.
FREE = "\udcfc"
#: Documents in which links are inserted together.
_PART = 8
_JSON_LD = b',"json_ld":'
#: What follows `json_ld`, by noun. No text contains it: its quotation marks would be escaped.
_AFTER_JSON_LD = {"event": b"}", "venue": b',"show_map":', "organizer": b',"global_id":'}


def with_json_ld(noun: str, record: bytes, json_ld: bytes) -> bytes:
    """Insert the JSON-LD of an event, venue or organizer."""
    before, key, after = record.rpartition(_AFTER_JSON_LD[noun])
    return b"".join((before, _JSON_LD, json_ld, key, after))


def encode(value: object) -> bytes:
    """Compact JSON in UTF-8; marks become bytes that are not UTF-8."""
    return json_text.encode(value).encode("utf-8", "surrogateescape").replace(_QUOTED, INSERTED_JSON)


def decode(document: bytes) -> Json:
    """A record in which nothing has to be inserted but links."""
    decoded: Json = json.loads(document.decode("utf-8", "surrogateescape"))
    return decoded


def with_links(document: bytes, context: RenderContext) -> bytes:
    """Insert addresses and the word for a cost of nothing."""
    for mark, text in _insertions(context.links, context.free):
        document = document.replace(mark, text)
    return document


def all_with_links(documents: Sequence[bytes], context: RenderContext) -> list[bytes]:
    """The same for several documents; each item of the result is some of them, with commas between."""
    # Not all at once: each mark makes a copy, and copies of long lists are memory that the allocator returns
    # to the system after each response.
    parts = (documents[at : at + _PART] for at in range(0, len(documents), _PART))
    return [with_links(b",".join(some), context) for some in parts]


@lru_cache(maxsize=64)
def _insertions(links: Links, free: str) -> list[tuple[bytes, bytes]]:
    """The marks, each with what it stands for."""
    texts = {b"\xf8": links.site, b"\xf9": links.home, b"\xfa": links.root, b"\xfb": links.host}
    found = [(mark, text.encode()) for mark, text in texts.items()]
    return [*found, (b"\xfc", json_text.encode(free)[1:-1].encode())]


def image(row: ImageRow) -> ImageJson:
    """Sizes only if they are known (docs/interface.md#parts-of-records)."""
    sizes = {"width": row.width, "height": row.height, "filesize": row.filesize}
    known = {name: size for name, size in sizes.items() if size is not None}
    return cast(ImageJson, {"url": row.url, "id": row.id, "extension": row.extension, **known})
