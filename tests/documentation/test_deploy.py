"""docs/deploy.md on a private machine: each way from nothing to the first event on the page.

systemd does not run there: `programs/systemctl` runs the commands of the units as their users. nginx, gunicorn, Apache
and MariaDB are real.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation import prepared, shell
from tests.documentation.running import Run
from tests.documentation.shell import CommandFailed, Shell
from tests.system import proxies
from tests.system.servers import CHECKOUT

pytestmark = [pytest.mark.system, pytest.mark.long]

DOCUMENT = CHECKOUT / "docs" / "deploy.md"
PRIVATE = ("etc", "home", "opt", "root", "run", "usr", "var")
HOSTS = {"calendar.example.org": "127.0.0.1", "www.example.org": "127.0.0.1"}
START = ("1. nginx and systemd", "Program")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Shell]:
    if os.geteuid():
        pytest.skip("only root can become the users of the services")
    environment = prepared.packages() | prepared.repository(tmp_path)
    with shell.started(tmp_path / "machine", private=PRIVATE, hosts=HOSTS, **environment) as started:
        yield started


def run(machine: Shell, *headings: str) -> None:
    Run(DOCUMENT, machine).all(*headings)


def create(machine: Shell, site: str) -> str:
    """Create a tag with a new password of ann; return its address."""
    password = re.findall(r"(?:\w{4} ){5}\w{4}", machine.run("calendar-api password add ann"))[0]
    command = f"curl -sS --insecure -u 'ann:{password}' {site}/calendar/events/v1/tags -d name=by-password"
    return re.findall(r'"self": ?"([^"]*)"', machine.run(command))[0]


def test_nginx_and_systemd(machine: Shell, tmp_path: Path) -> None:
    proxies.require("nginx")
    site = "https://calendar.example.org"
    run(machine, *START, "Service", "Certificate", "Site")

    assert create(machine, site).startswith(f"{site}/calendar/events/v1/tags/")
    redirect = machine.run("curl -s -o /dev/null -w '%{http_code} %{redirect_url}' http://calendar.example.org/events/")
    assert redirect == f"301 {site}/events/"
    assert machine.run("stat -c '%U %a' /var/lib/calendar-api/calendar.sqlite3") == "calendar-api 600"
    assert machine.run("stat -c '%U:%G %a' /run/calendar-api.sock") == "root:www-data 660"
    users = machine.run("ps -o user= -C gunicorn | sort -u")
    assert users == "calendar-api"

    check_backups(machine, tmp_path)
    check_upgrade(machine, tmp_path)
    check_logs(machine)


def check_backups(machine: Shell, folder: Path) -> None:
    mail = folder / "mail"
    machine.run(f"printf '#!/bin/sh\\ncat > {mail}\\n' > /usr/sbin/sendmail; chmod 755 /usr/sbin/sendmail")
    run(machine, "Backups")
    kept = machine.run("stat -c '%U %a %n' /var/backups/calendar-api/*").splitlines()
    assert [re.sub(r"[\dW-]{8,}", "DATE", line) for line in kept] == [
        "calendar-api 600 /var/backups/calendar-api/dailyDATE.sqlite3",
        "calendar-api 600 /var/backups/calendar-api/weeklyDATE.sqlite3",
    ]
    assert not mail.exists()

    command = machine.run("sed -n 's/^17 3 .*  root  //p' /etc/cron.d/calendar-api")
    assert machine.run(command) == ""
    machine.run("mv /var/backups/calendar-api /var/backups/away")
    with pytest.raises(CommandFailed, match="There is no directory /var/backups/calendar-api"):
        machine.run(command)
    with pytest.raises(CommandFailed, match="failed"):
        machine.run("systemctl start calendar-api-backup.service")
    machine.run("mv /var/backups/away /var/backups/calendar-api")
    assert mail.read_text("utf-8").startswith("Subject: calendar-api-backup failed on ")


def check_upgrade(machine: Shell, folder: Path) -> None:
    git = ["git", f"--git-dir={folder / 'repository'}", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "commit", "--allow-empty", "--message=Next"], check=True, capture_output=True, timeout=60)
    before = machine.run("readlink /opt/calendar-api/current")
    blocks_ = [block for block in Run(DOCUMENT, machine).chosen("Upgrade and rollback")]
    upgrade, back = blocks_[:2], blocks_[2:]
    for block in upgrade:
        Run(DOCUMENT, machine).block(block)
    after = machine.run("readlink /opt/calendar-api/current")
    served = machine.run("tr '\\0' ' ' < /proc/$(pgrep -o gunicorn)/cmdline")
    event = '{"title": "Late", "start_date": "2031-06-08", "end_date": "2031-06-08"}'
    machine.run(f"calendar-api import - <<'END'\n{event}\nEND")
    assert before != after
    assert served.startswith(after)
    assert "Late" in machine.run("curl -s --insecure https://calendar.example.org/events/")

    for block in back:
        Run(DOCUMENT, machine).block(block)
    assert machine.run("readlink /opt/calendar-api/current") == before
    page = machine.run("curl -s --insecure https://calendar.example.org/events/")
    assert "Concert in the park" in page
    assert "Late" not in page


def check_logs(machine: Shell) -> None:
    """Debian's own rule rotates the log."""
    log = "/var/log/nginx/calendar-api.log"
    assert '"path":"/events/"' in machine.run(f"cat {log}")
    machine.run("logrotate --force /etc/logrotate.d/nginx; nginx -s reopen")
    machine.run("curl -s --insecure https://calendar.example.org/months/ > /dev/null")
    assert machine.run(f"wc -l < {log}; ls {log}.1").splitlines() == ["1", f"{log}.1"]


def test_folder_of_a_site(machine: Shell) -> None:
    proxies.require("nginx")
    run(machine, *START, "Service", "In a folder of a site")
    site = "/etc/nginx/sites-available/default"
    machine.run(f"sed -i 's/server_name _;/server_name www.example.org;/' {site}")
    machine.run(f"sed -i '0,/server_name.*/{{/server_name/r /root/lines-for-the-site\n}}' {site}")
    machine.run("nginx -t && systemctl reload nginx")
    machine.run(EVENT)

    page = machine.run("curl -s -L http://www.example.org/calendar-site/events/")
    assert "Concert in the park" in page
    assert "https://www.example.org/calendar-site/event/" in page
    assert "Welcome to nginx" in machine.run("curl -s http://www.example.org/")


EVENT = """calendar-api import - <<'END'
{"title": "Concert in the park", "start_date": "2031-06-07 20:00", "end_date": "2031-06-07 22:30"}
END"""
