"""Lists and forms of venues, organizers, categories and tags, and merging two (docs/editing.md#records)."""

import json
import re
from collections.abc import Mapping
from html import unescape
from types import SimpleNamespace
from typing import Any, Unpack, cast

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Table
from calendar_api.domain import auth, text
from calendar_api.domain.errors import AlreadyInTrash, ApiError, Forbidden, NotFound
from calendar_api.domain.translation import message
from calendar_api.representations import form_fields
from calendar_api.representations.archive import Page
from calendar_api.representations.documents import with_links
from calendar_api.representations.form_fields import Filled, FormFields, Inputs
from calendar_api.resources.base import REFUSED
from calendar_api.resources.editing.base import EditPage, link_pages
from calendar_api.resources.editing.forms import FormPage, Problems, StoredRecord
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json, RouteKey
from calendar_api.resources.terms import Categories, CategoryById, TagById, Tags
from calendar_api.resources.venue_organizer import OrganizerById, Organizers, VenueById, Venues
from calendar_api.store import identifiers, merge, related_records

_ON_A_PAGE = 50
_SUGGESTED = 500  # records in a list of suggestions
#: A number, or a label with one at its end.
_ID = re.compile(r"(?:.*\()?#?([0-9]{1,18})\)?", re.DOTALL)


#: The resources of a noun, and the titles of its list and of a new record.
_NOUNS: dict[str, tuple[Any, Any, str, str]] = {
    "venues": (Venues, VenueById, message("Venues"), message("New venue")),
    "organizers": (Organizers, OrganizerById, message("Organizers"), message("New organizer")),
    "categories": (Categories, CategoryById, message("Categories"), message("New category")),
    "tags": (Tags, TagById, message("Tags"), message("New tag")),
}

_SHARED = ("phone", "website", "image", "description", "status")
_COORDINATES = ("geo_lat", "geo_lng")
_FLAGS = ("show_map", "show_map_link")
_NAMES: dict[str, tuple[str, ...]] = {
    "venue": (
        "venue", "address", "zip", "city", "province", "state", "country", *_COORDINATES, *_FLAGS, *_SHARED
    ),
    "organizer": ("organizer", "email", *_SHARED),
    "category": ("name", "slug", "parent", "description"),
    "tag": ("name", "slug", "description"),
}  # fmt: skip
#: The fields of each noun; the first is the name.
FIELDS = {
    noun: FormFields(names, description=("description", "description_format"))
    for noun, names in _NAMES.items()
}
_LABELS = {
    **dict.fromkeys(("venue", "organizer", "name"), message("Name")),
    "address": message("Address"), "zip": message("Postal code"), "city": message("City"),
    "province": message("Province"), "state": message("State"), "country": message("Country"),
    "geo_lat": message("Latitude"), "geo_lng": message("Longitude"), "phone": message("Phone"),
    "email": message("E-mail"), "website": message("Website"), "image": message("Image address"),
    "slug": message("Name in addresses"), "parent": message("Parent category"),
    "description": message("Description"), "status": message("Status"),
}  # fmt: skip


class RecordsPage(EditPage):
    """What the pages of one noun share; their address names it: `/edit/venues/…`."""

    def __init__(
        self, config: Config, req: falcon.Request, resp: falcon.Response, **params: Unpack[RouteKey]
    ) -> None:
        super().__init__(config, req, resp, **params)
        self.plural = self.path.split("/")[2]
        archive, single, self.title, self.new_title = _NOUNS[self.plural]
        self.archive: Any = archive(config)
        # A form always makes a new record: the fields of one that is found by its name would be lost.
        self.archive.finds_existing = False
        self.single: Any = single(config)
        self.noun = self.single.noun
        self.fields = FIELDS[self.noun]
        self.name_field = next(iter(self.fields))
        self.is_term = "status" not in self.fields
        self.record_path = self.list_path = f"/edit/{self.plural}/"

    def require_role(self) -> None:
        self.single.require_write(self.caller, "update")

    def template(self, template: str, title: str, data: Json) -> View:
        shared = {"plural": self.plural, "noun": self.noun, "is_term": self.is_term, "path": self.list_path}
        return View(f"edit/{template}.html", title, shared | data, nav=self.plural)

    def name(self, row: Table) -> str:
        return str(getattr(row, self.name_field))

    def find(self, id: int) -> Table:
        """The row of a record that the caller may edit; raises NotFound and Forbidden."""
        row: Table = self.single.find(self.caller, id=id)
        if not self.single.may_edit(row, self.caller):
            raise Forbidden(REFUSED["record"], anonymous=False)
        return row

    def listed(self, given: Mapping[str, str], most: int) -> tuple[Page[object], list[dict[str, Any]]]:
        """A page of at most so many records, each with the number of its events as `count`."""
        caller = self.caller
        given = {"hide_empty": "false", **given} if self.is_term else given
        query = validation.parse_query(self.noun, "query", given) | {"per_page": most}

        def work() -> tuple[Page[object], list[dict[str, Any]]]:
            page, records = self.archive.read_page(query, caller)
            found = [json.loads(with_links(one, self.site)) for one in records]
            if not self.is_term:
                counts = related_records.event_counts(self.noun, [one["id"] for one in found], caller)
                found = [one | {"count": counts.get(one["id"], 0)} for one in found]
            return page, found

        return database.run_read(work)

    def suggestions(self) -> list[tuple[int, str]]:
        """Records that the caller may choose: their ids, and labels that no two of them share."""
        _, records = self.listed({}, _SUGGESTED)
        found = []
        for one in records:
            parts = (unescape(one.get(name, "")) for name in (self.name_field, "city"))
            found.append((one["id"], f"{', '.join(filter(None, parts))} (#{one['id']})"))
        return sorted(found, key=lambda pair: pair[1].casefold())


class RecordList(RecordsPage):
    """`/edit/venues/?search=…&page=…&status=trash`"""

    methods = ("GET",)

    def show(self) -> View:
        in_trash = self.parameter("status") == "trash" and not self.is_term
        query = {name: value for name in ("search", "page") if (value := self.parameter(name))}
        query |= {"status": "trash"} if in_trash else {}
        page, records = self.listed(query, _ON_A_PAGE)
        for one in records:
            owned = SimpleNamespace(author_id=int(one.get("author", 0)), status=one.get("status"))
            one["may_edit"] = self.is_term or auth.may_edit(self.caller, cast(auth.Owned, owned))
        data: Json = {
            "records": records,
            "search": self.parameter("search"),
            "in_trash": in_trash,
            "undo": self.undo_trash(self.list_path),
        }
        view = self.template("records", self.say(self.title), data)
        link_pages(view, page, self.home + self.list_path, query)
        return view


class RecordForm(RecordsPage, FormPage):
    """`/edit/venues/new/` and `/edit/venues/{id}/`"""

    field_names = _LABELS

    def inputs_of(self, stored: StoredRecord | None) -> Filled:
        row = stored and stored.row
        found = form_fields.of_description(text.paragraphs(row.description) if row else "")
        image = stored.record.get("image") if stored else None
        own = {"image": image["url"] if image else "", "parent": getattr(row, "parent_id", None)}
        for name in self.fields.keys() - {"description"}:
            if name in _FLAGS:
                found[name] = "1" if row is None or getattr(row, name) else ""
            elif row is not None:
                value = own[name] if name in own else getattr(row, name)
                found[name] = "" if value is None else str(value)
            else:
                found[name] = ""
        return found

    def payload(self, inputs: Inputs, names: set[str], stored: StoredRecord | None) -> tuple[Json, Problems]:
        fields: Json = {name: form_fields.text(inputs, name) for name in names}
        if "description" in names:
            before = text.paragraphs(stored.row.description) if stored else ""
            fields["description"] = form_fields.description(inputs, before)
        if not names.isdisjoint(_COORDINATES):
            fields |= {name: form_fields.text(inputs, name) or None for name in _COORDINATES}
        fields |= {name: bool(fields[name]) for name in names.intersection(_FLAGS)}
        if "parent" in names:
            fields["parent"] = fields["parent"] or 0
        return fields, {}

    def problems_of(self, error: ApiError) -> Problems:
        found = super().problems_of(error)
        return {self.name_field: error.message} if error.code == "term_exists" else found

    def page(self, inputs: Inputs, stored: StoredRecord | None) -> View:
        row = stored.row if stored else None
        title = self.say(self.new_title) if row is None else self.name(row)
        data: Json = {"row": row, "fields": list(self.fields), "labels": _LABELS}
        if "parent" in self.fields:
            data["parents"] = [one for one in self.suggestions() if row is None or one[0] != row.id]
        return self.template("record", title, data)


class MergePage(RecordsPage):
    """`/edit/venues/{id}/merge/`: choose the other record, see what will happen, confirm."""

    def show(self) -> View:
        return self.choice({})

    def act(self) -> View | None:
        id, store, named = self.params["id"], self.single.store, _ID.fullmatch(self.form.text("into"))
        into = int(named[1]) if named else 0
        try:
            if self.form.get("confirmed"):
                if database.run_write(lambda: self.merge(id, into)):
                    self.audit(f"{self.noun}_merged", record=id, into=into)
                self.done(f"{self.list_path}{into}/", "merged")
                return None
            row, kept = database.run_read(lambda: (self.find(id), self.find(into)))
            merge.require_mergeable(store, row, kept, self.caller)
            events, children = database.run_read(lambda: merge.affected(store, id, self.caller))
            return self.page_of(row, kept=kept, kept_name=self.name(kept), events=events, children=children)
        except NotFound:
            problem: str = message("Choose one of the records in the list.")
        except Forbidden:
            raise
        except ApiError as error:
            self.resp.status = error.status
            problem = next(iter(getattr(error, "problems", {}).values()), error.message)
        return self.choice({"into": problem})

    def merge(self, id: int, into: int) -> bool:
        """Merge the rows as they are in this transaction; raises ApiError.

        False for a form that was sent twice: its record, with this slug, leads to the kept one already.
        """
        store, kept = self.single.store, self.find(into)
        try:
            merge.merge(store, self.find(id), kept, self.caller, self.config.site)
        except (NotFound, AlreadyInTrash):
            if identifiers.with_former_slug(store.noun, self.form.text("slug")) != into:
                raise
            return False
        return True

    def choice(self, errors: Json) -> View:
        id = self.params["id"]
        row = database.run_read(lambda: self.find(id))
        others = [label for other, label in self.suggestions() if other != id]
        return self.page_of(row, into=self.form.text("into"), others=others, errors=errors)

    def page_of(self, row: Table, **data: object) -> View:
        title = self.say("Merge {name}").format(name=self.name(row))
        return self.template("merge", title, {"row": row, "name": self.name(row), **data})
