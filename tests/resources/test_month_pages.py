"""Pages of a month and of a day."""

import re
from html import unescape

import pytest
import time_machine
from webtest import TestResponse

from calendar_api.config import Config
from tests import factories
from tests.client import Client

NOW = "2026-11-22T12:00:00+00:00"


@pytest.fixture(autouse=True)
def _now() -> object:
    with time_machine.travel(NOW, tick=True):
        yield


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    return Config(database_url=database_url, site_name="Valley", **getattr(request, "param", {}))


def event(client: Client, title: str, start: str, end: str = "", **fields: object) -> str:
    made = factories.event(client, title=title, start_date=start, end_date=end or start, **fields)
    return str(made["slug"])


def page(client: Client, path: str, status: int = 200, **headers: str) -> TestResponse:
    return client.app.get(path, status=status, headers=headers)


def cells(client: Client, path: str, **headers: str) -> dict[int, list[str]]:
    """The titles of the links to events by day, as a reader of the screen hears them."""
    text = page(client, path, **headers).text
    found = {}
    for cell in re.findall(r"<td[^>]*>(.*?)</td>", text, re.DOTALL):
        number = re.search(r'class="number"[^>]*>(\d+)<', cell)
        links = re.findall(r"<li.*?>(.*?)</li>", cell, re.DOTALL)
        if number and links:
            found[int(number[1])] = [unescape(re.sub("<[^>]+>", "", link)).strip() for link in links]
    return found


def test_month_is_a_table_of_days_with_links_that_name_time_and_date(client: Client) -> None:
    slug = event(client, "Open day & tea", "2026-11-22 10:00:00", "2026-11-22 12:00:00")
    found = page(client, "/events/month/2026-11/")

    print(found.text)
    assert cells(client, "/events/month/") == {22: ["10:00 Open day & tea, Sun 22 Nov 2026, 10:00–12:00"]}
    assert 'aria-label="Sunday 22 November 2026, 1 event">22</a>' in found.text
    assert f'href="http://localhost/event/{slug}/"' in found.text
