"""The form for a record of any kind: shown, saved, moved to the trash and back (docs/editing.md#events)."""

import json
import secrets
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
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
from calendar_api.domain.translation import message
from calendar_api.representations import form_fields
from calendar_api.representations.documents import with_links
from calendar_api.representations.form_fields import Filled, FormFields, Inputs
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import REFUSED, Single, WriteAnswer
from calendar_api.resources.editing.base import EditPage, Form, audit, done
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json

#: Messages by the names of the fields.
Problems = Mapping[str, str]

CHANGED_BY_OTHERS = message("Another user has changed this meanwhile: both versions are shown.")
SAVED_BEFORE = message(
    "This form was saved before with other contents. You find that record in your list; saving again creates "
    "another one."
)
_TRIES = 3


class StoredRecord(NamedTuple):
    """A record: its row, its JSON and the ETag of its GET; if it `is_copied`, the form is for a new one."""

    row: Any
    record: Json
    etag: str
    is_copied: bool = False


class EditConflict(Exception):
    """Fields that two people have changed; `inputs` are those of the form with what only others changed."""

    def __init__(self, both: set[str], inputs: Filled) -> None:
        self.fields, self.inputs = both, inputs


class FormPage(EditPage):
    """A page with the form for a record; `archive` and `single` are its resources in the interface.

    Subclasses say what the fields are. `path` is the address of a record before its id, `list_path` that of
    their list.
    """

    archive: Archive
    single: Single
    fields: FormFields
    path: str
    list_path: str
    sent_before: ClassVar[str] = SAVED_BEFORE

    # -- what subclasses say

    @abstractmethod
    def inputs_of(self, req: falcon.Request, stored: StoredRecord | None) -> Filled:
        """The inputs of a record, or of a new one."""

    @abstractmethod
    def payload(
        self, req: falcon.Request, inputs: Inputs, names: set[str], stored: StoredRecord | None
    ) -> tuple[Json, Problems]:
        """The fields of the interface with these names, and problems that it does not find."""

    @abstractmethod
    def page(self, req: falcon.Request, inputs: Inputs, stored: StoredRecord | None) -> View:
        """The page without what `view` adds; `fields` of its data are those that are shown."""

    def labelled(self, name: str, problem: str) -> str:
        """A problem with a field, with the name of the field as people know it."""
        return problem

    def texts(self, req: falcon.Request, stored: StoredRecord) -> dict[str, str]:
        """What is stored in those fields whose inputs do not say it to people."""
        return {}

    # -- showing

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        stored = self.stored(req, key["id"]) if key else None
        return self.view(req, self.inputs_of(req, stored), stored)

    def stored(
        self, req: falcon.Request, id: int, allowed: Callable[[Any, Caller], bool] | None = None
    ) -> StoredRecord:
        """Raises NotFound, and Forbidden for a record that the user may not change (or is not `allowed`)."""
        caller: Caller = req.context.caller

        def work() -> StoredRecord:
            row = self.single.find(caller, id=id)
            if not (allowed or self.single.may_edit)(row, caller):
                raise Forbidden(REFUSED["record"], anonymous=caller.anonymous)
            full = with_links(self.single.full_record(row, caller), req.context.site)
            return StoredRecord(row, json.loads(full), etags.etag(full))

        return database.run_read(work)

    def origin(self, req: falcon.Request, form: Form, id: int | None) -> StoredRecord | None:
        """The record that a form is about, or the one that it copies."""
        return None if id is None else self.stored(req, id)

    def view(
        self, req: falcon.Request, inputs: Inputs, stored: StoredRecord | None, errors: Problems | None = None
    ) -> View:
        is_new = stored is None or stored.is_copied
        before = inputs if is_new else self.inputs_of(req, stored)
        view = self.page(req, inputs, stored)
        view.data = {
            "inputs": inputs, "was": self.fields.digests(before, view.data["fields"]),
            "key": self.new_key(req), "theirs": {},
            "id": None if stored is None or is_new else int(stored.row.id),
            "errors": self.by_input(errors or {}),
        } | view.data  # fmt: skip
        return view

    def new_key(self, req: falcon.Request) -> str:
        """What makes sure that a form creates one record, however often it is sent."""
        return secrets.token_hex(16)

    def by_input(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Texts about fields by the first input of each."""
        return {self.fields[name][0] if name in self.fields else name: text for name, text in texts.items()}

    # -- saving

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        id, action = key.get("id"), form.text("action")
        if id is not None and action in ("trash", "restore"):
            self.move(req, resp, form, id)
            return None
        inputs = self.read(req, form, id)
        errors: Problems = {}
        try:
            if action == "edit":  # back from the preview
                return self.again(req, form, inputs, id, {})
            self.saved(req, resp, form, self.save(req, form, inputs, id), is_new=id is None)
        except EditConflict as conflict:
            resp.status, inputs = falcon.HTTP_409, conflict.inputs
            errors = dict.fromkeys(conflict.fields, CHANGED_BY_OTHERS)
        except (NotFound, DatabaseUnavailable):
            raise
        except ApiError as error:
            errors = self.problems_of(req, resp, error)
        else:
            return None
        return self.again(req, form, inputs, id, errors)

    def resume(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        if form.text("action") in ("trash", "restore"):
            return self.act(req, resp, form, **key)
        return self.again(req, form, self.read(req, form, key.get("id")), key.get("id"), {})

    def read(self, req: falcon.Request, form: Form, id: int | None) -> Filled:
        """The inputs of a form."""
        blank = self.inputs_of(req, None)
        return {
            name: form.all(name) if isinstance(blank.get(name), list) else form.get(name, "")
            for name in self.fields.inputs
        }

    def save(self, req: falcon.Request, form: Form, inputs: Filled, id: int | None) -> int:
        """Write what has changed and return the id; raises EditConflict, and what the interface raises."""
        caller, context = req.context.caller, req.context.site
        archive, single = self.resources(req, form, inputs)
        if id is None:
            given, problems = self.new_fields(req, form, inputs)
            key = form.text("key") or None
            answer = checked(problems, lambda: archive.create_record(given, caller, context, key))
            return int(json.loads(answer.body)["id"])
        for _ in range(_TRIES):
            stored = self.stored(req, id)
            theirs = self.inputs_of(req, stored)
            merged = self.merge(form, inputs, theirs)
            names = self.fields.changed(merged, self.fields.digests(theirs))
            given, problems = self.payload(req, merged, names, stored)
            with suppress(PreconditionFailed):  # changed since it was read
                checked(problems, partial(single.update_record, given, caller, context, stored.etag, id=id))
                return id
        raise PreconditionFailed

    def resources(self, req: falcon.Request, form: Form, inputs: Filled) -> tuple[Archive, Single]:
        """Through which the form is stored."""
        return self.archive, self.single

    def new_fields(self, req: falcon.Request, form: Form, inputs: Filled) -> tuple[Json, Problems]:
        """The fields of a new record, and problems of the form."""
        blank = self.fields.digests(self.inputs_of(req, None))
        return self.payload(req, inputs, self.fields.changed(inputs, blank), None)

    def merge(self, form: Form, inputs: Filled, theirs: Filled) -> Filled:
        """The stored inputs with what was changed in the form; raises EditConflict."""
        merged, both = self.fields.merged(inputs, theirs, form.text("was"))
        if both:
            raise EditConflict(both, merged)
        return merged

    def saved(self, req: falcon.Request, resp: falcon.Response, form: Form, id: int, *, is_new: bool) -> None:
        word = "created" if is_new else "changed"
        audit(req, f"{self.single.noun}_{word}", record=id)
        done(req, resp, f"{self.path}{id}/", self.done_word(form, word))

    def done_word(self, form: Form, word: str) -> str:
        return word

    def problems_of(self, req: falcon.Request, resp: falcon.Response, error: ApiError) -> Problems:
        """What the form shows about an error, by field."""
        req.context.error = error.code
        if isinstance(error, InvalidParameters):
            found = {name: message("This is missing.") for name in error.missing} | error.problems
            labelled = {name: self.labelled(name, problem) for name, problem in found.items()}
            return labelled or {"form": error.message}
        resp.status = error.status
        resp.set_headers(error.headers)
        reused = error.code == "rest_idempotency_key_reused"
        return {"form": self.sent_before if reused else error.message}

    def again(
        self, req: falcon.Request, form: Form, inputs: Inputs, id: int | None, errors: Problems
    ) -> View:
        """The form with what was entered; after a conflict, with the stored values beside it."""
        stored = self.origin(req, form, id)
        view = self.view(req, inputs, stored, errors)
        view.data["changed"] = True
        if CHANGED_BY_OTHERS in errors.values() and stored is not None:
            theirs = self.inputs_of(req, stored)
            typed = {
                field: " ".join(form_fields.text(theirs, name) for name in names if "format" not in name)
                for field, names in self.fields.items()
            }
            view.data["theirs"] = self.by_input(
                {name: text for name, text in (typed | self.texts(req, stored)).items() if name in errors}
            )
        elif form.text("was"):
            view.data["was"] = form.text("was")
        if form.text("key") and self.sent_before not in errors.values():
            view.data["key"] = form.text("key")
        return view

    # -- trash

    def move(self, req: falcon.Request, resp: falcon.Response, form: Form, id: int) -> None:
        """Move a record to the trash or back; delete a term."""
        caller, context, noun = req.context.caller, req.context.site, self.single.noun
        was = self.stored(req, id).record.get("status")
        if form.text("action") == "restore":
            status = form.text("status")
            wanted = status if status in STATUSES and status != "trash" else "draft"
            if was == "trash":  # a page that was left open may still offer it
                self.single.update_record({"status": wanted}, caller, context, id=id)
                audit(req, f"{noun}_restored", record=id)
            done(req, resp, f"{self.path}{id}/", "restored")
            return
        with suppress(AlreadyInTrash):  # a form that was sent twice
            self.single.remove_record(caller, context, id=id)
            audit(req, f"{noun}_trashed" if was else f"{noun}_deleted", record=id)
        if was:
            done(req, resp, self.list_path, "trashed", id=id, was=was)
        else:
            done(req, resp, self.list_path, "deleted")


def checked(problems: Problems, write: Callable[[], WriteAnswer]) -> WriteAnswer:
    """Write; all problems of the form and of the interface are in one InvalidParameters."""
    try:
        return write()
    except InvalidParameters as error:
        raise InvalidParameters({**error.problems, **problems}, missing=error.missing) from error
