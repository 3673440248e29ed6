"""The fenced blocks of a Markdown document, and what its comments say about them.

A comment directly before a block tells how the block is used, one line `<!-- WORD: TEXT -->` each:

- `not run: REASON`: the block is left alone. The test prints the reasons.
- `file: PATH`: the block is the content of this file; `append: PATH`: it is added at the end.
- `serves: URL`: the last command goes on running, as in a terminal of its own. The next block is run when the
  URL answers. The server stops where the next one starts, or before a block with the comment `stop` (Ctrl-C).
- `exit status: N`: the last command ends with this status. All others must end with 0.

Blocks in `sh` are commands. Blocks in `console` have commands after `$ ` and what they print. All others need
one of these comments.
"""

import re
import subprocess
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

WORDS = ("not run", "file", "append", "serves", "stop", "exit status")
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^#{2,} (.+)$", re.MULTILINE)
_COMMENTS = re.compile(r"(?:<!--(?:(?!-->).)*-->\s*)+\Z", re.DOTALL)
_COMMENT = re.compile(r"<!--\s*([a-z ]+?)(?::\s*(.*?))?\s*-->", re.DOTALL)


class NotUsable(AssertionError):
    """A block that can be neither run nor left alone."""


@dataclass(frozen=True)
class Block:
    """`line` is the number of its first line in the document, `words` what the comments before it say.

    `heading` is the last one before it.
    """

    line: int
    language: str
    text: str
    words: dict[str, str] = field(default_factory=dict)
    heading: str = ""

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Commands, and what the document says that they print; "" if it says nothing."""
        if self.language == "sh":
            return [(command, "") for command in commands(self.text)]
        steps = []
        for part in ("\n" + self.text).split("\n$ ")[1:]:
            command = commands(part, first=True)[0]
            steps.append((command, part[len(command) :].strip("\n")))
        return steps


def of(document: Path) -> list[Block]:
    """All blocks in their order. Raises NotUsable for one that does not tell what to do with it."""
    text = document.read_text("utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("text")) + 1
        comments = _COMMENTS.search(text[: match.start()])
        words = {
            word: " ".join(said.split()) for word, said in _COMMENT.findall(comments[0] if comments else "")
        }
        heading = _HEADING.findall(text[: match.start()])[-1:] or [""]
        block = Block(line, match["language"], textwrap.dedent(match["text"]), words, heading[0])
        _check(block, f"{document.name}:{line}")
        found.append(block)
    assert text.count("```") == 2 * len(found), f"{document.name} has a fence that is not closed"
    return found


def _check(block: Block, place: str) -> None:
    unknown = sorted(set(block.words) - set(WORDS))
    if unknown:
        raise NotUsable(f"{place}: no such word in a comment before a block: {unknown}")
    if "not run" in block.words:
        if len(block.words["not run"]) < 10:
            raise NotUsable(f"{place}: say why this block is not run")
    elif block.language == "console" and not block.text.startswith("$ "):
        raise NotUsable(f"{place}: a block in `console` begins with `$ ` and a command")
    elif block.language not in ("sh", "console") and not {"file", "append"} & set(block.words):
        raise NotUsable(f"{place}: say before this block which file it is, or why it is not run")


def commands(text: str, *, first: bool = False) -> list[str]:
    """The commands of a script; one may have several lines. `first`: that one alone, without its output."""
    found: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        lines.append(line)
        if _complete("\n".join(lines)):
            if any(one.strip() and not one.startswith("#") for one in lines):
                found.append("\n".join(lines))
                if first:
                    return found
            lines = []
    return found + (["\n".join(lines)] if lines else [])


def _complete(command: str) -> bool:
    """Whether bash would run this now, and not wait for another line."""
    if command.rstrip().endswith(("|", "&&", "\\")):
        return False
    checked = subprocess.run(
        ["bash", "-n"], input=command + "\n", text=True, capture_output=True, check=False
    )
    return checked.returncode == 0 and "here-document" not in checked.stderr
