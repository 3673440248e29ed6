"""Every scenario by its name; a scenario yields the lines that it adds to the table."""

from collections.abc import Callable, Iterator

from bench.plan import Plan
from bench.report import Line
from bench.scenarios import lists, records

Scenario = Callable[[Plan], Iterator[Line]]

SCENARIOS: dict[str, Scenario] = {
    "R1": lists.one_address,
    "R1N": lists.by_size,
    "R2": lists.many_addresses,
    "R3": lists.while_writing,
    "R4": records.conditional,
    "R5": records.single,
}

#: What takes too long, or needs too much, for the short run.
FULL_ONLY: frozenset[str] = frozenset()
