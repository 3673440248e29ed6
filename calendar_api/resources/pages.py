"""What every page for people has: its address, headers and error pages."""

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Unpack
from urllib.parse import quote

import falcon

from calendar_api import database
from calendar_api.config import NAMESPACE, Config
from calendar_api.database.models import Event, Organizer, Venue
from calendar_api.domain import etags, feed_formats, form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, InvalidParameters, NotFound
from calendar_api.domain.translation import LANGUAGES, Translate, translated
from calendar_api.representations.links import RenderContext
from calendar_api.resources.resource import Json, ReadOnly, RouteKey
from calendar_api.resources.static_files import HASHED, hashed_name
from calendar_api.store import documents, identifiers

log = logging.getLogger("calendar_api")

_MODELS = (Event, Venue, Organizer)
_PRIVATE = re.compile("/(?:edit|submit)/")
HTML = "text/html; charset=utf-8"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' https:; script-src {}; form-action 'self'; "
    "base-uri 'none'; frame-ancestors {}"
)
_LANGUAGE_NAMES = {
    "en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "it": "Italiano", "nl": "Nederlands",
}  # fmt: skip
_LOCALES = {code: f"{code}_{'GB' if code == 'en' else code.upper()}" for code in _LANGUAGE_NAMES}


@dataclass
class View:
    """What a page shows; `kind` is its OpenGraph type.

    `data` are the variables of its `template`. Texts are plain. `path` is its canonical address below the
    home page, "" for none; `query` the filters in it, encoded. `feed` is the address of its feed below the
    home page without the suffix, "" for none; `calendar` that of another feed to subscribe to. `json` is the
    list or record in the interface, and `api` what clients of the interface start from, both below the
    namespace. `previous` and `next` are addresses of the pages before and after it. `nav` names its link in
    the navigation.
    """

    template: str
    title: str
    data: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    image: str = ""
    kind: str = "website"
    path: str = ""
    query: str = ""
    feed: str = ""
    calendar: str = ""
    json: str = ""
    api: str = "/"
    previous: str = ""
    next: str = ""
    nav: str = ""
    indexed: bool = True
    cacheable: bool = True


class WebPage(ABC):
    """A page, made for one request; subclasses say what is on it. `params` are the variables of its route."""

    methods: tuple[str, ...] = ("GET",)

    def __init__(
        self, config: Config, req: falcon.Request, resp: falcon.Response, **params: Unpack[RouteKey]
    ) -> None:
        self.config, self.req, self.resp, self.params = config, req, resp, params
        self.path: str = req.context.page.path if req.context.page else ""
        self.site: RenderContext = req.context.site
        self.home = self.site.links.home
        self.say: Translate = req.context.translate

    @property
    def caller(self) -> Caller:
        caller: Caller = self.req.context.caller
        return caller

    @abstractmethod
    def show(self) -> View | None:
        """The page; None after a redirection. Raises ApiError."""

    def get(self) -> None:
        self.resp.set_headers(self.site.links.discovery())
        if not self.req.context.page.canonical:
            self.redirect(self.path, self.req.query_string)
            return
        view = self.show()
        if view is not None:
            send(self.req, self.resp, view, self.config)

    def post(self) -> None:
        raise falcon.HTTPMethodNotAllowed(self.methods)

    def parameter(self, name: str) -> str:
        """A parameter of the query string, "" without one."""
        return form_params.last(self.req.query_string, name) or ""

    def redirect(self, path: str, query: str = "", status: str = falcon.HTTP_301) -> None:
        """Redirect to a path below the home page in the language of the request."""
        move(self.resp, status, self.home + quote(path), query)


class PageRoute(ReadOnly):
    """The resource of a page: makes one for each request."""

    def __init__(self, config: Config, page: type[WebPage]) -> None:
        super().__init__(config)
        self.page, self.methods = page, page.methods

    def on_get(self, req: falcon.Request, resp: falcon.Response, **params: Unpack[RouteKey]) -> None:
        self.page(self.config, req, resp, **params).get()

    def on_post(self, req: falcon.Request, resp: falcon.Response, **params: Unpack[RouteKey]) -> None:
        self.page(self.config, req, resp, **params).post()


class Home(WebPage):
    """`/`, and the page of a record by its id: `/?p=12`."""

    def show(self) -> None:
        id = self.parameter("p")
        if not id:
            self.redirect("/events/", status=falcon.HTTP_302)
            return
        parts = self.req.query_string.split("&")
        others = "&".join(part for part in parts if part.partition("=")[0] not in ("p", "post_type"))
        address = database.run_read(lambda: page_of(form_params.number(id), self.req))
        move(self.resp, falcon.HTTP_301, address, others)


def page_of(id: int, req: falcon.Request, models: Sequence[type[documents.Record]] = _MODELS) -> str:
    """The address of the page of the record with this id; raises NotFound if it has none."""
    for model in models:
        with suppress(NotFound):
            row, noun = documents.find(model, "id", id, req.context.caller), documents.NOUNS[model]
            address: str = req.context.site.links.page(noun, id, row.slug, row.status)
            if "?" not in address:
                return address
    raise NotFound(documents.NOUNS[models[0]])


def redirect_former(
    req: falcon.Request,
    resp: falcon.Response,
    model: type[documents.Record],
    slug: str,
    suffix: str = "/",
    status: str = falcon.HTTP_301,
) -> None:
    """Redirect to the page of the record that had this slug, or its feed; raises NotFound."""

    def work() -> str:
        return page_of(identifiers.with_former_slug(documents.NOUNS[model], slug) or 0, req, (model,))

    move(resp, status, database.run_read(work).rstrip("/") + suffix, req.query_string)


def move(resp: falcon.Response, status: str, address: str, query: str) -> None:
    """Redirect to an address with this query string."""
    resp.status, resp.location = status, f"{address}?{query}" if query else address


def send(req: falcon.Request, resp: falcon.Response, view: View, config: Config) -> None:
    """Render a page and set its headers."""
    embedded, private = is_embedded(req), is_private(req)
    ancestors = config.embed if embedded else "" if private else "'self'"
    scripts, root = "'self'" if embedded else "'none'", req.context.site.links.root
    resp.data = _rendered(req, config.theme, _variables(req, view, config))
    resp.content_type = HTML
    resp.set_headers(
        {
            "ETag": etags.etag(resp.data),
            "Content-Security-Policy": _POLICY.format(scripts, ancestors or "'none'"),
        }
        | req.context.site.links.discovery(root + view.api)
    )
    if view.json:
        resp.append_header("Link", f'<{root}{view.json}>; rel="alternate"; type="application/json"')
    if embedded or private or not view.indexed:
        resp.set_header("X-Robots-Tag", "noindex")
    if private:
        set_private(resp)
    elif view.cacheable:
        req.context.cacheable = True
    else:
        resp.set_header("Cache-Control", "private, no-store")


def set_private(resp: falcon.Response) -> None:
    """Set the headers of a page for editing or submission."""
    resp.set_headers(
        {
            "Cache-Control": "private, no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            # With the policy `no-referrer`, browsers would send no origin with forms either.
            "Referrer-Policy": "same-origin",
        }
    )


def is_embedded(req: falcon.Request) -> bool:
    """Whether another site shows this page in a frame (docs/embedding.md)."""
    return form_params.last(req.query_string, "embed") == "1" and not is_private(req)


def is_private(req: falcon.Request) -> bool:
    """Whether this is a page for editing or submission: no other site may show it, and no cache store it."""
    return bool(_PRIVATE.match(req.context.page.path))


def show_error(req: falcon.Request, resp: falcon.Response, error: ApiError) -> None:
    """Answer with an error as a page."""
    say, path = req.context.translate, req.context.page.path
    problems = error.problems if isinstance(error, InvalidParameters) else {}
    data: Json = {
        "status": error.status,
        "message": translated(NotFound.text if error.status == 404 else error.message, say),
        "problems": [translated(problem, say) for problem in problems.values()],
        "is_editing": path.startswith("/edit/") and req.context.config.has_editing,
        "is_sign_in": path == "/edit/invitation/",
        "request_id": req.context.id if error.status >= 500 or is_private(req) else "",
    }
    title = say("Page not found") if error.status == 404 else say("This did not work")
    view = View("error.html", title, data, indexed=False, cacheable=False)
    send(req, resp, view, req.context.config)
    resp.media = None


def _rendered(req: falcon.Request, theme: str, variables: Json) -> Any:
    """The page; our own templates stand in for a theme that fails."""
    try:
        return renderer(theme).render(**variables)
    except Exception as error:
        if not theme:
            raise
        log.error("request %s: a template of the theme failed", req.context.id, exc_info=error)
        return renderer("").render(**variables)


@cache
def renderer(theme: str) -> Any:
    """Templates are loaded with the first page: most processes of an interface never need them."""
    return import_module("calendar_api.representations.page").Renderer(theme)


def _variables(req: falcon.Request, view: View, config: Config) -> Json:
    """What templates know: `site`, `page`, and what the view adds."""
    links, path = req.context.site.links, quote(view.path or "/events/")
    query = f"?{view.query}" if view.query else ""
    homes = {code: links.site if code == config.language else f"{links.site}/{code}" for code in LANGUAGES}
    page = dict(vars(view))
    page["embedded"] = is_embedded(req)
    page["url"] = f"{homes[req.context.language]}{path}{query}" if view.path and not is_private(req) else ""
    page["languages"] = {code: f"{home}{path}{query}" for code, home in homes.items()}
    formats = feed_formats.SINGLE if view.kind == "article" else feed_formats.LISTS
    page["feeds"] = (
        {kind: f"{links.home}{quote(view.feed)}.{kind}{query}" for kind in formats} if view.feed else {}
    )
    # A calendar that subscribes to one event or month alone is of little use.
    calendar = "/events" if view.kind == "article" else view.calendar or view.feed
    page["subscribe"] = f"{links.home}{quote(calendar)}.ics{query}" if calendar else ""
    site: Json = {
        "name": config.site_name,
        "home": links.home,
        "origin": "/".join(links.site.split("/")[:3]),
        "root": links.root,
        "address": links.site,
        "docs": f"{links.home}/{NAMESPACE}/docs",
        "submit": f"{links.home}/submit/" if config.has_submissions else "",
        "sign_in": f"{links.home}/edit/sign-in/" if config.has_editing and not is_private(req) else "",
        "above": links.root.removesuffix(req.context.namespace),
        **{name: f"{links.site}/static/{hashed_name(file)}" for name, file in HASHED.items()},
        "theme": f"{links.site}/static/theme.css" if config.theme else "",
        "language": req.context.language,
        "default_language": config.language,
        "language_names": _LANGUAGE_NAMES,
        "locale": _LOCALES[req.context.language],
        "timezone": config.timezone,
        "clock": config.clock,
    }
    say = req.context.translate
    return {"template": view.template, "translate": say, "site": site, "page": page, **view.data}
