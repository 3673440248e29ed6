"""Forms, plain and multipart, with brackets and files (docs/interface.md#bodies)."""

from urllib.parse import urlencode

import pytest

from tests import factories
from tests.client import Client
from tests.resources.test_request_body import refused, sent

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"


def test_form_means_the_same_as_json(client: Client) -> None:
    same = {"title": "Tango & more", "start_date": "2031-01-01 10:00:00", "end_date": "2031-01-01 11:00:00"}
    form = {
        **same, "all_day": "true", "tags[]": ["a", "b"], "categories[0]": "one", "categories[1]": "two",
        "venue[venue]": "Hall", "venue[city]": "Rome", "organizer[0][organizer]": "Ann",
        "organizer[1][organizer]": "Bob",
    }  # fmt: skip
    document = {
        **same, "all_day": True, "tags": ["a", "b"], "categories": ["one", "two"],
        "venue": {"venue": "Hall", "city": "Rome"}, "organizer": [{"organizer": "Ann"}, {"organizer": "Bob"}],
    }  # fmt: skip

    by_form = client.post("/events", form=form, as_="admin", status=201).json
    by_json = client.post("/events", document, as_="admin", status=201).json

    assert {name for name in by_json if by_form[name] != by_json[name]} <= {
        "id", "uid", "global_id", "global_id_lineage", "url", "rest_url", "slug", "website", "modified",
        "modified_utc", "date", "date_utc", "categories", "tags",
    }  # fmt: skip
    for name in ("categories", "tags"):
        assert [term["id"] for term in by_form[name]] == [term["id"] for term in by_json[name]]


def test_form_text(client: Client) -> None:
    for raw, name in (
        ("name=café".encode(), "café"), (b"name=a+b%20c%C3%A9", "a b cé"), (b"name=first&name=last", "last"),
        (b"name=x&&=&;&[]=1&[a=1", "x"), (b"name=x%", "x%"),
    ):  # fmt: skip
        response = sent(client, raw, "Application/X-WWW-Form-URLencoded; charset=utf-8")
        assert (response.status_int, response.json["name"]) == (201, name)


def test_brackets_where_a_text_belongs_are_refused(client: Client) -> None:
    for raw in (b"name[]=x", b"name[a]=x", b"name[a][b][c]=x"):
        assert list(refused(sent(client, raw, FORM), 400, "rest_invalid_param")["params"]) == ["name"]


def multipart(*parts: bytes, end: bytes = b"--b--\r\n") -> bytes:
    return b"".join(b"--b\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + end


def test_multipart_means_the_same_as_a_form_and_files_are_passed_over(client: Client) -> None:
    fields = {
        "title": "Café", "start_date": "2031-01-01 10:00:00", "end_date": "2031-01-01 11:00:00",
        "tags[]": "a", "venue[venue]": "Hall",
    }  # fmt: skip
    file = b'name="description"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\x00\xff'
    parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
    response = sent(client, multipart(*parts, b'name="tags[]"\r\n\r\nb', file), MULTIPART, "/events")

    event = response.json
    assert (event["title"], event["venue"]["venue"], event["description"]) == ("Café", "Hall", "")
    assert [tag["name"] for tag in event["tags"]] == ["a", "b"]


def test_form_is_read_in_the_character_set_that_it_names(client: Client) -> None:
    latin = b"; charset=ISO-8859-1"
    part = multipart(b'name="name"\r\nContent-Type: text/plain' + latin + b"\r\n\r\ncaf\xe9 3")
    for raw, content_type, name in (
        (b"name=caf%E9", f"{FORM}{latin.decode()}", "café"), (part, MULTIPART, "café 3"),
        (b"name=caf\xe9+2", f'{FORM}; charset="latin1"', "café 2"),
        (b"name=%80", f"{FORM}; charset=windows-1252", "€"),
    ):  # fmt: skip
        response = sent(client, raw, content_type)
        assert (response.status_int, response.json["name"]) == (201, name)


def test_text_in_another_character_set_is_refused_and_not_guessed(client: Client) -> None:
    for raw, content_type in (
        (b"name=caf%E9", FORM), (b"name=caf\xe9", FORM), (b"name=caf%E9", f"{FORM}; charset=us-ascii"),
        (b"name=x", f"{FORM}; charset=utf-16"), (b"name=x", f"{FORM}; charset=a\0b"),
        (multipart(b'name="name"\r\n\r\ncaf\xe9'), MULTIPART),
    ):  # fmt: skip
        refused(sent(client, raw, content_type), 400, "rest_invalid_body")
    refused(sent(client, b"", "", "/tags?name=caf%E9"), 400, "rest_invalid_body")


def test_multipart_body_may_have_as_many_parts_as_a_form_has_values(client: Client) -> None:
    def parts(number: int) -> tuple[bytes, str]:
        named = [b'name="n%d"\r\n\r\nx' % part for part in range(number - 1)]
        return multipart(*named, b'name="name"\r\n\r\nx'), MULTIPART

    def values(number: int) -> tuple[bytes, str]:
        return b"name=x" + b"&n=x" * (number - 1), FORM

    assert sent(client, *parts(65)).status_int == 201
    for form in (parts, values):
        assert sent(client, *form(5000)).json["code"] == "term_exists"
        over = sent(client, *form(5001))
        refused(over, 400, "rest_invalid_param")
        assert over.json["message"] == "Send at most 5000 values at once."


@pytest.mark.parametrize("kind", ["form", "query", "multipart"])
def test_values_of_a_repeated_name_are_collected_where_a_list_belongs(client: Client, kind: str) -> None:
    pairs = [
        ("title", "lost"), ("title", "Fair"), ("start_date", "2031-06-07"), ("end_date", "2031-06-08"),
        ("categories", "A,B"), ("categories", "C"), ("tags", "a"), ("tags[]", "b"), ("tags", "c"),
        *[("venue", str(factories.venue(client)["id"])) for _ in range(2)],
        *[("organizer", str(factories.organizer(client)["id"])) for _ in range(2)],
    ]  # fmt: skip
    if kind == "multipart":
        raw = multipart(*[f'name="{name}"\r\n\r\n{value}'.encode() for name, value in pairs])
        made = sent(client, raw, MULTIPART, "/events").json
    elif kind == "form":
        made = sent(client, urlencode(pairs).encode(), FORM, "/events").json
    else:
        made = sent(client, b"", "", f"/events?{urlencode(pairs)}").json

    assert made["title"] == "Fair"
    assert [term["name"] for term in made["categories"]] == ["A", "B", "C"]
    assert [term["name"] for term in made["tags"]] == ["a", "b", "c"]
    assert (len(made["venue"]), len(made["organizer"])) == (2, 2)


def test_broken_multipart_is_refused(client: Client) -> None:
    named, kind = multipart(b'name="name"\r\n\r\nx'), "multipart/form-data"
    boundaries = ("", "; boundary=other", "; boundary=", "; boundary=" + "b" * 200)
    for raw, content_type in (
        *((named, f"{kind}{boundary}") for boundary in boundaries),
        (multipart(b'name="name"\r\n\r\nx', end=b""), MULTIPART), (b"--b\r\nno header at all", MULTIPART),
        (b'--b\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--b--\r\n', MULTIPART),
        (b"--b\r\nX: " + b"y" * 20000 + b"\r\n\r\nx\r\n--b--\r\n", MULTIPART),
    ):  # fmt: skip
        response = sent(client, raw, content_type)
        assert response.status_int == 400
        assert response.json["code"] in {"rest_invalid_body", "rest_missing_callback_param"}
