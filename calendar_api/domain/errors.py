"""What can go wrong, by name; each error knows its code, its HTTP status and its sentence.

The shape of an error answer stands in `schemas/error.json` (docs/interface.md#error-body).
"""

from collections.abc import Iterable, Mapping

from calendar_api.domain.translation import Message, Translate, message, translated


class ApiError(Exception):
    """An answer other than success. `data` is what stands beside the status in the answer."""

    status = 500
    code = "internal_server_error"

    def __init__(
        self,
        text: str,
        *,
        code: str = "",
        status: int = 0,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(text)
        self.message = text
        self.code = code or self.code
        self.status = status or self.status
        self.data = dict(data or {})
        self.headers = dict(headers or {})

    def body(self, translate: Translate = str) -> dict[str, object]:
        """The answer in the language of `translate`."""
        return {
            "code": self.code,
            "message": translated(self.message, translate),
            "data": {"status": self.status, **self.data},
        }


class InvalidJson(ApiError):
    """The body says that it is JSON and is not."""

    status = 400
    code = "rest_invalid_json"


class BodyTooLarge(ApiError):
    status = 413
    code = "rest_body_too_large"


class UnsupportedMediaType(ApiError):
    status = 415
    code = "rest_unsupported_media_type"


class NotFound(ApiError):
    """No such record for this caller: absent and hidden are the same (docs/interface.md#visibility)."""

    status = 404

    def __init__(self, noun: str) -> None:
        super().__init__(
            message("There is nothing at this address that you may read."), code=f"rest-{noun}-not-found"
        )


class PageNotFound(ApiError):
    status = 404

    def __init__(self, noun: str) -> None:
        super().__init__(
            message("The list has no such page: ask for a lower `page`."),
            code=f"{noun}-archive-page-not-found",
        )


class NoRoute(ApiError):
    status = 404
    code = "rest_no_route"


class MethodNotAllowed(ApiError):
    status = 405
    code = "rest_method_not_allowed"


class NotAuthenticated(ApiError):
    """Wrong user and wrong secret answer alike (docs/interface.md#authentication)."""

    status = 401
    code = "rest_not_authenticated"

    def __init__(self) -> None:
        super().__init__(
            message("These credentials are not valid. Send a login and one of its application passwords."),
            headers={"WWW-Authenticate": 'Bearer realm="calendar"'},
        )


class Forbidden(ApiError):
    """401 for a caller who gave no credentials, 403 for one who did (docs/interface.md#status-codes).

    `reason` says what the role does not allow; who is not signed in is told to sign in.
    """

    code = "rest_forbidden"

    def __init__(self, reason: str, *, anonymous: bool) -> None:
        if anonymous:
            super().__init__(
                message("You need to sign in for this: send a login and an application password."),
                status=401,
                headers={"WWW-Authenticate": 'Bearer realm="calendar"'},
            )
        else:
            super().__init__(reason, status=403)


class EventPasswordRequired(ApiError):
    status = 403
    code = "event-password-protected"

    def __init__(self, protected: Mapping[int, str] | None = None) -> None:
        """`protected` has the id of the event and the digest of its password; neither is answered."""
        self.protected = protected or {}
        super().__init__(message("This event is protected. Send its password in the parameter `password`."))


class TooManyAttempts(ApiError):
    """So many wrong secrets came from this neighbourhood that even the right one has to wait."""

    status = 429
    code = "rest_too_many_attempts"

    def __init__(self, wait: int) -> None:
        super().__init__(
            message("Too many wrong attempts came from your address. Wait before you send another one."),
            headers={"Retry-After": str(wait)},
        )


class AlreadyInTrash(ApiError):
    status = 410

    def __init__(self, noun: str) -> None:
        super().__init__(
            message("This record is in the trash already. Update its `status` to bring it back."),
            code=f"{noun}-is-in-trash",
        )


class PreconditionFailed(ApiError):
    status = 412
    code = "rest_precondition_failed"

    def __init__(self) -> None:
        super().__init__(
            message("The record was changed since you read it: read it again, then repeat your change.")
        )


class TermExists(ApiError):
    status = 400
    code = "term_exists"

    def __init__(self, name: str, term_id: int) -> None:
        super().__init__(
            message("{name} must be free: another term has it already.", name=name), data={"term_id": term_id}
        )


def could_not_create(noun: str, problem: Message) -> Message:
    """The problem of a new venue or organizer that cannot be made; clients look for its code."""
    code = f"could-not-create-{noun}"
    problem.code = code
    return problem


class InvalidParameters(ApiError):
    """All that is wrong with the parameters of one request, reported together
    (docs/interface.md#order-of-checks).

    `problems` maps a parameter to its sentence; `missing` names the required ones that were not sent;
    `causes` maps a parameter to the code of the rule that it broke, where the reference names one.
    """

    status = 400
    code = "rest_invalid_param"

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
            super().__init__(_missing(missing), code="rest_missing_callback_param")
        else:
            codes = [getattr(problem, "code", "") for problem in problems.values()]
            super().__init__(text or _invalid(problems), code=codes[0] if codes and all(codes) else "")

    def body(self, translate: Translate = str) -> dict[str, object]:
        said = {name: translated(problem, translate) for name, problem in self.problems.items()}
        details = {
            name: {"code": code, "message": said[name], "data": {"param": name}}
            for name, code in self.causes.items()
        }
        invalid = {"status": self.status, "params": said, "details": details or []}
        if not self.missing:
            return {"code": self.code, "message": translated(self.message, translate), "data": invalid}
        body: dict[str, object] = {
            "code": self.code,
            "message": translated(self.message, translate),
            "data": {"status": self.status, "params": list(self.missing)},
        }
        if self.problems:
            text = translated(_invalid(self.problems), translate)
            body["additional_errors"] = [{"code": "rest_invalid_param", "message": text, "data": invalid}]
        return body


def _missing(names: Iterable[str]) -> Message:
    return message("Missing parameters: {names}.", names=", ".join(names))


def _invalid(names: Iterable[str]) -> Message:
    return message("Invalid parameters: {names}.", names=", ".join(names))


class DatabaseUnavailable(ApiError):
    """The database is busy, out of reach, or not in a state to be served."""

    status = 503
    code = "rest_database_unavailable"

    def __init__(self, text: str, *, code: str = "", retry_after: int = 1) -> None:
        super().__init__(text, code=code, headers={"Retry-After": str(retry_after)})


class StorageFull(ApiError):
    status = 507
    code = "rest_storage_full"

    def __init__(self) -> None:
        super().__init__(
            message("The disk is full: nothing was stored. Make room and send the request again.")
        )
