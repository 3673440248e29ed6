"""Which errors each kind of operation can answer with, an example of each, and what its code means."""

from dataclasses import dataclass

from calendar_api.domain.errors import (
    AlreadyInTrash,
    ApiError,
    BodyTooLarge,
    DatabaseUnavailable,
    EventPasswordRequired,
    Forbidden,
    InvalidJson,
    InvalidParameters,
    MethodNotAllowed,
    NoRoute,
    NotAuthenticated,
    NotFound,
    PageNotFound,
    PreconditionFailed,
    StorageFull,
    TermExists,
    TooManyAttempts,
    UnsupportedMediaType,
    could_not_create,
)
from calendar_api.domain.translation import message

TERMS = ("category", "tag")
NESTED = ("venue", "organizer")


@dataclass(frozen=True)
class Known:
    """An error that can occur; `meaning` is the name of its sentence.

    Examples with one code and different contents have a `variant` each.
    """

    example: ApiError
    meaning: str
    variant: str = ""

    @property
    def name(self) -> str:
        """The name of the example: a code can have two statuses."""
        name = f"{self.example.status}.{self.example.code}"
        return f"{name}.{self.variant}" if self.variant else name


def of(verb: str, noun: str, *, has_key: bool, required: tuple[str, ...] = ()) -> list[Known]:
    """All errors of `verb` ("list", "create", "read", "update", "delete", "describe") on `noun`.

    `has_key` says whether the path names a record, `required` names the fields that must be sent.
    """
    found = [_unknown_host(), *_everywhere()]
    if has_key:
        found.append(_no_route())
    if required:
        lacking = InvalidParameters({}, missing=required)
        found.append(Known(lacking, "code.rest_missing_callback_param", noun))
    if noun not in ("doc", "index"):
        found += _BY_VERB[verb](noun)
    elif noun == "index" and verb == "read":
        found.append(
            _plain("rest_invalid_namespace", 404, "The namespace of this interface is calendar/events/v1.")
        )
    return sorted(found, key=lambda known: (known.example.status, known.example.code))


def _list(noun: str) -> list[Known]:
    page = [] if noun in TERMS else [Known(PageNotFound(noun), "code.page-not-found")]
    return [_invalid("page", "page must be a whole number above 0."), *page]


def _create(noun: str) -> list[Known]:
    return [
        *_body(noun),
        *([_could_not_create(noun)] if noun in NESTED else []),
        _known(MethodNotAllowed("This address takes GET, POST, HEAD, OPTIONS.")),
        _plain(
            "rest_invalid_idempotency_key",
            400,
            "An Idempotency-Key must have 1 to 255 printable ASCII characters.",
        ),
        _plain(
            "rest_idempotency_key_reused",
            422,
            "This Idempotency-Key was used for another request: choose a new one.",
        ),
        *_rights(),
        _known(StorageFull()),
    ]


def _read(noun: str) -> list[Known]:
    if noun != "event":
        return [_not_found(noun)]
    return [
        _not_found(noun),
        _invalid("password", "password must be a text of 1 to 255 characters."),
        _known(EventPasswordRequired()),
    ]


def _update(noun: str) -> list[Known]:
    return [*_body(noun), *_changing(noun)]


def _delete(noun: str) -> list[Known]:
    in_trash = [] if noun in TERMS else [Known(AlreadyInTrash(noun), "code.in-trash")]
    return [*_changing(noun), *in_trash]


def _describe(noun: str) -> list[Known]:
    return []


_BY_VERB = {
    "list": _list,
    "create": _create,
    "read": _read,
    "update": _update,
    "delete": _delete,
    "describe": _describe,
}


def _unknown_host() -> Known:
    return _plain("rest_unknown_host", 400, "This server does not know itself under this host name.")


def _everywhere() -> list[Known]:
    unusable = (
        ("not_initialised", "There is no database yet. Run `calendar-api migrate` to make one."),
        ("rest_schema_outdated", "The database is older than this release. Run `calendar-api migrate`."),
        ("rest_schema_unknown", "The database was made by a newer release than this one."),
        ("rest_database_unavailable", "The database is busy. Send the request again in a moment."),
    )
    crash = "Something went wrong in the server; its log says what, under this request id."
    return [
        _known(NotAuthenticated()),
        _known(TooManyAttempts(300)),
        _known(ApiError(crash, data={"request_id": "5f2d8a1c9b3e4f70"})),
        *(_known(DatabaseUnavailable(text, code=code)) for code, text in unusable),
    ]


def _rights() -> list[Known]:
    return [
        Known(Forbidden("", anonymous=True), "code.rest_forbidden.401"),
        Known(
            Forbidden("Your role does not allow you to change this record.", anonymous=False),
            "code.rest_forbidden.403",
        ),
    ]


def _changing(noun: str) -> list[Known]:
    return [*_rights(), _not_found(noun), _known(PreconditionFailed()), _known(StorageFull())]


def _body(noun: str) -> list[Known]:
    broken = {"json_error_code": 4, "json_error_message": "Expecting value: line 1 column 1 (char 0)"}
    name, problem = (
        ("name", "name must be a text of 1 to 200 characters.")
        if noun in TERMS
        else (
            "status",
            "status must be one of publish, future, draft, pending, private, trash.",
        )
    )
    taken = [_known(TermExists("name", 2))] if noun in TERMS else []
    nested = [_could_not_create(name) for name in NESTED] if noun == "event" else []
    return [
        _invalid(name, problem),
        _known(
            InvalidJson(
                "The body must be valid JSON: Expecting value: line 1 column 1 (char 0).", data=broken
            )
        ),
        _plain(
            "rest_invalid_body", 400, "The multipart body must have a boundary and headers that can be read."
        ),
        _plain("rest_bad_request", 400, 'The value provided for the "Content-Length" header is invalid.'),
        _known(BodyTooLarge("The body must have at most 1048576 bytes.")),
        _known(
            UnsupportedMediaType("Send the body as application/json, and say so in the header Content-Type.")
        ),
        *taken,
        *nested,
    ]


def _no_route() -> Known:
    return _known(NoRoute("There is nothing at this address; the interface begins at /calendar/events/v1."))


def _not_found(noun: str) -> Known:
    return Known(NotFound(noun), "code.not-found")


def _invalid(name: str, problem: str) -> Known:
    return Known(InvalidParameters({name: problem}), "code.rest_invalid_param", name)


def _could_not_create(noun: str) -> Known:
    problem = message("{name} must have a name in `{name}` when it describes a new one.", name=noun)
    return Known(InvalidParameters({noun: could_not_create(noun, problem)}), "code.could-not-create")


def _plain(code: str, status: int, text: str) -> Known:
    return _known(ApiError(text, code=code, status=status))


def _known(error: ApiError) -> Known:
    return Known(error, f"code.{error.code}")
