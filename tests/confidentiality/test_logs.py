"""What a real server writes to its log holds no canary, no secret and no key, whatever it was asked."""

from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from tests.confidentiality.asking import Asking, Question
from tests.confidentiality.speaking import ROOT, Speaker
from tests.confidentiality.twins import Twin, populate
from tests.system import servers
from tests.templates import Template, path_of

NUMBER = 400
pytestmark = pytest.mark.sqlite


def sent(server: servers.Server, twin: Twin, question: Question) -> servers.Answer:
    path = question.path[1:] if question.path.startswith("//") else ROOT + question.path
    target = f"{path}?{urlencode(question.query)}" if question.query else path
    headers = dict(question.headers)
    credentials = twin.speaker.authorization(question.as_)
    if credentials:
        headers["Authorization"] = credentials
    return server.send(question.method, target, None, headers)


def secrets(twin: Twin) -> list[str]:
    """Whatever may not stand in a log: canaries, keys of events, application passwords."""
    texts = [*twin.words, *twin.speaker.secrets.values()]
    texts += [str(twin.speaker.authorization(login)) for login in twin.speaker.secrets]
    return [form for text in texts for form in (text, text.replace(" ", ""), quote(text))]


def test_log_tells_nothing(database_url: str, template: Template, tmp_path: Path) -> None:
    app = create_app(Config(database_url=database_url))
    twin = populate(Twin(Speaker(app, template.secrets), template.ids), "a")
    questions = Asking(app, twin, "log").questions(NUMBER)
    keys = [word for word, where in twin.words.items() if where.endswith("password")]
    questions += [Question("", "GET", "/events", (("password", key),), "admin") for key in keys]
    questions += [
        Question("", "GET", "/events", (("search", "\n" + word),)) for word in list(twin.words)[:20]
    ]
    questions += [Question("", "PUT", "/nowhere/" + word, (), "editor") for word in list(twin.words)[:20]]
    database.close_connection()

    env = servers.environment(path_of(database_url), CALENDAR_ALLOWED_HOSTS="127.0.0.1,localhost")
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log") as server:
        statuses = {sent(server, twin, question).status for question in questions}
        server.stop()
        log = server.output

    assert {200, 400, 404} <= statuses
    assert max(statuses) < 500
    assert "Listening at" in log
    assert [text for text in secrets(twin) if text in log] == []
