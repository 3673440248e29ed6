"""The form for a record of any kind: shown, saved, moved to the trash and back (docs/editing.md#events)."""

import json
import secrets
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import falcon

from calendar_api import database
from calendar_api.domain import etags
from calendar_api.domain.auth import STATUSES, Caller
from calendar_api.domain.errors import (
    AlreadyInTrash,
    ApiError,
    DatabaseUnavailable,
    Forbidden,
    InvalidParameters,
    NotFound,
    PreconditionFailed,
)
from calendar_api.domain.translation import Message, message
from calendar_api.representations import form_fields
from calendar_api.representations.documents import with_links
from calendar_api.representations.form_fields import Filled, FormFields, Inputs
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import REFUSED, Single
from calendar_api.resources.editing.base import EditPage
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json

#: Messages by the names of the fields.
Problems = Mapping[str, str]

CHANGED_BY_OTHERS = message("Another user has changed this meanwhile: both versions are shown.")
SAVED_BEFORE = message(
    "This form was saved before with other contents. You find that record in your list; saving again creates "
    "another one."
)
STATUS_OF_BUTTON = {"draft": "draft", "submit": "pending", "publish": "publish"}
_TRIES = 3


class StoredRecord(NamedTuple):
    """A record: its row, its JSON and the ETag of its GET; if it `is_copied`, the form is for a new one."""

    row: Any
    record: Any
    etag: str
    is_copied: bool = False


class EditConflict(Exception):
    """Fields that two people have changed; `inputs` are those of the form with what only others changed."""

    def __init__(self, both: set[str], inputs: Filled) -> None:
        self.fields, self.inputs = both, inputs


class FormPage(EditPage):
    """A page with the form for a record; `archive` and `single` are its resources in the interface.

    Subclasses say what the fields are. `id` is that of the record, None for a new one; `record_path` is the
    address of a record before its id, `list_path` that of their list.
    """

    archive: Archive[Any]
    single: Single[Any]
    fields: FormFields
    #: The names of fields as people know them.
    field_names: ClassVar[Mapping[str, str]]
    record_path: str
    list_path: str
    sent_before: ClassVar[str] = SAVED_BEFORE
    #: Other problems after which the form gets another key.
    outdated: ClassVar[tuple[str, ...]] = ()

    @property
    def id(self) -> int | None:
        return self.params.get("id")

    @property
    def action(self) -> str:
        """What the button says that has sent the form."""
        return self.form.text("action")

    # -- what subclasses say

    @abstractmethod
    def inputs_of(self, stored: StoredRecord | None) -> Filled:
        """The inputs of a record, or of a new one."""

    @abstractmethod
    def payload(self, inputs: Inputs, names: set[str], stored: StoredRecord | None) -> tuple[Json, Problems]:
        """The fields of the interface with these names, and problems that it does not find."""

    @abstractmethod
    def page(self, inputs: Inputs, stored: StoredRecord | None) -> View:
        """The page without what `view` adds; `fields` of its data are those that are shown."""

    def labelled(self, name: str, problem: str) -> str:
        """A problem with a field, with the name of the field as people know it."""
        if (
            not isinstance(problem, Message)
            or problem.values.get("name") != name
            or name not in self.field_names
        ):
            return problem
        return message(problem.template, **{**problem.values, "name": self.field_names[name]})

    def texts(self, stored: StoredRecord) -> dict[str, str]:
        """What is stored in those fields whose inputs do not say it to people."""
        return {}

    # -- showing

    def show(self) -> View | None:
        stored = self.origin()
        return self.view(self.inputs_of(stored), stored)

    def stored(self, id: int, allowed: Callable[[Any, Caller], bool] | None = None) -> StoredRecord:
        """Raises NotFound, and Forbidden for a record that the user may not change (or is not `allowed`)."""
        caller = self.caller

        def work() -> StoredRecord:
            row = self.single.find(caller, id=id)
            if not (allowed or self.single.may_edit)(row, caller):
                raise Forbidden(REFUSED["record"], anonymous=caller.anonymous)
            full = with_links(self.single.full_record(row, caller), self.site)
            return StoredRecord(row, json.loads(full), etags.etag(full))

        return database.run_read(work)

    def origin(self) -> StoredRecord | None:
        """The record that the form is about, or the one that it copies."""
        return None if self.id is None else self.stored(self.id)

    def view(self, inputs: Inputs, stored: StoredRecord | None, errors: Problems | None = None) -> View:
        """The form; after a conflict, with the stored values beside what was entered."""
        errors = errors or {}
        is_new = stored is None or stored.is_copied
        before = inputs if is_new else self.inputs_of(stored)
        in_conflict = CHANGED_BY_OTHERS in errors.values()
        view = self.page(inputs, stored)
        was = "" if in_conflict else self.form.text("was")
        is_used = not {self.sent_before, *self.outdated}.isdisjoint(errors.values())
        key = "" if is_used else self.form.text("key")
        view.data = {
            "inputs": inputs,
            "was": was or self.fields.digests(before, view.data["fields"]),
            "key": key or self.new_key(),
            "theirs": self.theirs(before, stored, errors) if in_conflict and stored else {},
            "id": None if stored is None or is_new else int(stored.row.id),
            "errors": self.by_input(errors),
            "changed": bool(self.form),
        } | view.data
        return view

    def theirs(self, before: Inputs, stored: StoredRecord, errors: Problems) -> dict[str, str]:
        """The stored values of fields with errors."""
        typed = {
            field: " ".join(form_fields.text(before, name) for name in names if "format" not in name)
            for field, names in self.fields.items()
        }
        texts = typed | self.texts(stored)
        return self.by_input({name: text for name, text in texts.items() if name in errors})

    def by_input(self, texts: Problems) -> dict[str, str]:
        """Texts about fields by the first input of each."""
        return {self.fields[name][0] if name in self.fields else name: text for name, text in texts.items()}

    def new_key(self) -> str:
        """What makes sure that a form creates one record, however often it is sent."""
        return secrets.token_hex(16)

    # -- saving

    def act(self) -> View | None:
        if self.id is not None and self.action in ("trash", "restore"):
            self.move(self.id)
            return None
        inputs = self.read()
        errors: Problems = {}
        try:
            if self.action != "edit":  # back from the preview
                self.saved(self.save(inputs))
                return None
        except EditConflict as conflict:
            self.resp.status, inputs = falcon.HTTP_409, conflict.inputs
            errors = dict.fromkeys(conflict.fields, CHANGED_BY_OTHERS)
        except (NotFound, DatabaseUnavailable):
            raise
        except ApiError as error:
            errors = self.problems_of(error)
        return self.view(inputs, self.origin(), errors)

    def resume(self) -> View | None:
        if self.action in ("trash", "restore"):
            return self.act()
        return self.view(self.read(), self.origin())

    def read(self) -> Filled:
        """The inputs of the form."""
        return {
            name: self.form.all(name) if name in self.fields.lists else self.form.get(name, "")
            for name in self.fields.inputs
        }

    def save(self, inputs: Filled) -> int:
        """Write what has changed and return the id; raises EditConflict, and what the interface raises."""
        caller, context = self.caller, self.site
        if self.id is None:
            given, problems = self.new_fields(inputs)
            form = {name: inputs[name] for name in self.fields.inputs} | {"action": self.action}
            key = "" if self.action == "preview" else self.form.text("key")  # the first answer is no preview
            answer = self.archive.create_record(given, caller, context, key, form, problems, self.written)
            return int(json.loads(answer.body)["id"])
        for _ in range(_TRIES):
            stored = self.stored(self.id)
            theirs = self.inputs_of(stored)
            merged = self.merge(inputs, theirs)
            names = self.fields.changed(merged, self.fields.digests(theirs))
            given, problems = self.payload(merged, names, stored)
            with suppress(PreconditionFailed):  # changed since it was read
                self.single.update_record(
                    given, caller, context, stored.etag, bool, problems, self.written, id=self.id
                )
                return self.id
        raise PreconditionFailed

    def new_fields(self, inputs: Filled) -> tuple[Json, Problems]:
        """The fields of a new record, and problems of the form."""
        blank = self.fields.digests(self.inputs_of(None))
        return self.payload(inputs, self.fields.changed(inputs, blank), None)

    def merge(self, inputs: Filled, theirs: Filled) -> Filled:
        """The stored inputs with what was changed in the form; raises EditConflict.

        A button that sets the status is in conflict with another status that was set meanwhile.
        """
        status = STATUS_OF_BUTTON.get(self.action) if "status" in self.fields else None
        mine = {**inputs, "status": status} if status else inputs
        merged, both = self.fields.merged(mine, theirs, self.form.text("was"))
        if status and theirs["status"] not in (inputs["status"], status):
            both.add("status")
        if both:
            raise EditConflict(both, {**merged, "status": theirs["status"]} if status else merged)
        return merged

    def written(self, id: int) -> None:
        """What belongs to a record in the transaction that has written it."""

    def saved(self, id: int) -> None:
        """Lead to the record that was saved."""
        word = "created" if self.id is None else "changed"
        self.audit(f"{self.single.noun}_{word}", record=id)
        self.done(f"{self.record_path}{id}/", self.action if self.action in STATUS_OF_BUTTON else word)

    def problems_of(self, error: ApiError) -> Problems:
        """What the form shows about an error, by field."""
        if isinstance(error, InvalidParameters):
            self.req.context.error = error.code
            found = {name: message("This is missing.") for name in error.missing} | error.problems
            labelled = {name: self.labelled(name, problem) for name, problem in found.items()}
            return labelled or {"form": error.message}
        self.answer_with(error)
        reused = error.code == "rest_idempotency_key_reused"
        return {"form": self.sent_before if reused else error.message}

    # -- trash

    def move(self, id: int) -> None:
        """Move a record to the trash or back; delete a term."""
        noun, was = self.single.noun, self.stored(id).record.get("status")
        if self.action == "restore":
            status = self.form.text("status")
            wanted = status if status in STATUSES and status != "trash" else "draft"
            if was == "trash":  # a page that was left open may still offer it
                self.single.update_record({"status": wanted}, self.caller, self.site, id=id)
                self.audit(f"{noun}_restored", record=id)
            self.done(f"{self.record_path}{id}/", "restored")
            return
        with suppress(AlreadyInTrash):  # a form that was sent twice
            self.single.remove_record(self.caller, self.site, id=id)
            self.audit(f"{noun}_trashed" if was else f"{noun}_deleted", record=id)
        if was:
            self.done(self.list_path, "trashed", id=id, was=was)
        else:
            self.done(self.list_path, "deleted")
