"""Categories and tags: one store for both."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from peewee import ModelSelect

from calendar_api.database.models import Term
from calendar_api.domain import html, text
from calendar_api.domain.errors import InvalidParameters, NotFound, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, documents, slugs
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param, Value, as_row
from calendar_api.store.ids import next_id
from calendar_api.store.term_query import TermQuery
from calendar_api.store.visibility import published_events


class TermFields(TypedDict, total=False):
    """The checked fields of a category or tag; only those that were sent."""

    name: str
    slug: str | None
    description: str | None
    parent: int | None


class Terms(TermQuery):
    """The terms of one taxonomy: single ones, and writing."""

    def by_id(self, id: int) -> Term:
        """Raises NotFound."""
        found = _by_id.objects(id=id, taxonomy=self.taxonomy)
        if not found:
            raise NotFound(self.noun)
        return cast(Term, found[0])

    def by_former_slug(self, slug: str) -> Term:
        """The term into which the one with this slug was merged; raises NotFound."""
        return self.by_id(slugs.former(self.noun, slug) or 0)

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
            _require_free("slug", id, taxonomy=self.taxonomy, slug=slug)
            if slug != term.slug:
                slugs.change(self.noun, id, term.slug, slug)
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
                    term = self._insert(text.plain(str(item)), site)
                    found[item] = int(term.id)
                    known.add(int(term.id), text.slug(term.name), term.name)
        return [{id for item in given if (id := found[item]) is not None} for given in lists]

    def problems(self, fields: Mapping[str, Any]) -> dict[str, str]:
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
    document = documents.render(Term, now, site)
    Term.update({**columns, "document": document}).where(Term.id == term.id).execute()
    return now


categories = Terms("category", "tribe_events_cat", hierarchical=True)
tags = Terms("tag", "post_tag", hierarchical=False)


def published_count(id: int, now: str) -> int:
    """The number of published events of a term."""
    return _count.number(id=id, now=now)


@CompiledQuery
def _by_id(*, id: Param, taxonomy: Param) -> ModelSelect:
    return Term.select().where(Term.id == id, Term.taxonomy == taxonomy)


@CompiledQuery
def _others(*, id: Param, **same: Param) -> ModelSelect:
    return Term.select(Term.id).where(Term.id != id).filter(**same)


@CompiledQuery
def _count(*, id: Param, now: Param) -> ModelSelect:
    return Term.select(published_events(now)).where(Term.id == id)
