"""Every scenario by name; a scenario yields lines of the table."""

from collections.abc import Callable, Iterator

from bench.plan import Plan
from bench.report import Line
from bench.scenarios import lists, mariadb, peers, queries, records, start, writes

Scenario = Callable[[Plan], Iterator[Line]]

SCENARIOS: dict[str, Scenario] = {
    "R1": lists.one_address,
    "R1N": lists.by_size,
    "R2": lists.many_addresses,
    "R3": lists.while_writing,
    "R4": records.conditional,
    "R5": records.single,
    "R6": queries.filters,
    "R7": queries.searches,
    "R8": queries.near,
    "W1": writes.creates,
    "W2": writes.updates,
    "C1": writes.coherence,
    "S1": start.cold,
    "M1": start.memory,
    "P1": peers.frameworks,
    "D1": mariadb.beside_sqlite,
}

#: Scenarios that take too long or need too much for the short run.
FULL_ONLY = frozenset({"P1", "D1"})
