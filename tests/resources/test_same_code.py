"""Methods, addresses and nouns that are served by the same functions.

So the other tests need one method, one address, and one of two nouns for each case.
"""

from inspect import getmembers, isfunction

import pytest

from calendar_api.resources.routes import ROUTES
from calendar_api.store.terms import categories, tags
from calendar_api.store.venue_organizer import VenueOrganizerStore, organizers, venues

RESOURCES = dict(ROUTES)
SINGLE = [path for path in RESOURCES if "{id" in path]
BY_SLUG = [path for path in RESOURCES if "{slug}" in path]


@pytest.mark.parametrize("path", [*SINGLE, *BY_SLUG])
def test_post_put_and_patch_are_one_function(path: str) -> None:
    resource = RESOURCES[path]
    assert resource.on_post is resource.on_put is resource.on_patch  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", BY_SLUG)
def test_record_by_slug_is_served_like_the_record_by_id(path: str) -> None:
    by_slug, by_id = RESOURCES[path], RESOURCES[path.replace("by-slug/{slug}", "{id:record_id}")]
    for responder in ("on_get", "on_post", "on_put", "on_patch", "on_delete", "on_options"):
        assert getattr(by_slug, responder) is getattr(by_id, responder), responder


@pytest.mark.parametrize("key", ["", "/{id:record_id}"])
def test_nouns_of_one_kind_are_served_by_the_same_functions(key: str) -> None:
    """They differ in schemas and tables, and in what a store adds, which tests of each noun look at."""
    for one, other in (("/categories", "/tags"), ("/venues", "/organizers")):
        members = (dict(getmembers(RESOURCES[noun + key], isfunction)) for noun in (one, other))
        assert next(members) == next(members)
    assert type(categories) is type(tags)
    own = [name for name in vars(type(venues)) if not name.startswith("__")]
    assert own == ["own_columns", "own_problems"]
    assert type(organizers) is VenueOrganizerStore
