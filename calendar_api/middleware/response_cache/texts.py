"""JSON text that is made once of the same content, and so can never be out of date."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

from calendar_api.domain import json_text
from calendar_api.domain.json_text import Rendered, Written
from calendar_api.middleware.response_cache.bounded import Bounded

#: Of the room for all that is remembered.
SHARE = 0.25

Json = dict[str, Any]
Around = tuple[Any, ...]


class Texts:
    """Events as lists show them, and what they hold, by all that they are made of.

    The key of a text is that content itself, the values of a row and what is around it, and never an id:
    whatever is written to the database, the same content makes the same text. Takes `room` bytes; without
    any, nothing is kept, and an event with all that it holds is written at once.
    """

    def __init__(self, room: int) -> None:
        self._keeps = room > 0
        self._known: Bounded[Written | Rendered] = Bounded(room)

    def part(self, row: Iterable[Any], around: Around, make: Callable[[], Json]) -> Any:
        """Something that an event holds: as text, or as it is made where nothing is kept."""
        return self._text((*row, around), make, json_text.written) if self._keeps else make()

    def parts(self, several: tuple[Any, ...]) -> Any:
        """A list of such."""
        return json_text.listed(several) if self._keeps else list(several)

    def whole(self, row: Iterable[Any], around: Around, make: Callable[[], Json]) -> Rendered:
        """An event; what `make` makes may hold parts."""
        if not self._keeps:
            return json_text.rendered(make())
        text: Rendered = self._text((*row, around), make, json_text.rendered)
        return text

    def _text(self, content: tuple[Any, ...], make: Callable[[], Json], write: Callable[[Json], Any]) -> Any:
        text = self._known.get(content)
        if text is None:
            text = write(make())
            # What is around the row is shared: the texts of parts, and what the site is.
            self._known.put(content, text, sum(map(sys.getsizeof, content)) + sys.getsizeof(text))
        return text
