"""The documents name every setting, command and sample, and cite only what exists."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from calendar_api.commands import import_report, main
from calendar_api.config import PREFIX, Config
from calendar_api.contract import schemas, validation

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SOURCES = ("calendar_api", "tests", "schemas", "bench", "docs")


def settings_of(readme: str) -> dict[str, tuple[str, str]]:
    """Default and meaning of each setting in the README's table."""
    rows = re.findall(rf"^\| `({PREFIX}\w+)` \| (.*?) ?\| (.*?) \|$", readme, re.MULTILINE)
    return {name: (default.strip("` "), meaning) for name, default, meaning in rows}


def test_readme_names_every_setting_with_its_default_and_meaning() -> None:
    expected = {}
    for item in fields(Config):
        default = ",".join(item.default) if isinstance(item.default, tuple) else str(item.default)
        expected[PREFIX + item.name.upper()] = (default, item.metadata["meaning"])

    assert settings_of(README) == expected


def commands() -> set[str]:
    """Every command of the parser, with its actions."""
    found = set()
    for name, parser in _choices(main._parser()).items():
        actions = _choices(parser)
        found |= {f"{name} {action}" for action in actions} or {name}
    return found


def _choices(parser: Any) -> dict[str, Any]:
    for action in parser._actions:
        if hasattr(action, "choices") and isinstance(action.choices, dict):
            return action.choices
    return {}


def test_readme_names_every_command() -> None:
    assert [command for command in commands() if f"| `calendar-api {command}" not in README] == []


def test_readme_import_sample_is_a_valid_event() -> None:
    samples = re.findall(r"```json\n(.*?)```", README, re.DOTALL)

    assert samples
    for sample in samples:
        checked = validation.check("event", "create", json.loads(sample))
        assert (checked.problems, checked.missing) == ({}, [])


def test_readme_names_every_runtime_dependency() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)

    assert block is not None
    wanted = re.findall(r'^ +"([\w-]+)', block[1], re.MULTILINE)
    named = re.findall(r"^\| ([a-z][\w-]+) \| ", README.split("## Dependencies")[1], re.MULTILINE)
    assert named == wanted


def test_map_of_the_code_names_files_that_are_there() -> None:
    named = set(
        re.findall(r"`([\w/]+\.py)`", README.split("## Map of the code")[1].split("## How to add a field")[0])
    )

    assert named
    assert [n for n in named if not (ROOT / "calendar_api" / n).exists() and not (ROOT / n).exists()] == []


def named_files(document: str) -> set[str]:
    """What a document in docs/ links to, and what its commands take from the checkout."""
    text = (ROOT / "docs" / document).read_text("utf-8")
    links = set(re.findall(r"\]\(([\w./@-]+)\)", text))
    commands = {f"../{name}" for name in re.findall(r"(?<![\w/])((?:deploy|tests)/[\w./@-]*\w)", text)}
    locks = {f"../{name}" for name in re.findall(r"\b(requirements[\w-]*\.lock)\b", text)}
    return links | commands | locks


DOCUMENTS = sorted(path.name for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    assert [name for name in sorted(named_files(document)) if not (ROOT / "docs" / name).exists()] == []


def test_contributing_names_tests_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"(?<![\w/])((?:tests|bench)/[\w./-]*\w)", text)

    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_guide_to_deploying_names_every_sample_or_its_folder() -> None:
    named = named_files("deploy.md")
    samples = [f"../{path.relative_to(ROOT)}" for path in (ROOT / "deploy").rglob("*") if path.is_file()]

    assert [name for name in samples if not {name, name.rpartition("/")[0]} & named] == []


def installed_names(text: str) -> set[str]:
    """The names that a text tells pip to take from the package index; no files, folders and options."""
    found: set[str] = set()
    for command in re.findall(r"\bpip install ([^`\n\"\\;&]+)", text):
        words = re.sub(r"(?<!\S)(?:(?:-r|--target) \S+|-\S+)", "", command.split("  #")[0].replace("'", " "))
        names = re.findall(r"(?<!\S)([A-Za-z][\w-]*)(?=[\s\[<>=~,]|\Z)", words)
        found |= set(names)
    return found


def test_nothing_tells_to_install_a_name_that_others_could_register() -> None:
    """The service has no name in the package index: whoever took it could run code at our readers'."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    ours = set(re.findall(r'^ +"([\w-]+)', project, re.MULTILINE))
    texts = [path for name in ("docs", "deploy", "calendar_api") for path in (ROOT / name).rglob("*")]
    foreign = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (*ROOT.glob("*.md"), *texts)
        if path.suffix in (".md", ".py", ".po", ".html", "") and path.is_file()
        for name in installed_names(path.read_text("utf-8")) - ours
    }

    assert foreign == set()


def test_guard_finds_names_after_pip_install() -> None:
    text = "`pip install 'calendar-api[mysql]'` pip install --no-deps -r a.lock b>=2 '.[c]' ./d e.whl  # f"

    assert installed_names(text) == {"calendar-api", "b"}


def heading_anchors(document: str) -> set[str]:
    """The anchors that GitHub gives the headings of a Markdown document."""
    headings = re.findall(r"^#+ (.+)$", document, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def citations(text: str) -> set[tuple[str, str]]:
    """File and anchor of every citation such as `docs/interface.md#etags, #caching; follows from #cors`."""
    found = set()
    for cited in re.finditer(
        r"(docs/[\w./-]+\.md)(#[\w-]+(?:(?:[,;]| and)\s+(?:follows from )?#[\w-]+)*)", text
    ):
        found |= {(cited[1], anchor) for anchor in re.findall(r"#([\w-]+)", cited[2])}
    return found


def test_parameters_in_requests_exist() -> None:
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        requests = re.findall("(?:curl|ALL=).*", path.read_text("utf-8"))
        names = set(re.findall(r"[?&'](\w+)=", "\n".join(requests)))
        assert names <= schemas.read_parameters(), path


def test_moving_in_names_every_sign_of_a_dry_run() -> None:
    text = (ROOT / "docs" / "moving-in.md").read_text("utf-8")
    signs = {sign for sign, _ in import_report._SIGNS.values()}

    assert {sign for sign in signs if f"(`{sign}`" not in text} == set()


def test_interface_names_every_error_code() -> None:
    interface = (ROOT / "docs" / "interface.md").read_text("utf-8")
    sources = (ROOT / "calendar_api" / name for name in ("domain/errors.py", "commands/worker.py"))
    codes = re.findall(r'"(rest_\w+|internal\w+)"', "".join(path.read_text("utf-8") for path in sources))
    assert [code for code in sorted(set(codes)) if f"`{code}`" not in interface] == []


CITING = sorted(
    path.relative_to(ROOT)
    for path in (*ROOT.glob("*.md"), *(p for name in SOURCES for p in (ROOT / name).rglob("*")))
    if path.suffix in (".py", ".md", ".json", ".txt") and not path.name.endswith("license.txt")
)


def test_citations_name_sections_that_exist() -> None:
    anchors: dict[str, set[str]] = {}
    missing = []
    for path in CITING:
        for file, anchor in sorted(citations((ROOT / path).read_text("utf-8"))):
            document = ROOT / file
            if file not in anchors:
                anchors[file] = heading_anchors(document.read_text("utf-8")) if document.exists() else set()
            missing += [] if anchor in anchors[file] else [f"{path}: {file}#{anchor}"]

    assert missing == []


def test_only_documents_of_the_repository_are_cited() -> None:
    """Only standards have section signs, such as RFC 9110 §15.4.5."""
    foreign = [
        f"{path}:{number}"
        for path in CITING
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        if re.search(r"(?<!RFC \d{4} )\u00a7", line)
    ]

    assert foreign == []


def test_links_inside_of_documents_name_sections_that_exist() -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        text = path.read_text("utf-8")
        assert set(re.findall(r"\]\(#([\w-]+)\)", text)) - heading_anchors(text) == set(), path
