"""The commands of `calendar-api`. `main` declares them; the other modules run them."""


class CommandError(Exception):
    """Why a command did nothing, as a sentence for the operator; the exit status is 1."""
