"""Venues and organizers: creation without duplicates, changes, trash."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from peewee import CharField, ModelSelect

from calendar_api.database.models import EventOrganizer, EventVenue, Organizer, PublishedRecord, Venue
from calendar_api.domain import html, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import identifiers, publishable, query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param, Value, padded
from calendar_api.store.publishable import PublishedFields
from calendar_api.store.visibility import listed, parameter_caller

#: A row of the model.
Row: TypeAlias = Venue | Organizer
#: Checked fields that were sent: those of `PublishedFields`, the name, and the columns of the model.
Fields: TypeAlias = Mapping[str, Any]
#: Id and description of records by their folded name.
Namesakes: TypeAlias = dict[str, list[tuple[int, str]]]

_NAME_LENGTH = 191  # of the column `name_casefold`
_PLACES = ("country", "state", "province")


class VenueOrganizerStore:
    """The store of venues or of organizers.

    Text columns of the model are plain fields: cleaned, stored and, unless in `not_searched`, searched.
    """

    def __init__(
        self,
        noun: Literal["venue", "organizer"],
        model: type[Venue] | type[Organizer],
        link: type[EventVenue] | type[EventOrganizer],
        not_searched: Iterable[str] = (),
    ) -> None:
        self.noun = noun
        self.model = model
        self.link = link
        self.texts = [
            name
            for name, column in model._meta.fields.items()
            if isinstance(column, CharField)
            and name not in {noun, "name_casefold", *PublishedRecord._meta.fields}
        ]
        self.cleaners: dict[str, Callable[[str], str]] = {
            **dict.fromkeys((noun, *self.texts), text.plain),
            "description": html.sanitize,
            "website": str,  # was checked as an address
        }
        folded = dict.fromkeys({noun, *self.texts}.difference(not_searched), text.folded)
        self.searched = folded | dict.fromkeys(("description", "excerpt"), text.folded_markup)

    def own_columns(self, fields: Fields, record: Row | None) -> dict[str, Value]:
        """The columns of the noun: of fields that were sent, and for a new record (None) all of them."""
        row = {name: fields.get(name, "") for name in self.texts if record is None or name in fields}
        if self.noun in fields:
            name = fields[self.noun]
            row |= {self.noun: name, "name_casefold": text.casefold(name)[:_NAME_LENGTH]}
        return row

    def own_problems(self, fields: Fields) -> dict[str, str]:
        """Problems between two fields, by field."""
        return {}

    def problems(self, fields: Fields, caller: Caller) -> dict[str, str]:
        """Problems that only the database, or two fields together, can tell, by field."""
        return publishable.problems(cast(PublishedFields, fields), caller) | self.own_problems(fields)

    def find_or_create(
        self,
        given: Fields,
        caller: Caller,
        site: SiteSettings,
        known: Namesakes | None = None,
    ) -> int:
        """Create a record, or find the one that has the name already; return its id.

        `known` has the namesakes of this and other records. See docs/interface.md#duplicates. Raises
        InvalidParameters and Forbidden.
        """
        if "author" in given:
            publishable.require_author_right(cast(PublishedFields, given), caller)
        name = self._folded_name(given)
        if known is None or name not in known:
            known = self.namesakes([given], caller)
        sent = given.get("description")
        for id, description in known[name]:  # most are sent as they are stored
            if not sent or sent == description or _shown(html.sanitize(sent)) == _shown(description):
                return id
        del known[name]
        return self._insert(self._cleaned(given), caller, site)

    def described(self, given: Fields, caller: Caller) -> int | None:
        """The oldest record listed for the caller that has this name and all other texts that are given."""
        model, sought = self.model, {name: text.casefold(text.plain(given[name])) for name in given}
        named = model.name_casefold == sought[self.noun][:_NAME_LENGTH]
        for row in model.select().where(named, listed(model, caller)).order_by(model.id):
            if all(text.casefold(getattr(row, name)) == value for name, value in sought.items()):
                return int(row.id)
        return None

    def namesakes(self, given: Sequence[Fields], caller: Caller) -> Namesakes:
        """The records that have the names of these and are listed for the caller, the oldest ones first."""
        found: Namesakes = {self._folded_name(one): [] for one in given}
        if found:
            names = padded(sorted({name[:_NAME_LENGTH] for name in found}))
            now = {"now": caller.now, "me": caller.id}
            for id, name, description in _named.rows(self.model, self.noun, caller.role, names=names, **now):
                if (folded := text.casefold(name)) in found:
                    found[folded].append((int(id), description))
        return found

    def _folded_name(self, given: Fields) -> str:
        return text.casefold(text.plain(given[self.noun]))

    def create(self, given: Fields, caller: Caller, site: SiteSettings) -> int:
        """Create a record and return its id. Raises InvalidParameters and Forbidden."""
        fields = self._cleaned(given)
        publishable.require_author_right(fields, caller)
        return self._insert(fields, caller, site)

    def _insert(self, fields: PublishedFields, caller: Caller, site: SiteSettings) -> int:
        own = self.own_columns(fields, None)
        slug = identifiers.wanted_slug(fields.get("slug"), own[self.noun])
        row = publishable.created(self.model, fields, caller, site, slug) | own
        (record,) = publishable.insert(self.model, [row], site)
        publishable.add_search_texts({int(record.id): self._search_texts(record, self.searched)})
        return int(record.id)

    def update(self, record: Row, given: Fields, caller: Caller, site: SiteSettings) -> Row:
        """Write only the fields that were sent. Raises InvalidParameters and Forbidden."""
        fields = self._cleaned({name: value for name, value in given.items() if name != "slug"})
        publishable.require_author_right(fields, caller, record)
        own = self.own_columns(fields, record)
        name = str(own.get(self.noun, getattr(record, self.noun)))
        row = publishable.changed(self.model, record, fields, caller, site, name) | own
        updated = publishable.save(self.model, record, row, site)
        changed = [name for name in self.searched if getattr(updated, name) != getattr(record, name)]
        publishable.write_search_text(int(record.id), self._search_texts(updated, changed))
        return updated

    def _cleaned(self, given: Fields) -> PublishedFields:
        """The fields with their texts as they are stored; null is empty."""
        texts = {name: clean(given[name] or "") for name, clean in self.cleaners.items() if name in given}
        return cast(PublishedFields, {**given, **texts})

    def _search_texts(self, record: Row, names: Iterable[str]) -> dict[str, str]:
        return {name: self.searched[name](getattr(record, name)) for name in names}

    def remove(self, record: Row, caller: Caller, site: SiteSettings) -> Row:
        """Move to the trash; links to events stay (docs/interface.md#trash). Raises AlreadyInTrash."""
        return publishable.trashed(self.model, record, caller.now, site)


def _shown(description: str) -> str:
    """A description as it is returned, in no letter case."""
    return text.casefold(text.paragraphs(description))


def point(lat: float, lng: float) -> tuple[float, float, float]:
    """A place as a point on a sphere of radius 1; in degrees."""
    phi, theta = math.radians(lat), math.radians(lng)
    return math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)


class VenueStore(VenueOrganizerStore):
    def own_columns(self, fields: Fields, record: Row | None) -> dict[str, Value]:
        new, row = record is None, super().own_columns(fields, record)
        if new or "show_map" in fields:
            row["show_map"] = fields.get("show_map", True)
        if new or "show_map_link" in fields:
            row["show_map_link"] = fields.get("show_map_link", True)
        if "stateprovince" not in fields and (new or any(name in fields for name in _PLACES)):
            before = {} if new else {name: getattr(record, name) for name in _PLACES}
            row["stateprovince"] = _state_or_province({**before, **row})
        if new or "geo_lat" in fields or "geo_lng" in fields:
            row |= _coordinates(fields.get("geo_lat"), fields.get("geo_lng"))
        return row

    def own_problems(self, fields: Fields) -> dict[str, str]:
        """Both coordinates or neither (docs/interface.md#own-fields)."""
        lat, lng = fields.get("geo_lat"), fields.get("geo_lng")
        if ("geo_lat" in fields) == ("geo_lng" in fields) and (lat is None) == (lng is None):
            return {}
        lacking = "geo_lng" if lng is None else "geo_lat"
        return {lacking: message("{name} must be sent together with the other coordinate.", name=lacking)}


def _state_or_province(row: Mapping[str, Value]) -> str:
    """The state for the United States and when no country is known, else the province.

    See docs/interface.md#venue-keys.
    """
    if row["state"] and str(row["country"]).lower() in ("", "us", "united states"):
        return str(row["state"])
    return str(row["province"])


def _coordinates(lat: float | None, lng: float | None) -> dict[str, Value]:
    if lat is None or lng is None:
        return dict.fromkeys(("geo_lat", "geo_lng", "geo_x", "geo_y", "geo_z"))
    x, y, z = point(lat, lng)
    # Adding zero makes -0.0 positive, as databases store it.
    return {"geo_lat": float(lat) + 0.0, "geo_lng": float(lng) + 0.0, "geo_x": x, "geo_y": y, "geo_z": z}


@CompiledQuery
def _named(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, names: list[Param], now: Param, me: Param
) -> ModelSelect:
    visible = listed(model, parameter_caller(role, now, me))
    return (
        model.select(model.id, getattr(model, noun), model.description)
        .where(*query_hints.first(model.name_casefold.in_(names), visible))
        .order_by(model.id)
    )


venues = VenueStore("venue", Venue, EventVenue, not_searched=("country", "website"))
organizers = VenueOrganizerStore("organizer", Organizer, EventOrganizer)
