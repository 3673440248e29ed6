"""What lists of stored records and single ones have in common: checks, and the answer to a write."""

from abc import abstractmethod
from typing import Any, NamedTuple

import falcon

from calendar_api.contract import validation
from calendar_api.contract.validation import Checked
from calendar_api.domain import json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden
from calendar_api.domain.translation import message
from calendar_api.representations.documents import with_links
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.resource import Json, Resource

#: Why a role may not do something with the records of a resource.
REFUSED = {
    "create": message("Your role does not allow you to create records here."),
    "update": message("Your role does not allow you to change records here."),
    "remove": message("Your role does not allow you to delete records here."),
    "record": message("Your role does not allow you to change this record."),
}


class WriteAnswer(NamedTuple):
    """The answer to a write: the record as JSON with links, and headers."""

    body: bytes
    headers: dict[str, str]


class StoredResource(Resource):
    """A resource of stored records.

    A `row` is what the store returns for a record. What the methods of subclasses return as JSON is still
    without links (see `representations.documents`).
    """

    def require_write(self, caller: Caller, action: str) -> None:
        """Raise Forbidden if the caller may not write here at all."""
        if not self.may_write(caller):
            raise Forbidden(REFUSED[action], anonymous=caller.anonymous)

    def read_body(self, req: falcon.Request, role: str) -> Json:
        """The fields of body and query string as they were sent; raises Forbidden before they are read."""
        self.require_write(req.context.caller, role)
        return request_body.fields(req, self.config, validation.list_names(self.noun, role))

    def check(self, role: str, given: Json) -> Checked:
        """The fields checked by the schema."""
        return validation.check(self.noun, role, given)

    def refuse_invalid(self, checked: Checked, caller: Caller) -> None:
        """Raise InvalidParameters for all problems at once: those of the schema and of the database."""
        problems = self.problems(checked.sound, caller)
        if problems or not checked.valid:
            raise checked.error(problems)

    def prepare(self, fields: Json) -> Json:
        """Prepare sound fields for the write, before the transaction begins."""
        return fields

    def answer_to_write(self, id: int, caller: Caller, context: RenderContext) -> WriteAnswer:
        """The record as it is now, and the ETag of its GET."""
        shown, full = self.written_record(id, caller)
        return WriteAnswer(with_links(shown, context), {"ETag": json_text.etag(with_links(full, context))})

    @abstractmethod
    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        """Problems that only the database can find, by field."""

    @abstractmethod
    def full_record(self, row: Any, caller: Caller) -> bytes:
        """The record as a GET of it shows it to this caller; its ETag is made of this."""

    @abstractmethod
    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        """The record as the answer to a write shows it, and `full_record`."""
