"""The form for the password of an event."""

import pytest

from tests import factories
from tests.client import Client
from tests.page_checks import SITE, check, get, text_of


def test_password_is_sent_in_a_form_and_opens_the_page(client: Client) -> None:
    event = factories.event(
        client, title="Supper", password="lantern", description="Under the bridge", venue={"venue": "Bridge"},
    )  # fmt: skip
    path = f"/event/{event['slug']}/"

    closed = get(client, path)
    sneaked = get(client, f"{path}?password=lantern")
    wrong = client.app.post(path, {"password": "candle"}, expect_errors=True)
    opened = client.app.post(path, {"password": "lantern"})
    empty = client.app.post(path, {"password": ""}, expect_errors=True)

    for page in (closed, sneaked, wrong):
        assert "Supper" in text_of(page)
        assert "ridge" not in page.text
        assert "ld+json" not in page.text
        assert '<form class="password" method="post"' in page.text
    assert "Under the bridge" in text_of(opened)
    assert "Bridge" in text_of(opened)
    assert "ld+json" not in opened.text
    assert wrong.status_int == 403
    assert "This is not the password." in text_of(wrong)
    assert empty.status_int == 400
    for page in (closed, sneaked, wrong, opened, empty):
        check(page)
        assert page.headers["Cache-Control"] == "private, no-store"
        assert page.headers["X-Robots-Tag"] == "noindex"
        assert "Set-Cookie" not in page.headers
    assert "ridge" not in get(client, "/events/").text


def test_form_sent_to_a_former_slug_is_sent_again_to_the_present_one(client: Client) -> None:
    event = factories.event(client, slug="former", password="lantern", description="Under the bridge")
    client.post(f"/events/{event['id']}", {"slug": "now"}, as_="admin", status=200)

    moved = client.app.post("/event/former/?embed=1", {"password": "lantern"}, status=308)

    assert moved.headers["Location"] == f"{SITE}/event/now/?embed=1"
    assert "Under the bridge" in client.app.post(moved.headers["Location"], {"password": "lantern"}).text
    check(client.app.post("/event/absent/", {"password": "lantern"}, status=404))


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"password": ["lantern"]}', "application/json", (400, 403)),
        (b'{"password": 5}', "application/json", (400, 403)),
        (b'{"password": null}', "application/json", (400, 403)),
        (b"{", "application/json", (400,)),
        (b"password=%00", "application/x-www-form-urlencoded", (400,)),
        (b"password=" + b"x" * 300, "application/x-www-form-urlencoded", (400,)),
        (b"", "application/x-www-form-urlencoded", (403,)),
        (b"password=lantern", "text/plain", (403, 415)),
    ],
)
def test_odd_bodies_are_refused_with_a_page(
    client: Client, body: bytes, content_type: str, status: tuple[int, ...]
) -> None:
    event = factories.event(client, password="lantern", description="Under the bridge")

    page = client.app.post(f"/event/{event['slug']}/", body, content_type=content_type, expect_errors=True)

    assert page.status_int in status
    check(page)
    assert "bridge" not in page.text


def test_guesses_are_limited_as_in_the_interface(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    event = factories.event(client, title="Supper", password="lantern")
    path = f"/event/{event['slug']}/"

    for number in range(10):
        client.app.post(path, {"password": f"guess {number}"}, status=403)
    blocked = client.app.post(path, {"password": "lantern"}, status=429)

    check(blocked)
    assert int(blocked.headers["Retry-After"]) > 0
    client.get(f"/events/{event['id']}", {"password": "lantern"}, status=429)
    log = capfd.readouterr().err
    assert "event_password_failed" in log
    assert "lantern" not in log.replace('"password":"lantern"', "x")
    assert "guess" not in log
