"""The page of an event as a form would make it: written in a transaction that is rolled back."""

from typing import NoReturn

import falcon

from calendar_api.config import Config
from calendar_api.domain.auth import Caller
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.event_pages import EventPage
from calendar_api.resources.events import EventById, EventRules, Events
from calendar_api.resources.pages import View


class Previewed(Exception):
    """Carries the page out of the transaction."""

    def __init__(self, view: View) -> None:
        self.view = view


class PreviewRules(EventRules):
    """Instead of its answer, every write raises Previewed: nothing is stored."""

    def __init__(self, config: Config, req: falcon.Request) -> None:
        super().__init__(config)
        self.req = req

    def answer_to_write(self, id: int, caller: Caller, context: RenderContext) -> NoReturn:
        row = EventById(self.config).find(caller, id=id)
        view = EventPage(self.config).view_of(self.req, row)
        view.data |= {"before": None, "after": None, "has_json_ld": False}
        raise Previewed(View("edit/preview.html", view.title, view.data))


class PreviewedEvent(PreviewRules, Events):
    """A new event."""


class PreviewedChange(PreviewRules, EventById):
    """Changes of an event."""
