"""The compose files and the Containerfile agree with each other and the settings. No container is started."""

import json
import re
from typing import Any

import pytest
import yaml

from tests.system.servers import CHECKOUT

DEPLOY = CHECKOUT / "deploy"
README = (CHECKOUT / "README.md").read_text("utf-8")
FILES = ("compose.yaml", "compose-mariadb.yaml")


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


def instructions(word: str) -> list[str]:
    return re.findall(rf"^{word} (.*)$", (DEPLOY / "Containerfile").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", FILES)
def test_service_is_that_of_the_image(name: str) -> None:
    calendar = read(name)["services"]["calendar"]
    (volume,) = instructions("VOLUME")
    (port,) = instructions("EXPOSE")
    (health,) = instructions("HEALTHCHECK")

    assert (DEPLOY / calendar["build"]["context"] / calendar["build"]["dockerfile"]).is_file()
    assert calendar["healthcheck"]["test"] == ["CMD", *json.loads(health.partition(" CMD ")[2])]
    assert calendar["volumes"] == [f"data:{volume}"]
    assert calendar["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert [name for name in calendar["environment"] if f"| `{name}` |" not in README] == []


@pytest.mark.parametrize("name", FILES)
def test_volumes_are_declared(name: str) -> None:
    file = read(name)
    used = {
        volume.partition(":")[0] for service in file["services"].values() for volume in service["volumes"]
    }

    assert used == set(file["volumes"])


def test_files_of_the_image_are_those_of_the_wheel() -> None:
    """What setup.cfg and pyproject.toml read, and nothing else of the checkout."""
    copied = {
        name for line in instructions("COPY") if not line.startswith("--") for name in line.split()[:-1]
    }
    locks = {name for name in copied if name.endswith(".lock")}

    assert [name for name in copied if not (CHECKOUT / name).exists()] == []
    needed = {"pyproject.toml", "setup.cfg", "README.md", "LICENSE", "calendar_api", "schemas"}
    assert copied - locks == needed
    assert instructions("USER") == ["calendar-api"]


def test_database_of_the_second_container_is_that_of_the_address() -> None:
    guide = (CHECKOUT / "docs" / "deploy.md").read_text("utf-8")
    database = read("compose-mariadb.yaml")["services"]["database"]["environment"]
    user, host, name = re.findall(r"mysql://(\w+):\$PASSWORD@(\w+)/(\w+)\"", guide)[0]

    assert (database["MARIADB_USER"], database["MARIADB_DATABASE"]) == (user, name)
    assert host in read("compose-mariadb.yaml")["services"]
