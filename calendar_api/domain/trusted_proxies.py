"""Who is at the other end: whose forwarded headers are believed, and which address asks (pure)."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNIX_SOCKET = "unix"  # whoever comes by a Unix socket, and so has no address
_LONGEST = 60  # characters of an address; nothing longer is remembered
_HOPS = 20  # of a header that anybody can make as long as they like


class Proxies:
    """The proxies that the operator trusts, as addresses or networks."""

    def __init__(self, networks: Sequence[str]) -> None:
        self.by_socket = UNIX_SOCKET in networks
        self.networks = [ipaddress.ip_network(name) for name in networks if name != UNIX_SOCKET]

    def trusts(self, peer: str) -> bool:
        """Whether the forwarded headers of this peer are believed; `peer` is what the server calls it."""
        found = _parsed(peer)
        if found is None:
            return self.by_socket and not peer
        return any(found in network for network in self.networks)

    def client(self, peer: str, forwarded: str | None) -> str:
        """The address that asks: the last one in X-Forwarded-For that no trusted proxy has."""
        found = str(_parsed(peer) or "")
        if forwarded is None or not self.trusts(peer):
            return found
        for hop in reversed(forwarded.rsplit(",", _HOPS)[-_HOPS:]):
            further = _parsed(_without_port(hop.strip()))
            if further is None:
                break
            found = str(further)
            if not self.trusts(found):
                break
        return found


@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """The neighbourhood that counts as one: of IPv6 the /64 that a household has, of IPv4 the address.

    >>> network("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::/64'
    """
    found = _parsed(address)
    if found is None:
        return ""
    return str(ipaddress.ip_network((found, 64 if found.version == 6 else 32), strict=False))


def _parsed(address: str) -> Address | None:
    return _address(address) if len(address) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _address(address: str) -> Address | None:
    """Remembered, because the same few ask again and again."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
