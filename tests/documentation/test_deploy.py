"""docs/deploy.md: each way from nothing to the first event on the page.

systemd does not run here: `programs/systemctl` runs the commands of the units as their users. nginx,
gunicorn, Apache and MariaDB are real.
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
RETRY = "--retry 20 --retry-delay 1 --retry-all-errors"
START = ("1. nginx and systemd", "Release", "Settings")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Shell]:
    if os.geteuid():
        pytest.skip("only root can become the users of the services")
    environment = prepared.packages() | prepared.repository(tmp_path)
    with shell.started(tmp_path / "machine", private=PRIVATE, hosts=HOSTS, **environment) as started:
        yield started


def run(machine: Shell, *headings: str) -> None:
    Run(DOCUMENT, machine).all(*headings)


def inline(pattern: str) -> list[str]:
    """Commands and lines in the text between blocks."""
    return re.findall(f"`({pattern})`", DOCUMENT.read_text("utf-8"))


def create(machine: Shell, site: str) -> str:
    """Create a tag with a new password of ann; return its address."""
    password = re.findall(r"(?:\w{4} ){5}\w{4}", machine.run("calendar-api password add ann"))[0]
    command = f"curl -sS --insecure -u 'ann:{password}' {site}/calendar/events/v1/tags -d name=by-password"
    return re.findall(r'"self": ?"([^"]*)"', machine.run(command))[0]


def check_link(machine: Shell, printed: str, site: str, opened: str) -> None:
    """The link to choose a password begins with `site`, and leads to a form where it is `opened`."""
    link = printed.partition(": ")[2].split()[0]
    assert link.startswith(f"{site}/edit/invitation/?token=")
    form = machine.run(f"curl -s -L -c jar --insecure '{link.replace(site, opened)}'")
    assert 'type="password"' in form


def test_nginx_and_systemd(machine: Shell, tmp_path: Path) -> None:
    proxies.require("nginx")
    site = "https://calendar.example.org"
    run(machine, *START, "Service", "Proxy", "Certificate", "Site")

    assert create(machine, site).startswith(f"{site}/calendar/events/v1/tags/")
    check_link(machine, machine.run("calendar-api user invite ann --reset"), site, site)
    redirect = machine.run(
        "curl -s -o /dev/null -w '%{http_code} %{redirect_url}' http://calendar.example.org/events/"
    )
    assert redirect == f"301 {site}/events/"
    machine.run("install -D /dev/stdin /var/www/html/.well-known/acme-challenge/x <<< proof")
    assert machine.run("curl -s http://calendar.example.org/.well-known/acme-challenge/x") == "proof"
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

    (cron,) = inline(r"install .*/etc/cron.d/calendar-api")
    machine.run(cron)
    command = machine.run("sed -n 's/^17 3 .*  root  //p' /etc/cron.d/calendar-api")
    assert machine.run(command) == ""
    machine.run("mv /var/backups/calendar-api /var/backups/away")
    with pytest.raises(CommandFailed, match="There is no directory /var/backups/calendar-api"):
        machine.run(command)
    with pytest.raises(CommandFailed, match="failed"):
        machine.run("systemctl start calendar-api-backup.service")
    machine.run("mv /var/backups/away /var/backups/calendar-api")
    assert mail.read_text("utf-8").startswith("Subject: calendar-api-backup failed on ")


#: A migration of the next release, which the old one does not know.
MIGRATION = """
def up(migrator, db):
    db.execute_sql("CREATE TABLE next_release (id INTEGER)")
"""


def release(folder: Path) -> None:
    """Add a release with another schema to the repository."""
    checkout, repository = folder / "next", folder / "repository"
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git = ["git", "-C", str(checkout), *identity]

    def run_git(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    run_git("git", "clone", str(repository), str(checkout))
    (checkout / "calendar_api/database/migrations/9999_next.py").write_text(MIGRATION, "utf-8")
    run_git(*git, "add", "--all")
    run_git(*git, "commit", "--message=Next release")
    run_git(*git, "push", "origin", "HEAD:next")
    run_git("git", f"--git-dir={repository}", "update-ref", "refs/heads/main", "refs/heads/next")


def check_upgrade(machine: Shell, folder: Path) -> None:
    release(folder)
    before = machine.run("readlink /opt/calendar-api/current")
    upgrade, back = Run(DOCUMENT, machine).chosen("Upgrade and rollback")
    run(machine, "Release")
    Run(DOCUMENT, machine).block(upgrade)
    after = machine.run("readlink /opt/calendar-api/current")
    served = machine.run("tr '\\0' ' ' < /proc/$(pgrep -o gunicorn)/cmdline")
    event = '{"title": "Late", "start_date": "2031-06-08", "end_date": "2031-06-08"}'
    machine.run(f"calendar-api import - <<'END'\n{event}\nEND")
    assert before != after
    assert "9999_next" in machine.run("calendar-api migrate --status")
    assert served.startswith(after)
    assert "Late" in machine.run("curl -s --insecure https://calendar.example.org/events/")

    Run(DOCUMENT, machine).block(back)
    assert machine.run("readlink /opt/calendar-api/current") == before
    assert "9999_next" not in machine.run("calendar-api migrate --status")
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
    machine.run("systemctl start nginx")
    run(machine, *START, "Service", "Proxy", "In a folder of a site")
    site = "/etc/nginx/sites-available/default"
    machine.run(f"sed -i 's/server_name _;/server_name www.example.org;/' {site}")
    (line,) = inline(r"include snippets/.*;")
    machine.run(f"sed -i '0,/server_name.*/{{s|server_name.*|&\\n{line}|}}' {site}")
    machine.run("nginx -t && systemctl reload nginx")
    machine.run("echo The site > /var/www/html/index.html")
    machine.run(EVENT)

    page = machine.run("curl -s -L http://www.example.org/calendar-site/events/")
    assert "Concert in the park" in page
    assert set(re.findall(r"https?://www.example.org/[\w-]*", page)) == {
        "https://www.example.org/calendar-site"
    }
    assert machine.run("curl -s http://www.example.org/") == "The site"
    invited = machine.run("calendar-api user invite ann --reset")
    check_link(
        machine, invited, "https://www.example.org/calendar-site", "http://www.example.org/calendar-site"
    )


EVENT = """calendar-api import - <<'END'
{"title": "Concert in the park", "start_date": "2031-06-07 20:00", "end_date": "2031-06-07 22:30"}
END"""


def test_mariadb(machine: Shell) -> None:
    proxies.require("mariadbd")
    run(machine, *START, "Service", "Proxy", "Certificate", "Site", "4. MariaDB")

    assert (
        machine.run("mariadb --batch --skip-column-names calendar -e 'SELECT title FROM event'")
        == "Concert in the park"
    )
    machine.run("rm -r /var/lib/calendar-api/*")  # the SQLite file is not used any more
    assert "Concert in the park" in machine.run("curl -s --insecure https://calendar.example.org/events/")
    assert create(machine, "https://calendar.example.org")
    assert machine.run("stat -c %a /var/backups/calendar-api/calendar.sql") == "600"
    machine.run(
        "systemctl start calendar-api-backup || calendar-api backup --rotate /var/backups/calendar-api"
    )


def test_mod_wsgi(machine: Shell) -> None:
    proxies.require("apache2")
    run(machine, *START, "3. Apache with mod_wsgi")

    assert create(machine, "http://localhost/calendar-site").startswith(
        "https://www.example.org/calendar-site/"
    )
    assert machine.run("ps -o user= -C apache2 | sort -u").split() == ["calendar-api", "root", "www-data"]
    assert machine.run("stat -c '%U %a' /var/lib/calendar-api/calendar.sqlite3") == "calendar-api 600"
    codes = [machine.run(f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost{path}")
             for path in ("/", "/calendar-site/events/", "/calendar-site/../calendar-api.conf")]  # fmt: skip
    assert codes == ["200", "200", "404"]


def test_container(machine: Shell) -> None:
    """With a program in the place of Podman that runs the steps without a container."""
    machine.run(f"git clone {prepared.REPOSITORY} calendar-api && cd calendar-api")
    run(machine, "5. Container")

    assert "Concert in the park" in machine.run(f"curl -s {RETRY} http://localhost:8000/events/")
    machine.run("podman healthcheck run calendar")
    assert machine.run("podman exec calendar id -un") == "calendar-api"
    assert machine.run("podman exec calendar stat -c %a . calendar.sqlite3 backups").split() == [
        "700",
        "600",
        "700",
    ]
    assert machine.run("stat -c %a deploy/database.env") == "600"
    with pytest.raises(CommandFailed, match="Permission denied"):
        machine.run("podman exec calendar touch /opt/calendar-api/bin/python")
    machine.run("kill -STOP $(pgrep -f 'calendar-api serve')")
    with pytest.raises(CommandFailed):
        machine.run("podman healthcheck run calendar")


SITE = """
<Directory /home/me>
    AllowOverride All
    Require all granted
</Directory>
<VirtualHost *:80>
    ServerName www.example.org
    DocumentRoot /home/me/public_html
</VirtualHost>
<VirtualHost *:80>
    ServerName calendar.example.org
    DocumentRoot /home/me/calendar/public
    PassengerPython /usr/bin/python3
</VirtualHost>
"""
#: What a control panel makes of its form.
PANEL = """
Alias /calendar /home/me/calendar/public
<Location /calendar>
    PassengerAppRoot /home/me/calendar
    PassengerBaseURI /calendar
    PassengerAppType wsgi
    PassengerStartupFile passenger_wsgi.py
    PassengerPython /usr/bin/python3.11
</Location>
"""


@pytest.fixture
def host(machine: Shell) -> Shell:
    """Shared hosting: the account `me`, and an Apache that runs its files as this account."""
    proxies.require("apache2")
    proxies.require("python3.11")
    machine.run("useradd --create-home me && chmod 711 /home/me && install -d -o me /home/me/public_html")
    machine.run("echo The site > /home/me/public_html/index.html")
    machine.run(f"cat > /etc/apache2/sites-available/000-default.conf <<'END'{SITE}END")
    machine.run("sed -i 's/=www-data/=me/' /etc/apache2/envvars; a2enmod cgid rewrite passenger")
    machine.run("systemctl start apache2")
    machine.run(f"git clone {prepared.REPOSITORY} /root/calendar-api && cd /root/calendar-api")
    bundle = Run(DOCUMENT, machine).chosen("2. Shared hosting")[0]
    Run(DOCUMENT, machine).block(bundle)
    machine.run("install -o me -m 0644 dist/calendar-api-python3.11-x86_64.zip /home/me/")
    return machine


def as_me(host: Shell, *texts: str) -> str:
    """Paste these blocks into a shell of `me`."""
    text = "\n".join(texts)
    host.run(f"cat > /home/me/pasted <<'END of pasted'\n{text}\nEND of pasted")
    login = "setpriv --reuid=me --regid=me --init-groups env HOME=/home/me USER=me bash -e"
    return host.run(f"(cd /home/me && {login} pasted)")


def check_hosted(host: Shell, address: str) -> None:
    """`address` is the public one, without its scheme."""
    page = host.run(f"curl -s -L http://{address}/events/ || true; tail -20 /var/log/apache2/error.log")
    assert "Concert in the park" in page
    assert f"https://{address}/events/" in re.findall(r'href="([^"]*/events/)"', page)
    password = re.findall(
        r"(?:\w{4} ){5}\w{4}", as_me(host, "cd calendar; python3.11 calendar-api password add ann")
    )[0]
    invited = as_me(host, "cd calendar; python3.11 calendar-api user invite ann --reset")
    check_link(host, invited, f"https://{address}", f"http://{address}")
    tags = f"http://{address}/calendar/events/v1/tags"
    sent = f"curl -s -w '%{{http_code}}' -u 'ann:{password}' {tags} -d name='in {address}'"
    created = host.run(sent)
    assert f'"https://{address}/calendar/events/v1/tags/' in created
    assert created.endswith("201")
    assert host.run(f"curl -s -o /dev/null -w '%{{http_code}}' http://{address}/none/") == "404"
    assert host.run("curl -s http://www.example.org/") == "The site"
    assert host.run("stat -c '%U %a' /home/me/calendar/calendar-data/calendar.sqlite3") == "me 600"


def test_shared_hosting_with_passenger(host: Shell) -> None:
    base, public = Run(DOCUMENT, host).chosen("2. Shared hosting", "Passenger")[1:]
    as_me(host, base.text)
    host.run(f"cat > /etc/apache2/conf-enabled/panel.conf <<'END'{PANEL}END")
    host.run("systemctl reload apache2")
    check_hosted(host, "www.example.org/calendar")
    assert "Phusion Passenger" in host.run("curl -s -I http://www.example.org/calendar/events/")

    host.run("rm /etc/apache2/conf-enabled/panel.conf")
    as_me(host, public.text)
    host.run("systemctl restart apache2")
    check_hosted(host, "calendar.example.org")


def test_shared_hosting_with_cgi(host: Shell) -> None:
    base, folder, root = Run(DOCUMENT, host).chosen("2. Shared hosting", "CGI")[1:]
    as_me(host, base.text, folder.text)
    check_hosted(host, "www.example.org/calendar")

    as_me(host, "cd calendar", root.text)
    check_hosted(host, "www.example.org/calendar.cgi")


def test_bundle_for_another_python_says_so(host: Shell) -> None:
    as_me(host, "mkdir calendar; cd calendar; python3.11 -m zipfile -e ../*.zip .")
    as_me(host, "cd calendar; echo 3.9 > python-version")

    with pytest.raises(CommandFailed, match=r"This bundle is for Python 3\.9, and this is Python 3\.11"):
        as_me(host, "cd calendar; python3.11 calendar-api --help")
