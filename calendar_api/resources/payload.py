"""Reads what a request carries: query string and JSON, form or multipart body (contract §4.1)."""

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any, NoReturn
from urllib.parse import parse_qsl

import falcon
from falcon.media.multipart import MultipartFormHandler

from calendar_api import parameters
from calendar_api.config import Config
from calendar_api.errors import ApiError, BodyTooLarge, InvalidJson, InvalidParameters, UnsupportedMediaType
from calendar_api.messages import message

_JSON = re.compile(r"application/(?:[\w!#$&.^-]+\+)?json", re.ASCII)
_SYNTAX, _DEPTH, _UTF8 = 4, 1, 5  # the numbers that clients know for `json_error_code`


def query(req: falcon.Request, config: Config) -> dict[str, Any]:
    """The query string as a document; a name given twice keeps its last value."""
    pairs = parse_qsl(req.query_string, keep_blank_values=True, errors="replace")
    if len({name for name, _ in pairs}) > config.max_parameters:
        raise InvalidParameters(
            {}, text=message("Send at most {limit} different parameters.", limit=config.max_parameters)
        )
    return dict(parameters.nest(pairs))


def idempotency_key(req: falcon.Request) -> str | None:
    """The header Idempotency-Key; raises ApiError for one that cannot be used."""
    key = req.get_header("Idempotency-Key")
    if key is not None and not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
        raise ApiError(
            message("An Idempotency-Key must have 1 to 255 printable ASCII characters."),
            code="rest_invalid_idempotency_key",
            status=400,
        )
    return key


def fields(req: falcon.Request, config: Config) -> dict[str, Any]:
    """Body and query string together; the body goes before the query string."""
    return {**query(req, config), **_body(req, config)}


def _body(req: falcon.Request, config: Config) -> Mapping[str, Any]:
    content = _content(req, config.max_body)
    content_type = (req.content_type or "").strip()
    kind = content_type.partition(";")[0].strip().lower()
    if _JSON.fullmatch(kind):
        return _json(content, config.max_json_depth)
    if not content:
        return {}
    if kind == "application/x-www-form-urlencoded":
        pairs = parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True)
        return parameters.nest(pairs)
    if kind == "multipart/form-data":
        return parameters.nest(_multipart(content, content_type))
    raise UnsupportedMediaType(
        message(
            "Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data, "
            "and say so in the header Content-Type."
        )
    )


def _content(req: falcon.Request, limit: int) -> bytes:
    """The whole body; never more than the limit is held in memory."""
    too_large = message("The body must have at most {limit} bytes.", limit=limit)
    if (req.content_length or 0) > limit:
        raise BodyTooLarge(too_large)
    # A body in chunks has no length; a server that says so ends its stream itself.
    stream = req.stream if req.env.get("wsgi.input_terminated") else req.bounded_stream
    content: bytes = stream.read(limit + 1)
    if len(content) > limit:
        raise BodyTooLarge(too_large)
    return content


def _json(content: bytes, max_depth: int) -> Mapping[str, Any]:
    if not content.strip():
        return {}
    _check_depth(content, max_depth)
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        _refuse(message("The body must be valid UTF-8."), _UTF8)
    except (ValueError, RecursionError) as error:
        _refuse(message("The body must be valid JSON: {reason}.", reason=error), _SYNTAX)
    # A JSON text, number or list has no named fields: whatever is required is then reported as missing.
    return document if isinstance(document, dict) else {}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _check_depth(content: bytes, max_depth: int) -> None:
    """Brackets are counted on the bytes, outside of texts, before anything recursive sees them."""
    depth = 0
    for token in re.finditer(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', content, re.DOTALL):
        if token[0] in b"[{":
            depth += 1
            if depth > max_depth:
                _refuse(
                    message("The body must be nested at most {limit} levels deep.", limit=max_depth), _DEPTH
                )
        elif token[0] in b"]}":
            depth -= 1


def _refuse(reason: str, number: int) -> NoReturn:
    raise InvalidJson(reason, data={"json_error_code": number, "json_error_message": str(reason)})


def _multipart(content: bytes, content_type: str) -> list[tuple[str, str]]:
    """The text fields of a form; files are passed over."""
    try:
        form = MultipartFormHandler().deserialize(BytesIO(content), content_type, len(content))
        return [
            (part.name, part.stream.read().decode("utf-8", "replace"))
            for part in form
            if part.filename is None and part.name
        ]
    except (falcon.HTTPError, ValueError) as error:
        raise ApiError(
            message("The multipart body must have a boundary and headers that can be read."),
            code="rest_invalid_body",
            status=400,
        ) from error
