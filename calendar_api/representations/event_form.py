"""Events as the fields of a form, and the fields of a form as those of the interface."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from datetime import date, timedelta
from html import unescape

from calendar_api.domain.translation import Message, message
from calendar_api.representations import form_fields
from calendar_api.representations.event_fields import image_url, names, plain, venues
from calendar_api.representations.form_fields import Filled, FormFields, Inputs, text, values
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.representations.rows import Json

#: Ids of venues or organizers by the texts that mean them.
Labels = Mapping[str, int]

FIELDS = FormFields(
    (
        "title", "start_date", "end_date", "all_day", "timezone", "venue", "organizer", "categories", "tags",
        "cost", "website", "image", "description", "featured", "event_status", "event_status_reason",
        "password", "status",
    ),
    lists=("venues", "organizers", "categories"),
    start_date=("start_day", "start_time"),
    end_date=("end_day", "end_time"),
    venue=("venue", "venue_address", "venue_city", "venues"),
    organizer=("organizer", "organizer_email", "organizers"),
    description=("description", "description_format"),
    password=("password", "no_password"),
)  # fmt: skip
WHEN = frozenset({"start_date", "end_date", "all_day", "timezone"})
_DETAILS = {"venue": ("address", "city"), "organizer": ("email",)}
_ID = re.compile("[0-9]{1,18}")
_TAG = re.compile(r'"((?:[^"]|"")++)"(?=\s*(?:,|$))|[^\s,][^,]*')

_KEPT_BY_A_COPY = (
    "description", "excerpt", "image", "categories", "tags", "venue", "organizer", "post_parent",
    "show_map", "show_map_link", "ticketed",
)  # fmt: skip
_PUBLISHERS_ONLY = ("featured", "sticky", "hide_from_listings")


def blank(timezone: str) -> Filled:
    """The inputs of a new event; `timezone` is that of the site."""
    empty: Filled = {name: [] if name in FIELDS.lists else "" for name in FIELDS.inputs}
    return empty | {
        "timezone": timezone, "event_status": "scheduled", "description_format": "text", "status": "draft",
    }  # fmt: skip


def inputs_of(event: EventJson, labels: Mapping[int, str]) -> Filled:
    """The inputs of an event in full; `labels` are texts that mean venues and organizers, by their ids.

    Several of a kind are checkboxes, beside an empty text for another one.
    """
    found = (
        blank(event["timezone"])
        | form_fields.of_description(event["description"])
        | {
            "title": unescape(event["title"]),
            "all_day": "1" if event["all_day"] else "",
            "categories": [str(term["id"]) for term in event["categories"]],
            "tags": _joined([unescape(term["name"]) for term in event["tags"]]),
            "cost": plain(event, "cost"),
            "website": "" if event["website"] == event["url"] else unescape(event["website"]),
            "image": image_url(event),
            "featured": "1" if event["featured"] else "",
            "status": event["status"],
            "event_status": event["event_status"],
            "event_status_reason": plain(event, "event_status_reason"),
        }
    )
    for bound, moment in (("start", event["start_date"]), ("end", event["end_date"])):
        day, _, time = moment.partition(" ")
        found[f"{bound}_day"] = day
        found[f"{bound}_time"] = "" if event["all_day"] else time.removesuffix(":00")
    for noun in _DETAILS:
        records = linked(event, noun)
        if len(records) == 1:
            found[noun] = labels.get(records[0]["id"], names(records, noun)[0])
        else:
            found[f"{noun}s"] = [str(record["id"]) for record in records]
    return found


def linked(event: EventJson, noun: str) -> list[VenueJson] | list[OrganizerJson]:
    """The venues or organizers of an event."""
    return venues(event) if noun == "venue" else event["organizer"]


def linked_texts(event: EventJson) -> dict[str, str]:
    """Venues, organizers and categories of an event for people, by the name of the field."""
    found = {field: names(linked(event, field), field) for field in _DETAILS}
    found["categories"] = names(event["categories"])
    return {field: ", ".join(texts) for field, texts in found.items()}


def labels(records: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Texts by id that mean venues or organizers, of rows of id, name and city ("" for none).

    The city, or else the id, is added where several have the same name.
    """
    rows = list(records)
    names = Counter(name for _, name, _ in rows)
    found = {id: f"{name}, {city}" if names[name] > 1 and city else name for id, name, city in rows}
    used = Counter(found.values())
    return {id: f"{label} ({id})" if used[label] > 1 else label for id, label in found.items()}


def payload(
    inputs: Inputs, names: Iterable[str], labels: Mapping[str, Labels], event: EventJson | None = None
) -> tuple[Json, dict[str, Message]]:
    """The fields of the interface with these names, and problems of the form by name of the field.

    `labels` are those of "venue" and "organizer", `event` is the stored one. Fields with
    a problem are left out.
    """
    names, inputs = set(names), dict(inputs)
    if event and (day := moved_end(event, inputs, names)):
        inputs["end_day"] = day
        names.add("end_date")
    found, problems = _when(inputs) if names & WHEN else ({}, {})
    if "title" in names and not text(inputs, "title"):
        problems["title"] = message("Enter a title.")
    for noun in _DETAILS:
        found[noun] = _linked(inputs, noun, labels[noun])
    ids = {unescape(term["name"]): term["id"] for term in event["tags"]} if event else {}
    found["tags"] = [ids.get(name, name) for name in _separated(text(inputs, "tags"))]
    found["categories"] = values(inputs, "categories")
    found["featured"] = bool(text(inputs, "featured"))
    found["description"] = form_fields.description(inputs, event["description"] if event else "")
    for name in ("title", "cost", "website", "image", "event_status", "event_status_reason", "status"):
        found[name] = text(inputs, name)
    password = str(inputs.get("password") or "")
    if password and not password.strip():  # to `FormFields` it is as empty as before
        problems["password"] = message("The password must be more than spaces.")
    found["password"] = "" if text(inputs, "no_password") else password
    return {name: found[name] for name in names & found.keys() - problems.keys()}, problems


def moved_end(event: EventJson, inputs: Inputs, changed: Set[str]) -> str:
    """The last day if only the first day of an event of one day or night was changed; else ""."""
    if "start_date" not in changed or "end_date" in changed:
        return ""
    start, end = event["start_date"], event["end_date"]
    nights = date.fromisoformat(end[:10]) - date.fromisoformat(start[:10])
    if nights and not (nights.days == 1 and end[11:] < start[11:]):
        return ""
    try:
        return str(date.fromisoformat(text(inputs, "start_day")) + nights)
    except (ValueError, OverflowError):
        return end[:10]


def _when(inputs: Inputs) -> tuple[Json, dict[str, Message]]:
    """An end without a day is on the day of the start, one without a time is the start."""
    start_day, start_time, end_day, end_time = (
        text(inputs, name) for name in ("start_day", "start_time", "end_day", "end_time")
    )
    all_day = bool(text(inputs, "all_day"))
    end_day = end_day or start_day
    problems = {}
    if not start_day:
        problems["start_date"] = message("Enter the day on which the event starts.")
    elif not all_day and not start_time:
        problems["start_date"] = message("Enter the time of the start, or choose “All day”.")
    if not all_day and not end_time and end_day != start_day:
        problems["end_date"] = message("Enter the time of the end, or choose “All day”.")
    found: Json = {"all_day": all_day, "timezone": text(inputs, "timezone")}
    found["start_date"] = start_day if all_day else f"{start_day} {start_time}"
    found["end_date"] = end_day if all_day else f"{end_day} {end_time or start_time}"
    if not end_day:  # one problem is enough
        found["end_date"] = "now"
    return found, problems


def _linked(inputs: Inputs, noun: str, labels: Labels) -> list[int | Json]:
    """Records that stay linked by id, then the one that was chosen by its label or described."""
    found: list[int | Json] = [int(id) for id in values(inputs, f"{noun}s") if _ID.fullmatch(id)]
    name = text(inputs, noun)
    if name in labels:
        return [*found, labels[name]]
    described: Json = {noun: name} if name else {}
    described |= details(inputs, noun)
    return [*found, described] if described else found


def details(inputs: Inputs, noun: str) -> Json:
    """What is entered of a venue or organizer beside its name."""
    found = {key: text(inputs, f"{noun}_{key}") for key in _DETAILS[noun]}
    return {key: value for key, value in found.items() if value}


def _joined(names: list[str]) -> str:
    """Names of tags with commas between them; one that has a comma itself stands in quotation marks."""
    quoted = (
        '"' + name.replace('"', '""') + '"' if "," in name or name[:1] == '"' else name for name in names
    )
    return ", ".join(quoted)


def _separated(text: str) -> list[str]:
    found = (match[1].replace('""', '"') if match[1] else match[0] for match in _TAG.finditer(text))
    return [name.strip() for name in found if name.strip()]


# -- copies


def shifted(inputs: Inputs, days: int) -> Filled:
    """The same, some days later; a day beyond the end of the calendar stays."""
    moved = dict(inputs)
    for name in ("start_day", "end_day"):
        try:
            moved[name] = str(date.fromisoformat(str(inputs[name])) + timedelta(days=days))
        except (KeyError, ValueError, OverflowError):
            continue
    return moved


def copied(event: EventJson, cost: str, *, may_publish: bool) -> Json:
    """Fields of a new event that is a copy of this one, without those that the form always sends.

    `cost` is the stored one: the text for display has the lowest and the highest amount only. The copy takes
    place as planned and has no password.
    """
    names = (*_KEPT_BY_A_COPY, *(_PUBLISHERS_ONLY if may_publish else ()))
    stored = dict[str, object](event)
    found = {name: stored[name] for name in names} | {"cost": cost}
    if event["website"] != event["url"]:
        found["website"] = event["website"]
    return found
