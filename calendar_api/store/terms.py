"""Categories and tags: one store for both (docs/interface.md#terms-of-an-event)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypedDict, cast

from peewee import ModelSelect

from calendar_api.database.models import Term
from calendar_api.domain import html, text
from calendar_api.domain.errors import InvalidParameters, NotFound, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, documents, identifiers
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param, Value, as_row, padded
from calendar_api.store.identifiers import next_id


#: The checked fields of a category or tag; only those that were sent.
class TermFields(TypedDict, total=False):
    name: str
    slug: str | None
    description: str | None
    parent: int | None


def is_number(item: int | str) -> bool:
    if isinstance(item, int):
        return abs(item) < 10**18  # larger numbers do not fit into the database
    return item.isascii() and item.isdigit() and len(item) <= 18


@lru_cache(maxsize=256)  # a request looks a name up twice, and an import the same names again and again
def possible_slugs(name: str) -> tuple[str, str]:
    """The slugs that a text in a request can mean: itself, or the slug of a name."""
    return identifiers.slug_key(name.strip()), text.slug(name)


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


@dataclass(frozen=True)
class Terms:
    """The terms of one taxonomy; categories have parents, tags have none."""

    noun: Literal["category", "tag"]
    taxonomy: Literal["tribe_events_cat", "post_tag"]
    hierarchical: bool

    def by_id(self, id: int) -> Term:
        """Raises NotFound."""
        found = _by_id.objects(id=id, taxonomy=self.taxonomy)
        if not found:
            raise NotFound(self.noun)
        return cast(Term, found[0])

    def by_former_slug(self, slug: str) -> Term:
        """The term into which the one with this slug was merged; raises NotFound."""
        return self.by_id(identifiers.with_former_slug(self.noun, slug) or 0)

    def all_parents(self) -> dict[int, tuple[str, int | None]]:
        """Slug and parent of every category by id, with one statement; {} for tags."""
        if not self.hierarchical:
            return {}
        rows = _parents.rows(taxonomy=self.taxonomy)
        return {int(id): (slug, parent) for id, slug, parent in rows}

    def with_descendants_of(self, given: list[int | str]) -> set[int] | None:
        """The ids of the terms with these ids or slugs and of their descendants; None if one is unknown.

        A mere name is known but finds nothing: lists are filtered by id and slug
        (docs/interface.md#event-filters).
        """
        parents = self.all_parents()
        if self.hierarchical:
            known = KnownTerms(by_name=False)
            for id, (slug, _) in parents.items():
                known.add(id, slug, "")
        else:
            known = self._known(given, by_name=False)
        by_item = {item: known.match(item) for item in given}
        lacking = [item for item, id in by_item.items() if id is None]
        if lacking and None in self.resolve(lacking).values():
            return None
        return _with_descendants({id for id in by_item.values() if id is not None}, parents)

    def with_descendants(self, id: int) -> set[int]:
        """The id of a term and those of all terms below it."""
        return _with_descendants({id}, self.all_parents())

    def resolve(self, given: list[int | str], *, by_name: bool = True) -> dict[int | str, int | None]:
        """The id of each item, None if unknown, with one statement."""
        known = self._known(given, by_name=by_name)
        return {item: known.match(item) for item in given}

    def _known(self, given: list[int | str], *, by_name: bool = True) -> KnownTerms:
        """The terms that these items can mean."""
        names = [item for item in given if isinstance(item, str)]
        folded = [text.folded(text.plain(name)) for name in names] if by_name else []
        possible = [slug for name in names for slug in possible_slugs(name)]
        ids = [int(item) for item in given if is_number(item)]
        values = {"ids": padded(ids), "slugs": padded(possible), "folded": padded(folded)}
        known = KnownTerms(by_name=by_name)
        for id, slug, name in _known.rows(taxonomy=self.taxonomy, **values):
            known.add(int(id), slug, name)
        return known

    # -- writing

    def create(self, fields: TermFields, site: SiteSettings) -> Term:
        """Raises TermExists if a sibling has the name, InvalidParameters (docs/interface.md#terms)."""
        name, parent = text.plain(fields["name"]), self._parent(fields.get("parent") or None, None)
        key = self._require_free_name(name, parent, None)
        id = next_id(self.noun)
        slug = self._free_slug(identifiers.wanted_slug(fields.get("slug"), name, id), parent)
        row = {
            "id": id, "taxonomy": self.taxonomy, "name": name, "name_folded": text.folded(name),
            "name_key": key, "slug": slug, "description": html.sanitize(fields.get("description") or ""),
            "parent": parent, "version": 1,
        }  # fmt: skip
        term = Term(**row)
        compiled_queries.insert(Term, [{**row, **documents.render(Term, term, site)}])
        return term

    def _free_slug(self, slug: str, parent: int | None) -> str:
        """The slug itself, or joined with those of as few ancestors as make it free, or with a number."""
        parents = self.all_parents() if parent is not None else {}
        while True:
            free = identifiers.free_slug(Term, slug, taxonomy=self.taxonomy)
            if free == slug or parent is None:
                return free
            above, parent = parents[parent]
            if len(f"{slug}-{above}") > identifiers.LONGEST_SLUG:
                return free
            slug = f"{slug}-{above}"

    def update(self, term: Term, fields: TermFields, site: SiteSettings) -> Term:
        """Raises TermExists for a name or slug that another term has, InvalidParameters for a cycle."""
        id = int(term.id)
        columns: dict[str, Value] = {}
        name = text.plain(fields["name"]) if "name" in fields else term.name
        if "name" in fields or "parent" in fields:
            parent = self._parent(fields["parent"] or None, id) if "parent" in fields else term.parent_id
            key = self._require_free_name(name, parent, id)
            columns |= {"name": name, "name_folded": text.folded(name), "name_key": key, "parent": parent}
        if "slug" in fields:
            slug = columns["slug"] = identifiers.wanted_slug(fields["slug"], name, id)
            _require_free("slug", id, taxonomy=self.taxonomy, slug=slug)
            if slug != term.slug:
                identifiers.change_slug(self.noun, id, term.slug, slug)
        if "description" in fields:
            columns["description"] = html.sanitize(fields["description"] or "")
        return _save(term, columns, site) if columns else term

    def remove(self, term: Term, site: SiteSettings) -> None:
        """Delete for good: events lose the term, children move up to its parent (docs/interface.md#terms)."""
        for child in Term.select().where(Term.parent == term.id):
            self.move(child, term.parent_id, site)
        Term.delete().where(Term.id == term.id).execute()

    def move(self, term: Term, parent: int | None, site: SiteSettings) -> None:
        """Give a term another parent, which must not be below it."""
        key = self._free_key(term.name, parent, int(term.id))
        _save(term, {"parent": parent, "name_key": key}, site)

    def found_or_created(self, lists: Sequence[list[int | str]], site: SiteSettings) -> list[set[int]]:
        """The ids of the terms in each list; an unknown name becomes a new term. Raises TermExists.

        Two spellings of one name are one term, and so are two names with the same slug. An unknown number is
        ignored.
        """
        found: dict[int | str, int | None] = dict.fromkeys(item for given in lists for item in given)
        if found:
            known = self._known(list(found))
            for item in found:
                found[item] = known.match(item)
                if found[item] is None and not only_an_id(item):
                    term = self.create({"name": str(item)}, site)
                    found[item] = int(term.id)
                    known.add(int(term.id), text.slug(term.name), term.name)
        return [{id for item in given if (id := found[item]) is not None} for given in lists]

    def problems(self, fields: TermFields) -> dict[str, str]:
        """Problems that only the database can tell, by field: an unknown parent."""
        parent = fields.get("parent")
        if not isinstance(parent, int) or parent == 0 or _by_id.rows(id=parent, taxonomy=self.taxonomy):
            return {}
        return {"parent": message("{name} must be the id of a category, or 0 for none.", name="parent")}

    def _parent(self, parent: int | None, own_id: int | None) -> int | None:
        if not self.hierarchical or parent is None:
            return None
        if own_id is not None and parent in self.with_descendants(own_id):
            raise InvalidParameters(
                {"parent": message("{name} must be neither this record nor one below it.", name="parent")}
            )
        return parent

    def _key(self, name: str, parent: int | None, more: str = "") -> str:
        # No name can hold the separator, so different siblings never share a key.
        return hashlib.sha256(
            "\x00".join((self.taxonomy, str(parent or 0), text.casefold(name), more)).encode()
        ).hexdigest()

    def _require_free_name(self, name: str, parent: int | None, own_id: int | None) -> str:
        key = self._key(name, parent)
        _require_free("name", own_id or 0, name_key=key)
        return key

    def _free_key(self, name: str, parent: int | None, own_id: int) -> str:
        """The key of a child that moves up, also beside a term of the same name: no child may be lost."""
        key = self._key(name, parent)
        return self._key(name, parent, str(own_id)) if _others.ids(id=own_id, name_key=key) else key


def only_an_id(item: int | str) -> bool:
    """A number is never the name of a new term."""
    return isinstance(item, int) or item.lstrip("-").isdigit()


def _require_free(field: str, own_id: int, **same: str) -> None:
    """Raise TermExists if another term has the same in these columns."""
    for id in _others.ids(id=own_id, **same):
        raise TermExists(field, id)


def _save(term: Term, columns: Columns, site: SiteSettings) -> Term:
    """Write columns of a term, and its document; return the term as it is now."""
    columns = {**columns, "version": term.version + 1}
    now = as_row(Term, columns, term)
    Term.update({**columns, **documents.render(Term, now, site)}).where(Term.id == term.id).execute()
    return now


categories = Terms("category", "tribe_events_cat", hierarchical=True)
tags = Terms("tag", "post_tag", hierarchical=False)


@CompiledQuery
def _by_id(*, id: Param, taxonomy: Param) -> ModelSelect:
    return Term.select().where(Term.id == id, Term.taxonomy == taxonomy)


@CompiledQuery
def _others(*, id: Param, **same: Param) -> ModelSelect:
    return Term.select(Term.id).where(Term.id != id).filter(**same)


@CompiledQuery
def _parents(*, taxonomy: Param) -> ModelSelect:
    return Term.select(Term.id, Term.slug, Term.parent).where(Term.taxonomy == taxonomy)


@CompiledQuery
def _known(*, taxonomy: Param, ids: list[Param], slugs: list[Param], folded: list[Param]) -> ModelSelect:
    named = Term.id.in_(ids)
    if slugs or folded:  # this reads every term: names have no index
        named |= Term.slug.in_(slugs) | Term.name_folded.in_(folded)
    rows = Term.select(Term.id, Term.slug, Term.name).where(Term.taxonomy == taxonomy, named)
    return rows.order_by(Term.id)


def _with_descendants(ids: set[int], parents: Mapping[int, tuple[str, int | None]]) -> set[int]:
    children: dict[int | None, list[int]] = {}
    for id, (_, parent) in parents.items():
        children.setdefault(parent, []).append(id)
    found, waiting = set[int](), list(ids)
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(children.get(id, ()))
    return found
