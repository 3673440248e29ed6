"""A free slug for a title: -2, -3 … is added when the plain one is taken (decisions §4.15)."""

from typing import Any

from calendar_api import normal_form, text
from calendar_api.models import Published, Term

LONGEST = 191
TRASHED = "__trashed"


def wanted(*given: object) -> str:
    """The slug of the first of these texts that makes one; an id as the last one always does."""
    return next(slug for slug in (text.slug(str(one)) for one in given if one) if slug)


def free(model: type[Published] | type[Term], slug: str, own_id: int | None = None, *where: Any) -> str:
    """`slug` itself, or the first of slug-2, slug-3 … that no other record has.

    `where` narrows the table to the records that must differ, such as those of one taxonomy.
    """
    candidates = model.select(model.slug).where(
        (model.slug == slug) | ((model.slug > slug + "-") & (model.slug < slug + ".")), *where
    )
    if own_id is not None:
        candidates = candidates.where(model.id != own_id)
    taken = {name for (name,) in candidates.tuples()}
    if slug not in taken:
        return slug
    number = 2
    while True:
        suffix = f"-{number}"
        candidate = slug[: LONGEST - len(suffix)].rstrip("-") + suffix
        if candidate not in taken and not _exists(model, candidate, own_id, *where):
            return candidate
        number += 1


def _exists(model: type[Published] | type[Term], slug: str, own_id: int | None, *where: Any) -> bool:
    rows = model.select().where(model.slug == slug, *where)
    return bool((rows if own_id is None else rows.where(model.id != own_id)).exists())


def key(given: str) -> str:
    """A slug of a path as it is looked up: any letter case, composed (decisions §4.15).

    No slug has a space at its end, and not every database tells a text from the same with one.
    """
    return normal_form.composed(given).lower().strip()
