"""What a search finds: plain containment of folded texts (docs/interface.md#search).

The table was written by hand, from the rule alone. tests/store/test_full_text.py finds out whether each
database searches by this rule.
"""

import pytest

from calendar_api.domain import search_query, text

# Text, what is looked for, and whether it is found.
LETTERS = (
    # Latin
    ("Jazz Night", "jazz", True), ("jazz night", "NIGHT", True), ("jazz", "jazzy", False),
    ("jazz", "azz", True), ("Café", "cafe", True), ("cafe", "CAFÉ", True), ("cafe\u0301", "café", True),
    ("café", "cafe\u0301", True), ("Müller", "muller", True), ("Müller", "mueller", False),
    ("Straße", "strasse", True), ("STRASSE", "straße", True), ("Straẞe", "strasse", True),
    ("Straße", "strase", False), ("İstanbul", "istanbul", True), ("istanbul", "İSTANBUL", True),
    ("ıstanbul", "istanbul", False), ("istanbul", "ıstanbul", False), ("ISTANBUL", "ıstanbul", False),
    ("ſoft", "soft", True), ("soft", "ſOFT", True), ("Łódź", "łodz", True), ("Łódź", "lodz", False),
    ("smørrebrød", "SMØRREBRØD", True), ("smørrebrød", "smorrebrod", False), ("Æther", "ÆTHER", True),
    ("Æther", "aether", False), ("œuvre", "oeuvre", False), ("Ðað", "ðað", True), ("Ðað", "dad", False),
    ("\u212bngström", "ångström", True), ("Århus", "arhus", True), ("Århus", "aarhus", False),
    ("ﬁnale", "finale", True), ("finale", "ﬁnale", True), ("Ǆungla", "dzungla", True),
    ("Señor", "senor", True), ("Việt Nam", "viet", True), ("Viê\u0323t", "việt", True), ("ŉ", "ʼn", True),
    ("ｊａｚｚ", "jazz", True), ("𝐣𝐚𝐳𝐳", "JAZZ", True), ("①", "1", True), ("x²", "x2", True),
    ("Ⅷ", "viii", True),
    # Greek and Cyrillic
    ("Ελλάδα", "ΕΛΛΑΔΑ", True), ("ΕΛΛΑΔΑ", "ελλάδα", True), ("Σίσυφος", "ΣΙΣΥΦΟΣ", True),
    ("ΣΊΣΥΦΟΣ", "σίσυφος", True), ("ᾳ", "αι", True), ("Ωραία", "ώρα", True), ("\u2126", "ω", True),
    ("Москва", "МОСКВА", True), ("Ёлка", "елка", True), ("Мой", "мои", True), ("Ґанок", "ганок", False),
    ("а", "a", False), ("a", "а", False), ("Ѐ", "е", True), ("ꙋ", "у", False),
    # Other cases, letters beyond the first plane among them
    ("Հայերեն", "ՀԱՅԵՐԵՆ", True), ("և", "եւ", True), ("ᲥᲐᲠᲗᲣᲚᲘ", "ქართული", True), ("Ꭰ", "ꭰ", True),
    ("𐐀", "𐐨", True), ("𞤀", "𞤢", True), ("𐐀", "𐐩", False),
    # Scripts with signs around their letters
    ("שָׁלוֹם", "שלום", True), ("שלום", "שָׁלוֹם", True), ("שלום", "שלומ", False), ("شَمْس", "شمس", True),
    ("آب", "اب", True), ("علي", "علی", False), ("كتاب", "کتاب", False), ("ﷲ", "الله", True),
    ("प्रकाश", "परकाश", True), ("किताब", "कि", True), ("किताब", "की", False), ("क़लम", "कलम", True),
    ("ನಮಸ್ಕಾರ", "ನಮಸಕಾರ", True), ("தமிழ்", "தமிழ", True), ("ไทย", "ไท", True), ("ก้า", "กา", True),
    ("ກ", "ก", False), ("বাংলা", "বাংলা", True), ("မြန်မာ", "မြနမာ", True),
    # East Asia
    ("한국", "\u1112\u1161\u11ab국", True), ("\u1112\u1161\u11ab국", "한국", True), ("한국", "국", True),
    ("한국", "하", True), ("한국", "호", False), ("日本", "日", True), ("東京", "东京", False),
    ("が", "か", True), ("か\u3099", "が", True), ("カ", "か", False), ("ｶ", "カ", True),
    ("ー", "一", False), ("っ", "つ", False), ("㍿", "株式会社", True), ("𠮷野家", "𠮷", True),
    ("𠮷野家", "吉", False),
)  # fmt: skip

SIGNS = (
    # Wildcards of databases stand for themselves.
    ("100%", "%", True), ("100", "%", False), ("100%", "0%", True), ("100", "1%0", False),
    ("abc", "a%c", False), ("a%c", "a%c", True), ("a_c", "a_c", True), ("abc", "a_c", False),
    ("abc", "_", False), ("abc", "%%", False), ("a\\b", "\\", True), ("a\\b", "a\\b", True),
    ("ab", "a\\b", False), ("a%b", "a\\%b", False), ("a\\%b", "a\\%b", True), ("a\\\\b", "\\\\", True),
    ("a\\b", "\\\\", False), ("abc", "*", False), ("a*c", "*", True), ("abc", "?", False),
    ("abc", "[a]", False), ("[a]", "[a]", True), ("abc", ".", False), ("a|b", "a|c", False),
    ("O'Neil", "o'neil", True), ("O'Neil", "'", True), ("O’Neil", "o'neil", False), ("a''b", "''", True),
    ("a'b", "''", False), ("a;b", ";", True), ("a--b", "a--b", True), ("c++", "c++", True),
    ("c", "c++", False), ("c#", "#", True), ("a/*b", "/*", True), ("½", "1⁄2", True), ("½", "1/2", False),
    # Spaces at the ends do not count, those within do, however many or whatever kind there are.
    ("jazz", '"jazz "', True), ("jazz", '" jazz"', True), ("jazz night", '"jazz  night"', True),
    ("jazz\u00a0night", '"jazz night"', True), ("jazz\u3000night", '"jazz night"', True),
    ("jazznight", '"jazz night"', False), ("jazz night", "jazznight", False),
    # What cannot be seen is still there.
    ("ja\u00adzz", "jazz", False), ("ja\u200bzz", "jazz", False), ("ja\u200dzz", "ja\u200dzz", True),
    # Symbols beyond the first plane differ from each other.
    ("🎷", "🎷", True), ("🎷", "🎸", False), ("🎷 jazz", "🎸", False), ("👩‍👩‍👧", "👩", True),
    ("👩", "👨", False), ("👍🏽", "👍", True), ("👍", "👍🏽", False), ("❤\ufe0f", "❤", True),
    ("❤", "❤\ufe0f", False), ("🇩🇪", "🇩", True), ("🇩🇪", "🇫", False), ("€", "$", False), ("♠", "♥", False),
    ("jazz", "🎷", False), ("\U0010fffd", "🎷", False),
)  # fmt: skip


@pytest.mark.parametrize("rows", [LETTERS, SIGNS], ids=["letters", "signs"])
def test_text_is_found_by_what_it_holds(rows: tuple[tuple[str, str, bool], ...]) -> None:
    def found(shown: str, query: str) -> bool:
        stored = text.folded(text.plain(shown))
        return all((word.text in stored) is not word.excluded for word in search_query.parse(query))

    assert [row for row in rows if found(row[0], row[1]) is not row[2]] == []
