"""The words in the texts of the data set: four scripts, accents, words to search for."""

from random import Random

_WRITTEN = """
market museum garden lecture theatre film dance yoga harvest summer winter open house workshop river evening
morning choir reading walk village station library children kitchen poetry quartet canvas
Zürich café naïve smörgåsbord Größe crème brûlée piñata żółw Čapek
Ελλάδα θέατρο μουσική Москва выставка концерт 東京 音楽 展覧会
"""
WORDS = _WRITTEN.split()

COMMON = "festival"  # in nearly every description
MEDIUM = "philharmonic"  # in one of twenty
MEDIUM_SHARE = 0.05
GREEK_CAPITALS = "ΘΈΑΤΡΟ"  # not found by a search that folds only ASCII letters
_RARE = 100_000
_PIECES, _PIECE = 400, 1600


def words(random: Random, number: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(number))


def rare(random: Random) -> str:
    """A token shared by a few events in a million."""
    return f"needle{random.randrange(_RARE):05d}"


def pieces(random: Random) -> list[str]:
    """Long texts that descriptions are cut from, which is faster than choosing every word."""
    made = []
    for _ in range(_PIECES):
        number = _PIECE // 6
        listed = [COMMON if random.random() < 0.02 else random.choice(WORDS) for _ in range(number)]
        made.append(" ".join(listed))
    return made


def description(random: Random, texts: list[str], token: str) -> str:
    """300 to 1,500 characters of plain text with the token in them."""
    first, second = random.choice(texts), random.choice(texts)
    start = random.randrange(800)
    medium = f" {MEDIUM}" if random.random() < MEDIUM_SHARE else ""
    length = random.randrange(300, 1500)
    room = length - len(token) - len(medium) - 2
    body = f"{first[start:]} {second}"[:room]
    half = len(body) // 2
    return " ".join(f"{body[:half]} {token}{medium} {body[half:]}".split())
