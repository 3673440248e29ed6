from tests import factories
from tests.client import Client


def test_smoke(client: Client) -> None:
    made = factories.event(
        client, venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}], tags="a,b", cost="10"
    )
    assert client.get(f"/events/{made['id']}", status=200).json["title"] == made["title"]
    assert client.get("/events", status=200).json["total"] == 1
    for kind in ("venues", "organizers", "categories", "tags"):
        client.get(f"/{kind}", status=200)
        client.send("OPTIONS", f"/{kind}", status=200)
        client.send("HEAD", f"/{kind}", status=200)
    client.get("/", status=200)
    client.get("/nothing", status=404)
    client.put("/events", {}, status=405)
