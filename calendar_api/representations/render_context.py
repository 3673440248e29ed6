"""What a response depends on beside records and settings: the request."""

from dataclasses import dataclass

from calendar_api.representations.links import Links


@dataclass(frozen=True, slots=True)
class RenderContext:
    """`now` is UTC as text, `free` the word for a cost of nothing in the language of the request."""

    links: Links
    now: str
    free: str = "Free"
