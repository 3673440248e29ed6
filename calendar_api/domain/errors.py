"""Errors with their code, HTTP status and message; `schemas/error.json` has the shape of the response."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from calendar_api.domain.translation import Message, Translate, message, translated


class ApiError(Exception):
    """An error response with the status, code, text and headers of its class unless others are given.

    `data` is added to `data.status` of the body.
    """

    status, code = 500, "internal_server_error"
    text = ""
    default_headers: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        text: str = "",
        *,
        code: str = "",
        status: int = 0,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = text or self.text
        super().__init__(self.message)
        self.code = code or self.code
        self.status = status or self.status
        self.data = dict(data or {})
        self.headers = dict(headers or self.default_headers)

    def body(self, translate: Translate = str) -> dict[str, object]:
        """Return the body of the response in the language of `translate`."""
        return {
            "code": self.code,
            "message": translated(self.message, translate),
            "data": {"status": self.status, **self.data},
        }


class InvalidJson(ApiError):
    status, code = 400, "rest_invalid_json"


class InvalidBody(ApiError):
    status, code = 400, "rest_invalid_body"


class BodyTooLarge(ApiError):
    status, code = 413, "rest_body_too_large"


class UnsupportedMediaType(ApiError):
    status, code = 415, "rest_unsupported_media_type"


class RecordError(ApiError):
    """An error whose code names a noun."""

    def __init__(self, noun: str) -> None:
        super().__init__(code=self.code.format(noun=noun))


class NotFound(RecordError):
    """An absent and a hidden record give the same response (docs/interface.md#visibility)."""

    status, code = 404, "rest-{noun}-not-found"
    text = message("There is nothing at this address that you may read.")


class PageNotFound(RecordError):
    status, code = 404, "{noun}-archive-page-not-found"
    text = message("The list has no such page: ask for a lower `page`.")


class AlreadyInTrash(RecordError):
    status, code = 410, "{noun}-is-in-trash"
    text = message("This record is in the trash already. Update its `status` to bring it back.")


class NoRoute(ApiError):
    status, code = 404, "rest_no_route"


class MethodNotAllowed(ApiError):
    status, code = 405, "rest_method_not_allowed"


class NotAuthenticated(ApiError):
    """Same response for an unknown user and a wrong secret (docs/interface.md#authentication)."""

    status, code = 401, "rest_not_authenticated"
    text = message("These credentials are not valid. Send a login and one of its application passwords.")
    default_headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": 'Bearer realm="calendar"'}


class Forbidden(ApiError):
    """401 for an anonymous caller, 403 with `reason` for others (docs/interface.md#status-codes)."""

    code = "rest_forbidden"
    text = message("You need to sign in for this: send a login and an application password.")

    def __init__(self, reason: str, *, anonymous: bool) -> None:
        if anonymous:
            super().__init__(status=401, headers=NotAuthenticated.default_headers)
        else:
            super().__init__(reason, status=403)


class EventPasswordRequired(ApiError):
    status, code = 403, "event-password-protected"
    text = message("This event is protected. Send its password in the parameter `password`.")


class TooManyAttempts(ApiError):
    """Too many wrong secrets from this network; `wait` in seconds."""

    status, code = 429, "rest_too_many_attempts"
    text = message("Too many wrong attempts came from your address. Wait before you send another one.")

    def __init__(self, wait: int) -> None:
        super().__init__(headers={"Retry-After": str(wait)})


class PreconditionFailed(ApiError):
    status, code = 412, "rest_precondition_failed"
    text = message("The record was changed since you read it: read it again, then repeat your change.")


class TermExists(ApiError):
    status, code = 400, "term_exists"

    def __init__(self, name: str, term_id: int) -> None:
        text = message("{name} must be free: another term has it already.", name=name)
        super().__init__(text, data={"term_id": term_id})


class DatabaseUnavailable(ApiError):
    """The database is busy, out of reach, or not migrated."""

    status, code = 503, "rest_database_unavailable"

    def __init__(self, text: str, *, code: str = "", retry_after: int = 1) -> None:
        super().__init__(text, code=code, headers={"Retry-After": str(retry_after)})


class StorageFull(ApiError):
    status, code = 507, "rest_storage_full"
    text = message("The disk is full: nothing was stored. Make room and send the request again.")


class InvalidParameters(ApiError):
    """All problems with the parameters of one request (docs/interface.md#order-of-checks).

    `problems` maps a parameter to its message; `missing` names required ones that were not sent; `causes`
    maps a parameter to the error code of its detail.
    """

    status, code = 400, "rest_invalid_param"

    def __init__(
        self,
        problems: Mapping[str, str],
        *,
        missing: tuple[str, ...] = (),
        causes: Mapping[str, str] | None = None,
        text: str = "",
    ) -> None:
        self.problems = dict(problems)
        self.missing = missing
        self.causes = dict(causes or {})
        if missing:
            text = message("Missing parameters: {names}.", names=", ".join(missing))
            super().__init__(text, code="rest_missing_callback_param", data={"params": list(missing)})
        else:
            codes = [getattr(problem, "code", "") for problem in problems.values()]
            super().__init__(text or _invalid(problems), code=codes[0] if codes and all(codes) else "")

    def body(self, translate: Translate = str) -> dict[str, object]:
        messages = {name: translated(problem, translate) for name, problem in self.problems.items()}
        details = {
            name: {"code": code, "message": messages[name], "data": {"param": name}}
            for name, code in self.causes.items()
        }
        invalid = {"status": self.status, "params": messages, "details": details or []}
        body = super().body(translate)
        if not self.missing:
            body["data"] = invalid
        elif self.problems:
            text = translated(_invalid(self.problems), translate)
            body["additional_errors"] = [{"code": "rest_invalid_param", "message": text, "data": invalid}]
        return body


def _invalid(names: Iterable[str]) -> Message:
    return message("Invalid parameters: {names}.", names=", ".join(names))


def could_not_create(noun: str, problem: Message) -> Message:
    """Set the error code of the problem of a nested venue or organizer."""
    problem.code = f"could-not-create-{noun}"
    return problem
