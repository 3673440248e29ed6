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


@both
def test_all_terms_are_listed_under_their_own_name(client: Client, plural: str) -> None:
    expected = made(client, plural, 5)

    body = client.get(f"/{plural}?hide_empty=false", status=200).json

    assert [term["id"] for term in body[plural]] == expected
    assert body["total"] == 5


@both
def test_list_of_one_taxonomy_has_nothing_of_the_other(client: Client, plural: str) -> None:
    other = {"categories": "tags", "tags": "categories"}[plural]
    made(client, other, 2)
    expected = made(client, plural, 1)

    assert ids(client, f"/{plural}?hide_empty=false") == expected


@pytest.mark.both_databases
@both
def test_pages_are_disjoint(client: Client, plural: str) -> None:
    expected = made(client, plural, 6)

    first = ids(client, f"/{plural}?hide_empty=false&per_page=3")
    second = ids(client, f"/{plural}?hide_empty=false&per_page=3&page=2")

    assert first == expected[:3]
    assert second == expected[3:]


@pytest.mark.both_databases
@both
def test_following_the_links_walks_the_whole_list(client: Client, plural: str) -> None:
    expected = made(client, plural, 5)
    seen = []

    address = f"/{plural}?hide_empty=false&per_page=2&search=Name&order=asc"
    while address:
        body = client.get(address, status=200).json
        seen += [term["id"] for term in body[plural]]
        address = body.get("next_rest_url", "")

    assert seen == expected


@both
def test_page_past_the_end_is_empty_with_real_totals(client: Client, plural: str) -> None:
    made(client, plural, 3)

    body = client.get(f"/{plural}?hide_empty=false&per_page=2&page=9", status=200).json

    assert body[plural] == []
    assert (body["total"], body["total_pages"]) == (3, 2)
    assert body["previous_rest_url"] == f"{HOST}/{plural}/?hide_empty=0&per_page=2&page=8"
    assert "next_rest_url" not in body


@both
def test_second_page_of_an_empty_list_is_empty(client: Client, plural: str) -> None:
    body = client.get(f"/{plural}?page=2", status=200).json

    assert (body[plural], body["total"], body["total_pages"]) == ([], 0, 0)


@pytest.mark.parametrize(("noun", "plural"), [("event", "events"), ("venue", "venues")])
def test_second_page_of_an_empty_list_of_records_is_not_found(client: Client, noun: str, plural: str) -> None:
    body = client.get(f"/{plural}?page=2", status=404).json

    assert body["code"] == f"{noun}-archive-page-not-found"


@pytest.mark.both_databases
@both
@pytest.mark.parametrize("page", [2**62, 2**63 - 1])
def test_largest_pages_are_empty(client: Client, plural: str, page: int) -> None:
    made(client, plural, 1)

    assert ids(client, f"/{plural}?hide_empty=0&page={page}") == []


class TestSmallPages:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, base_url="http://localhost", per_page=2, per_page_max=3)

    @both
    def test_per_page_default_comes_from_the_settings(self, client: Client, plural: str) -> None:
        expected = made(client, plural, 4)

        assert ids(client, f"/{plural}?hide_empty=0") == expected[:2]

    @both
    def test_per_page_above_the_maximum_is_cut(self, client: Client, plural: str) -> None:
        expected = made(client, plural, 4)

        body = client.get(f"/{plural}?hide_empty=0&per_page=1000", status=200).json

        assert [term["id"] for term in body[plural]] == expected[:3]
        assert body["rest_url"] == f"{HOST}/{plural}/?hide_empty=0&per_page=3"
