"""What a feed says about itself."""

from calendar_api.representations.feed import disposition


def test_names_of_files_are_ascii_and_complete() -> None:
    assert disposition("Café: Größe", "ics", attached=False) == 'inline; filename="cafe-grosse.ics"'
    assert disposition("東京 jazz", "csv", attached=True) == (
        "attachment; filename=\"jazz.csv\"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC-jazz.csv"
    )
    assert disposition("!", "rss", attached=False) == 'inline; filename="calendar.rss"'
    assert len(disposition("x" * 300, "ics", attached=False)) < 130
