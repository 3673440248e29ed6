"""Category and tag lists: shape, paging, links (docs/interface.md#list-envelope)."""

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import ROOT, Client

HOST = f"http://localhost{ROOT}"
MAKE = {"categories": factories.category, "tags": factories.tag}

both = pytest.mark.parametrize("plural", ["categories", "tags"])


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost")


def made(client: Client, plural: str, count: int) -> list[int]:
    """Ids of new terms whose names sort in the order of their making."""
    return [MAKE[plural](client, name=f"Name {number:03}")["id"] for number in range(count)]


def ids(client: Client, path: str) -> list[int]:
    plural = path.strip("/").split("?")[0]
    return [term["id"] for term in client.get(path, status=200).json[plural]]


@pytest.mark.both_databases
@both
def test_following_the_links_walks_the_whole_list(client: Client, plural: str) -> None:
    expected = made(client, plural, 5)
    made(client, {"categories": "tags", "tags": "categories"}[plural], 1)
    pages = []

    address = f"/{plural}?hide_empty=false&per_page=2&search=Name&order=asc"
    while address:
        body = client.get(address, status=200).json
        pages.append([term["id"] for term in body[plural]])
        address = body.get("next_rest_url", "")

    assert pages == [expected[:2], expected[2:4], expected[4:]]


class TestSmallPages:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, base_url="http://localhost", per_page=2, per_page_max=3)

    @both
    def test_per_page_is_that_of_the_settings(self, client: Client, plural: str) -> None:
        expected = made(client, plural, 4)

        body = client.get(f"/{plural}?hide_empty=0&per_page=1000", status=200).json

        assert ids(client, f"/{plural}?hide_empty=0") == expected[:2]
        assert [term["id"] for term in body[plural]] == expected[:3]
        assert body["rest_url"] == f"{HOST}/{plural}/?hide_empty=0&per_page=3"
