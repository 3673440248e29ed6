"""`calendar-api check` reports each problem with its fix; only critical ones make it fail."""

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.commands import check
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.diagnostics import Finding
from calendar_api.database.models import User
from calendar_api.database.sqlite import checks as sqlite_checks
from calendar_api.database.sqlite import driver
from calendar_api.domain.errors import DatabaseUnavailable
from tests import factories
from tests.client import Client
from tests.command_line import Run
from tests.mariadb import MariaDb
from tests.templates import opened, path_of

SITE = {"base_url": "https://calendar.example.org"}


@pytest.fixture(autouse=True)
def private(request: pytest.FixtureRequest) -> None:
    """The folder and the file as the service makes them."""
    if "database_url" in request.fixturenames:
        url = request.getfixturevalue("database_url")
        if url.startswith("sqlite"):
            path_of(url).chmod(0o600)
            path_of(url).parent.chmod(0o700)


def found(url: str, **settings: object) -> list[Finding]:
    database.bind(url)
    try:
        return check.run(Config(database_url=url, **{**SITE, **settings}))
    finally:
        database.close_connection()


def dangers(url: str, **settings: object) -> list[str]:
    return [one.text for one in found(url, **settings) if one.critical]


@pytest.mark.sqlite
@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees what others may not")
def test_sound_service_passes_and_nothing_is_changed(
    run: Run, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("CALENDAR_BASE_URL", SITE["base_url"])
    database.close_connection()
    before = path_of(database_url).read_bytes()

    status, out, err = run("check")

    assert (status, err) == (0, "")
    assert "critical: " not in out
    assert out.splitlines()[-1].startswith("0 critical, ")
    assert out.splitlines()[-2] == f"database: {driver.NAME}"
    assert path_of(database_url).read_bytes() == before


@pytest.mark.sqlite
@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees what others may not")
def test_quiet_check_prints_critical_problems_only(
    run: Run, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    assert run("check", "--quiet") == run("check", "--quiet", "--json") == (0, "", "")

    monkeypatch.setenv("CALENDAR_TRUSTED_PROXIES", "0.0.0.0/0")
    status, out, err = run("check", "--quiet")

    assert (status, err, out.count("\n")) == (1, "", 2)
    assert out.startswith("critical: CALENDAR_TRUSTED_PROXIES contains 0.0.0.0/0")
    (critical,) = json.loads(run("check", "--quiet", "--json")[1])["findings"]
    every = json.loads(run("check", "--json")[1])
    assert (critical["severity"], every["database"]) == ("critical", driver.NAME)
    assert critical in every["findings"][:-1]


@pytest.mark.mariadb
def test_server_is_named_with_its_version(run: Run) -> None:
    assert re.fullmatch(r"database: server version 1\d\.\S*MariaDB\S*", run("check")[1].splitlines()[-2])


@pytest.mark.sqlite
def test_critical_findings_come_first_with_their_fix_and_fail(run: Run, database_url: str) -> None:
    path = path_of(database_url)
    path.chmod(0o644)

    status, out, _ = run("check")

    first = f"critical: Other accounts of this machine can read {path}.\n    chmod 600 {path}\n"
    assert (status, out.startswith(first)) == (1, True)
    assert "\nadvisory: No public address is set" in out


@pytest.mark.sqlite
def test_sqlite_with_a_known_bug(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FIXED", (99, 0, 0))

    (text,) = (one.text for one in found(database_url) if "rare bug" in one.text)

    assert text.startswith(f"SQLite {driver.TEXT} has a rare bug, fixed in 3.51.3")


@pytest.mark.sqlite
@pytest.mark.parametrize(("mode", "expected"), [(0o755, [False]), (0o777, [True]), (0o700, [])])
def test_folder_that_others_can_use(database_url: str, mode: int, expected: list[bool]) -> None:
    path_of(database_url).parent.chmod(mode)

    told = [one.critical for one in found(database_url) if "Other accounts" in one.text]
    path_of(database_url).parent.chmod(0o700)

    assert told == expected


@pytest.mark.sqlite
def test_database_below_a_web_root(database_url: str, tmp_path: Path) -> None:
    path = path_of(database_url)
    database.close_connection()
    inside = tmp_path / "WWW" / "data"
    inside.mkdir(parents=True, mode=0o700)
    path.rename(inside / path.name)

    (text,) = dangers(f"sqlite:///{inside / path.name}")

    assert "WWW" in text


@pytest.mark.parametrize(
    ("mount", "warned"),
    [("nfs4", True), ("fuse.sshfs", True), ("cifs", True), ("ext4", False), ("tmpfs", False)],
)
def test_network_drive(mount: str, warned: bool) -> None:
    mounts = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"35 22 0:50 / /srv/a\\040folder rw shared:2 - {mount} server:/x rw\n"
        "36 22 0:51 / /srv/other rw - nfs server:/y rw\n"
    )

    told = list(sqlite_checks._location(Path("/srv/a folder/calendar.sqlite3"), mounts))

    assert [mount in one.text for one in told] == [True] * warned


@pytest.mark.parametrize(
    ("version", "old"),
    [((3, 40, 1), True), ((3, 51, 2), True), ((3, 51, 3), False), ((3, 52, 0), True), ((3, 53, 0), False)],
)
def test_old_library(version: tuple[int, ...], old: bool) -> None:
    assert driver.is_sound(version) is not old


@pytest.mark.sqlite
def test_settings_of_a_connection_that_is_not_ours() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        first, _ = sqlite_checks._settings(connection)

    assert "journal_mode = memory" in first.text


@pytest.mark.sqlite
def test_damage_and_dangling_rows(client: Client, database_url: str) -> None:
    factories.event(client, venue={"venue": "V"})
    database.close_connection()
    connection = opened(path_of(database_url))
    connection.execute("DELETE FROM venue")
    connection.close()

    assert any("rows of event_venue refer to rows that are missing" in text for text in dangers(database_url))

    content = bytearray(path_of(database_url).read_bytes())
    for page in range(8 * 4096, len(content), 4096):
        content[page : page + 64] = b"\xa5" * 64
    path_of(database_url).write_bytes(bytes(content))

    assert dangers(database_url) != []


@pytest.mark.sqlite
def test_file_that_is_no_database_and_none_at_all(database_url: str, tmp_path: Path) -> None:
    database.close_connection()
    path_of(database_url).write_bytes(b"no database" * 1000)

    (foreign,) = dangers(database_url)
    (missing,) = dangers(f"sqlite:///{tmp_path}/none/calendar.sqlite3")

    assert "does not answer" in foreign
    assert "calendar-api migrate" in missing
    assert not (tmp_path / "none").exists()


def test_schema_of_a_newer_release(database_url: str) -> None:
    with database.write():
        database.db.execute_sql(
            "INSERT INTO schema_migration (name, applied) VALUES ('0099_later', '2030-01-01 00:00:00')"
        )

    assert any("newer release" in text for text in dangers(database_url))
    with pytest.raises(DatabaseUnavailable, match="newer release"):
        migrate.migrate()
    database.close_connection()


@pytest.mark.parametrize(("editing", "command"), [("on", "user invite"), ("off", "user add")])
def test_no_administrator(database_url: str, editing: str, command: str) -> None:
    with database.write():
        User.update(role="editor").execute()

    (one,) = [one for one in found(database_url, editing=editing) if "administrator" in one.text]

    assert one == Finding("There is no administrator.", f"calendar-api {command} NAME --role administrator")


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"base_url": ""}, {"only this machine": False}),
        ({"base_url": "", "allowed_hosts": ("example.org",)}, {"links show the host name": False}),
        ({"base_url": "http://example.org"}, {"unencrypted": True}),
        ({"base_url": "http://127.0.0.1:8000"}, {}),
        ({"base_url": "https://example.org/calendar"}, {"robots.txt": False}),
        ({"base_url": "https://example.org/calendar", "pages": "off"}, {}),
        ({"trusted_proxies": ("0.0.0.0/0",)}, {"0.0.0.0/0": True}),
        ({"trusted_proxies": ("::/0",)}, {"::/0": True}),
        ({"trusted_proxies": ("10.0.0.0/8", "127.0.0.1/32", "unix")}, {}),
    ],
)
def test_settings(settings: dict[str, object], wanted: dict[str, bool]) -> None:
    config = Config(**{**SITE, **settings})

    told = [*check._addresses(config), *check._proxies(config)]

    assert [one.critical for one in told] == list(wanted.values())
    assert all(text in one.text for text, one in zip(wanted, told, strict=True))


@pytest.mark.mariadb
def test_server_that_loses_writes_and_account_that_may_too_much(
    database_url: str, mariadb_server: MariaDb
) -> None:
    mariadb_server.root("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
    try:
        told = found(database_url)
    finally:
        mariadb_server.root("SET GLOBAL innodb_flush_log_at_trx_commit = 1")

    assert [one.critical for one in told if "power cut" in one.text] == [True]
    assert [one.critical for one in told if "privileges beyond" in one.text] == [False]


@pytest.mark.mariadb
def test_account_with_the_rights_that_it_needs(database_url: str, mariadb_server: MariaDb) -> None:
    mariadb_server.root(
        "CREATE USER modest@'127.0.0.1' IDENTIFIED BY 'modest'",
        "GRANT ALL ON template.* TO modest@'127.0.0.1'",
    )
    try:
        told = found(f"mysql://modest:modest@127.0.0.1:{mariadb_server.port}/template")
    finally:
        mariadb_server.root("DROP USER modest@'127.0.0.1'")

    assert [one.text for one in told if one.critical or "account" in one.text] == []


@pytest.mark.mariadb
def test_server_that_does_not_answer_is_named_without_its_password() -> None:
    (text,) = dangers("mysql://nobody:secret-word@127.0.0.1:1/nothing")

    assert "does not answer" in text
    assert "secret-word" not in text


def test_template_that_cannot_be_read(client: Client, database_url: str, tmp_path: Path) -> None:
    (tmp_path / "base.html").write_text('{% extends "calendar/base.html" %}')
    assert not any("theme" in one.text for one in found(database_url, theme=str(tmp_path)))

    (tmp_path / "event.html").write_text("<p>\n{% if %}")
    (danger,) = [one for one in found(database_url, theme=str(tmp_path)) if "theme" in one.text]
    assert danger.critical
    assert "event.html of the theme cannot be read: line 2" in danger.text
    assert not any("theme" in one.text for one in found(database_url, theme=str(tmp_path), pages="off"))
