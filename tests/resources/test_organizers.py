"""What only organizers have: an e-mail address; and their website."""

from tests import factories
from tests.client import Client


def test_email_is_echoed(client: Client) -> None:
    for email in ("a.b+c@mail.example.co.uk", "ü@example.org", "ann@bücher.example", "A@EXAMPLE.org"):
        record = factories.organizer(client, email=email)

        assert record["email"] == email
        assert client.get(f"/organizers/{record['id']}", status=200).json["json_ld"]["email"] == email


def test_phone_that_is_zero_counts_as_empty(client: Client) -> None:
    assert "phone" not in factories.organizer(client, phone="0")
