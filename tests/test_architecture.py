"""Imports point one way: each file of the package may import what stands below it, and no more."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "calendar_api"

LEAVES = {
    "errors", "auth", "config", "dates", "relative_dates", "zones", "text", "costs", "casting", "parameters",
    "search_words", "messages", "languages", "addresses", "field_selection", "database_urls",
    "peers", "journal", "markup", "conditional", "json_text", "__init__",
}  # fmt: skip

#: What each layer may import of ours; a folder is a layer, and every file beside the folders is one.
LAYERS: dict[str, set[str]] = {
    "wsgi": {"app", "config"},
    "__main__": {"cli"},
    "cli": {
        "cli_common", "cli_operating", "cli_users", "backup", "serving", "importing", "copying",
        "schema_state", "database", "store", *LEAVES,
    },
    "cli_operating": {"cli_common", "backup", "checking", "database", "store", *LEAVES},
    "cli_users": {"cli_common", "store", *LEAVES},
    "cli_common": {"schema_state", "database", *LEAVES},
    "worker": LEAVES,
    "serving": {"app", "demo", "importing", "schema_state", "database", "store", "validation", *LEAVES},
    "app": {
        "routes", "openapi", "middleware", "request_log", "health", "manners", "resources", "schema_state",
        "database", "caching", "store", "validation", *LEAVES,
    },
    "caching": {"caching", *LEAVES},
    "request_log": {"caching", *LEAVES},
    "health": {"schema_state", "database", *LEAVES},
    "middleware": {"throttle", "database", "store", "representations", *LEAVES},
    "throttle": {"store", "database", *LEAVES},
    "manners": {"caching", *LEAVES},
    "routes": {"resources", *LEAVES},
    "openapi": {
        "resources", "validation", "openapi_answers", "openapi_errors", "openapi_schemas", "openapi_texts",
        *LEAVES,
    },
    "openapi_answers": {"validation", "openapi_errors", "openapi_schemas", "openapi_texts", *LEAVES},
    "openapi_schemas": {"validation", "openapi_texts", *LEAVES},
    "openapi_errors": LEAVES,
    "openapi_texts": set(),
    "resources": {
        "resources", "store", "representations", "arguments", "validation", "throttle", "database",
        "caching", *LEAVES,
    },
    "arguments": {"validation", *LEAVES},
    "importing": {"store", "models", "database", "validation", *LEAVES},
    "backup": {"copying", "schema_state", "database", *LEAVES},
    "checking": {"schema_state", "store", "database", *LEAVES},
    "copying": {"schema_state", "models", "database", *LEAVES},
    "schema_state": {"models", "database", *LEAVES},
    "store": {"store", "models", "database", "caching", *LEAVES},
    "representations": {"representations", *LEAVES},
    "validation": {"acceptance", "verdicts", *LEAVES},
    "acceptance": {"formats", *LEAVES},
    "verdicts": {"acceptance", "formats", *LEAVES},
    "formats": LEAVES,
    "models": {"database"},
    "database": {"database", "database_urls", "errors", "messages"},
    "migrations": set(),
    "demo": set(),
    **dict.fromkeys(LEAVES, LEAVES),
}  # fmt: skip

#: Where each library may be imported.
HOMES: dict[str, set[str]] = {
    "falcon": {
        "app",
        "routes",
        "resources",
        "middleware",
        "manners",
        "schema_state",
        "request_log",
        "health",
    },
    "peewee": {"models", "database", "store", "migrations"},
    "pymysql": {"database"},
    "apsw": {"database"},
    "playhouse": {"schema_state", "migrations"},
    "jsonschema": {"verdicts"},
    "nh3": {"text"},
    "dateutil": {"dates"},
    "gunicorn": {"serving", "worker"},
}

#: The one file where HTTP meets the database's tool: it answers 503 until the migrations have run.
BOTH_SIDES = {"schema_state"}


def layer(path: Path) -> str:
    inside = path.relative_to(ROOT).with_suffix("").parts
    return inside[1] if len(inside) > 1 else inside[0]


def imported(source: str) -> set[tuple[str, str]]:
    """Layers of ours and libraries that a source imports, as ("ours", name) and ("library", name)."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names = [f"{module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            names = [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
        for name in names:
            top, _, below = name.partition(".")
            if top == PACKAGE:
                first = below.split(".")[0]
                found.add(("ours", first if first in LAYERS else "__init__"))
            elif top not in sys.stdlib_module_names:
                found.add(("library", top))
    return found


def forbidden(name: str, source: str) -> list[str]:
    """What a file of the layer `name` imports and may not."""
    found = []
    for kind, wanted in sorted(imported(source)):
        allowed = wanted in LAYERS[name] if kind == "ours" else name in HOMES.get(wanted, ())
        if not allowed:
            found.append(f"{name} imports {wanted}")
    return found


def reads_environment(source: str) -> bool:
    """Whether a source names what the environment can be read with."""
    nodes = list(ast.walk(ast.parse(source)))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    aliases = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool((attributes | aliases) & {"environ", "environb", "getenv", "getenvb"})


def inner_imports(source: str) -> list[int]:
    """The lines of imports inside functions."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return [
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


FILES = [ROOT / "wsgi.py", *sorted((ROOT / PACKAGE).rglob("*.py"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_imports_only_what_it_may(path: Path) -> None:
    source = path.read_text("utf-8")

    assert forbidden(layer(path), source) == []
    assert inner_imports(source) == []


def test_only_config_reads_the_environment() -> None:
    readers = {layer(path) for path in FILES if reads_environment(path.read_text("utf-8"))}

    assert readers == {"config"}


def test_table_names_every_layer_and_only_those_there_are() -> None:
    assert set(LAYERS) == {layer(path) for path in FILES}


def test_table_allows_nothing_that_no_file_needs() -> None:
    used: dict[str, set[str]] = {}
    homes: dict[str, set[str]] = {}
    for path in FILES:
        for kind, name in imported(path.read_text("utf-8")):
            (used.setdefault(layer(path), set()) if kind == "ours" else homes.setdefault(name, set())).add(
                name if kind == "ours" else layer(path)
            )
    spare = {
        name: unused
        for name, allowed in LAYERS.items()
        if (unused := allowed - LEAVES - used.get(name, set()))
    }

    assert spare == {}
    assert homes == HOMES


def test_http_and_database_meet_in_one_file() -> None:
    meeting = {
        layer(path)
        for path in FILES
        if {("library", "falcon")} & imported(path.read_text("utf-8"))
        and {("library", "peewee"), ("library", "playhouse")} & imported(path.read_text("utf-8"))
    }

    assert meeting == BOTH_SIDES


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("resources", "from calendar_api.models import Event", ["resources imports models"]),
        ("resources", "from calendar_api import models, dates", ["resources imports models"]),
        ("resources", "import peewee", ["resources imports peewee"]),
        ("resources", "from calendar_api.routes import ROUTES", ["resources imports routes"]),
        ("resources", "from calendar_api.openapi import Description", ["resources imports openapi"]),
        ("resources", "from calendar_api import openapi_errors", ["resources imports openapi_errors"]),
        ("arguments", "from calendar_api.resources.base import Json", ["arguments imports resources"]),
        ("manners", "from calendar_api.store import users", ["manners imports store"]),
        (
            "messages",
            "from calendar_api import validation\nimport peewee",
            ["messages imports peewee", "messages imports validation"],
        ),
        ("languages", "import falcon", ["languages imports falcon"]),
        (
            "openapi",
            "import falcon\nfrom calendar_api.routes import ROUTES",
            ["openapi imports falcon", "openapi imports routes"],
        ),
        ("store", "import falcon.media", ["store imports falcon"]),
        ("store", "from calendar_api.validation import check", ["store imports validation"]),
        ("store", "def find():\n    from calendar_api import resources", ["store imports resources"]),
        ("representations", "import calendar_api.store.events", ["representations imports store"]),
        ("models", "from calendar_api import text", ["models imports text"]),
        ("dates", "from calendar_api.config import Config\nimport jsonschema", ["dates imports jsonschema"]),
        ("errors", "import requests", ["errors imports requests"]),
        ("dates", 'parse = import_module("nh3.parser").parse', ["dates imports nh3"]),
        ("dates", 'import_module("calendar_api.verdicts")', ["dates imports verdicts"]),
        ("store", "from calendar_api.models import Event\nimport json", []),
    ],
)
def test_guard_finds_a_forbidden_import(name: str, source: str, found: list[str]) -> None:
    assert forbidden(name, source) == found


@pytest.mark.parametrize("source", ["import os\nos.environ['X']", "from os import getenv", "x = os.getenv"])
def test_guard_finds_a_reader_of_the_environment(source: str) -> None:
    assert reads_environment(source)


def test_guard_finds_an_import_inside_a_function() -> None:
    assert inner_imports("import os\n\n\ndef find():\n    import json\n") == [5]


#: Tests that know the service from outside only, and what they share with others.
OUTSIDE = {"mariadb", "memory", "tcp"}
STRANGERS = [["tests", name] for name in ("system", "cluster", *OUTSIDE)]


def own_imports(source: str) -> bool:
    """Whether a source imports the package, or anything of the other tests, which do."""
    others = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").split(".")[0] == "tests"
        and (node.module or "").split(".")[:2] not in STRANGERS
        and not (node.module == "tests" and {alias.name for alias in node.names} <= OUTSIDE)
    ]
    return bool(others) or any(kind == "ours" for kind, _ in imported(source))


@pytest.mark.parametrize("folder", ["system", "cluster"])
def test_system_tests_import_nothing_of_ours(folder: str) -> None:
    outside = [ROOT / "tests" / f"{name}.py" for name in sorted(OUTSIDE)]
    files = [*outside, *sorted((ROOT / "tests" / folder).glob("*.py"))]

    assert len(files) > 4
    assert [path.name for path in files if own_imports(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("source", "ours"),
    [
        ("import calendar_api", True),
        ("from calendar_api.config import Config", True),
        ("from tests.client import Client", True),
        ("from tests.system import servers\nimport json", False),
        ("from tests.cluster.nodes import Cluster", False),
    ],
)
def test_guard_finds_a_system_test_that_imports_ours(source: str, ours: bool) -> None:
    assert own_imports(source) == ours
