"""Run a document, and compare what its commands print with what it says.

A line `…` in the document stands for any lines, `…` in a line for any characters. What differs each time is
compared by its form: see VARYING. Where the document shows a password or an ETag again, in a command or in
what is printed, the one that was printed here takes its place, as readers put in theirs.
"""

import difflib
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.documentation import blocks
from tests.documentation.blocks import Block
from tests.documentation.shell import Shell
from tests.system.servers import PATIENCE

#: Pattern, and whether later commands use the value.
VARYING = {
    "password": (r"\b(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}\b", True),
    "ETag": (r"\b[0-9a-f]{32}\b", True),
    "id of a request": (r"\b[0-9a-f]{16}\b", False),
    "time": (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", False),
    "date of a header": (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", False),
    "version": (r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])", False),
}
_VARYING = re.compile("|".join(f"({pattern})" for pattern, _ in VARYING.values()))
_FORMS = list(VARYING.values())


class PrintedSomethingElse(AssertionError):
    """A command printed something else than the document says."""


@dataclass
class Run:
    """A document on its way; `replaced` maps addresses of the document to those of this machine."""

    document: Path
    shell: Shell
    replaced: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    executed: int = 0

    def chosen(self, *headings: str) -> list[Block]:
        """All blocks, or those below these headings."""
        found = blocks.of(self.document)
        assert set(headings) <= {block.heading for block in found}, headings
        return [block for block in found if not headings or block.heading in headings]

    def all(self, *headings: str) -> None:
        """Run these blocks. Raises AssertionError with the line of the first that fails."""
        for block in self.chosen(*headings):
            try:
                self.block(block)
            except AssertionError as error:
                raise type(error)(f"{self.document.name}:{block.line}: {error}") from None

    def block(self, block: Block) -> None:
        words = block.words
        if "stop" in words:
            self.shell.stop()
        if "not run" in words:
            self.left_out.append(f"{self.document.name}:{block.line} {words['not run']}")
            return
        self.executed += 1
        for word, redirect in (("file", ">"), ("append", ">>")):
            if word in words:
                opened = f"mkdir -p $(dirname {words[word]}); cat {redirect} {words[word]} <<'END of file'"
                self.shell.run(f"{opened}\n{self._known(block.text)}END of file")
                return
        steps = block.steps
        if "serves" in words:
            *steps, (server, expected) = steps
        status = int(words.get("exit status", 0))
        if block.language == "sh" and "serves" not in words:
            self.shell.run(self._known(block.text), status)
            return
        for number, (command, printed) in enumerate(steps, 1):
            last = number == len(steps) and "serves" not in words
            output = self.shell.run(self._known(command), status if last else 0)
            if block.language == "console":
                self._compare(command, printed, output)
        if "serves" in words:
            self.shell.serve(self._known(server), self._known(words["serves"]))
            self._compare_start(server, expected)

    def _known(self, text: str) -> str:
        for sample, value in self.replaced.items():
            text = text.replace(sample, value)
        return text

    def _compare(self, command: str, expected: str, printed: str) -> None:
        match = self._pattern(expected).fullmatch(printed)
        if not match:
            lines = difflib.unified_diff(
                self._known(expected).splitlines(), printed.splitlines(), "document", "printed", lineterm=""
            )
            raise PrintedSomethingElse(f"\n$ {command}\n" + "\n".join(lines))
        self._learn(expected, match)

    def _compare_start(self, command: str, expected: str) -> None:
        """A server may print more later, and may answer before it has printed all."""
        deadline = time.monotonic() + PATIENCE / 10
        pattern = self._pattern(expected)
        while not (match := pattern.match(self.shell.served())):
            if time.monotonic() > deadline:
                self._compare(command, expected, self.shell.served())
            time.sleep(0.05)
        self._learn(expected, match)

    def _pattern(self, expected: str) -> re.Pattern[str]:
        """Matches what the document says, with one group for each value that differs each time."""
        lines = []
        for line in self._known(expected).splitlines():
            if line.strip() == "…":
                lines.append(r"(?:.*\n)*?(?:.+\Z)?")
                continue
            lines.append("[^\n]*".join(self._form(part) for part in line.split("…")) + r"(?:\n|\Z)")
        return re.compile("".join(lines))

    def _form(self, text: str) -> str:
        known = set(self.replaced.values())
        found, end = "", 0
        for match in _VARYING.finditer(text):
            form, _ = _FORMS[match.lastindex - 1]  # type: ignore[operator]
            found += re.escape(text[end : match.start()])
            found += re.escape(match[0]) if match[0] in known else f"({form})"
            end = match.end()
        return found + re.escape(text[end:])

    def _learn(self, expected: str, match: re.Match[str]) -> None:
        known = set(self.replaced.values())
        samples = [
            (sample[0], _FORMS[sample.lastindex - 1][1])  # type: ignore[operator]
            for sample in _VARYING.finditer(self._known(expected))
            if sample[0] not in known
        ]
        for (sample, reused), value in zip(samples, match.groups(), strict=True):
            if reused:
                self.replaced[sample] = value
