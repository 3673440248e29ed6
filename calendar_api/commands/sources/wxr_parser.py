"""Posts and terms of a WordPress export (WXR), one after the other, in bounded memory."""

from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import unquote
from xml.parsers import expat

from calendar_api.commands import SourceError
from calendar_api.commands.sources.items import Noun

_CHUNK = 2**16
LONGEST = 8 * 2**20  # bytes of a tag, and characters of a post
_DEEPEST = 50
_MOST_NAMES = 10_000  # of elements and attributes, which the parser keeps
_OVERHEAD = 50  # counted for each element, so that many empty ones are a long post
_POSTS = {"item", "wp:term", "wp:tag"}  # elements of the channel that are read
# XML has no such characters, but posts do, and WordPress writes them.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
TAXONOMIES: dict[str, Noun] = {"tribe_events_cat": "category", "post_tag": "tag"}


class Post:
    """An element of the channel: the texts of its children, its terms, and its metadata."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.size = 0
        self.texts: dict[str, str] = {}
        self.terms: list[tuple[Noun, str, str]] = []  # noun, slug, name
        self.meta: dict[str, list[str]] = {}

    def text(self, name: str) -> str:
        return self.texts.get(name, "").strip()

    def values(self, key: str) -> list[str]:
        return [value.strip() for value in self.meta.get(key, []) if value.strip()]

    def value(self, key: str) -> str:
        return next(iter(self.values(key)), "")


class Parser:
    """Reads a file in pieces; `posts` has those that are complete."""

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.is_export = False
        self._path: list[str] = []
        self._parts: list[str] = []
        self._attributes: dict[str, str] = {}
        self._key = ""
        self._post: Post | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, stream: BinaryIO) -> Iterator[Post]:
        """Yield the posts of a file; raises SourceError, and ExpatError where it breaks off."""
        fed = 0
        while chunk := stream.read(_CHUNK).translate(None, _CONTROLS):
            fed += len(chunk)
            self._parser.Parse(chunk, False)
            if fed - self._parser.CurrentByteIndex > LONGEST:
                raise SourceError(f"The file has a tag of more than {LONGEST} bytes.")
            if len(self._parser.intern) > _MOST_NAMES:
                raise SourceError(f"The file has more than {_MOST_NAMES} different elements.")
            yield from self.posts
            self.posts.clear()
        self._parser.Parse(b"", True)

    def _refuse(self, *_declaration: object) -> None:
        raise SourceError("The file has a document type (DOCTYPE), which exports of WordPress do not have.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        if len(self._path) > _DEEPEST:
            raise SourceError(f"The file has elements in more than {_DEEPEST} others.")
        self._parts.clear()
        if len(self._path) == 3:
            self._post = Post(tag) if tag in _POSTS else None
            self.is_export |= tag == "wp:wxr_version"
        elif self._post is not None:
            self._post.size += _OVERHEAD
        self._attributes = attributes

    def _text(self, text: str) -> None:
        if self._post is not None and len(self._path) in (4, 5):
            self._post.size += len(text)
            if self._post.size <= LONGEST:
                self._parts.append(text)

    def _end(self, tag: str) -> None:
        self._path.pop()
        post, depth, text = self._post, len(self._path), "".join(self._parts)
        self._parts.clear()
        if post is None:
            return
        if depth == 2:
            self.posts.append(post)
            self._post = None
        elif post.size > LONGEST:
            return
        elif depth == 3 and tag == "category" and self._attributes.get("domain") in TAXONOMIES:
            slug = unquote(self._attributes.get("nicename", "")) or text
            post.terms.append((TAXONOMIES[self._attributes["domain"]], slug, text))
        elif depth == 3:
            post.texts[tag] = text
        elif tag == "wp:meta_key":
            self._key = text
        elif tag == "wp:meta_value":
            post.meta.setdefault(self._key, []).append(text)
