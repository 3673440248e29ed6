"""Categories and tags: creation, trees, every filter and order, deletion."""

from tests.conformance import stage
from tests.conformance.play import Play

BAD_FIELDS = (
    ("name", ""),
    ("name", " "),
    ("name", "0"),
    ("name", None),
    ("name", "x" * 201),
    ("name", "<b></b>"),
    ("description", ""),
    ("slug", "0"),
    ("slug", "rowing"),
    ("name", "Rowing"),
)
LISTS = (
    "",
    "per_page=2",
    "per_page=2&page=2",
    "per_page=2&page=9",
    "page=0",
    "per_page=x",
    "search=ou",
    "search=OU&hide_empty=false",
    "search=zzz",
    "include={one},{two}&hide_empty=0",
    "include=4711",
    "exclude={one}&hide_empty=0",
    "exclude[]={one}&exclude[]={two}&hide_empty=0",
    "order=asc&hide_empty=0",
    "order=desc&hide_empty=0",
    "order=sideways",
    "order=",
    *(f"orderby={key}&order=asc&hide_empty=0" for key in ("id", "name", "slug", "count", "description")),
    *(f"orderby={key}&hide_empty=0" for key in ("term_group", "parent", "include", "size")),
    "hide_empty=true",
    "hide_empty=0",
    "hide_empty=maybe",
    "post={regatta}",
    "event={concert}",
    "event={hidden}",
    "post={regatta}&event={concert}",
    "event=x",
    "slug=outdoor",
    "slug=music",
    "slug=no-such-slug",
    "slug=",
)


def _life(play: Play, plural: str) -> None:
    play(f"POST /{plural}", {}, as_="admin")
    full = {"name": "Rowing & sailing", "description": "On <b>water</b>", "slug": "Rowing"}
    play(f"POST /{plural}", full, as_="admin", save="rowing")
    play(f"POST /{plural}", {"name": "Rowing"}, as_="admin", save="second")
    play(f"POST /{plural}", {"name": "Rowing & sailing"}, as_="admin")
    play(f"POST /{plural}", form={"name": "Form"}, as_="editor", save="form")
    play(f"POST /{plural}?name=Asked", as_="editor", save="asked")
    for caller in (None, "subscriber", "contributor", "author"):
        play(f"POST /{plural}", {"name": f"By {caller}"}, as_=caller)
    play(f"GET /{plural}/{{rowing}}")
    play(f"HEAD /{plural}/{{rowing}}")
    play(f"GET /{plural}/{{rowing}}", as_="admin")
    for method in ("POST", "PUT", "PATCH"):
        play(f"{method} /{plural}/{{form}}", {"description": method}, as_="admin")
    play(f"PATCH /{plural}/{{form}}", {"name": "Shape"}, as_="admin")
    play(f"PATCH /{plural}/{{form}}", {"slug": "The Shape"}, as_="admin")
    for name, value in BAD_FIELDS:
        play(f"PATCH /{plural}/{{form}}", {name: value}, as_="admin")
    play(f"PATCH /{plural}/{{form}}", {"name": "No"}, as_="contributor")
    play(f"DELETE /{plural}/{{form}}")
    play(f"DELETE /{plural}/{{form}}", as_="contributor")
    play(f"DELETE /{plural}/{{form}}", as_="editor")
    play(f"DELETE /{plural}/{{form}}", as_="editor")
    play(f"GET /{plural}/{{form}}")
    play(f"PATCH /{plural}/4711", {"name": "x"}, as_="admin")


def category_life(play: Play) -> None:
    _life(play, "categories")


def tag_life(play: Play) -> None:
    _life(play, "tags")


def category_tree(play: Play) -> None:
    """Parents, what a cycle is answered with, and children that move up."""
    for name, parent in (("Root", 0), ("Branch", "{root}"), ("Twig", "{branch}"), ("Leaf", "{twig}")):
        body = {"name": name, "parent": parent}
        play("POST /categories", body, as_="admin", save=name.lower())
    play("POST /categories", {"name": "Leaf", "parent": "{branch}"}, as_="admin", save="leaf2")
    play("POST /categories", {"name": "Lost", "parent": 4711}, as_="admin")
    for parent in ("{leaf}", "{branch}", 4711, "x", -1, None):
        play("PATCH /categories/{branch}", {"parent": parent}, as_="admin")
    play("GET /categories?parent=0&hide_empty=0&_fields=categories.name")
    play("GET /categories?parent={branch}&hide_empty=0&_fields=categories.name,rest_url")
    play("GET /categories?parent=-1")
    when = {"start_date": "2026-12-01", "end_date": "2026-12-01"}
    play("POST /events", {"title": "Nest", "categories": ["{leaf}"], **when}, as_="admin", save="nest")
    play("GET /categories?_fields=categories.name,categories.count")
    play("GET /events?categories=root&_fields=total,rest_url")
    play("DELETE /categories/{twig}", as_="admin")
    play("GET /categories/{leaf}")
    play("PATCH /categories/{leaf}", {"parent": 0}, as_="admin")
    play("GET /events?categories=root&_fields=total")
    play("DELETE /categories/{leaf}", as_="admin")
    play("GET /events/{nest}?_fields=categories")


def _lists(play: Play, plural: str, symbols: tuple[str, str]) -> None:
    stage.town(play)
    for symbol, name in zip(("one", "two"), symbols, strict=True):
        play.saved[symbol] = play.saved[name]
    play(f"GET /{plural}")
    play(f"HEAD /{plural}")
    play(f"GET /{plural}?hide_empty=0")
    play(f"GET /{plural}", as_="admin")
    for query in LISTS:
        shown = f"rest_url,next_rest_url,previous_rest_url,total,total_pages,{plural}.name,{plural}.count"
        play(f"GET /{plural}?_fields={shown}&{query}")


def category_lists(play: Play) -> None:
    """Whole, by page, and through every filter and order."""
    _lists(play, "categories", ("sport", "music"))


def tag_lists(play: Play) -> None:
    """Whole, by page, and through every filter and order."""
    _lists(play, "tags", ("evening", "nobody"))


GROUPS = ((category_life, {}), (tag_life, {}), (category_tree, {}), (category_lists, {}), (tag_lists, {}))
