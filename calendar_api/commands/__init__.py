"""The commands of `calendar-api`. `main` declares them; the other modules run them."""


class CommandError(Exception):
    """Why a command did nothing, as a sentence for the operator; the exit status is 1."""

    status = 1


class SourceError(CommandError):
    """Why a source cannot be imported at all; the exit status is 2. Readers raise it."""

    status = 2
