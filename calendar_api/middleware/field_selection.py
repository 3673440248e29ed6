"""`_fields`: the parts of an answer that a caller wants (docs/interface.md#field-selection, pure)."""

from typing import Any

Wanted = dict[str, "Wanted"]


def wanted(names: str) -> Wanted:
    """A comma list of dotted paths as a tree; {} when it names nothing.

    Who asks for a whole and for a part of it gets the whole.

    >>> wanted("id,venue.city")
    {'id': {}, 'venue': {'city': {}}}
    """
    tree: Wanted = {}
    paths = ([step for step in name.strip().split(".") if step] for name in names.split(","))
    for *above, last in sorted(filter(None, paths), key=len, reverse=True):
        here = tree
        for step in above:
            here = here.setdefault(step, {})
        here[last] = {}
    return tree


def select(document: Any, tree: Wanted) -> Any:
    """The document with these keys only, in its own order; paths reach into objects and lists of objects."""
    if not tree:
        return document
    if isinstance(document, list):
        return [select(item, tree) for item in document]
    if not isinstance(document, dict):
        return document
    return {key: select(value, tree[key]) for key, value in document.items() if key in tree}
