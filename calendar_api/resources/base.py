"""What the three shapes of a resource mean over HTTP: a list, a single record, a record by its slug."""

from typing import Any

import falcon

from calendar_api import auth, database, validation, zones
from calendar_api.auth import Caller
from calendar_api.config import Config
from calendar_api.errors import PageNotFound
from calendar_api.representations import archive
from calendar_api.representations.site import Site
from calendar_api.resources import payload

Json = dict[str, Any]
WRITE_METHODS = ("DELETE", "POST", "PUT", "PATCH")


class Resource:
    """`noun` names the schema file and `plural` the list; the rest is filled in for each noun."""

    noun = ""
    plural = ""
    methods: tuple[str, ...] = ()

    def __init__(self, config: Config) -> None:
        self.config = config
        self.zone = zones.named(config.timezone)

    def may_write(self, caller: Caller) -> bool:
        """The general right, asked before anything else about a write is looked at (decisions §2.4)."""
        return caller.writes

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        """`Allow` says what this caller may do here (contract §8.1)."""
        resp.set_header("Allow", ", ".join(self.methods if write else ("GET",)))

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        self.allow(resp, write=self.may_write(req.context.caller))
        resp.media = {"namespace": req.context.namespace, "methods": list(self.methods)}

    def checked(self, req: falcon.Request, role: str) -> validation.Checked:
        return validation.check(self.noun, role, payload.fields(req, self.config))

    def refuse_invalid(self, checked: validation.Checked, caller: Caller) -> None:
        """Report what the schema and what the database finds wrong together."""
        sound = {name: value for name, value in checked.fields.items() if name not in checked.problems}
        problems = self.problems(sound, caller)
        if problems or not checked.valid:
            raise checked.error(problems)

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        raise NotImplementedError


class Archive(Resource):
    """A list, and creation."""

    methods = ("GET", "POST")
    ends_with_404 = True

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        query = validation.parse_query(self.noun, "query", payload.query(req, self.config))
        query["per_page"] = min(query.get("per_page", self.config.per_page), self.config.per_page_max)
        with database.read():
            page = self.search(query, caller)
            if page.past_the_end and self.ends_with_404:
                raise PageNotFound(self.noun)
            records = self.shown(page.records, query, caller, req.context.site)
        envelope = self.envelope(page, records, self.in_effect(query, caller), req.context.site)
        self.allow(resp, write=self.may_write(caller))
        resp.set_header("X-TEC-Total", str(page.total))
        resp.set_header("X-TEC-TotalPages", str(page.pages))
        for rel, key in (("next", "next_rest_url"), ("prev", "previous_rest_url")):
            if key in envelope:
                resp.append_link(envelope[key], f'"{rel}"')
        resp.media = envelope

    on_head = on_get

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        self.allow(resp, write=self.may_write(caller))
        auth.require(self.may_write(caller), caller, f"create {self.plural}")
        checked = self.checked(req, "create")
        with database.write() if checked.valid else database.read():
            self.refuse_invalid(checked, caller)
            record = self.create(checked.fields, caller)
            resp.media = self.shown([record], {}, caller, req.context.site)[0]
            resp.location = req.context.site.links.record(self.plural, int(record.id))
        resp.status = falcon.HTTP_201

    def envelope(self, page: Any, records: list[Json], parameters: Json, site: Site) -> Json:
        return archive.record(
            self.plural, records, page.number, page.pages, page.total, parameters, site.links
        )

    # -- filled in for each noun

    def search(self, query: Json, caller: Caller) -> Any:
        raise NotImplementedError

    def in_effect(self, query: Json, caller: Caller) -> Json:
        """The filters as the links of the list repeat them."""
        raise NotImplementedError

    def shown(self, records: list[Any], query: Json, caller: Caller, site: Site) -> list[Json]:
        raise NotImplementedError

    def create(self, fields: Json, caller: Caller) -> Any:
        raise NotImplementedError


class Single(Resource):
    """One record: read, update by POST, PUT or PATCH alike (decisions §4.1), delete."""

    methods = ("GET", *WRITE_METHODS)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        req.context.query = self.query(req)
        with database.read():
            record = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(record, caller))
            resp.media = self.read(record, req, caller)

    on_head = on_get

    def update(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        auth.require(self.may_write(caller), caller, f"change {self.plural}")
        checked = self.checked(req, "update")
        with database.write() if checked.valid else database.read():
            self.refuse_invalid(checked, caller)
            record = self.find(caller, **key)
            self.require_edit(record, caller, resp, "change")
            updated = self.change(record, checked.fields, caller)
            resp.media = self.shown(updated, caller, req.context.site)

    on_post = on_put = on_patch = update

    def on_delete(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        auth.require(self.may_write(caller), caller, f"delete {self.plural}")
        with database.write():
            record = self.find(caller, **key)
            self.require_edit(record, caller, resp, "delete")
            resp.media = self.remove(record, caller, req.context.site)

    def require_edit(self, record: Any, caller: Caller, resp: falcon.Response, action: str) -> None:
        self.allow(resp, write=self.may_edit(record, caller))
        auth.require(self.may_edit(record, caller), caller, f"{action} this {self.noun}")

    def may_edit(self, record: Any, caller: Caller) -> bool:
        return auth.may_edit(caller, record)

    # -- filled in for each noun

    def query(self, req: falcon.Request) -> Json:
        """What a read takes from the query string, looked at before the record is (decisions §2.4)."""
        return {}

    def find(self, caller: Caller, id: int) -> Any:
        """The record that the path names, if the caller may read it; raises NotFound."""
        raise NotImplementedError

    def read(self, record: Any, req: falcon.Request, caller: Caller) -> Json:
        raise NotImplementedError

    def shown(self, record: Any, caller: Caller, site: Site) -> Json:
        raise NotImplementedError

    def change(self, record: Any, fields: Json, caller: Caller) -> Any:
        raise NotImplementedError

    def remove(self, record: Any, caller: Caller, site: Site) -> Json:
        raise NotImplementedError
