"""R6 to R8: the cost in SQL of filters, searches and geo searches at several sizes, in this process."""

import time
from collections.abc import Iterator
from typing import Any

from bench.baselines import engine
from bench.data import dataset, vocabulary
from bench.data.dataset import Size
from bench.data.filling import Calendar
from bench.plan import Plan
from bench.report import Line, number, plain
from bench.statements import PER_PAGE_MAX, Answers, Cost, answers
from calendar_api.domain import text

_EVER = "2000-01-01"
_SOON = time.strftime("%Y-%m-%d")


def _filters(calendar: Calendar, pages: int) -> dict[str, dict[str, Any]]:
    """Each filter alone, three combined, and later pages; the same at every size."""
    ids = calendar.ids
    events = [ids.events + number for number in range(0, calendar.events, calendar.events // 10)]
    return {
        "none": {},
        "middle page": {"page": max(1, pages // 2)},
        "last page": {"page": pages},
        "three months": {"start_date": "2027-01-01", "end_date": "2027-03-31"},
        "starts after": {"starts_after": _SOON},
        "ends before": {"ends_before": "2022-01-01"},
        "ends after": {"ends_after": _SOON},
        "on in a month": {"ends_after": "2027-02-28", "starts_before": "2027-03-31"},
        "any of three categories": {"categories": f"{ids.categories},{ids.categories + 5},{ids.tags - 1}"},
        "a tag": {"tags": ids.tags + 40},
        "a venue": {"venue": ids.venues},
        "an organizer": {"organizer": ids.organizers},
        "featured": {"featured": "true"},
        "ticketed": {"ticketed": "true"},
        "with coordinates": {"geoloc": "true"},
        "ten ids": {"include": ",".join(map(str, events[:10]))},
        "category, featured, starts after": {
            "categories": ids.categories, "featured": "true", "starts_after": _SOON,
        },
    }  # fmt: skip


def filters(plan: Plan) -> Iterator[Line]:
    """R6: the time of a page at the largest size divided by that at the smallest, for each filter."""
    sizes = plan.sizes
    costs: dict[int, dict[str, Cost]] = {}
    for events in sizes:
        calendar = plan.calendar(events)
        with answers(calendar) as asked:
            shown, _ = asked.ids()
            wanted = _filters(calendar, pages=-(-shown // 10))
            costs[events] = {name: asked.cost(**given) for name, given in wanted.items()}
        with answers(calendar, remembers=True) as asked:
            costs[events]["middle page, where it is remembered"] = asked.cost(**wanted["middle page"])
    small, large = costs[sizes[0]], costs[sizes[-1]]
    between = f"{sizes[-1]:,} / {sizes[0]:,}"
    for name, cost in large.items():
        remarks = [_ms(cost), f"nested {number(cost.ms.get('nested', 0.0))} ms"]
        if cost.scanned:
            remarks.append(f"FULL SCAN of {', '.join(sorted(cost.scanned))}")
        ratio = _times(cost.ms.get("page", 0.0), small[name].ms.get("page", 0.0))
        yield plain("R6", f"{name}: page at {between}", ratio, "×", "≤ 3", "1.5", ", ".join(remarks))
    counted = engine.covering_count_ms(plan.calendar(sizes[-1]), f"{_SOON} 00:00:00")
    total = large["starts after"].ms.get("total", 0.0)
    yield plain(
        "R6", f"total of all that starts later / covering COUNT (B4), {sizes[-1]:,}", total / counted, "×",
        remarks=f"B4 {number(counted)} ms",
    )  # fmt: skip


def _times(one: float, other: float) -> float:
    """0 if there was no such statement; the remark shows that, too."""
    return one / other if other else 0.0


def _ms(cost: Cost) -> str:
    kinds = ("before", "page", "total") if cost.ms.get("before") else ("page", "total")
    return ", ".join(f"{kind} {number(cost.ms.get(kind, 0.0))} ms" for kind in kinds)


def searches(plan: Plan) -> Iterator[Line]:
    """R7: searches compared with LIKE; hits must equal those of a search in Python."""
    calendar = plan.calendar(plan.sizes[-1])
    words = {
        "rare": _rare_word(calendar), "medium": vocabulary.MEDIUM, "common": vocabulary.COMMON,
        "two characters": "qu", "one character": "z", "Greek capitals": vocabulary.GREEK_CAPITALS,
        "nowhere": "needlexyz",
    }  # fmt: skip
    with answers(calendar) as asked:
        for name, word in words.items():
            given = {"search": word, "starts_after": _EVER}
            cost, like = asked.cost(**given), engine.like_ms(calendar, word)
            told = _compared(asked, given, engine.containing(calendar, text.folded(word)))
            bar, moonshot = ("200", "800") if name == "rare" else ("", "")
            told += f"; {_ms(cost)}, LIKE {number(like)} ms"
            what = f"LIKE (B3) / search, {name}, {calendar.events:,} events"
            yield plain("R7", what, _times(like, cost.found), "×", bar, moonshot, told)


def _rare_word(calendar: Calendar) -> str:
    """The token of the first public event."""
    first = next(
        event for event in dataset.happenings(Size(calendar.events))
        if event.status == "publish" and not event.hidden
    )  # fmt: skip
    return next(word for word in first.description.split() if word.startswith("needle"))


def _compared(asked: Answers, given: dict[str, Any], expected: set[int]) -> str:
    """Compare hits with the expected ones; of long lists the total and the first thousand."""
    total, ids = asked.ids(**given)
    whole = len(expected) <= PER_PAGE_MAX
    same = total == len(expected) and (ids == expected if whole else ids <= expected)
    return f"{total:,} found" if same else f"WRONG: {total:,} found, {len(expected):,} expected"


def near(plan: Plan) -> Iterator[Line]:
    """R8: events around a place, compared with computing the distance of every venue."""
    calendar = plan.calendar(plan.sizes[-1])
    venues = list(dataset.places(Size(calendar.events)))
    around = {
        "10 km": (venues[0], 10), "100 km": (venues[0], 100),
        "180th meridian": (venues[3], 100), "near the pole": (venues[4], 100),
    }  # fmt: skip
    with answers(calendar) as asked:
        for name, (venue, km) in around.items():
            given = {
                "geoloc_lat": venue.lat, "geoloc_lng": venue.lng, "geoloc_distance": km,
                "starts_after": _EVER,
            }  # fmt: skip
            cost = asked.cost(**given)
            expected, scan = engine.near(calendar, venue.lat, venue.lng, km)
            told = f"{_compared(asked, given, expected)}; {_ms(cost)}, scan {number(scan)} ms"
            what = f"full scan / near, {name}, {len(venues):,} venues"
            yield plain("R8", what, _times(scan, cost.found), "×", remarks=told)
