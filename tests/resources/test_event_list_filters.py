"""Event lists by id, parent, category, tag, venue, organizer, place and status.

tests/golden/conformance has each filter by itself, tests/store/test_event_filters.py their combinations.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import change, listed, refused, titles, trash

DEGREE = 111.1950  # kilometres of one degree of a great circle; exactly 111.19508 on our ball
ROLES = (None, "subscriber", "contributor", "author", "editor", "admin")
STATUSES = ("publish", "future", "draft", "pending", "private", "trash")


def made(client: Client, title: str, as_: str = "admin", **fields: Any) -> int:
    return int(factories.event(client, as_, title=title, **fields)["id"])


# -- terms


def term(client: Client, noun: str, slug: str, **fields: Any) -> int:
    make = factories.category if noun == "categories" else factories.tag
    return int(make(client, name=f"Name of {slug}", slug=slug, **fields)["id"])


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", ["categories", "tags"])
def test_several_terms_mean_any_of_them(client: Client, noun: str) -> None:
    one, two = term(client, noun, "one"), term(client, noun, "two")
    for title, terms in (("a", [one]), ("b", [two]), ("c", []), ("d", [one]), ("both", [one, two])):
        made(client, title, **{noun: terms})
    term(client, "tags" if noun == "categories" else "categories", "two")  # of another kind

    for query in (
        f"{noun}[]=one&{noun}[]=two", f"{noun}[0]=two&{noun}[1]={one}", f"{noun}=one%2C%20{two}%20,,",
        f"{noun}[x]=one&{noun}[y]=two", f"{noun}[]=one,two", f"{noun}=one&{noun}=two",
    ):  # fmt: skip
        assert titles(client, query) == ["a", "b", "d", "both"]
    # A mere name is known, and finds nothing.
    assert titles(client, f"{noun}=Name%20of%20one") == []
    assert titles(client, f"{noun}=name%20of%20ONE,two") == ["b", "both"]


@pytest.mark.both_databases
def test_categories_include_their_descendants_also_after_a_move(client: Client) -> None:
    found: dict[str, int] = {}
    tree = {"top": "", "other": "", "middle": "top", "bottom": "middle", "beside": "top"}
    for slug, above in tree.items():
        found[slug] = term(client, "categories", slug, parent=found.get(above, 0))
        made(client, slug, categories=[found[slug]])
    assert titles(client, "categories=top") == ["top", "middle", "bottom", "beside"]
    assert titles(client, f"categories={found['middle']}") == ["middle", "bottom"]
    assert titles(client, "categories=bottom,beside") == ["bottom", "beside"]

    moved = {"parent": found["other"]}
    client.post(f"/categories/{found['middle']}", moved, as_="admin", status=200)
    assert titles(client, "categories=top") == ["top", "beside"]
    assert titles(client, "categories=other") == ["other", "middle", "bottom"]


# -- venues and organizers


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_several_ids_mean_any_of_them(client: Client, noun: str) -> None:
    one, two, three, unused = (getattr(factories, noun)(client)["id"] for _ in range(4))
    for title, ids in zip("abcde", ([one], [two], [one, two], [three], []), strict=True):
        made(client, title, **{noun: ids})

    for query, found in (
        (f"{noun}[]={one}", "ac"), (f"{noun}[]={one}&{noun}[]={two}", "abc"),
        (f"{noun}[0]={three}&{noun}[1]={one}", "acd"), (f"{noun}={one},{two},{three},{unused}", "abcd"),
        (f"{noun}={two}%2C%20{unused}%20,,", "bc"), (f"{noun}={two},{two}", "bc"),
        (f"{noun}={one}&{noun}={three}", "acd"),
    ):  # fmt: skip
        assert titles(client, query) == list(found)


# -- ids and parents


@pytest.mark.both_databases
def test_ids_in_every_form_are_listed_by_their_start(client: Client) -> None:
    """Ordered by start; neither by publication nor as they were sent (docs/interface.md#sorting)."""
    third, second, first = (
        made(client, "abc"[day], start_date=factories.day(day), date=f"2025-01-1{day}") for day in (2, 1, 0)
    )
    made(client, "other")

    for query in (
        f"include[]={third}&include[]={first}&include[]={second}",
        f"include=%20{third}%20%2C{second},,{first},{third}",
        f"include[x]={second}&include[y]={third},{first}",
    ):
        assert titles(client, query) == ["a", "b", "c"]


def test_invalid_and_unknown_parameters_are_reported_together(client: Client) -> None:
    query = {"per_page": "many", "geoloc_lat": "north", "geoloc_lng": "1", "venue": "9999"}
    unknown = {"categories": "none", "tags": "nothing", "post_parent": "9999"}
    found = client.get("/events?status=draft", {**query, **unknown}, status=400).json["data"]["params"]
    assert found.keys() == {*query, *unknown, "status"} - {"geoloc_lng"}
    assert "90 to 90" in found["geoloc_lat"]


@pytest.mark.both_databases
def test_include_ignores_date_filters_and_is_anded_with_the_others(client: Client) -> None:
    """Past events too (docs/interface.md#event-filters)."""
    past = made(client, "past", start_date="2001-01-01 10:00:00", featured=True)
    far = made(client, "far", start_date="2999-01-01 10:00:00")
    ids = f"include={past},{far}"

    assert titles(client, ids) == ["past", "far"]
    for name in ("start_date", "starts_after", "ends_after", "end_date", "starts_before", "ends_before"):
        value = "2500-01-01" if name == "start_date" or name.endswith("after") else "1500-01-01"
        assert titles(client, f"{ids}&{name}={value}") == ["past", "far"]
        assert titles(client, f"{ids}&{name}={value}&strict_dates=1") == ["past", "far"]
    assert refused(client.get(f"/events?{ids}&start_date=abc", status=400)) == ["start_date"]
    assert titles(client, f"{ids}&featured=1") == ["past"]
    assert titles(client, f"{ids}&search=far") == ["far"]
    page = client.get(f"/events?{ids}&per_page=1&page=2").json
    assert [event["title"] for event in page["events"]] == ["far"]
    assert (page["total"], page["total_pages"]) == (2, 2)
    client.get(f"/events?{ids}&per_page=1&page=3", status=404)


@pytest.mark.both_databases
def test_children_of_an_event(client: Client) -> None:
    parent = made(client, "parent")
    one, two = (made(client, title, post_parent=parent) for title in ("one", "two"))
    made(client, "grandchild", post_parent=one)
    made(client, "draft", post_parent=parent, status="draft")
    assert titles(client, f"post_parent={parent}") == ["one", "two"]
    assert titles(client, f"post_parent={parent}", as_="editor") == ["one", "two", "draft"]
    assert titles(client, f"post_parent={two}") == []


# -- places; tests/store has distances all over the earth


def event_at(client: Client, title: str, lat: float, lng: float, **fields: Any) -> Any:
    venue = factories.venue(client, geo_lat=lat, geo_lng=lng, **fields)
    factories.event(client, title=title, venue=venue["id"])
    return venue


def near(client: Client, lat: float, lng: float, distance: float = 0, as_: str | None = None) -> list[str]:
    more = {"geoloc_distance": distance} if distance else {}
    return titles(client, as_=as_, geoloc_lat=lat, geoloc_lng=lng, **more)


@pytest.mark.both_databases
def test_geoloc_parts_the_list(client: Client) -> None:
    event_at(client, "with", 52.5, 13.4)
    event_at(client, "at nothing", 0, 0)
    factories.event(client, title="venue without", venue=factories.venue(client)["id"])
    factories.event(client, title="no venue")
    venues = [factories.venue(client)["id"]]
    venues += [factories.venue(client, geo_lat=1, geo_lng=lng)["id"] for lng in (1, 1.01)]
    factories.event(client, title="one of several", venue=venues)

    assert titles(client, geoloc="true") == ["with", "at nothing", "one of several"]
    assert titles(client, geoloc="0") == ["venue without", "no venue"]
    assert near(client, 1, 1) == ["one of several"]
    # A distance without a point filters nothing, and is not in the links.
    assert len(titles(client, geoloc_distance=1)) == 5
    assert "geoloc" not in client.get("/events?geoloc_distance=1").json["rest_url"]


@pytest.mark.both_databases
@pytest.mark.parametrize("trashed", [False, True])
def test_venue_that_the_caller_may_not_see_does_not_count(client: Client, trashed: bool) -> None:
    venue = event_at(client, "event", 10, 10, status="publish" if trashed else "draft")
    if trashed:
        trash(client, venue)
    for caller in (None, "author", "editor"):
        seen = ["event"] if caller == "editor" and not trashed else []
        assert titles(client, as_=caller, geoloc="true") == near(client, 10, 10, as_=caller) == seen
        assert titles(client, as_=caller, geoloc="false") == ([] if seen else ["event"])


def test_distances(client: Client) -> None:
    """25 kilometres unless said otherwise; the boundary counts to the metre, also at a pole."""
    event_at(client, "inside", 0, 24.99 / DEGREE)
    event_at(client, "outside", 0, 25.01 / DEGREE)
    event_at(client, "pole", -90, 77)
    event_at(client, "other side", 0, -180)

    assert near(client, 0, 0) == ["inside"]
    assert near(client, -89, 0, 111.1952) == ["pole"]
    assert near(client, -89, 0, 111.1949) == []
    assert len(near(client, 0, 0, 20038)) == 4
    assert near(client, -90, 77, 0.0001) == ["pole"]


@pytest.mark.parametrize("lat", [0, -60])
def test_across_the_180th_meridian(client: Client, lat: float) -> None:
    for title, lng in (("east", 179.9), ("line", 180), ("same line", -180), ("west", -179.9), ("far", 179)):
        event_at(client, title, lat, lng)
    for lng in (179.95, -179.95):
        assert near(client, lat, lng, 20) == ["east", "line", "same line", "west"]
    for lng in (180, -180):
        assert near(client, lat, lng, 0.001) == ["line", "same line"]


# -- statuses


def test_lists_show_exactly_what_can_be_read_one_by_one(client: Client) -> None:
    """Over every status, owner and role (docs/interface.md#visibility)."""
    for login in ("contributor", "author", "editor", "contributor2"):
        for status in STATUSES:
            fields = {"date": "2999-01-01"} if status == "future" else {"status": status}
            made(client, f"{login} {status}", author=client.ids[login], **fields)
    query = f"status={','.join(STATUSES)}"
    everything = listed(client, f"/events?{query}", "admin")
    assert len(everything) == 24

    for role in ROLES:
        read = [client.get(f"/events/{event['id']}", as_=role).status_int == 200 for event in everything]
        alone = [event["title"] for event, may in zip(everything, read, strict=True) if may]
        assert titles(client, "" if role in (None, "subscriber") else query, as_=role) == alone


@pytest.mark.both_databases
def test_publication_date_ahead_makes_an_event_future(client: Client) -> None:
    for title, status, date in (
        ("now", "publish", 0), ("ahead", "publish", 1), ("behind", "publish", -1), ("asked for", "future", 1),
        ("draft", "draft", 1),
    ):  # fmt: skip
        made(client, title, status=status, **({"date": factories.day(date)} if date else {}))

    assert titles(client) == ["now", "behind"]
    for status, found in (("publish", ["now", "behind"]), ("future", ["ahead", "asked for"])):
        assert titles(client, f"status={status}", as_="editor") == found
    statuses = [event["status"] for event in listed(client, "/events", "editor")]
    assert statuses == ["publish", "future", "publish", "future", "draft"]


def test_sticky_featured_and_changed_events_keep_their_place(client: Client) -> None:
    second = factories.event(client, title="second", start_date=factories.day(2), sticky=True, featured=True)
    made(client, "first", start_date=factories.day(1))
    made(client, "third", start_date=factories.day(3), date="2020-01-01")
    change(client, second, cost="5")
    assert titles(client) == ["first", "second", "third"]
