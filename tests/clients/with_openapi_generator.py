"""Lists, creates, updates one field and deletes each noun with the client that openapi-generator has made."""

import json
import sys
from pathlib import Path
from typing import Any

import openapi_client

PLURALS = {"category": "categories"}


def main(secret: str, records: dict[str, Any]) -> dict[str, Any]:
    configuration = openapi_client.Configuration(access_token=secret)  # the host is that of the document
    with openapi_client.ApiClient(configuration) as connection:
        return {noun: attempt(noun, record, connection) for noun, record in records.items()}


def attempt(noun: str, record: dict[str, Any], connection: Any) -> dict[str, Any]:
    name = noun.capitalize()
    api = getattr(openapi_client, f"{name}Api")(connection)
    list_all = getattr(api, f"list_{PLURALS.get(noun, noun + 's')}")
    new = model(f"{name}Create", record["create"])
    change = getattr(openapi_client, f"{name}Update")(**record["update"])

    before = list_all(**record["list"]).total
    created = getattr(api, f"create_{noun}")(new)
    between = list_all(**record["list"]).total
    updated = getattr(api, f"update_{noun}")(created.id, **{f"{noun}_update": change})
    deleted = getattr(api, f"delete_{noun}")(created.id)
    return {
        "totals": [before, between, list_all(**record["list"]).total],
        "created": json.loads(created.to_json()),
        "updated": json.loads(updated.to_json()),
        "deleted": json.loads(deleted.to_json()),
    }


def model(name: str, fields: dict[str, Any]) -> Any:
    """Fields as a model; `from_dict` of the generated classes cannot read lists of several types."""
    plain = {key: value for key, value in fields.items() if not isinstance(value, list)}
    made = getattr(openapi_client, name).from_dict(plain)
    for key in fields.keys() - plain.keys():
        setattr(made, key, _LISTS[key](fields[key]))
    return made


def terms(names: list[str]) -> Any:
    items = [openapi_client.CommonTermListAnyOfInner(name) for name in names]
    return openapi_client.CommonTermList(items)


def venues(records: list[dict[str, Any]]) -> Any:
    items = [openapi_client.VenueCreate.from_dict(record) for record in records]
    return openapi_client.EventCreateVenue(
        [openapi_client.EventCreateVenueAnyOfInner(item) for item in items]
    )


def organizers(records: list[dict[str, Any]]) -> Any:
    items = [openapi_client.OrganizerCreate.from_dict(record) for record in records]
    return openapi_client.EventCreateOrganizer(
        [openapi_client.EventCreateOrganizerAnyOfInner(item) for item in items]
    )


_LISTS = {"categories": terms, "tags": terms, "venue": venues, "organizer": organizers}

if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8")))))
