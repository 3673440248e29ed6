"""Pages of venues, organizers, categories and tags."""

import re

import pytest
from webtest import TestResponse

from tests import factories
from tests.client import Client


def page(client: Client, path: str, status: int = 200, **headers: str) -> TestResponse:
    return client.app.get(path, status=status, headers=headers)


def titles(found: TestResponse) -> list[str]:
    return re.findall(r'class="name"><a href="[^"]*">([^<]*)<', found.text)
