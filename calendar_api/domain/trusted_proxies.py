"""Trusted proxies, and the address of the client behind them."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNIX_SOCKET = "unix"  # stands for every peer of a Unix socket, which has no address
_MAX_ADDRESS = 60  # characters; limits the size of the cache
_MAX_HOPS = 20  # of X-Forwarded-For


class Proxies:
    """The addresses and networks of the trusted proxies."""

    def __init__(self, networks: Sequence[str]) -> None:
        self.by_socket = UNIX_SOCKET in networks
        self.networks = [ipaddress.ip_network(name) for name in networks if name != UNIX_SOCKET]

    def trusts(self, peer: str) -> bool:
        """Return whether the forwarded headers of this peer (REMOTE_ADDR) are trusted."""
        address = _parsed(peer) if self.networks else None
        if address is None:
            return self.by_socket and not peer
        return any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: str | None) -> str:
        """Return the address of the client: the last one in X-Forwarded-For that is not a trusted proxy."""
        client = _text(peer)
        if forwarded is None or not self.trusts(peer):
            return client
        for hop in reversed(forwarded.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]):
            address = _parsed(_without_port(hop.strip()))
            if address is None:
                break
            client = str(address)
            if not self.trusts(client):
                break
        return client


@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """Return the network that counts as one client: the /64 of an IPv6 address, an IPv4 address itself.

    >>> network("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::/64'
    """
    found = _parsed(address)
    if found is None:
        return ""
    return str(ipaddress.ip_network((found, 64 if found.version == 6 else 32), strict=False))


def _parsed(address: str) -> Address | None:
    return _parse(address) if len(address) <= _MAX_ADDRESS else None


@lru_cache(maxsize=1024)
def _parse(address: str) -> Address | None:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


@lru_cache(maxsize=1024)
def _text(peer: str) -> str:
    """Return an address in its canonical form; "" for a Unix socket."""
    return str(_parsed(peer) or "")


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
