"""Lists, creates, updates one field and deletes each noun with what openapi-python-client has made."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from calendar_client import AuthenticatedClient, models

PLURALS = {"category": "categories"}


def main(secret: str, records: dict[str, Any], root: str) -> dict[str, Any]:
    client = AuthenticatedClient(base_url=root, token=secret, raise_on_unexpected_status=True)
    return {noun: attempt(noun, record, client) for noun, record in records.items()}


def attempt(noun: str, record: dict[str, Any], client: AuthenticatedClient) -> dict[str, Any]:
    def call(operation: str, *path: int, **arguments: Any) -> Any:
        module = import_module(f"calendar_client.api.{noun}.{operation}")
        return module.sync(*path, client=client, **arguments)

    name = noun.capitalize()
    list_all = f"list_{PLURALS.get(noun, noun + 's')}"
    new = getattr(models, f"{name}Create").from_dict(record["create"])
    change = getattr(models, f"{name}Update")(**record["update"])

    before = call(list_all, **record["list"]).total
    created = call(f"create_{noun}", body=new)
    between = call(list_all, **record["list"]).total
    updated = call(f"update_{noun}", created.id, body=change)
    deleted = call(f"delete_{noun}", created.id)
    return {
        "totals": [before, between, call(list_all, **record["list"]).total],
        "created": created.to_dict(),
        "updated": updated.to_dict(),
        "deleted": deleted.to_dict(),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8")), sys.argv[3])))
