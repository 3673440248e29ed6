"""Settings: where they come from, what is refused, and that the printed ones can be read back."""

import traceback
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.config import Config, ConfigError

GIVEN: dict[str, tuple[str, Any]] = {
    "base_url": ("https://calendar.example.org/under/", "https://calendar.example.org/under"),
    "allowed_hosts": ("Example.org, www.example.org", ("example.org", "www.example.org")),
    "aliases": ("/WP-JSON/tribe/events/v1/, api/v1", ("wp-json/tribe/events/v1", "api/v1")),
    "trusted_proxies": ("10.0.0.1,10.1.2.3/16,::1,UNIX", ("10.0.0.1/32", "10.1.0.0/16", "::1/128", "unix")),
    "timezone": ("Europe/Berlin", "Europe/Berlin"),
    "language": ("de", "de"),
    "database_url": ("sqlite:////var/lib/calendar.sqlite3", "sqlite:////var/lib/calendar.sqlite3"),
    "per_page": ("20", 20),
    "per_page_max": ("100", 100),
    "currency_symbol": ("€", "€"),
    "cache_max_age": ("3600", 3600),
    "cache": ("off", 0),
    "log": ("audit", "audit"),
    "max_body": ("2048", 2048),
    "max_json_depth": ("8", 8),
    "max_parameters": ("40", 40),
    "site_name": ("Lower Valley", "Lower Valley"),
    "pages": ("off", "off"),
    "editing": ("off", "off"),
    "submissions": ("on", "on"),
    "theme": ("/", "/"),
    "default_view": ("month", "month"),
    "week_start": ("sunday", "sunday"),
    "clock": ("12", "12"),
    "embed": ("https://a.example  https://b.example:8080", "https://a.example https://b.example:8080"),
    "feed_past": ("0", 0),
    "feed_max": ("100", 100),
    "feed_ttl": ("720", 720),
}
KEYS = {name: f"CALENDAR_{name.upper()}" for name in GIVEN}
LINES = "".join(f"{KEYS[name]}={text}\n" for name, (text, _) in GIVEN.items())
EFFECTIVE = Config(**{name: value for name, (_, value) in GIVEN.items()})


def refusal(environ: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        Config.load(environ)
    return str(caught.value)


def test_every_setting_is_tested_here_and_says_what_it_means() -> None:
    meanings = [item.metadata["meaning"] for item in fields(Config)]

    assert list(GIVEN) == [item.name for item in fields(Config)]
    assert all(meaning[0].isupper() and len(meaning) > 20 for meaning in meanings)


@pytest.mark.parametrize("name", GIVEN)
def test_setting_from_the_environment_and_from_a_file_of_its_own(name: str, tmp_path: Path) -> None:
    text, value = GIVEN[name]
    secret = tmp_path / "secret"
    secret.write_text(f"{text}\n", "utf-8")

    assert Config.load({KEYS[name]: text, "PATH": "/bin"}) == Config(**{name: value})
    assert Config.load({f"{KEYS[name]}_FILE": str(secret)}) == Config(**{name: value})
    assert value != getattr(Config(), name)


def test_config_file_gives_what_the_environment_does_not(tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "calendar.conf"
    secret.write_text("sqlite:///secret.sqlite3", "utf-8")

    def loaded(lines: str, **environ: str) -> Config:
        file.write_text(lines, "utf-8")
        return Config.load({"CALENDAR_CONFIG": str(file), **environ})

    assert loaded(f"# a comment\n\n{LINES}") == EFFECTIVE
    assert loaded("CALENDAR_PER_PAGE=5\nCALENDAR_TIMEZONE=Asia/Tokyo\n", CALENDAR_PER_PAGE="7") == Config(
        per_page=7, timezone="Asia/Tokyo"
    )
    assert loaded(f"CALENDAR_DATABASE_URL_FILE={secret}").database_url == "sqlite:///secret.sqlite3"
    assert Config.load({"CALENDAR_TEST_CONFERENCES": "/nowhere"}) == Config.load({}) == Config()


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("CALENDAR_CURRENCY_SYMBOL = kr ", "kr"),
        ('CALENDAR_CURRENCY_SYMBOL=" kr"', " kr"),
        ("CALENDAR_CURRENCY_SYMBOL='\"'", '"'),
        ("CALENDAR_CURRENCY_SYMBOL=a=b", "a=b"),
        ("CALENDAR_CURRENCY_SYMBOL=", ""),
        ("\ufeffCALENDAR_CURRENCY_SYMBOL=£\r", "£"),
    ],
)
def test_line_of_the_config_file(line: str, symbol: str, tmp_path: Path) -> None:
    file = tmp_path / "calendar.conf"
    file.write_text(line, "utf-8", newline="")

    assert Config.load({"CALENDAR_CONFIG": str(file)}).currency_symbol == symbol


@given(symbol=st.text("a€ \"'=#\\", max_size=6))
@example(symbol=" kr")
@example(symbol='"€"')
def test_printed_settings_can_be_read_back(symbol: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "symbol.conf"
    for config in (Config(), EFFECTIVE, Config.load({"CALENDAR_CURRENCY_SYMBOL": symbol})):
        file.write_text("\n".join(config.lines()), "utf-8")

        assert Config.load({"CALENDAR_CONFIG": str(file)}) == config


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        *(
            ("base_url", value, "such as https://calendar.example.org")
            for value in (
                "calendar.example.org", "ftp://calendar.example.org", "https://calendar.example.org/?a=b",
                "https://calendar.example.org/#top", "https://calendar. example.org",
                "https://calendar.example.org:99999", "https://a..example", "https://exa<mple.org",
                "https://" + "ü" * 64 + ".example", "https://[::g]",
            )
        ),
        ("aliases", "v1", "give paths such as wp-json/tribe/events/v1, with commas between"),
        *(
            ("aliases", value, "give paths such as wp-json/tribe/events/v1")
            for value in ("api/v1,https://example.org/api/v1", "api//v1", "api/{id}", "api/v1?a=b")
        ),
        ("aliases", "api/v1,De/api/v1", "a path cannot begin with a language (en, de, es, fr, it, nl)"),
        ("trusted_proxies", "10.0.0.1,proxy", "give addresses or networks such as 10.0.0.0/8"),
        ("timezone", "Europe/Nowhere", "must be a time zone such as Europe/Berlin"),
        ("timezone", "", "must be a time zone such as Europe/Berlin"),
        *(("language", value, "it is one of en, de, es, fr, it, nl") for value in ("tlh", "", "DE")),
        ("database_url", "calendar.sqlite3", "give sqlite:///path/to/file"),
        ("database_url", "sqlite:///", "give sqlite:///path/to/file"),
        ("database_url", "mysql://localhost/calendar", "mysql://user:password@host/name"),
        ("database_url", "mysql://me@localhost/x?tls=1", "the options after ? are unix_socket and ssl_ca"),
        *(("per_page", value, "give a whole number from 1 to 1000") for value in ("0", "ten", "٣")),
        ("per_page_max", "1001", "give a whole number from 1 to 1000"),
        ("cache_max_age", "-1", "give a whole number from 0 to 31536000"),
        ("cache_max_age", "31536001", "give a whole number from 0 to 31536000"),
        *(("max_body", value, "give a whole number from 1024 to 104857600") for value in ("1023", "-1")),
        ("max_json_depth", "101", "give a whole number from 4 to 100"),
        ("max_parameters", "31", "give a whole number from 32 to 1000"),
        ("theme", "/none", "give the path of a folder"),
        ("clock", "13", "it is one of 24, 12"),
        ("embed", "https://a.example; script-src *", "give * or addresses such as https://www.example.org"),
        ("currency_symbol", "€\n", "give printable characters on one line"),
    ],
)  # fmt: skip
def test_bad_value_is_refused_with_what_would_be_accepted(name: str, value: str, accepted: str) -> None:
    message = refusal({KEYS[name]: value})

    assert message.startswith(f"{KEYS[name]} has a value that cannot be used: ")
    assert accepted in message
    assert "\n" not in message


SECRETS = [
    "DATABASE_URL=mysql://cal:Hunter2@db/cal",
    "CALENDAR_DATABASE_URL=mysql:/cal:Hunter2@db/cal",
    "CALENDAR_DATABASE_URL=mysql://cal:Hunter2@db:x/cal",
    "CALENDAR_DATABASE_URL=cal:Hunter2@db",
    "CALENDAR_DATABASE_URL mysql://cal:Hunter2@db/cal",
    "CALENDAR_DATABASE_URL mysql://cal:Hunter2@db/cal?ssl_ca=/ca.pem",
    "CALENDAR_DATABASE_URL: mysql://cal:Hunter2@db/cal?ssl_ca=/ca.pem",
    "CALENDAR_DATABASE_URL_FILE=mysql://cal:Hunter2@db/cal",
    "CALENDAR_BASE_URL=mysql://cal:Hunter2@db/cal",
    "CALENDAR_BASE_URL=https://cal:Hunter2@example.org",
    "CALENDAR_BASE_URL=https://example.org:Hunter2",
    *(
        f"{KEYS[name]}=Hunter2@!{{"
        for name in GIVEN
        if name not in ("allowed_hosts", "currency_symbol", "site_name")
    ),
]


@pytest.mark.parametrize("line", SECRETS)
def test_no_value_is_quoted_even_if_it_is_in_the_wrong_place(line: str, tmp_path: Path) -> None:
    file = tmp_path / "calendar.conf"
    file.write_text(f"{line}\n", "utf-8")

    with pytest.raises(ConfigError) as caught:
        Config.load({"CALENDAR_CONFIG": str(file)})

    # As a server writes it to its log, with everything that led to it.
    assert "Hunter2" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("account", ["calendar:Hunter2", "cal/endar:Hunter2", "calendar:Hunter@2"])
def test_printed_settings_hide_a_password(account: str) -> None:
    config = Config(database_url=f"mysql://{account}@one,two/calendar")

    (line,) = (line for line in config.lines() if "DATABASE_URL" in line)
    assert "Hunter" not in "\n".join(config.lines())
    assert (
        "/" in account.partition(":")[0]
        or line == "CALENDAR_DATABASE_URL=mysql://calendar:***@one,two/calendar"
    )


def test_unknown_setting_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "calendar.conf"
    file.write_text("CALENDAR_SECRET_FILE=/dev/null\n", "utf-8")

    assert refusal({"CALENDAR_CONFIG": str(file)}).startswith("CALENDAR_SECRET_FILE is not a setting;")
    assert refusal({"CALENDAR_TIMZONE": "UTC"}) == (
        "CALENDAR_TIMZONE is not a setting; `calendar-api config` prints those that are. "
        "Did you mean CALENDAR_TIMEZONE?"
    )


def test_settings_that_do_not_go_together_are_refused() -> None:
    assert refusal({"CALENDAR_TIMEZONE": "UTC", "CALENDAR_TIMEZONE_FILE": "/zone"}) == (
        "CALENDAR_TIMEZONE and CALENDAR_TIMEZONE_FILE are both set; keep one."
    )
    assert refusal({"CALENDAR_PER_PAGE": "51"}) == (
        "CALENDAR_PER_PAGE cannot be more than CALENDAR_PER_PAGE_MAX."
    )


@pytest.mark.parametrize("name", ["CALENDAR_CONFIG", "CALENDAR_TIMEZONE_FILE"])
def test_file_that_cannot_be_used_is_refused(name: str, tmp_path: Path) -> None:
    absent, binary = tmp_path / "absent", tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")

    assert refusal({name: str(absent)}) == (
        f"{name} names a file that cannot be read: No such file or directory."
    )
    assert refusal({name: str(binary)}) == f"{name} names a file that is not UTF-8 text."


@pytest.mark.parametrize(
    "line", ["CALENDAR_TIMEZONE", "TIMEZONE=UTC", "export CALENDAR_TIMEZONE=UTC", "CALENDAR_X y=z"]
)
def test_line_that_is_no_setting_is_refused_with_its_number(line: str, tmp_path: Path) -> None:
    file = tmp_path / "calendar.conf"
    file.write_text(f"# settings\n{line}\n", "utf-8")

    assert refusal({"CALENDAR_CONFIG": str(file)}) == (f"{file}, line 2: expected CALENDAR_NAME=value.")


@pytest.mark.parametrize(
    ("value", "base"),
    [
        ("https://Bücher.example/Café-plan/", "https://xn--bcher-kva.example/Caf%C3%A9-plan"),
        ("https://例え.jp:8443", "https://xn--r8jz45g.jp:8443"),
        ("https://example.org/a%20b/~c", "https://example.org/a%20b/~c"),
        ('https://example.org/"<a>"', "https://example.org/%22%3Ca%3E%22"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"),
        ("HTTPS://Example.org", "https://example.org"),
    ],
)
def test_base_url_is_encoded(value: str, base: str) -> None:
    assert Config.load({"CALENDAR_BASE_URL": value}).base_url == base


def test_allowed_hosts_are_encoded_as_requests_name_them() -> None:
    assert Config.load({"CALENDAR_ALLOWED_HOSTS": "Bücher.example,[::1]"}).allowed_hosts == (
        "xn--bcher-kva.example", "[::1]",
    )  # fmt: skip
