"""Markup that tries to run something, in its classic families; what runs calls `canary()`.

Addresses are on hosts that do not exist, so that nothing is ever fetched by mistake.
"""

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path

#: Words by name, and below `shapes`, for each group, the texts that are made of the words of a name.
WORDS = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
CALL = "canary()"


def shaped(group: str) -> Iterable[str]:
    """Every word of a group in every shape of its name."""
    for name, shapes in WORDS["shapes"][group].items():
        yield from (shape.replace("{}", word) for word, shape in product(WORDS[name], shapes))


def _payloads() -> Iterable[str]:
    for name in WORDS["scripts.name"]:
        yield from (f"<{name}>{CALL}</{name.strip()}>", f"<{name}>{CALL}", f"<<{name}>{CALL}//<</script>")
    handlers = WORDS["handlers"]
    for number, element in enumerate(WORDS["elements"]):
        for offset in range(4):
            yield f"<{element} {handlers[(number + offset * 4) % len(handlers)]}={CALL}>x"
    yield from (f"<{root}>{inner}" for root, inner in product(WORDS["foreign.root"], WORDS["foreign.inner"]))
    for less, more in WORDS["encodings.pairs"]:
        yield from (f"{less}script{more}{CALL}{less}/script{more}", f"{less}img src=x onerror={CALL}{more}")
    for scheme, shape in product(WORDS["schemes"], WORDS["schemed"]):
        yield shape.format(f"{scheme}{CALL}")
    yield from shaped("markup")


PAYLOADS: tuple[str, ...] = tuple(dict.fromkeys(_payloads()))
