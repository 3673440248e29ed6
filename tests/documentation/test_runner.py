"""The runner of documents finds what is wrong in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation import blocks, shell
from tests.documentation.blocks import NotUsable
from tests.documentation.running import PrintedSomethingElse, Run
from tests.documentation.shell import CommandFailed, Shell

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with shell.started(tmp_path_factory.mktemp("shell"), private=("etc", "opt")) as started:
        yield started


def document(folder: Path, text: str) -> Path:
    file = folder / "document.md"
    file.write_text(text, "utf-8")
    return file


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


GOOD = """
```sh
mkdir -p here && cd here
alias shout='echo loud'
NUMBER=41
cat > settings <<'END'
KEY=value
END
```

1. In a list:

   <!-- file: page.html -->
   ```html
   <p>
   ```

```console
$ shout $((NUMBER + 1)); echo second
loud 42
second
$ cat settings page.html |
    wc -l
2
$ echo "key: the password $(printf 'abcd %.0s' 1 2 3 4 5 6)" | sed 's/ $//'
key: the password qJYa 8egW VYRU Veyf 5wVP GoLh
$ echo 'qJYa 8egW VYRU Veyf 5wVP GoLh'; seq 9; echo the end of it
abcd abcd abcd abcd abcd abcd
1
…
9
the … it
```

<!-- serves: http://127.0.0.1:8000/page.html -->
```console
$ python3 -u -m http.server --bind 127.0.0.1 8000
Serving HTTP on 127.0.0.1 port 8000 …
```

```console
$ curl -s http://127.0.0.1:8000/settings
KEY=value
```

<!-- not run: takes an hour -->
```sh
exit 5
```

<!-- stop -->
<!-- exit status: 7 -->
```sh
curl -s http://127.0.0.1:8000/settings
```
"""


def test_state_stays_and_values_that_differ_are_known_later(bash: Shell, tmp_path: Path) -> None:
    run = Run(document(tmp_path, GOOD), bash)

    run.all()

    assert run.left_out == ["document.md:48 takes an hour"]
    assert run.executed == 6


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (fenced("sh", "true\nfalse\ntrue"), CommandFailed, "document.md:2: exit status 1 false"),
        (fenced("sh", "cat > config\nKEY=value\ntest -s config"), CommandFailed, "test -s config"),
        (fenced("console", "$ echo a\nb"), PrintedSomethingElse, "-b\n"),
        (fenced("console", "$ echo 2.0\n2.0.1"), PrintedSomethingElse, "2.0.1"),
        ("<!-- exit status: 1 -->\n" + fenced("console", "$ true"), CommandFailed, "exit status 0"),
        ("<!-- serves: http://127.0.0.1:1/ -->\n" + fenced("sh", "echo no port"), CommandFailed, "no port"),
        (fenced("sh", "exit 3"), CommandFailed, "the shell has ended"),
    ],
)  # fmt: skip
def test_wrong_document_is_found(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    with shell.started(tmp_path) as fresh, pytest.raises(error) as raised:
        Run(document(tmp_path, text), fresh).all()

    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        fenced("json", "{}"),
        fenced("console", "make"),
        "<!-- not run: -->\n" + fenced("sh", "make"),
        "<!-- skip: it is long -->\n" + fenced("sh", "make"),
        "```sh\nmake\n",
    ],
)
def test_block_that_would_be_passed_over_is_found(tmp_path: Path, text: str) -> None:
    with pytest.raises((NotUsable, AssertionError)):
        blocks.of(document(tmp_path, text))


def test_changes_of_the_machine_stay_in_the_namespace(bash: Shell) -> None:
    bash.run("echo 192.0.2.1 > /etc/calendar-document && mkdir /opt/calendar-document")

    assert bash.run("cat /etc/calendar-document; ls -d /opt/calendar-document").splitlines() == [
        "192.0.2.1",
        "/opt/calendar-document",
    ]
    assert not Path("/etc/calendar-document").exists()
    assert not Path("/opt/calendar-document").exists()
