"""The records that scenarios about lists and filters begin with; they are sent, but not written down."""

from tests.conformance.play import Play

FULL_EVENT = {
    "title": "Winter concert",
    "description": "<p>Two hours of <strong>brass</strong>.</p>",
    "excerpt": "Brass in the hall",
    "slug": "winter-concert",
    "status": "publish",
    "date": "2026-11-01 08:00:00",
    "timezone": "Europe/Berlin",
    "all_day": False,
    "start_date": "2026-12-05 19:00:00",
    "end_date": "2026-12-05 21:00:00",
    "image": "https://images.example.org/brass.jpg",
    "cost": "12 - 18",
    "website": "https://brass.example.org/",
    "show_map": True,
    "show_map_link": True,
    "hide_from_listings": False,
    "sticky": True,
    "featured": True,
    "post_parent": 0,
    "ticketed": True,
}
FULL_VENUE = {
    "venue": "Harbour Hall",
    "description": "By the water.",
    "address": "1 Quay Street",
    "city": "Kiel",
    "country": "Germany",
    "province": "Schleswig-Holstein",
    "zip": "24103",
    "phone": "+49 431 100",
    "website": "https://hall.example.org/",
    "show_map": True,
    "show_map_link": "yes",
    "geo_lat": 54.32,
    "geo_lng": 10.13,
}
FULL_ORGANIZER = {
    "organizer": "Brass Society",
    "description": "Since 1902.",
    "phone": "+49 431 200",
    "website": "https://society.example.org/",
    "email": "brass@example.org",
}


def town(play: Play) -> None:
    """Two venues, two organizers, terms, and seven events of different kinds from 2026-10 to 2028-01."""
    play.recording = False
    _terms(play)
    _linked(play)
    _events(play)
    play.recording = True


def _terms(play: Play) -> None:
    for path, name, more in (
        ("categories", "Music", {"description": "All that sounds"}),
        ("categories", "Brass music", {"parent": "{music}"}),
        ("categories", "Sport", {}),
        ("categories", "Empty shelf", {}),
        ("tags", "Evening", {}),
        ("tags", "Outdoor", {"description": "Bring a coat"}),
        ("tags", "Nobody", {}),
    ):
        play(f"POST /{path}", {"name": name, **more}, as_="admin", save=name.lower().replace(" ", "_"))


def _linked(play: Play) -> None:
    park = {"venue": "Castle Park", "city": "Plön", "date": "2026-10-02 09:00:00"}
    play("POST /venues", {**FULL_VENUE, "date": "2026-10-01 09:00:00"}, as_="admin", save="hall")
    play("POST /venues", park, as_="editor", save="park")
    play("POST /organizers", {**FULL_ORGANIZER, "date": "2026-10-01 09:00:00"}, as_="admin", save="society")
    club = {"organizer": "Rowing Club", "email": "oars@example.org", "date": "2026-10-02 09:00:00"}
    play("POST /organizers", club, as_="editor", save="club")


def _events(play: Play) -> None:
    for save, as_, fields in (
        ("past", "admin", {"title": "Harvest market", "start_date": "2026-10-03 09:00", "tags": "outdoor"}),
        (
            "concert",
            "admin",
            {**FULL_EVENT, "categories": "music,brass-music", "tags": "evening", "venue": "{hall}"},
        ),
        (
            "regatta",
            "editor",
            {
                "title": "New year regatta",
                "start_date": "2027-01-01",
                "all_day": True,
                "categories": ["{sport}"],
                "tags": ["{outdoor}"],
                "venue": "{park}",
                "organizer": ["{club}", "{society}"],
            },
        ),
        (
            "locked",
            "author",
            {
                "title": "Members' night",
                "start_date": "2027-02-01 20:00",
                "password": "open sesame",
                "excerpt": "Secret handshake",
                "venue": "{hall}",
            },
        ),
        ("hidden", "admin", {"title": "Rehearsal", "start_date": "2027-03-01 18:00", "status": "private"}),
        ("draft", "author", {"title": "Draft talk", "start_date": "2027-04-01 18:00", "status": "draft"}),
        (
            "child",
            "admin",
            {
                "title": "Concert encore",
                "start_date": "2027-05-05 19:00",
                "post_parent": "{concert}",
                "categories": ["{brass_music}"],
                "hide_from_listings": True,
            },
        ),
        ("far", "admin", {"title": "Jubilee", "start_date": "2029-01-01 12:00", "organizer": "{society}"}),
    ):
        body = {"end_date": fields["start_date"], **fields}
        if save == "past":
            body["end_date"] = "2026-10-03 17:00"
        play("POST /events", body, as_=as_, save=save)
