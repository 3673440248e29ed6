"""The page on which one record is merged into another (docs/editing.md#merging)."""

import re
from typing import Any

import falcon

from calendar_api import database
from calendar_api.domain.errors import ApiError, Forbidden, NotFound
from calendar_api.domain.translation import message, translated
from calendar_api.resources.editing.base import Form, audit, done
from calendar_api.resources.editing.records import RecordsPage
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import merge

_ID = re.compile(r"(?:.*\()?#?([0-9]{1,18})\)?", re.DOTALL)


class MergePage(RecordsPage):
    """`/edit/venues/{id}/merge/`: choose the other record, see what will happen, confirm."""

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        row = database.run_read(lambda: self.find(req.context.caller, key["id"]))
        return self.choice(req, row, "", {})

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        caller = req.context.caller
        chosen = form.text("into")
        into = self.chosen_id(req, chosen)
        row = database.run_read(lambda: self.find(caller, key["id"]))
        try:
            kept = database.run_read(lambda: self.find(caller, into))
            if form.get("confirmed"):
                database.run_write(lambda: self.merge(req, key["id"], into))
                audit(req, f"{self.noun}_merged", record=key["id"], into=into)
                done(req, resp, f"{self.path}{into}/", "merged")
                return None
            return self.preview(req, row, kept)
        except NotFound:
            text: str = message("Choose one of the records in the list.")
        except Forbidden:
            raise
        except ApiError as error:
            resp.status = error.status
            text = next(iter(getattr(error, "problems", {}).values()), error.message)
        return self.choice(req, row, chosen, {"into": translated(text, req.context.translate)})

    def chosen_id(self, req: falcon.Request, chosen: str) -> int:
        """The id in a label, or of the only suggestion that begins with the text; 0 for none."""
        named = _ID.fullmatch(chosen)
        if named:
            return int(named[1])
        sought = chosen.casefold()
        same = [id for id, label in self.suggestions(req) if sought and label.casefold().startswith(sought)]
        return same[0] if len(same) == 1 else 0

    def merge(self, req: falcon.Request, id: int, into: int) -> None:
        """Merge the rows as they are in this transaction; raises ApiError."""
        caller = req.context.caller
        merged, kept = self.find(caller, id), self.find(caller, into)
        store: Any = self.single.store
        work = merge.merge_terms if self.is_term else merge.merge_venues_or_organizers
        work(store, merged, kept, caller, self.site)

    def choice(self, req: falcon.Request, row: Any, chosen: str, errors: Json) -> View:
        others = [label for id, label in self.suggestions(req) if id != row.id]
        data = {"row": row, "name": self.name(row), "others": others, "into": chosen, "errors": errors}
        return self.template("merge", self.title(req, row), data)

    def preview(self, req: falcon.Request, row: Any, kept: Any) -> View:
        """What merging will do; raises ApiError if it would be refused."""
        merge.require_mergeable(self.single.noun, row, kept, req.context.caller)
        events, children = database.run_read(lambda: merge.affected(self.noun, int(row.id)))
        data = {
            "row": row, "name": self.name(row), "kept": kept, "kept_name": self.name(kept),
            "events": events, "children": children,
        }  # fmt: skip
        return self.template("merge", self.title(req, row), data)

    def title(self, req: falcon.Request, row: Any) -> str:
        return str(req.context.translate("Merge {name}").format(name=self.name(row)))
