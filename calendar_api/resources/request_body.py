"""Parses query strings and JSON, form and multipart bodies (docs/interface.md#bodies)."""

import codecs
import json
import re
from collections.abc import Container, Mapping
from io import BytesIO
from typing import NoReturn
from urllib.parse import parse_qsl

import falcon
from falcon.media.multipart import MultipartFormHandler, MultipartParseOptions

from calendar_api.config import Config
from calendar_api.domain import form_params
from calendar_api.domain.errors import (
    ApiError,
    BodyTooLarge,
    InvalidBody,
    InvalidJson,
    InvalidParameters,
    UnsupportedMediaType,
)
from calendar_api.domain.translation import message

_JSON = re.compile(r"application/(?:[\w!#$&.^-]+\+)?json", re.ASCII)
_SYNTAX, _DEPTH, _UTF8 = 4, 1, 5  # values of `json_error_code`, those of PHP

#: Limits of a body: values of all kinds together (the longest event has some 4,000), and items of a list.
MAX_VALUES = 5000
MAX_ITEMS = 100

_INCOMPLETE = message(
    "The body has not arrived whole: send as many bytes as Content-Length says, or valid chunks."
)
_NOT_TEXT = message("Send text in UTF-8, or name the character set of the form in the header Content-Type.")
_TOO_MANY = message("Send at most {limit} values at once.", limit=MAX_VALUES)

#: Supported character sets of forms, by their names in `codecs`.
_CHARSETS = ("utf-8", "ascii", "iso8859-1", "cp1252")


def query(
    req: falcon.Request, config: Config, lists: Container[str] = (), errors: str = "replace"
) -> dict[str, object]:
    """Parse the query string; values of names in `lists` are collected.

    `errors` is that of `bytes.decode`. Raises InvalidParameters for too many parameters.
    """
    if not req.query_string:
        return {}
    pairs = _pairs(req.query_string, errors=errors)
    if len({name for name, _ in pairs}) > config.max_parameters:
        text = message("Send at most {limit} different parameters.", limit=config.max_parameters)
        raise InvalidParameters({}, text=text)
    return dict(form_params.nest(pairs, lists))


def idempotency_key(req: falcon.Request) -> str | None:
    """The header Idempotency-Key; raises ApiError (400) for an invalid one."""
    key = req.get_header("Idempotency-Key")
    if key is not None and not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
        text = message("An Idempotency-Key must have 1 to 255 printable ASCII characters.")
        raise ApiError(text, code="rest_invalid_idempotency_key", status=400)
    return key


def fields(req: falcon.Request, config: Config, lists: Container[str]) -> dict[str, object]:
    """Parse body and query string; fields of the body take precedence.

    Raises ApiError, also for bytes that are not text, because fields are stored.
    """
    return {**query(req, config, lists, errors="strict"), **_body(req, config, lists)}


def form(req: falcon.Request, config: Config) -> list[tuple[str, str]]:
    """Parse the form in the body alone, without the query string: names and values in their order.

    Raises ApiError.
    """
    return _form(_content(req, config.max_body), (req.content_type or "").strip())


def _form(content: bytes, content_type: str) -> list[tuple[str, str]]:
    if content_type.lower().startswith("multipart/form-data"):
        return _multipart(content, content_type)
    return _pairs(content, _charset(content_type))


def _body(req: falcon.Request, config: Config, lists: Container[str]) -> Mapping[str, object]:
    content = _content(req, config.max_body)
    content_type = (req.content_type or "").strip()
    kind = content_type.partition(";")[0].strip().lower()
    if _JSON.fullmatch(kind):
        return _json(content, config.max_json_depth)
    if not content:
        return {}
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return form_params.nest(_form(content, content_type), lists)
    raise UnsupportedMediaType(
        message(
            "Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data, "
            "and say so in the header Content-Type."
        )
    )


def _content(req: falcon.Request, limit: int) -> bytes:
    """Read the body without holding more than `limit` bytes in memory."""
    length = req.content_length or 0
    content = b""
    if length <= limit:
        # A chunked body has no length: then the server ends the stream, and says so.
        stream = req.stream if req.env.get("wsgi.input_terminated") else req.bounded_stream
        try:
            content = stream.read(limit + 1)
        except Exception as error:  # servers raise different errors for a broken connection or chunk
            raise InvalidBody(_INCOMPLETE) from error
    if max(length, len(content)) > limit:
        raise BodyTooLarge(message("The body must have at most {limit} bytes.", limit=limit))
    if len(content) < length:
        raise InvalidBody(_INCOMPLETE)
    return content


def _charset(content_type: str) -> str:
    """The character set of a form, UTF-8 by default; raises ApiError for one that is not supported."""
    name = falcon.parse_header(content_type)[1].get("charset", "utf-8")
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        found = ""
    if found not in _CHARSETS:
        raise InvalidBody(message("Send the form in UTF-8, US-ASCII, ISO-8859-1 or windows-1252."))
    return found


def _json(content: bytes, max_depth: int) -> Mapping[str, object]:
    if not content.strip():
        return {}
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
        _check_size(document, max_depth)
    except UnicodeDecodeError:
        _refuse(message("The body must be valid UTF-8."), _UTF8)
    except RecursionError:
        _refuse(message("The body must be nested at most {limit} levels deep.", limit=max_depth), _DEPTH)
    except ValueError as error:
        # What follows a byte order mark or a number with too many digits is advice for programmers in Python.
        reason = re.sub(r" \(decode[^)]*\)|: value has .*", "", str(error))
        _refuse(message("The body must be valid JSON: {reason}.", reason=reason), _SYNTAX)
    # A string, number or list has no fields, so that required ones are reported as missing.
    return document if isinstance(document, dict) else {}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _check_size(document: object, max_depth: int) -> None:
    """Check the nesting of a JSON value, the values in it and the items of each list, level by level.

    Raises RecursionError and InvalidParameters.
    """
    level, depth, values = [document], 0, 0
    while nested := [value for value in level if isinstance(value, list | dict)]:
        depth += 1
        if depth > max_depth:
            raise RecursionError
        if any(isinstance(value, list) and len(value) > MAX_ITEMS for value in nested):
            text = message("A list in the body must have at most {limit} items.", limit=MAX_ITEMS)
            raise InvalidParameters({}, text=text)
        level = [item for value in nested for item in (value.values() if isinstance(value, dict) else value)]
        values += len(level)
        if values > MAX_VALUES:
            raise InvalidParameters({}, text=_TOO_MANY)


def _pairs(encoded: str | bytes, charset: str = "utf-8", errors: str = "strict") -> list[tuple[str, str]]:
    try:
        text = encoded.decode(charset) if isinstance(encoded, bytes) else encoded
        if text.count("&") >= MAX_VALUES:
            raise InvalidParameters({}, text=_TOO_MANY)
        return parse_qsl(text, keep_blank_values=True, encoding=charset, errors=errors)
    except UnicodeDecodeError as error:
        raise InvalidBody(_NOT_TEXT) from error


def _refuse(reason: str, number: int) -> NoReturn:
    raise InvalidJson(reason, data={"json_error_code": number, "json_error_message": str(reason)})


def _multipart(content: bytes, content_type: str) -> list[tuple[str, str]]:
    """The text fields of a form; files are ignored."""
    options = MultipartParseOptions()
    options.max_body_part_count = 0  # none: MAX_VALUES limits the parts
    pairs: list[tuple[str, str]] = []
    try:
        form = MultipartFormHandler(options).deserialize(BytesIO(content), content_type, len(content))
        for number, part in enumerate(form, 1):
            if number > MAX_VALUES:
                raise InvalidParameters({}, text=_TOO_MANY)
            if part.filename is None and part.name:
                pairs.append((part.name, part.stream.read().decode(_charset(part.content_type))))
    except UnicodeDecodeError as error:
        raise InvalidBody(_NOT_TEXT) from error
    except (falcon.HTTPError, ValueError) as error:
        text = message("The multipart body must have a boundary and headers that can be read.")
        raise InvalidBody(text) from error
    return pairs
