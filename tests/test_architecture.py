"""Imports point one way: the table says what each layer of the package may import."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "calendar_api"

#: Layer -> modules of the package that it may import, and libraries. A layer may always import itself.
LAYERS: dict[str, tuple[set[str], set[str]]] = {
    "commands": (
        {
            "app",
            "config",
            "contract",
            "database",
            "domain",
            "middleware.access_log",
            "middleware.arrival",
            "representations",
            "store",
        },
        {"dateutil", "gunicorn", "icalendar"},
    ),
    "app": ({"config", "contract", "database", "domain", "middleware", "resources", "store"}, {"falcon"}),
    "middleware": (
        {"config", "database", "domain", "representations.links", "store"},
        {"falcon"},
    ),
    "resources": ({"config", "contract", "database", "domain", "representations", "store"}, {"falcon"}),
    "contract": ({"domain"}, {"jsonschema"}),
    "representations": ({"domain"}, {"jinja2", "markupsafe"}),
    "store": ({"database", "domain", "representations"}, {"peewee"}),
    "database": ({"domain"}, {"peewee", "playhouse", "pymysql"}),
    "domain": (set(), {"nh3"}),
}

#: Files at the root that belong to no layer.
ENTRY_POINTS = {
    "wsgi": {"app", "config"},
    "__main__": {"commands"},
    "__init__": set[str](),
    "config": {"database.urls", "domain"},
}


def layer(path: Path) -> str:
    inside = path.relative_to(ROOT).with_suffix("").parts
    return inside[1] if len(inside) > 1 else inside[0]


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def imported(source: str) -> set[str]:
    """Dotted names of the modules and libraries that a source imports."""
    found = set()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            found |= {str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)}
    return found


def allowed(name: str, module: str) -> bool:
    """Whether a file of the layer `name` may import `module`."""
    top, _, inside = module.partition(".")
    ours, libraries = LAYERS[name] if name in LAYERS else (ENTRY_POINTS[name], set())
    if top != PACKAGE:
        return top in sys.stdlib_module_names or top in libraries
    return inside == "__version__" or any(f"{inside}.".startswith(f"{prefix}.") for prefix in {name, *ours})


def forbidden(name: str, source: str) -> list[str]:
    """What a file of the layer `name` imports and may not."""
    return sorted(module for module in imported(source) if not allowed(name, module))


def reads_environment(source: str) -> bool:
    """Whether a source names what the environment can be read with."""
    nodes = list(ast.walk(parsed(source)))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    aliases = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool((attributes | aliases) & {"environ", "environb", "getenv", "getenvb"})


def inner_imports(source: str) -> list[int]:
    """The lines of imports inside functions."""
    functions = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.FunctionDef)]
    return [
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def classes(source: str) -> list[str]:
    return [node.name for node in parsed(source).body if isinstance(node, ast.ClassDef)]


FILES = [ROOT / "wsgi.py", *sorted((ROOT / PACKAGE).rglob("*.py"))]
PRODUCT = [path for path in FILES if "migrations" not in path.parts]


def test_files_import_only_what_their_layer_may() -> None:
    sources = {path: path.read_text("utf-8") for path in PRODUCT}

    assert [(path, found) for path in PRODUCT if (found := forbidden(layer(path), sources[path]))] == []
    assert [(path, found) for path in PRODUCT if (found := inner_imports(sources[path]))] == []


def test_only_config_reads_the_environment() -> None:
    assert {layer(path) for path in FILES if reads_environment(path.read_text("utf-8"))} == {"config"}


def test_package_has_these_layers_and_no_others() -> None:
    assert {layer(path) for path in FILES} == {*LAYERS, *ENTRY_POINTS}


def test_table_allows_nothing_that_no_file_needs() -> None:
    spare = []
    for name, (ours, libraries) in LAYERS.items():
        used = {
            module for path in PRODUCT if layer(path) == name for module in imported(path.read_text("utf-8"))
        }
        spare += [
            f"{name}: {prefix}"
            for prefix in {f"{PACKAGE}.{prefix}" for prefix in ours} | libraries
            if not any(f"{module}.".startswith(f"{prefix}.") for module in used)
        ]

    assert spare == []


def test_no_class_name_is_used_twice() -> None:
    names = [name for path in PRODUCT for name in classes(path.read_text("utf-8"))]

    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_root_of_the_package_is_small() -> None:
    entries = [path.name for path in (ROOT / PACKAGE).iterdir() if path.name != "__pycache__"]

    assert len(entries) <= 14


def test_records_have_types() -> None:
    """`Any` is for what has no type: libraries without one, tables and JSON that nothing has checked yet."""
    uses = {path: len(re.findall(r"\bAny\b", path.read_text("utf-8"))) for path in FILES}

    assert [path for path in FILES if layer(path) in ("representations", "contract") and uses[path]] == []
    assert sum(uses.values()) < 250


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("resources", "from calendar_api.contract import schemas\nimport peewee", ["peewee"]),
        ("resources", "from calendar_api.middleware.etags import x", ["calendar_api.middleware.etags.x"]),
        ("contract", "from calendar_api.resources.base import Json", ["calendar_api.resources.base.Json"]),
        ("representations", "import calendar_api.store.events", ["calendar_api.store.events"]),
        ("store", "import falcon.media", ["falcon.media"]),
        ("store", "def find():\n    from calendar_api import resources", ["calendar_api.resources"]),
        ("domain", 'import_module("nh3.parser")\nimport_module("peewee")', ["peewee"]),
        ("commands", "from calendar_api.middleware import etags", ["calendar_api.middleware.etags"]),
        ("store", "from calendar_api.database.models import Event\nimport json", []),
    ],
)
def test_guard_finds_a_forbidden_import(name: str, source: str, found: list[str]) -> None:
    assert forbidden(name, source) == found


def test_guard_finds_readers_of_the_environment_and_inner_imports() -> None:
    for source in ("import os\nos.environ['X']", "from os import getenv", "x = os.getenv"):
        assert reads_environment(source)
    assert inner_imports("import os\n\n\ndef find():\n    import json\n") == [5]


#: Tests that know the service from outside only, and what they share with others.
OUTSIDE = {"chrome", "figures", "loopback", "mariadb", "memory", "tcp"}
STRANGERS = [["tests", name] for name in ("system", "cluster", "documentation", *OUTSIDE)]


def own_imports(source: str) -> bool:
    """Whether a source imports the package, or anything of the other tests, which do."""
    others = [
        node
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").split(".")[0] == "tests"
        and (node.module or "").split(".")[:2] not in STRANGERS
        and not (node.module == "tests" and {alias.name for alias in node.names} <= OUTSIDE)
    ]
    return bool(others) or any(name.split(".")[0] == PACKAGE for name in imported(source))


@pytest.mark.parametrize("folder", ["system", "cluster", "documentation"])
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
