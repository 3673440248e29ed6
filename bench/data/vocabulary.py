"""The words that the texts of the data set are made of: four scripts, accents, words to be searched for."""

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
GREEK_CAPITALS = "ΘΈΑΤΡΟ"  # what no search finds that folds ASCII letters only
_RARE = 100_000
_PIECES, _PIECE = 400, 1600


def words(random: Random, number: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(number))


def rare(random: Random) -> str:
    """A token that a handful of events in a million share."""
    return f"needle{random.randrange(_RARE):05d}"


def pieces(random: Random) -> list[str]:
    """Texts that descriptions are cut from: to put together each word of a million events takes too long."""
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
