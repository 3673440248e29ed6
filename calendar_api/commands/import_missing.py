"""Decide on the events that a source does not have any more (docs/moving-in.md#what-an-import-does)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from calendar_api import database
from calendar_api.commands import import_records
from calendar_api.commands.import_work import BATCH, Decision, Policy
from calendar_api.commands.sources.items import Notice
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import events, import_ledger
from calendar_api.store.import_ledger import Missing


def decide(
    source: int, run: int, policy: Policy, caller: Caller, site: SiteSettings
) -> Iterator[Decision | Notice]:
    """Apply the policy to events that a complete run has not seen, BATCH in a transaction."""
    missing = database.run_read(partial(import_ledger.missing, source, run))
    renamed = 0

    def work(rows: list[Missing]) -> list[Decision]:
        stored = import_ledger.stored("event", [row.record for row in rows])
        decisions = []
        for row in rows:
            event = stored[row.record].row if row.record in stored else None
            if import_ledger.is_held(source, run, row.record):
                import_ledger.forget(row.id)  # the same event under another identifier
            elif event is not None and not row.gone and _is_gone(event, policy, caller):
                reason = _remove(row, event, policy, caller, site)
                names = (row.foreign_id, event.title, row.foreign_id, row.record)
                decisions.append(Decision("gone", "event", *names, reason=reason))
        return decisions

    for at in range(0, len(missing), BATCH):
        yield from database.run_write(partial(work, missing[at : at + BATCH]))
    renamed = len(missing) - len(database.run_read(partial(import_ledger.missing, source, run)))
    if renamed:
        yield Notice(f"The identifiers of {renamed} events have changed in the source.")


def _is_gone(event: Any, policy: Policy, caller: Caller) -> bool:
    """Feeds leave out past events, and occurrences outside of the window: these are not gone."""
    coming = caller.now < event.utc_end_date and policy.first <= event.utc_start_date <= policy.last
    return bool(coming and event.status != "trash")


def _remove(row: Missing, event: Any, policy: Policy, caller: Caller, site: SiteSettings) -> str:
    if policy.missing == "keep":
        return "It was kept."
    if not auth.may_edit(caller, event):
        return "It was kept: your role does not allow you to change this record."
    import_ledger.change(row.id, {"gone": policy.missing})
    if policy.missing == "trash":
        events.remove(event, caller, site)
        return "It was moved to the trash."
    import_records.update("event", event, {"event_status": "canceled"}, caller, site)
    return "It was canceled."
