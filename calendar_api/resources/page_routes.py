"""The routes of pages for people; paths are those of `middleware.url_prefix`."""

from collections.abc import Iterator

from calendar_api.config import Config
from calendar_api.resources import pages, sitemap, static_files
from calendar_api.resources.editing import event_lists, events, submission, users
from calendar_api.resources.editing.records import MergePage, RecordForm, RecordList
from calendar_api.resources.event_pages import EventPage
from calendar_api.resources.list_pages import EventPages
from calendar_api.resources.page_feeds import PageFeed
from calendar_api.resources.pages import PageRoute, WebPage
from calendar_api.resources.resource import BaseResource

#: Files for machines beside the pages.
FILES: dict[str, type[BaseResource]] = {
    "/robots.txt": sitemap.Robots,
    "/sitemap.xml": sitemap.SitemapIndex,
    "/sitemap-{kind}-{number}.xml": sitemap.SitemapFile,
    "/embed.js": static_files.EmbedScript,
    "/static/{name}": static_files.StaticFiles,
}
#: Pages for people.
PAGES: dict[str, type[WebPage]] = {
    "": pages.Home,
    "/events": EventPages,
    "/events/{path:path}": EventPages,
    "/tag/{path:path}": EventPages,
    "/venue/{path:path}": EventPages,
    "/organizer/{path:path}": EventPages,
    "/event/{slug}": EventPage,
}
#: Pages of editing, with CALENDAR_EDITING=on.
EDITING: dict[str, type[WebPage]] = {
    "/edit": event_lists.MyEvents,
    "/edit/events": event_lists.AllEvents,
    "/edit/event/new": events.EventForm,
    "/edit/event/{id:record_id}": events.EventForm,
    "/edit/waiting": event_lists.Waiting,
    "/edit/sign-in": users.SignIn,
    "/edit/sign-out": users.SignOut,
    "/edit/invitation": users.InvitationPage,
    "/edit/account": users.Account,
    "/edit/users": users.UserList,
    "/edit/users/{id:record_id}": users.UserPage,
}
for _plural in ("venues", "organizers", "categories", "tags"):
    EDITING |= {
        f"/edit/{_plural}": RecordList,
        f"/edit/{_plural}/new": RecordForm,
        f"/edit/{_plural}/{{id:record_id}}": RecordForm,
        f"/edit/{_plural}/{{id:record_id}}/merge": MergePage,
    }
#: With CALENDAR_SUBMISSIONS=on alone.
SUBMISSION: dict[str, type[WebPage]] = {
    "/submit": submission.SubmitPage,
    "/submit/{token}": submission.SubmissionPage,
}


def resources(config: Config) -> Iterator[tuple[str, BaseResource]]:
    """The resources of pages that the settings allow, with the templates of their paths."""
    yield "/feeds/{path:path}", PageFeed(config)
    shown: dict[str, type[WebPage]] = {}
    if config.pages == "on":
        shown |= PAGES
        for template, file in FILES.items():
            yield f"/pages{template}", file(config)
    if config.has_editing:
        shown |= EDITING
    if config.has_submissions:
        shown |= SUBMISSION
    for template, page in shown.items():
        yield f"/pages{template}", PageRoute(config, page)
