"""The page on which one record is merged into another (docs/editing.md#merging)."""

import re

from calendar_api import database
from calendar_api.database.models import Table
from calendar_api.domain.errors import AlreadyInTrash, ApiError, Forbidden, NotFound
from calendar_api.domain.translation import message
from calendar_api.resources.editing.records import RecordsPage
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import identifiers, merge

#: A number, or a label with one at its end.
_ID = re.compile(r"(?:.*\()?#?([0-9]{1,18})\)?", re.DOTALL)


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
            text: str = message("Choose one of the records in the list.")
        except Forbidden:
            raise
        except ApiError as error:
            self.resp.status = error.status
            text = next(iter(getattr(error, "problems", {}).values()), error.message)
        return self.choice({"into": text})

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
