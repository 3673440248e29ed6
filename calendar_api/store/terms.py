"""Categories and tags: one store for both."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, cast

from peewee import Expression, ModelSelect

from calendar_api.database.models import Term
from calendar_api.domain import html, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, NotFound, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, documents, slugs, term_counts, term_query
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param, Value, as_row
from calendar_api.store.ids import next_id
from calendar_api.store.paging import Page
from calendar_api.store.term_matching import KnownTerms, is_number, only_an_id, possible_slugs
from calendar_api.store.visibility import Params


class TermFields(TypedDict, total=False):
    """The checked fields of a category or tag; only those that were sent."""

    name: str
    slug: str | None
    description: str | None
    parent: int | None


@dataclass(frozen=True)
class Terms:
    """The terms of one taxonomy; categories have parents, tags have none."""

    noun: Literal["category", "tag"]
    taxonomy: Literal["tribe_events_cat", "post_tag"]
    hierarchical: bool

    # -- reading

    def by_id(self, id: int) -> Term:
        """Raises NotFound."""
        found = _BY_ID.objects(id=id, taxonomy=self.taxonomy)
        if not found:
            raise NotFound(self.noun)
        return cast(Term, found[0])

    def by_former_slug(self, slug: str) -> Term:
        """The term into which the one with this slug was merged; raises NotFound."""
        return self.by_id(slugs.former(self.noun, slug) or 0)

    def search(self, query: Params, caller: Caller) -> Page[Any]:
        """Apply the filters (docs/interface.md#term-filters). Raises InvalidParameters."""
        return term_query.search(self.taxonomy, query, caller, self.resolve)

    def all_parents(self) -> dict[int, tuple[str, int | None]]:
        """Slug and parent of every category by id, with one statement; {} for tags."""
        if not self.hierarchical:
            return {}
        rows = _PARENTS.rows(taxonomy=self.taxonomy)
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
        """The id of each item, None if unknown, with one statement: found by id, else slug, else name.

        See docs/interface.md#terms-of-an-event.
        """
        known = self._known(given, by_name=by_name)
        return {item: known.match(item) for item in given}

    def _known(self, given: list[int | str], *, by_name: bool = True) -> KnownTerms:
        """The terms that these items can mean."""
        names = [item for item in given if isinstance(item, str)]
        folded = [text.folded(text.plain(name)) for name in names] if by_name else []
        rows = _KNOWN.rows(
            taxonomy=self.taxonomy,
            ids=compiled_queries.padded(int(item) for item in given if is_number(item)),
            slugs=compiled_queries.padded(slug for name in names for slug in possible_slugs(name)),
            folded=compiled_queries.padded(folded),
        )
        known = KnownTerms(by_name=by_name)
        for id, slug, name in rows:
            known.add(int(id), slug, name)
        return known

    # -- writing

    def create(self, given: Mapping[str, Any], site: SiteSettings) -> Term:
        """Raises TermExists if a sibling has the name, InvalidParameters (docs/interface.md#terms)."""
        fields = cast(TermFields, given)
        parent = self._parent(fields.get("parent") or None, None)
        description = html.sanitize(fields.get("description") or "")
        return self._insert(text.plain(fields["name"]), site, fields.get("slug"), description, parent)

    def _insert(
        self,
        name: str,
        site: SiteSettings,
        slug: str | None = None,
        description: str = "",
        parent: int | None = None,
    ) -> Term:
        key = self._require_free_name(name, parent, None)
        id = next_id(self.noun)
        row = {
            "id": id, "taxonomy": self.taxonomy, "name": name, "name_folded": text.folded(name),
            "name_key": key, "slug": self._free_slug(slugs.wanted(slug, name, id), parent),
            "description": description, "parent": parent, "version": 1,
        }  # fmt: skip
        term = Term(**row)
        compiled_queries.insert(Term, [{**row, "document": documents.render(Term, term, site)}])
        return term

    def _free_slug(self, slug: str, parent: int | None) -> str:
        """The slug itself, or joined with those of as few ancestors as make it free, or with a number."""
        parents = self.all_parents() if parent is not None else {}
        while True:
            free = slugs.free(Term, slug, taxonomy=self.taxonomy)
            if free == slug or parent is None:
                return free
            above, parent = parents[parent]
            if len(f"{slug}-{above}") > slugs.LONGEST:
                return free
            slug = f"{slug}-{above}"

    def update(self, term: Term, given: Mapping[str, Any], site: SiteSettings) -> Term:
        """Raises TermExists for a name or slug that another term has, InvalidParameters for a cycle."""
        fields, id = cast(TermFields, given), int(term.id)
        columns: dict[str, Value] = {}
        name = text.plain(fields["name"]) if "name" in fields else term.name
        if "name" in fields or "parent" in fields:
            parent = self._parent(fields["parent"] or None, id) if "parent" in fields else term.parent_id
            key = self._require_free_name(name, parent, id)
            columns |= {"name": name, "name_folded": text.folded(name), "name_key": key, "parent": parent}
        if "slug" in fields:
            slug = columns["slug"] = slugs.wanted(fields["slug"], name, id)
            self._require_free("slug", (Term.taxonomy == self.taxonomy) & (Term.slug == slug), id)
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

    def found_or_created(self, given: list[int | str], site: SiteSettings) -> set[int]:
        """The ids of these terms; an unknown name becomes a new term. Raises TermExists.

        Two spellings of one name are one term, and so are two names with the same slug. An unknown number is
        ignored.
        """
        if not given:
            return set()
        known, found = self._known(given), set()
        for item in given:
            id = known.match(item)
            if id is None and not only_an_id(item):
                term = self._insert(text.plain(str(item)), site)
                id = int(term.id)
                known.add(id, text.slug(term.name), term.name)
            if id is not None:
                found.add(id)
        return found

    def problems(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """Problems that only the database can tell, by field: an unknown parent."""
        parent = fields.get("parent")
        if not isinstance(parent, int) or parent == 0:
            return {}
        if Term.select().where((Term.id == parent) & (Term.taxonomy == self.taxonomy)).exists():
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
        self._require_free("name", Term.name_key == key, own_id)
        return key

    def _require_free(self, field: str, same: Expression, own_id: int | None) -> None:
        other = Term.get_or_none(same & (Term.id != (own_id or 0)))
        if other is not None:
            raise TermExists(field, int(other.id))

    def _free_key(self, name: str, parent: int | None, own_id: int) -> str:
        """The key of a child that moves up, also beside a term of the same name: no child may be lost."""
        key = self._key(name, parent)
        taken = Term.select().where((Term.name_key == key) & (Term.id != own_id)).exists()
        return self._key(name, parent, str(own_id)) if taken else key


def _save(term: Term, columns: Columns, site: SiteSettings) -> Term:
    """Write columns of a term, and its document; return the term as it is now."""
    columns = {**columns, "version": term.version + 1}
    now = as_row(Term, columns, term)
    document = documents.render(Term, now, site)
    Term.update({**columns, "document": document}).where(Term.id == term.id).execute()
    return now


categories = Terms("category", "tribe_events_cat", hierarchical=True)
tags = Terms("tag", "post_tag", hierarchical=False)


def published_count(id: int, now: str) -> int:
    """The number of published events of a term."""
    return int(_COUNT.rows(id=id, now=now)[0][0])


def _by_id(*, id: Param, taxonomy: Param) -> ModelSelect:
    return Term.select().where(Term.id == id, Term.taxonomy == taxonomy)


def _parents(*, taxonomy: Param) -> ModelSelect:
    return Term.select(Term.id, Term.slug, Term.parent).where(Term.taxonomy == taxonomy)


def _count(*, id: Param, now: Param) -> ModelSelect:
    return Term.select(term_counts.count(now)).where(Term.id == id)


_COUNT = CompiledQuery(_count)
_BY_ID = CompiledQuery(_by_id)
_PARENTS = CompiledQuery(_parents)


def _with_descendants(ids: set[int], parents: Mapping[int, tuple[str, int | None]]) -> set[int]:
    """The ids and those of all terms below them."""
    children: dict[int | None, list[int]] = {}
    for id, (_, parent) in parents.items():
        children.setdefault(parent, []).append(id)
    found: set[int] = set()
    waiting = list(ids)
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(children.get(id, ()))
    return found


def _known(*, taxonomy: Param, ids: list[Param], slugs: list[Param], folded: list[Param]) -> ModelSelect:
    named = Term.id.in_(ids)
    if slugs or folded:  # this reads every term: names have no index
        named |= Term.slug.in_(slugs) | Term.name_folded.in_(folded)
    rows = Term.select(Term.id, Term.slug, Term.name).where(Term.taxonomy == taxonomy, named)
    return rows.order_by(Term.id)


_KNOWN = CompiledQuery(_known)
