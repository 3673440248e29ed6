"""The page on which one record is merged into another (docs/editing.md#merging)."""

import re
from typing import Any

import falcon

from calendar_api import database
from calendar_api.domain.errors import AlreadyInTrash, ApiError, Forbidden, NotFound
from calendar_api.domain.translation import message
from calendar_api.resources.editing.base import Form, audit, done
from calendar_api.resources.editing.records import RecordsPage
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import merge, slugs

#: A number, or a label with one at its end.
_ID = re.compile(r"(?:.*\()?#?([0-9]{1,18})\)?", re.DOTALL)


class MergePage(RecordsPage):
    """`/edit/venues/{id}/merge/`: choose the other record, see what will happen, confirm."""

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        return self.choice(req, key["id"], "", {})

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        caller, id, named = req.context.caller, key["id"], _ID.fullmatch(form.text("into"))
        into = int(named[1]) if named else 0
        try:
            if form.get("confirmed"):
                if database.run_write(lambda: self.merge(req, id, into, form.text("slug"))):
                    audit(req, f"{self.noun}_merged", record=id, into=into)
                done(req, resp, f"{self.path}{into}/", "merged")
                return None
            row, kept = database.run_read(lambda: (self.find(caller, id), self.find(caller, into)))
            merge.require_mergeable(self.single.store, row, kept, caller)
            events, children = database.run_read(lambda: merge.affected(self.single.store, id, caller))
            return self.page_of(
                req, row, kept=kept, kept_name=self.name(kept), events=events, children=children
            )
        except NotFound:
            text: str = message("Choose one of the records in the list.")
        except Forbidden:
            raise
        except ApiError as error:
            resp.status = error.status
            text = next(iter(getattr(error, "problems", {}).values()), error.message)
        return self.choice(req, id, form.text("into"), {"into": text})

    def merge(self, req: falcon.Request, id: int, into: int, slug: str) -> bool:
        """Merge the rows as they are in this transaction; raises ApiError.

        False for a form that was sent twice: its record, with this slug, leads to the kept one already.
        """
        caller, store = req.context.caller, self.single.store
        kept = self.find(caller, into)
        try:
            merge.merge(store, self.find(caller, id), kept, caller, self.site)
        except (NotFound, AlreadyInTrash):
            if slugs.former(store.noun, slug) != into:
                raise
            return False
        return True

    def choice(self, req: falcon.Request, id: int, into: str, errors: Json) -> View:
        row = database.run_read(lambda: self.find(req.context.caller, id))
        others = [label for other, label in self.suggestions(req) if other != id]
        return self.page_of(req, row, into=into, others=others, errors=errors)

    def page_of(self, req: falcon.Request, row: Any, **data: Any) -> View:
        title = str(req.context.translate("Merge {name}").format(name=self.name(row)))
        return self.template("merge", title, {"row": row, "name": self.name(row), **data})
