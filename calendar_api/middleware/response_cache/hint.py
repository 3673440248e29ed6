from collections.abc import Callable
from typing import Any

from calendar_api.middleware.response_cache.answers import Shown
from calendar_api.middleware.response_cache.generations import Generation, Generations, Kept

#: Where the application finds the `Visit` of a request that may be remembered.
CACHE_HINT = "calendar_api.visit"


#: Answers a request once more: the body, its tag, the headers that change, by names in lower case, and whose
#: texts it shows.
Again = Callable[[Kept], tuple[bytes, str, dict[str, str], Shown] | None]


class CacheHint:
    """One request on its way through the application, which may say here that the answer lasts.

    And how long: `shows` are the events whose texts it depends on, None for any.
    """

    __slots__ = ("again", "generations", "lasting", "line", "shows")

    def __init__(self, generations: Generations) -> None:
        self.generations = generations
        self.lasting = False
        self.again: Again | None = None
        self.shows: Shown = None
        self.line: dict[str, Any] | None = None

    def generation(self) -> Generation | None:
        """Inside the transaction of a read, before anything else is read."""
        return self.generations.current(snapshot=True)
