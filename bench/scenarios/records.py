"""R4 and R5: conditional requests and single events."""

from collections.abc import Iterator

from bench.load import Subject, interleaved, require_same_bytes
from bench.places import LIST
from bench.plan import Plan
from bench.report import Line, of_ratio
from bench.scenarios.lists import constant
from bench.servers import ours, running
from bench.writer import public_event


def conditional(plan: Plan) -> Iterator[Line]:
    """R4: If-None-Match with the current ETag and with an outdated one."""
    calendar = plan.calendar()
    with (
        running("conditional", settings=ours(calendar.url)) as subject,
        constant("B1", subject, LIST) as bare,
    ):
        etag = subject.get(LIST).headers["etag"]
        subjects = [
            Subject("current", subject, LIST, {"If-None-Match": etag}, status=304),
            Subject("outdated", subject, LIST, {"If-None-Match": '"of-yesterday"'}),
            Subject("B1", bare, LIST),
            Subject("B1 likewise", bare, LIST, {"If-None-Match": etag}),
        ]
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    yield of_ratio("R4", "304 for a current ETag / B1", found, "current", bar="0.90", moonshot="1.0")
    yield of_ratio("R4", "the same / B1 that is sent the same ETag", found, "current", against="B1 likewise")
    yield of_ratio("R4", "200 for an outdated ETag / B1", found, "outdated")


def single(plan: Plan) -> Iterator[Line]:
    """R5: one event, by id and by slug."""
    calendar = plan.calendar()
    with running("single", settings=ours(calendar.url)) as subject:
        id = public_event(calendar, subject)
        by_id, by_slug = f"{LIST}/{id}", f"{LIST}/by-slug/event-{id - calendar.ids.events}"
        with constant("B1", subject, by_id, f"{LIST}/{{id}}") as bare:
            subjects = [
                Subject("id", subject, by_id), Subject("slug", subject, by_slug), Subject("B1", bare, by_id)
            ]  # fmt: skip
            require_same_bytes(subjects)
            found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    for name in ("id", "slug"):
        yield of_ratio("R5", f"event by {name} / B1 with its bytes", found, name, bar="0.80", moonshot="0.95")
