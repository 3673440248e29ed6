"""Lists and forms of venues, organizers, categories and tags (docs/editing.md#records)."""

import json
import secrets
from collections.abc import Mapping
from html import unescape
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.domain import auth, form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, NotFound
from calendar_api.domain.translation import message, translated
from calendar_api.representations import record_form
from calendar_api.representations.documents import with_links
from calendar_api.representations.links import with_query
from calendar_api.resources.base import Archive, Single
from calendar_api.resources.editing.base import EditPage, Form, audit, done, problems_of
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.resources.stored_resource import REFUSED
from calendar_api.resources.terms import Categories, CategoryById, TagById, Tags
from calendar_api.resources.venue_organizer import OrganizerById, Organizers, VenueById, Venues
from calendar_api.store import related_records
from calendar_api.store.paging import Page

_ON_A_PAGE = 50
_SUGGESTED = 500  # records in a list of suggestions


class NewVenues(Venues):
    """A form always makes a new record: the fields of one that is found by its name would be lost."""

    def create(self, fields: Json, caller: Caller) -> int:
        return self.store.create(fields, caller, self.site)


class NewOrganizers(Organizers):
    """The same."""

    def create(self, fields: Json, caller: Caller) -> int:
        return self.store.create(fields, caller, self.site)


_RESOURCES: dict[str, tuple[type[Archive], type[Single]]] = {
    "venues": (NewVenues, VenueById),
    "organizers": (NewOrganizers, OrganizerById),
    "categories": (Categories, CategoryById),
    "tags": (Tags, TagById),
}
_TITLES = {
    "venues": (message("Venues"), message("New venue")),
    "organizers": (message("Organizers"), message("New organizer")),
    "categories": (message("Categories"), message("New category")),
    "tags": (message("Tags"), message("New tag")),
}


class RecordsPage(EditPage):
    """What the pages of one noun share."""

    def __init__(self, config: Config, plural: str) -> None:
        super().__init__(config)
        archive, single = _RESOURCES[plural]
        self.archive, self.single = archive(config), single(config)
        self.plural, self.noun = plural, self.single.noun
        self.fields = record_form.FIELDS[self.noun]
        self.is_term = "status" not in self.fields
        self.path = f"/edit/{plural}/"

    def _require_role(self, req: falcon.Request) -> None:
        self.single.require_write(req.context.caller, "update")

    def view(self, template: str, title: str, data: Json) -> View:
        shared = {"plural": self.plural, "noun": self.noun, "is_term": self.is_term, "path": self.path}
        return View(f"edit/{template}.html", title, shared | data, nav=self.plural)

    def name(self, row: Any) -> str:
        return str(getattr(row, self.fields[0]))

    def find(self, caller: Caller, id: int) -> Any:
        """The row of a record that the caller may edit; raises NotFound and Forbidden."""
        row = self.single.find(caller, id=id)
        if not self.single.may_edit(row, caller):
            raise Forbidden(REFUSED["record"], anonymous=False)
        return row

    def listed(
        self, req: falcon.Request, given: Mapping[str, str], most: int
    ) -> tuple[Page[Any], list[Json]]:
        """A page of at most so many records, each with the number of its events as `count`."""
        caller: Caller = req.context.caller
        given = {"hide_empty": "false", **given} if self.is_term else given
        query = validation.parse_query(self.noun, "query", given) | {"per_page": most}

        def work() -> tuple[Page[Any], list[Json]]:
            page, records = self.archive.read_page(query, caller)
            found = [json.loads(with_links(one, req.context.site)) for one in records]
            if not self.is_term:
                counts = related_records.event_counts(self.noun, [one["id"] for one in found], caller)
                found = [one | {"count": counts.get(one["id"], 0)} for one in found]
            return page, found

        return database.run_read(work)

    def suggestions(self, req: falcon.Request) -> list[tuple[int, str]]:
        """Records that the caller may choose: their ids, and labels that no two of them share."""
        _, records = self.listed(req, {}, _SUGGESTED)
        found = []
        for one in records:
            parts = (unescape(one.get(name, "")) for name in (self.fields[0], "city"))
            found.append((one["id"], f"{', '.join(filter(None, parts))} (#{one['id']})"))
        return sorted(found, key=lambda pair: pair[1].casefold())


class RecordList(RecordsPage):
    """`/edit/venues/?search=…&page=…&status=trash`"""

    methods = ("GET",)
    messages: ClassVar = {
        "trashed": message("The record is in the trash."),
        "deleted": message("The record was deleted."),
    }

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        caller: Caller = req.context.caller
        sent = {
            name: form_params.last(req.query_string, name)
            for name in ("search", "page", "status", "record", "before")
        }
        in_trash = sent["status"] == "trash" and not self.is_term
        given = {name: value for name in ("search", "page") if (value := sent[name])}
        query = given | ({"status": "trash"} if in_trash else {})
        page, records = self.listed(req, query, _ON_A_PAGE)
        for one in records:
            owned = SimpleNamespace(author_id=int(one.get("author", 0)), status=one.get("status"))
            one["may_edit"] = self.is_term or auth.may_edit(caller, cast(Any, owned))
        data: Json = {"records": records, "search": sent["search"] or "", "in_trash": in_trash}
        if (sent["record"] or "").isdigit():
            action = f"{req.context.site.links.home}{self.path}{sent['record']}/"
            data["undo"] = {"action": action, "fields": {"action": "restore", "status": sent["before"] or ""}}
        view = self.view("records", req.context.translate(_TITLES[self.plural][0]), data)
        if page.number > 1:
            view.previous = self.page_address(req, query, page.number - 1)
        if page.number < page.pages:
            view.next = self.page_address(req, query, page.number + 1)
        return view

    def page_address(self, req: falcon.Request, query: Mapping[str, str], number: int) -> str:
        return with_query(f"{req.context.site.links.home}{self.path}", {**query, "page": number})


class RecordForm(RecordsPage):
    """`/edit/venues/new/` and `/edit/venues/{id}/`"""

    messages: ClassVar = {
        "saved": message("Your changes are saved."),
        "created": message("The record was created."),
        "restored": message("The record is back."),
        "merged": message("The two records are one now."),
    }

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        row = database.run_read(lambda: self.find(req.context.caller, key["id"])) if key else None
        return self.form(req, row, record_form.inputs_of(self.noun, row), {}, secrets.token_hex(16))

    def form(self, req: falcon.Request, row: Any, inputs: Json, errors: Json, idempotency_key: str) -> View:
        title = req.context.translate(_TITLES[self.plural][1]) if row is None else self.name(row)
        data: Json = {
            "row": row, "inputs": inputs, "errors": errors, "fields": self.fields, "key": idempotency_key,
            "before": record_form.digest(record_form.inputs_of(self.noun, row)),
        }  # fmt: skip
        if "parent" in self.fields:
            data["parents"] = [one for one in self.suggestions(req) if row is None or one[0] != row.id]
        return self.view("record", title, data)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        caller: Caller = req.context.caller
        row = database.run_read(lambda: self.find(caller, key["id"])) if key else None
        if row is not None and form.get("action") in ("trash", "restore"):
            self.move(req, resp, row, form)
            return None
        sent = {name: form.text(name) for name in (*self.fields, "format")}
        try:
            id = database.run_write(lambda: self.save(req, form, sent, key.get("id", 0)))
        except _Changed as changed:
            row = changed.row
            resp.status = falcon.HTTP_409
            errors = self.differences(req, sent, record_form.inputs_of(self.noun, row))
        except (Forbidden, NotFound):
            raise
        except InvalidParameters as error:
            errors = problems_of(error, req.context.translate)
        except ApiError as error:
            resp.status = error.status
            errors = {self.fields[0]: translated(error.message, req.context.translate)}
        else:
            audit(req, f"{self.noun}_{'changed' if key else 'created'}", record=id)
            done(req, resp, f"{self.path}{id}/", "saved" if key else "created")
            return None
        return self.form(req, row, sent, errors, form.get("key", ""))

    def save(self, req: falcon.Request, form: Form, sent: Json, id: int) -> int:
        """Create a record (id 0), or write what differs; raises _Changed if others have changed it since."""
        caller, context = req.context.caller, req.context.site
        row = self.find(caller, id) if id else None
        now = record_form.inputs_of(self.noun, row)
        if row is None:
            given = {
                name: value
                for name, value in record_form.payload(self.noun, sent, now).items()
                if value != ""
            }
            answer = self.archive.create_record(given, caller, context, form.get("key") or None)
            return int(json.loads(answer.body)["id"])
        if form.get("before") != record_form.digest(now) and sent != now:
            raise _Changed(row)
        self.single.update_record(
            record_form.payload(self.noun, sent, now, row.description), caller, context, id=id
        )
        return id

    def differences(self, req: falcon.Request, mine: Json, theirs: Json) -> Json:
        """What others have written into fields, beside mine."""
        text = req.context.translate("Another user has changed this meanwhile to: {value}")
        differing = [name for name in self.fields if mine[name] != theirs[name]]
        return {name: text.format(value=theirs[name] or "–") for name in differing}

    def move(self, req: falcon.Request, resp: falcon.Response, row: Any, form: Form) -> None:
        """Move a record to the trash or back, or delete a term."""
        caller, context, id = req.context.caller, req.context.site, int(row.id)
        if form["action"] == "restore":
            given = {"status": form.text("status") or "draft"}
            self.single.update_record(given, caller, context, id=id)
            audit(req, f"{self.noun}_restored", record=id)
            done(req, resp, f"{self.path}{id}/", "restored")
            return
        self.single.remove_record(caller, context, id=id)
        audit(req, f"{self.noun}_{'deleted' if self.is_term else 'trashed'}", record=id)
        if self.is_term:
            done(req, resp, self.path, "deleted")
        else:
            done(req, resp, self.path, "trashed", record=id, before=row.status)


class _Changed(Exception):
    def __init__(self, row: Any) -> None:
        self.row = row
