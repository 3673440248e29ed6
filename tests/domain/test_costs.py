"""Costs: parsing, formatting, `cost_details`."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import costs

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)
AMOUNTS = st.sampled_from(["1", "9.5", "10", "25.50", "999,75", "999999"])
WRITTEN = st.text(alphabet="0123456789.,-–— $€'tofrFEUR;")


@pytest.mark.parametrize(
    ("given_cost", "shown", "symbol", "position", "values"),
    [
        (20, "$20", "", "", ["20"]),
        (10.5, "$10.5", "", "", ["10.5"]),
        ("10.50", "$10.50", "", "", ["10.50"]),
        ("$20", "$20", "$", "prefix", ["20"]),
        ("USD 20", "USD20", "USD", "prefix", ["20"]),
        ("20 kr.", "20kr.", "kr.", "postfix", ["20"]),
        ("Rs.20", "Rs.20", "Rs.", "prefix", ["20"]),
        ("10-20", "$10 – $20", "", "", ["10", "20"]),
        ("10 to 20", "$10 – $20", "", "", ["10", "20"]),
        ("10-20 €", "10€ – 20€", "€", "postfix", ["10", "20"]),
        ("€10,25 €20,50", "€10,25 – €20,50", "€", "prefix", ["10.25", "20.50"]),
        (["10", 20], "$10 – $20", "", "", ["10", "20"]),
        (["10", "10.00"], "$10", "", "", ["10"]),
        (["0$", "20$", "30$"], "Free – 30$", "$", "postfix", ["0", "20", "30"]),
        (["$5", "€6"], "$5 – $6", "", "", ["5", "6"]),
        (["$5", "6$"], "$5 – $6", "", "", ["5", "6"]),
        (-0.0, "Free", "", "", ["0"]),
        ("Free – 30$", "Free – 30$", "$", "postfix", ["0", "30"]),
        (["Free", "10"], "Free – $10", "", "", ["free", "10"]),
        ("FREE", "FREE", "", "", ["free"]),
        ("Pay-what-you-can", "Pay-what-you-can", "", "", ["pay-what-you-can"]),
        (["Donation", "$10"], "$10 – Donation", "$", "prefix", ["10", "donation"]),
        ("10 per person", "10 per person", "", "", ["10"]),
        ("Adults 20 €, children 10 €", "Adults 20 €, children 10 €", "", "", ["10", "20"]),
        ("$20 USD", "$20 USD", "", "", ["20"]),
        ("???", "???", "", "", []),
        ("$.50", "$.50", "$", "prefix", ["0.50"]),
        ("1,000", "$1,000", "", "", ["1000"]),
        ("0,500", "$0,500", "", "", ["0.500"]),
        ("1.000,00", "$1.000,00", "", "", ["1000.00"]),
        ("1.000.000", "$1.000.000", "", "", ["1000000"]),
        ("1.234,56 €", "1.234,56€", "€", "postfix", ["1234.56"]),
        ("1 234,56 €", "1 234,56€", "€", "postfix", ["1234.56"]),
        ("1\u202f234,56\xa0€", "1 234,56€", "€", "postfix", ["1234.56"]),
        ("1'234.50 CHF", "1'234.50CHF", "CHF", "postfix", ["1234.50"]),
        (-5, "-5", "-", "prefix", ["5"]),
        ([-5, 10], "-5 – $10", "-", "prefix", ["5", "10"]),
        ("<b>10</b>", "$10", "", "", ["10"]),
        ("9" * 40, "$" + "9" * 40, "", "", ["9" * 40]),
        ("", "", "", "", []),
        (None, "", "", "", []),
        ([], "", "", "", []),
        (["", " "], "", "", "", []),
    ],
)
def test_formatted_and_details(
    given_cost: object, shown: str, symbol: str, position: str, values: list[str]
) -> None:
    stored = costs.parse(given_cost)

    assert costs.formatted(stored) == shown
    assert list(costs.details(stored).items()) == [
        ("currency_symbol", symbol),
        ("currency_code", ""),
        ("currency_position", position),
        ("values", values),
    ]


def test_parts_are_stored_as_they_were_written() -> None:
    assert costs.parse([" 20 € ", "Sold <i>out</i>", 5]) == "20 €\nSold out\n5"


def test_formatted_with_another_currency_and_word_for_free() -> None:
    assert costs.formatted(costs.parse("0-10"), symbol="€", free="Kostenlos") == "Kostenlos – €10"


@pytest.mark.parametrize(
    ("given_cost", "price"),
    [
        ("€25.50", "25.50"),
        ("€1.234,50", "1234.50"),
        ("20-5", "5 – 20"),
        ("0.00", "0"),
        ("Free", "0"),
        ("0-10", "0 – 10"),
        (["Free", "10"], "0 – 10"),
        ("Pay What You Can", "Pay What You Can"),
        ("10 per person", "10 per person"),
        (["5", "By Donation"], "5 – By Donation"),
    ],
)
def test_price_is_the_lowest_and_the_highest_part_without_currency(given_cost: object, price: str) -> None:
    assert costs.price(costs.parse(given_cost)) == price


@pytest.mark.parametrize(
    ("given_cost", "sentence"),
    [
        (True, "must be a text, a number, or a list of texts and numbers"),
        ({"a": 1}, "must be a text, a number, or a list of texts and numbers"),
        ([None], "must be a text, a number, or a list of texts and numbers"),
        (math.nan, "must hold finite numbers only"),
        ([math.inf], "must hold finite numbers only"),
        (["1"] * 21, "must have at most 20 parts"),
        (", ".join(["1"] * 21), "must have at most 20 parts"),
        ("x" * 101, "must have parts of at most 100 characters"),
        ([10**5_000], "must have parts of at most 100 characters"),
        (1e300, "must have parts of at most 100 characters"),
        ("1 " * 20_000, "must have parts of at most 100 characters"),
    ],
)
def test_invalid_cost_is_refused(given_cost: object, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        costs.parse(given_cost)

    assert str(refused.value) == sentence


@given(ANY_JSON)
def test_any_json_is_a_cost_or_a_value_error(given_cost: object) -> None:
    try:
        stored = costs.parse(given_cost)
    except ValueError:
        return

    assert isinstance(costs.formatted(stored), str)
    assert len(costs.details(stored)) == 4


@given(WRITTEN)
def test_any_cost_is_stored_the_same_again_and_its_amounts_are_numbers(written: str) -> None:
    stored = costs.parse(written)
    values = costs.details(stored)["values"]
    assert isinstance(values, list)

    amounts = costs.amounts(costs.formatted(stored), values)

    assert costs.parse(stored) == stored
    assert amounts is None or all(math.isfinite(float(value)) for value in amounts.values)


@given(AMOUNTS, AMOUNTS, st.sampled_from(["$", "€", "USD", "kr"]), st.booleans())
def test_shown_cost_written_back_has_the_same_details(low: str, high: str, symbol: str, first: bool) -> None:
    given_cost = [f"{symbol}{low}", f"{symbol}{high}"] if first else [f"{low} {symbol}", f"{high} {symbol}"]
    stored = costs.parse(given_cost)

    written_back = costs.parse(costs.formatted(stored))

    assert costs.formatted(written_back) == costs.formatted(stored)
    assert costs.details(written_back) == costs.details(stored)


@pytest.mark.parametrize(
    ("given_cost", "free", "amounts"),
    [
        ("", "Free", None),
        ("10", "Free", ("$", "prefix", ["10"], "USD")),
        ("10, 5, 1.000,50 €", "Free", ("€", "postfix", ["5", "10", "1000.50"], "EUR")),
        ("CHF 10", "Free", ("CHF", "prefix", ["10"], "CHF")),
        ("10 kr", "Free", ("kr", "postfix", ["10"], "")),
        ("0", "Kostenlos", ("", "", ["0"], "")),
        ("0 - €5", "Kostenlos", ("€", "prefix", ["0", "5"], "EUR")),
        ("Free", "Kostenlos", ("", "", ["0"], "")),
        (["Free", "7"], "Kostenlos", ("$", "prefix", ["0", "7"], "USD")),
        ("Donation", "Free", None),
        (["5", "Donation"], "Free", None),
        ("10 per person", "Free", None),
        ("0 per person", "Free", None),
        ("-5", "Free", None),
    ],
)
def test_amounts_of_a_cost_that_is_shown(given_cost: object, free: str, amounts: object) -> None:
    stored = costs.parse(given_cost)
    values = costs.details(stored)["values"]
    assert isinstance(values, list)

    found = costs.amounts(costs.formatted(stored, "$", free), values)

    assert (found and (*found, found.code)) == amounts
