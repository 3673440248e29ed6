"""Unicode normal forms that take linear time and are those of the library."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_api import normal_form

_PILES = st.text(
    st.sampled_from("e\u0301\u0323\u0344\u0f73\u0f75\u0340\u1e69\uac00\u11a7\uff9e\u0338\u0345a")
)


def _library(value: str) -> str:
    """What NFKD gives, without the marks."""
    return "".join(one for one in unicodedata.normalize("NFKD", value) if not unicodedata.combining(one))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(_PILES, st.integers(1, 40))
def test_forms_are_those_of_the_library(pile: str, times: int) -> None:
    value = pile * times

    assert normal_form.composed(value) == unicodedata.normalize("NFC", value)
    assert normal_form.bare(value) == _library(value)


@pytest.mark.parametrize(
    "marks", ["\u0301\u0323", "\u0344\u0323", "\u0f73", "\u0301\u0323\u0345", "\uff9e\u0301"]
)
def test_towers_of_marks_take_no_time(marks: str) -> None:
    tower = "e" + marks * (65_000 // len(marks))
    before = time.process_time()

    normal_form.composed(tower)
    normal_form.bare(tower)

    assert time.process_time() - before < 0.25
