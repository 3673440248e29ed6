"""Find terms by what a request calls them: id, slug or name (docs/interface.md#terms-of-an-event)."""

from functools import lru_cache

from calendar_api.domain import text
from calendar_api.store import slugs


def is_number(item: int | str) -> bool:
    if isinstance(item, int):
        return abs(item) < 10**18  # larger numbers do not fit into the database
    return item.isascii() and item.isdigit() and len(item) <= 18


@lru_cache(maxsize=256)  # a request looks a name up twice, and an import the same names again and again
def possible_slugs(name: str) -> tuple[str, str]:
    """The slugs that a text in a request can mean: itself, or the slug of a name."""
    return slugs.key(name.strip()), text.slug(name)


def only_an_id(item: int | str) -> bool:
    """A number is never the name of a new term."""
    return isinstance(item, int) or item.lstrip("-").isdigit()


class KnownTerms:
    """Terms by id, slug and name."""

    def __init__(self, *, by_name: bool) -> None:
        self.by_name = by_name
        self.ids: set[int] = set()
        self.by_slug: dict[str, int] = {}
        self.named: dict[str, int] = {}

    def add(self, id: int, slug: str, name: str) -> None:
        self.ids.add(id)
        if slug:
            self.by_slug[slug] = id
        if self.by_name:
            self.named.setdefault(text.casefold(name), id)

    def match(self, item: int | str) -> int | None:
        """By id, else by slug, else by name (docs/interface.md#terms-of-an-event)."""
        if is_number(item) and int(item) in self.ids:
            return int(item)
        if isinstance(item, int):
            return None
        found = next((self.by_slug[slug] for slug in possible_slugs(item) if slug in self.by_slug), None)
        if found is not None or not self.by_name:
            return found
        return self.named.get(text.casefold(text.plain(item)))
