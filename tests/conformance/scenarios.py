"""All scenarios by name: a group sends its requests through a `Play`, under settings of its own."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.conformance import (
    scenarios_dates,
    scenarios_events,
    scenarios_http,
    scenarios_linked,
    scenarios_lists,
    scenarios_rights,
    scenarios_terms,
)
from tests.conformance.play import Play


class Group(NamedTuple):
    """`settings` are those of the `Config` that differ from the defaults."""

    send: Callable[[Play], None]
    settings: dict[str, Any]


GROUPS: dict[str, Group] = {
    send.__name__: Group(send, settings)
    for module in (
        scenarios_events,
        scenarios_dates,
        scenarios_lists,
        scenarios_linked,
        scenarios_terms,
        scenarios_rights,
        scenarios_http,
    )
    for send, settings in module.GROUPS
}
