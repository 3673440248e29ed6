"""Working with the form for an event, as a person does."""

import re
from typing import Any

from webtest import TestResponse

from calendar_api.database.models import Event
from tests.editing import Browser

Json = dict[str, Any]
HOSTILE = "\"><script>alert(1)</script>{{ 7 * 7 }} </textarea><img src=x onerror=alert(1)> &amp; 'x'"
WHEN = {"start_day": "2031-05-01", "start_time": "10:00"}


def fill(form: Any, fields: Json) -> None:
    """Enter values; a list checks these boxes of a name and no others."""
    for name, value in fields.items():
        if not isinstance(value, list):
            form[name] = value
            continue
        for box in form.fields[name]:
            box.checked = box._value in value


def send(page: TestResponse, action: str, status: int = 303, **fields: Any) -> TestResponse:
    """Enter the fields and push the button of an action."""
    form = page.forms["form"]
    fill(form, fields)
    sent: TestResponse = form.submit("action", value=action, expect_errors=True)
    assert sent.status_int == status, sent.text[:3000]
    return sent


def create(browser: Browser, action: str = "publish", path: str = "/edit/event/new/", **fields: Any) -> int:
    """The id of a new event."""
    sent = send(browser.get(path), action, **{"title": "Tea", **WHEN, **fields})
    return made(sent)


def made(sent: TestResponse) -> int:
    found = re.search(r"/edit/event/(\d+)/\?done=\w+$", sent.location)
    assert found, sent.location
    return int(found[1])


def errors(page: TestResponse) -> dict[str, str]:
    """The summary of problems: texts by the inputs to which they lead, which exist."""
    box = page.html.find(class_="errors")
    found = {link["href"][1:]: link.text for link in box.find_all("a")} if box else {}
    for name in found:
        assert page.html.find(id=name) is not None, name
    return found


def undo_fields(page: TestResponse) -> dict[str, str]:
    """What the button sends that undoes what was just done."""
    inputs = page.html.find(class_="done").form.find_all("input")
    return {field["name"]: field["value"] for field in inputs}


def versions() -> dict[int, int]:
    """The version of each event, which every write increases."""
    return {int(row.id): row.version for row in Event.select(Event.id, Event.version)}
