"""Texts, places, people and pictures of iCalendar events as fields of records."""

import re
from collections.abc import Container, Iterator
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from calendar_api.commands.sources.items import Noun
from calendar_api.domain.text import HTML_TAGS, TAG, paragraphs, visible

TZID = "X-TZID"
_AFTER_NAME = re.compile(r",|\n| \(")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_HEAD = re.compile(r'(?:"[^"]*"|[^":])*:?')  # of a line: name and parameters, which can be quoted
_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
_TZID = re.compile(r';TZID=(?:"([^"]*)"|([^;]*))', re.IGNORECASE)
_TZID_NAME = re.compile(";TZID=", re.IGNORECASE)
_WEB = ("http://", "https://")
_LINE = 255  # characters of names and addresses


def name_of(line: str) -> str:
    """Return the name of the property that a content line has."""
    return line.partition(":")[0].partition(";")[0].strip().upper()


def tzid_of(line: str) -> str:
    """Return the TZID of a content line, or ""."""
    match = _TZID.search(line.removesuffix(_value(line)).removesuffix(":"))
    return zone_name(match[1] or match[2] or "") if match else ""


def zone_name(tzid: str) -> str:
    """Return a TZID without its quotes and backslashes: its definition has others than its uses."""
    return tzid.strip(' "').replace("\\,", ",")


def hide_tzid(line: str) -> str:
    """Rename the parameter TZID of a content line, so that it is called what the constant TZID says."""
    return _TZID_NAME.sub(f";{TZID}=", line)


def raw(lines: list[str], name: str) -> str:
    """Return the first value of a property as it is written, or ""."""
    return next((_value(line).strip() for line in lines if name_of(line) == name), "")


def first_values(lines: list[str], names: Container[str]) -> dict[str, str]:
    """Return the first value of each of these properties, as it is written."""
    found: dict[str, str] = {}
    for line in lines:
        name = name_of(line)
        if name in names and name not in found:
            found[name] = _value(line).strip()
    return found


def _value(line: str) -> str:
    return _HEAD.sub("", line, count=1)


def every(properties: Any, name: str) -> list[Any]:
    """Return the values of a property that can occur several times."""
    value = properties.get(name, [])
    return value if type(value) is list else [value]


def one(properties: Any, name: str) -> Any:
    """Return the first value of a property, or None."""
    return next(iter(every(properties, name)), None)


def text_of(properties: Any, name: str) -> str:
    """Return the first text of a property, or ""."""
    return str(one(properties, name) or "").strip()


def texts(properties: Any, *, is_ours: bool) -> dict[str, str]:
    """Return `description`, `website`, `image` and `event_status_reason`, without those that are empty.

    `is_ours`: the file was written by `representations.icalendar`.
    """
    text, website, reason = text_of(properties, "DESCRIPTION"), _web_address(text_of(properties, "URL")), ""
    if is_ours:
        text, website, reason = _without_notes(text, website)
    rich = next((each for each in every(properties, "X-ALT-DESC") if "html" in str(each.params).lower()), "")
    html = _body(_ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], str(rich)))
    if visible(html):
        description = html
    elif not is_ours and any(tag[1] and tag[1].lower() in HTML_TAGS for tag in TAG.finditer(text)):
        description = text
    else:
        description = paragraphs(escape(text, quote=False))
    location = text_of(properties, "LOCATION")
    fields = {
        "description": description, "website": website or _web_address(location), "image": _image(properties),
        "event_status_reason": reason,
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value}


def _without_notes(text: str, website: str) -> tuple[str, str, str]:
    """Divide a description of our own into the text, the website and why the event does not take place."""
    text, _, notes = text.rpartition("\n\n")
    *lines, url = notes.split("\n")
    if url != website:
        return f"{text}\n\n{notes}".strip(), website, ""
    if lines and _web_address(lines[-1]):
        website = lines.pop()
    return text, website, "\n".join(lines)


def _body(html: str) -> str:
    """Return what is inside of <body>."""
    lower = html.lower()
    at = lower.find("<body")
    if at < 0 or len(lower) != len(html):
        return html
    end = lower.find("</body", at)
    return html[html.find(">", at) + 1 : end if end > 0 else None]


def _web_address(value: str) -> str:
    return value if value.lower().startswith(_WEB) and len(value.split()) == 1 else ""


def _image(properties: Any) -> str:
    for value in every(properties, "IMAGE") + every(properties, "ATTACH"):
        address, kind = _web_address(str(value)), str(value.params.get("FMTTYPE", "")).lower()
        if address and (kind.startswith("image/") or _IMAGE.search(urlsplit(address).path)):
            return address
    return ""


def related_records(properties: Any, *, is_ours: bool) -> Iterator[tuple[str, Noun, list[dict[str, Any]]]]:
    """Yield the name of a field, the noun, and the fields of the records that it refers to."""
    yield "venue", "venue", _venues(properties)
    yield "organizer", "organizer", _organizers(properties, with_contacts=is_ours)
    names = [
        str(name).strip() for each in every(properties, "CATEGORIES") for name in getattr(each, "cats", ())
    ]
    yield "categories", "category", [{"name": name[:200]} for name in dict.fromkeys(names) if name][:50]


def _venues(properties: Any) -> list[dict[str, Any]]:
    location = text_of(properties, "LOCATION").strip(" ,\t\n")
    apple = one(properties, "X-APPLE-STRUCTURED-LOCATION")
    if apple is not None and not location:
        location = str(apple.params.get("X-TITLE", "")).strip()
    if not location or _web_address(location):
        return []
    name = _AFTER_NAME.split(location, maxsplit=1)[0].strip() or location
    rest = location[len(name) :].lstrip().removeprefix(",")
    if rest.startswith("("):
        rest = rest[1:].replace(")", "", 1)
    between = " ,\t" if "\n" in rest else " \t"  # lines can end with the comma that separates them
    address = ", ".join(part for line in rest.split("\n") if (part := line.strip(between)))
    venue: dict[str, Any] = {"venue": name[:_LINE], **({"address": address[:_LINE]} if address else {})}
    geo = one(properties, "GEO")
    point = (geo or "") if isinstance(geo, str) else f"{geo.latitude};{geo.longitude}" if geo else ""
    point = point or str(apple or "").lower().removeprefix("geo:").partition(";")[0].replace(",", ";")
    lat, _, lng = point.partition(";")
    try:
        if abs(float(lat)) <= 90 and abs(float(lng)) <= 180 and (float(lat) or float(lng)):
            venue |= {"geo_lat": float(lat), "geo_lng": float(lng)}
    except ValueError:
        pass  # no coordinates
    return [venue]


def _organizers(properties: Any, *, with_contacts: bool) -> list[dict[str, Any]]:
    found = []
    for value in every(properties, "ORGANIZER"):
        scheme, _, email = str(value).partition(":")
        email = email.strip() if scheme.strip().lower() == "mailto" and "@" in email else ""
        name = str(value.params.get("CN", "")).strip()
        name = unquote(name) if " " not in name else name  # some write "Jane%20Doe"
        if name or email:
            found.append({"organizer": (name or email)[:_LINE], **({"email": email} if email else {})})
    if with_contacts:
        found += [{"organizer": str(value)[:_LINE]} for value in every(properties, "CONTACT")]
    return found
