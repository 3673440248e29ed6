"""Categories and tags: one store for both, because they differ in two rules only."""

import hashlib
from dataclasses import dataclass
from typing import Any

from calendar_api.database.models import Term
from calendar_api.domain import html, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, NotFound, TermExists
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, slugs, term_counts, term_query
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.ids import next_ids
from calendar_api.store.paging import Page

Fields = dict[str, Any]


@dataclass(frozen=True)
class Terms:
    """The terms of one taxonomy; categories have parents, tags have none."""

    noun: str
    taxonomy: str
    hierarchical: bool

    # -- reading

    def by_id(self, id: int) -> Term:
        found: Term | None = Term.get_or_none((Term.id == id) & (Term.taxonomy == self.taxonomy))
        if found is None:
            raise NotFound(self.noun)
        return found

    def search(self, query: Fields, caller: Caller) -> Page[Term]:
        """Apply the filters (docs/interface.md#term-filters). Raises InvalidParameters."""
        return term_query.search(self.taxonomy, query, caller, self.resolve)

    def all_parents(self) -> dict[int, tuple[str, int | None]]:
        """Slug and parent of every term of the taxonomy, in one statement."""
        if not self.hierarchical:
            return {}
        rows = Term.select(Term.id, Term.slug, Term.parent).where(Term.taxonomy == self.taxonomy).tuples()
        return {int(id): (slug, parent) for id, slug, parent in rows}

    def with_descendants(self, ids: set[int]) -> set[int]:
        """The terms and everything below them, in one statement."""
        below: dict[int, list[int]] = {}
        for id, (_, parent) in self.all_parents().items():
            if parent is not None:
                below.setdefault(parent, []).append(id)
        found: set[int] = set()
        waiting = list(ids)
        while waiting:
            id = waiting.pop()
            if id not in found:
                found.add(id)
                waiting.extend(below.get(id, ()))
        return found

    def resolve(self, given: list[int | str], *, by_name: bool = True) -> dict[int | str, int | None]:
        """Ids for what a caller named, in one statement: id, else slug, else name.

        See docs/interface.md#terms-of-an-event.
        """
        known = self._known(given, by_name=by_name)
        return {item: known.match(item) for item in given}

    def _known(self, given: list[int | str], *, by_name: bool = True) -> "_Known":
        """What the taxonomy has of what a caller named."""
        names = [item for item in given if isinstance(item, str)]
        folded = [text.folded(html.plain(name)) for name in names] if by_name else []
        rows = _KNOWN.rows(
            taxonomy=self.taxonomy,
            ids=compiled_queries.padded(int(item) for item in given if _is_number(item)),
            slugs=compiled_queries.padded(slug for name in names for slug in _slugs(name)),
            folded=compiled_queries.padded(folded),
        )
        known = _Known(by_name=by_name)
        for id, slug, name in rows:
            known.add(int(id), slug, name)
        return known

    # -- writing

    def create(self, fields: Fields) -> Term:
        """Raises TermExists when a sibling has the name (docs/interface.md#terms)."""
        parent = self._parent(fields.get("parent") or None, None)
        name = html.plain(fields["name"])
        key = self._require_free_name(name, parent, None)
        [id] = next_ids(self.noun, 1)
        slug = self._free_slug(slugs.wanted(fields.get("slug"), name, id), parent)
        row = self._row(id, name, key, slug)
        row |= {"description": html.sanitize(fields.get("description") or ""), "parent": parent}
        compiled_queries.insert(Term, [row])
        return Term(**row)

    def _free_slug(self, slug: str, parent: int | None) -> str:
        """The slug itself, or joined with those of as few parents as make it free, or with a number."""
        candidates = [slug]
        parents = self.all_parents() if parent is not None else {}
        while parent is not None and len(candidates[-1]) < slugs.LONGEST:
            above, parent = parents[parent]
            candidates.append(f"{candidates[-1]}-{above}")
        candidates = [one for one in candidates if len(one) <= slugs.LONGEST]
        free = slugs.free_all(Term, candidates, taxonomy=self.taxonomy)
        return next((one for one in free if one in candidates), free[-1])

    def _row(self, id: int, name: str, key: str, slug: str) -> Fields:
        """The columns of a new term of which nothing but the name is known."""
        return {
            "id": id, "taxonomy": self.taxonomy, "name": name, "name_folded": text.folded(name),
            "name_key": key, "slug": slug, "description": "", "parent": None, "version": 1,
        }  # fmt: skip

    def update(self, term: Term, fields: Fields) -> Term:
        """Raises TermExists for a name or slug that another term has, InvalidParameters for a cycle."""
        columns: Fields = {}
        parent = (
            self._parent(fields["parent"] or None, int(term.id)) if "parent" in fields else term.parent_id
        )
        name = html.plain(fields["name"]) if "name" in fields else term.name
        if "name" in fields or "parent" in fields:
            key = self._require_free_name(name, parent, int(term.id))
            columns |= {"name": name, "name_folded": text.folded(name), "name_key": key, "parent": parent}
        if "slug" in fields:
            columns["slug"] = self._require_free_slug(
                slugs.wanted(fields["slug"], name, term.id), int(term.id)
            )
        if "description" in fields:
            columns["description"] = html.sanitize(fields["description"])
        if columns:
            Term.update({**columns, "version": term.version + 1}).where(Term.id == term.id).execute()
        return self.by_id(int(term.id))

    def remove(self, term: Term) -> None:
        """Permanent; events lose the term and children move up to its parent (docs/interface.md#terms)."""
        for child in Term.select().where(Term.parent == term.id):
            key = self._free_key(child.name, term.parent_id, int(child.id))
            Term.update(parent=term.parent_id, name_key=key, version=child.version + 1).where(
                Term.id == child.id
            ).execute()
        Term.delete().where(Term.id == term.id).execute()

    def found_or_created(self, given: list[int | str]) -> set[int]:
        """The ids of these terms; a name that none has is made one now, with no more statements for many.

        Two spellings of one name are one term, and so are two names with the same slug. An unknown number is
        an id of nothing, which the reference passes over.
        """
        if not given:
            return set()
        known = self._known(given)
        new: list[str] = []
        for item in given:
            if known.match(item) is None and not only_an_id(item):
                new.append(html.plain(str(item)))
                known.add(-len(new), text.slug(new[-1]), new[-1])  # until it has an id
        made = self._made(new)
        found = (known.match(item) for item in given)
        return {made[-id - 1] if id < 0 else id for id in found if id is not None}

    def _made(self, names: list[str]) -> list[int]:
        """Ids of new terms without a parent."""
        if not names:
            return []
        keys = [self._key(name, None) for name in names]
        for (id,) in _KEYS.rows(keys=compiled_queries.padded(keys)):
            raise TermExists("name", int(id))
        ids = next_ids(self.noun, len(names))
        wanted = [slugs.wanted(name, id) for name, id in zip(names, ids, strict=True)]
        free = slugs.free_all(Term, wanted, taxonomy=self.taxonomy)
        compiled_queries.insert(Term, [self._row(*new) for new in zip(ids, names, keys, free, strict=True)])
        return ids

    def problems(self, fields: Fields) -> dict[str, str]:
        """What only the database can tell: an unknown parent."""
        parent = fields.get("parent")
        if not isinstance(parent, int) or parent == 0:
            return {}
        if Term.select().where((Term.id == parent) & (Term.taxonomy == self.taxonomy)).exists():
            return {}
        return {"parent": message("{name} must be the id of a category, or 0 for none.", name="parent")}

    def _parent(self, parent: int | None, own_id: int | None) -> int | None:
        if not self.hierarchical or parent is None:
            return None
        if own_id is not None and parent in self.with_descendants({own_id}):
            raise InvalidParameters(
                {"parent": message("{name} must be neither this record nor one below it.", name="parent")}
            )
        return parent

    def _key(self, name: str, parent: int | None, more: str = "") -> str:
        # With a separator that no name can hold, so that different siblings never share a key.
        return hashlib.sha256(
            "\x00".join((self.taxonomy, str(parent or 0), text.caseless(name), more)).encode()
        ).hexdigest()

    def _require_free_name(self, name: str, parent: int | None, own_id: int | None) -> str:
        key = self._key(name, parent)
        other = Term.get_or_none((Term.name_key == key) & (Term.id != (own_id or 0)))
        if other is not None:
            raise TermExists("name", int(other.id))
        return key

    def _require_free_slug(self, slug: str, own_id: int) -> str:
        other = Term.get_or_none((Term.taxonomy == self.taxonomy) & (Term.slug == slug) & (Term.id != own_id))
        if other is not None:
            raise TermExists("slug", int(other.id))
        return slug

    def _free_key(self, name: str, parent: int | None, own_id: int) -> str:
        """For a child that moves up beside a namesake: nothing that was accepted may be lost."""
        key = self._key(name, parent)
        taken = Term.select().where((Term.name_key == key) & (Term.id != own_id)).exists()
        return self._key(name, parent, str(own_id)) if taken else key


categories = Terms("category", "tribe_events_cat", hierarchical=True)
tags = Terms("tag", "post_tag", hierarchical=False)


def published_counts(ids: set[int], now: str) -> dict[int, int]:
    """How many published events have each of these terms, in one statement."""
    if not ids:
        return {}
    return {
        int(id): int(count) for id, count in _COUNTS.rows(ids=compiled_queries.padded(sorted(ids)), now=now)
    }


def _published_counts(*, ids: list[Any], now: Any) -> Any:
    return Term.select(Term.id, term_counts.count(now)).where(Term.id.in_(ids))


_COUNTS = CompiledQuery(_published_counts)


def _is_number(item: int | str) -> bool:
    if isinstance(item, int):
        return abs(item) < 10**18  # more than the database can hold is the id of nothing
    return item.isascii() and item.isdigit() and len(item) <= 18


def _slugs(name: str) -> tuple[str, str]:
    """What a slug in a request may mean: the slug itself, or a name that makes it."""
    return slugs.key(name.strip()), text.slug(name)


def only_an_id(item: int | str) -> bool:
    """A number is never the name of a new term."""
    return isinstance(item, int) or item.lstrip("-").isdigit()


class _Known:
    """Terms by what a caller may call them."""

    def __init__(self, *, by_name: bool) -> None:
        self.by_name = by_name
        self.ids: set[int] = set()
        self.by_slug: dict[str, int] = {}
        self.named: dict[str, int] = {}

    def add(self, id: int, slug: str, name: str) -> None:
        if id > 0:
            self.ids.add(id)
        if slug:
            self.by_slug[slug] = id
        self.named.setdefault(text.caseless(name), id)

    def match(self, item: int | str) -> int | None:
        """By id, else by slug, else by name (docs/interface.md#terms-of-an-event)."""
        if _is_number(item) and int(item) in self.ids:
            return int(item)
        if isinstance(item, int):
            return None
        found = next((self.by_slug[slug] for slug in _slugs(item) if slug in self.by_slug), None)
        if found is not None or not self.by_name:
            return found
        return self.named.get(text.caseless(html.plain(item)))


def _known(*, taxonomy: Any, ids: list[Any], slugs: list[Any], folded: list[Any]) -> Any:
    named = Term.id.in_(ids)
    if slugs or folded:  # which takes a look at every term: names have no index
        named |= Term.slug.in_(slugs) | Term.name_folded.in_(folded)
    rows = Term.select(Term.id, Term.slug, Term.name).where(Term.taxonomy == taxonomy, named)
    return rows.order_by(Term.id)


def _with_keys(*, keys: list[Any]) -> Any:
    return Term.select(Term.id).where(Term.name_key.in_(keys))


_KNOWN = CompiledQuery(_known)
_KEYS = CompiledQuery(_with_keys)
