"""What every resource has in common: rights, the description of its route, the check of what was sent."""

from abc import ABC, abstractmethod
from typing import Any

import falcon

from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain import time_zones
from calendar_api.domain.auth import Caller
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body

Json = dict[str, Any]


class Resource(ABC):
    """`noun` names the schema file and `plural` the list; the rest is filled in for each noun."""

    noun = ""
    plural = ""
    methods: tuple[str, ...] = ()

    def __init__(self, config: Config) -> None:
        self.config = config
        self.zone = time_zones.named(config.timezone)

    def may_write(self, caller: Caller) -> bool:
        """The general right, asked before anything else about a write is looked at.

        See docs/interface.md#order-of-checks.
        """
        return caller.writes

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        """`Allow` says what this caller may do here (docs/interface.md#head-and-options)."""
        resp.set_header("Allow", ", ".join(self.methods if write else ("GET",)))

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.media = self.description(req)

    def description(self, req: falcon.Request) -> Json:
        """The route as `GET /` and OPTIONS describe it (docs/interface.md#index)."""
        caller: Caller = req.context.caller
        around = TableContext(req.context.translate, self.config.per_page, self.zone, caller.at)
        return {
            "namespace": req.context.namespace,
            "methods": list(self.methods),
            "endpoints": [
                {"methods": list(methods), "args": table or []} for methods, table in self.endpoints(around)
            ],
        }

    @abstractmethod
    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        """Groups of methods with their argument tables."""


def mark_cacheable(req: falcon.Request) -> None:
    """Allow the response cache to store this response until the next write."""
    req.context.cacheable = True


class Stored(Resource):
    """A resource of records that can be written; what is checked before, and what an ETag is about."""

    def given(self, req: falcon.Request, role: str) -> Json:
        """The fields of the body, as they were sent."""
        return request_body.fields(req, self.config, validation.list_names(self.noun, role))

    def checked(self, given: Json, role: str) -> validation.Checked:
        return validation.check(self.noun, role, given)

    def refuse_invalid(self, checked: validation.Checked, caller: Caller) -> None:
        """Report what the schema and what the database finds wrong together."""
        sound = {name: value for name, value in checked.fields.items() if name not in checked.problems}
        problems = self.problems(sound, caller)
        if problems or not checked.valid:
            raise checked.error(problems)

    def draft(self, fields: Json) -> Any:
        """Sound fields, with all that can be worked out before the turn of a writer comes."""
        return fields

    @abstractmethod
    def problems(self, fields: Json, caller: Caller) -> dict[str, str]: ...

    @abstractmethod
    def whole(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        """The record as a GET of it shows it to this caller: what its ETag is about."""

    @abstractmethod
    def written(self, record: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        """The record as the answer to a write shows it, and `whole`, looked up once for both."""
