"""Keep stored documents up to date: render those that cannot be used, and find wrong ones."""

from collections.abc import Callable
from functools import partial

from calendar_api import database
from calendar_api.database.fields import DocumentField
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import documents

_TOGETHER = 100  # rows of a write transaction


def rewrite(site: SiteSettings, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Render all documents that cannot be used, in write transactions of a few rows; return their number.

    `progress` gets how many of one kind are done, and how many there are.
    """
    total = 0
    for model in documents.RENDER:
        ids = database.run_read(partial(_unusable, model, site))
        for at in range(0, len(ids), _TOGETHER):
            database.run_write(partial(_render_again, model, ids[at : at + _TOGETHER], site))
            progress(at, len(ids))
        total += len(ids)
    return total


def _unusable(model: documents.Model, site: SiteSettings) -> list[int]:
    stored = [field for field in model._meta.sorted_fields if isinstance(field, DocumentField)]
    rows, seed = (
        model.select(model.id, *stored).order_by(model.id).tuples().iterator(),
        documents.seed_of(site),
    )
    return [int(id) for id, *found in rows if not all(documents.is_usable(one, seed) for one in found)]


def _render_again(model: documents.Model, ids: list[int], site: SiteSettings) -> None:
    for row in list(model.select().where(model.id.in_(ids))):
        model.update(documents.render(model, row, site)).where(model.id == row.id).execute()


def problems(site: SiteSettings, sample: int) -> tuple[int, list[int]]:
    """The number of documents that cannot be used, and the ids of those in a sample that are wrong.

    `sample` is the number of records of each kind that are compared with what their rows make.
    """
    number, wrong = 0, []
    for model in documents.RENDER:
        unusable = set(_unusable(model, site))
        number += len(unusable)
        usable = [id for (id,) in model.select(model.id).tuples() if id not in unusable]
        for id in usable[:: max(1, len(usable) // sample)]:
            row = model.get_by_id(id)
            if any(getattr(row, name) != value for name, value in documents.render(model, row, site).items()):
                wrong.append(int(id))
    return number, wrong
