"""The address of the client behind trusted proxies, and its network."""

import pytest

from calendar_api.domain.trusted_proxies import Proxies, network


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.9", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, garbage", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", ", ".join(["10.0.0.2"] * 1000), "10.0.0.2"),
        ("10.0.0.1", "1.1.1.1, " * 80_000 + "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1" + " " * 700_000, "198.51.100.1"),
        ("10.0.0.1", "1" * 700_000, "10.0.0.1"),
        ("", "198.51.100.1", ""),
    ],
)
def test_client_of_a_chain_of_proxies(peer: str, forwarded: str | None, client: str) -> None:
    assert Proxies(("10.0.0.0/8",)).client(peer, forwarded) == client


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("192.0.2.1", "192.0.2.1/32"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1/32"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_network(address: str, found: str) -> None:
    assert network(address) == found


@pytest.mark.parametrize(
    ("peer", "client"), [("", "198.51.100.1"), ("192.0.2.1", "192.0.2.1"), ("@", ""), ("unix:", "")]
)
def test_unix_socket_is_trusted_only_when_it_is_named(peer: str, client: str) -> None:
    assert Proxies(("unix",)).client(peer, "198.51.100.1") == client
    assert Proxies(()).client(peer, "198.51.100.1") in ("", peer)
