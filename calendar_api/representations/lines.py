"""Texts that go out without being escaped, as clients expect: costs, addresses, telephone numbers."""

import re

_OPENING = re.compile(r"<(?=[a-zA-Z/!?])")


def inert(value: str) -> str:
    """The same where no browser finds a tag: what looks like one to a browser only is still in it.

    Written back, it is stored as it was.
    """
    return _OPENING.sub("&lt;", value) if "<" in value else value
