"""Images by id and address."""

import pytest

from calendar_api import database
from calendar_api.database.models import Image, Record
from calendar_api.store import images
from tests.conftest import CallerFactory

URL = "https://images.example/poster.png"


def test_no_image_is_no_problem(caller: CallerFactory) -> None:
    with database.read():
        assert images.problem(None, caller("contributor")) is None


def test_id_that_no_record_shows_is_known_to_those_who_edit_everything(caller: CallerFactory) -> None:
    with database.write():
        known = images.id_of(URL)

    with database.read():
        assert images.problem(known, caller("editor")) is None
        assert images.problem(known, caller("admin")) is None
        assert images.problem(known, caller("author")) == images.problem(999_999, caller("author"))


def test_unknown_id_is_a_problem(caller: CallerFactory) -> None:
    with database.write():
        venue = Record.create(kind="venue")

    with database.read():
        for unknown in (int(venue.id), 999_999):
            problem = images.problem(unknown, caller("admin")) or ""
            assert problem == "image must be the id of a known image, or the http(s) address of one."


@pytest.mark.parametrize(("login", "allowed"), [("admin", True), ("author", True), ("contributor", False)])
def test_address_needs_the_right_to_upload(caller: CallerFactory, login: str, allowed: bool) -> None:
    with database.read():
        assert (images.problem(URL, caller(login)) is None) is allowed


def test_address_is_recorded_once(caller: CallerFactory) -> None:
    with database.write():
        first, second, other = images.id_of(URL), images.id_of(URL), images.id_of(URL + "?2")

    assert first == second != other
    with database.read():
        assert Image.select().count() == 2
        assert Record.get_by_id(first).kind == "image"
        assert Image.get_by_id(first).url == URL


def test_id_and_nothing_are_taken_as_they_are(caller: CallerFactory) -> None:
    assert images.id_of(7) == 7
    assert images.id_of(None) is None


@pytest.mark.parametrize(
    ("url", "extension"),
    [
        (URL, "png"),
        ("https://images.example/A.JPEG?x=1.gif#y.z", "jpeg"),
        ("https://images.example/a.tar.gz", "gz"),
        ("https://images.example/", ""),
        ("https://images.example", ""),
        ("https://images.example/no-extension", ""),
        ("https://images.example/.hidden", ""),
        ("https://images.example/a.b-c", ""),
        ("https://images.example/a." + "x" * 21, ""),
    ],
)
def test_extension_is_that_of_the_path(caller: CallerFactory, url: str, extension: str) -> None:
    with database.write():
        image = Image.get_by_id(images.id_of(url))

    assert (image.extension, image.width, image.height, image.filesize) == (extension, None, None, None)


def test_images_by_ids(caller: CallerFactory) -> None:
    with database.write():
        a, b = images.id_of(URL), images.id_of(URL + "?2")

    with database.read():
        found = images.by_ids({a or 0, b or 0, 999_999})
        assert {id: image.url for id, image in found.items()} == {a: URL, b: URL + "?2"}
        assert images.by_ids(set()) == {}
