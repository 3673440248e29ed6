"""The form for events."""

from tests.client import Client
from tests.editing import signed_in


def test_new(client: Client) -> None:
    browser = signed_in(client, "editor")
    page = browser.get("/edit/event/new/")
    page.showbrowser if False else None
    form = page.forms["form"]
    form["title"] = "Tea"
    form["start_day"] = "2031-05-01"
    form["start_time"] = "10:00"
    form["venue"] = "Hall"
    form["venue_city"] = "Ulm"
    made = form.submit("action", value="publish")
    assert made.status_int == 303, made.text
    print(made.location)
    page = made.follow()
    print(page.text)
    for path in ("/edit/", "/edit/events/", "/edit/?view=past", "/edit/waiting/"):
        print(browser.get(path).text)
    shown = page.forms["form"].submit("action", value="preview")
    print(shown.text)
    assert 0
