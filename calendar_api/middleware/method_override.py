import falcon

from calendar_api.domain import form_params

_OVERRIDES = ("PUT", "PATCH", "DELETE")


class MethodOverride:
    """POST may stand for PUT, PATCH or DELETE, where a client cannot send these."""

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        if req.method != "POST":
            return
        asked = (
            req.get_header("X-HTTP-Method-Override") or form_params.last(req.query_string, "_method") or ""
        )
        if asked.upper() in _OVERRIDES:
            req.method = asked.upper()
