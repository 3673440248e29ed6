"""POST, PUT and PATCH, and addresses with an id and with a slug, are served by the same functions.

So the other tests need one method and one address for each case.
"""

import pytest

from calendar_api.resources.routes import ROUTES

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
