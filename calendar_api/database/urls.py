"""Parse the URL of a database: `sqlite:///path` or `mysql://user:secret@host/name`."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

MYSQL_PORT = 3306
Host = tuple[str, int]
_OPTIONS = ("unix_socket", "ssl_ca")
_SPELLING = (
    "give sqlite:///path/to/file (four slashes for an absolute path) or mysql://user:password@host/name "
    "(several hosts with commas between; special characters of the password as %XX)"
)


class SqliteAddress(NamedTuple):
    path: Path


class MysqlAddress(NamedTuple):
    """`hosts` in the order in which they are tried; `unix_socket` and `ssl_ca` are paths, or ""."""

    user: str
    password: str
    hosts: tuple[Host, ...]
    name: str
    unix_socket: str = ""
    ssl_ca: str = ""


def parse(url: str) -> SqliteAddress | MysqlAddress:
    """Return the parts of a URL. Raises ValueError with a sentence for the operator.

    >>> parse("mysql://me:a%40b@one,two:3307/calendar").hosts
    (('one', 3306), ('two', 3307))
    """
    if re.match(r"sqlite:///.", url):
        return SqliteAddress(Path(unquote(url.removeprefix("sqlite:///"))))
    match = re.fullmatch(r"mysql://(?P<login>.+)@(?P<hosts>[^/@]+)/(?P<name>[^/?#]+)(?:\?(?P<more>.*))?", url)
    if match is None:
        raise ValueError(_SPELLING)
    user, _, password = match["login"].partition(":")
    options = dict(parse_qsl(match["more"] or "", keep_blank_values=True))
    unknown = sorted(options.keys() - set(_OPTIONS))
    if unknown or not user:
        raise ValueError(f"the options after ? are {' and '.join(_OPTIONS)}" if unknown else _SPELLING)
    hosts = tuple(_host(host) for host in match["hosts"].split(","))
    return MysqlAddress(unquote(user), unquote(password), hosts, unquote(match["name"]), **options)


def _host(text: str) -> Host:
    match = re.fullmatch(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?", text)
    port = int(match[2] or MYSQL_PORT) if match else 0
    if match is None or not 0 < port < 65_536:
        raise ValueError(_SPELLING)
    return match[1].strip("[]"), port
