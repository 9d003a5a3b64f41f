"""Card numbers are found in every spelling; how often something else is taken for one is counted."""

from __future__ import annotations

import random
import re
import unicodedata
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.docs.pages import ROOT
from tests.processor_time import LARGE, MIDDLE, grows_too_fast
from tests.tables import every
from wallet_gateway.domain.references import new_reference
from wallet_gateway.protocol.card_numbers import (
    card_numbers,
    has_card_number,
    has_check_digit,
    mask_card_numbers,
)

VISA = "4111111111111111"
NUMBERS = {
    "Visa": VISA,
    "Visa of 13 digits": "4222222222222",
    "Visa of 19 digits": "4000000000000000006",
    "Mastercard": "5555555555554444",
    "Mastercard that begins with 2": "2223003122003222",
    "American Express": "378282246310005",
    "Diners Club of 14 digits": "36006666333344",
    "Diners Club that begins with 30": "30569309025904",
    "Discover": "6011111111111117",
    "JCB": "3530111333300000",
    "UnionPay": "6200000000000005",
    "Maestro": "6304000000000000",
    "Maestro of 18 digits": "500000000000000009",
    "RuPay": "8171999927660000",
    "Mir": "2200000000000004",
}
SEPARATORS = {
    "blank": " ",
    "two blanks": "  ",
    "no-break space": "\u00a0",
    "narrow no-break space": "\u202f",
    "thin space": "\u2009",
    "zero width space": "\u200b",
    "right-to-left override": "\u202e",
    "soft hyphen": "\u00ad",
    "tab": "\t",
    "line": "\r\n",
    "NUL": "\0",
    "full stop": ".",
    "middle dot": "\u00b7",
    "solidus": "/",
    "backslash": "\\",
    "underscore": "_",
    "plus": "+",
    "hyphens and blanks": " - ",
    "encoded blank": "%20",
    "encoded hyphen": "%2D",
    "encoded no-break space": "%C2%A0",
    "encoded tab": "%09",
    "encoded line": "%0d%0a",
    "blank encoded twice": "%2520",
    "encoded narrow no-break space": "%e2%80%af",
    "encoded ideographic space": "%E3%80%80",
    "blank of HTML": "&nbsp;",
    "thin space of HTML": "&thinsp;",
    "blank of HTML by its number": "&#32;",
    "no-break space of HTML by its number": "&#xA0;",
    "blank of HTML escaped twice": "&amp;nbsp;",
    "no-break space of repr": "\\xa0",
    "non-breaking hyphen of JSON": "\\u2011",
    "long vowel sign typed as a hyphen": "\u30fc",
    "newline of JSON": "\\n",
    **{
        unicodedata.name(chr(code)): chr(code)
        for code in range(0x10000)
        if unicodedata.category(chr(code)) == "Pd"
    },
}
WEAKER = (",", ":", "|", "*", "'", "\uff0c")
ZEROS = ("\uff10", "\u0660", "\u0966", "\U0001d7ce")
"""Full-width, Arabic-Indic, Devanagari, mathematical."""


def spelt(number: str, separator: str, size: int = 4) -> str:
    return separator.join(number[at : at + size] for at in range(0, len(number), size))


@every(("number", "separator"), [(n, s) for n in NUMBERS.values() for s in SEPARATORS.values()])
def test_a_card_number_is_found_with_any_separators_in_any_places(number: str, separator: str) -> None:
    for size in (4, 5, 6):
        text = f"No{spelt(number, separator, size)}x"
        assert mask_card_numbers(text) == f"No***{number[-4:]}x"


@every("separator", [*SEPARATORS.values(), *WEAKER])
def test_a_number_in_blocks_of_four_and_one_digit_by_digit_are_found(separator: str) -> None:
    for size in (4, 1):
        assert mask_card_numbers(spelt(VISA, separator, size)) == "***1111"


@every("zero", ZEROS)
def test_digits_of_any_script_are_digits(zero: str) -> None:
    number = "".join(chr(ord(zero) + int(digit)) for digit in VISA)
    assert mask_card_numbers(f"Karte {spelt(number, chr(0x2011))}!") == "Karte ***1111!"
    assert mask_card_numbers("\u2074\u00b9\u00b9\u00b9" + number[4:]) == "***1111"


@given(st.sampled_from(sorted(NUMBERS.values())), st.data())
def test_separators_of_all_kinds_may_be_mixed(number: str, data: st.DataObject) -> None:
    kinds = st.lists(st.sampled_from(sorted(SEPARATORS.values())), max_size=2)
    # Twice " - " would be six separators, one above the limit.
    separators = kinds.filter(lambda found: found.count(" - ") < 2).map("".join)
    text = number[:4] + "".join(data.draw(separators) + digit for digit in number[4:])
    assert mask_card_numbers(f"a {text} b") == f"a ***{number[-4:]} b"


@every(
    ("text", "masked"),
    [
        (f"{VISA} 12/29 123", "***1111 12/29 123"),
        (f"12 {VISA}", "12 ***1111"),
        ("wrong check digits: DE63 4111 1111 1111 1111 12", "wrong check digits: DE63 ***1111 12"),
        (f"{VISA},5555555555554444", "***1111,***4444"),
        (f"{VISA}=29121010000012345", "***1111=29121010000012345"),
        (f'{{"m":"{VISA}"}}', '{"m":"***1111"}'),
        (f"2026-11-23T08:20:06Z {spelt(VISA, ' ')}", "2026-11-23T08:20:06Z ***1111"),
        ("a keycap 4\ufe0f\u20e3" + "1\ufe0f\u20e3" * 15, "a keycap ***1111\ufe0f\u20e3"),
    ],
)  # fmt: skip
def test_what_stands_beside_a_card_number_stays(text: str, masked: str) -> None:
    assert mask_card_numbers(text) == masked


@every(
    "text",
    [
        "",
        "4111111111111112",
        "41111111111111111111111111",
        "0000000000000000",
        "49-15100000079",
        "+4222222222222",
        "+49 151 00000079",
        "4006381333931",
        "490154203237518",
        "353490069873319",
        "please pay to DE62 4111 1111 1111 1111 12.",
        "amounts 4500.00, 5000.00, 3000.00, 250.00, 17.10",
        "23.11.2026 - 24.11.2026, 25.11.2026/26.11.2026",
        "from 2026-11-23 23:59:59.123456+00:00",
        "1,000,000.00 and 4,111,111,111.11",
        "\U0001d7ce\u0660½\u2150" * 20,
        "\ud800" * 40,
    ],
)
def test_what_is_no_card_number_stays(text: str) -> None:
    assert mask_card_numbers(text) == text
    assert not has_card_number(text)


@given(st.from_regex(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}(\.[0-9]{1,9})?Z?", fullmatch=True))
def test_the_time_of_a_record_is_no_card_number(text: str) -> None:
    assert not has_card_number(text)
    assert mask_card_numbers(text) == text


def test_each_number_is_given_with_its_place_and_its_digits() -> None:
    text = f"a {spelt(VISA, '.')} b 5555555555554444"
    assert [(text[found.start : found.end], found.digits) for found in card_numbers(text)] == [
        (spelt(VISA, "."), VISA),
        ("5555555555554444", "5555555555554444"),
    ]


@given(st.text(alphabet="0123456789 .-x\u0660\uff11\u00a0,:%&;+", max_size=120))
def test_of_any_text_only_card_numbers_are_replaced(text: str) -> None:
    at, parts = 0, []
    for found in card_numbers(text):
        assert has_check_digit(found.digits)
        assert found.digits.isascii()
        parts += [text[at : found.start], f"***{found.digits[-4:]}"]
        at = found.end
    assert mask_card_numbers(text) == "".join([*parts, text[at:]])


HOSTILE = (
    "4 ",
    "4",
    "4111 ",
    f"{VISA}2 ",
    "%20",
    "\u0664 ",
    "4,",
    "1.1.2020 ",
    "36 ",
    "4&nbsp;",
    "4" + " " * 6,
    "4-x",
)


@pytest.mark.parametrize("block", HOSTILE)
def test_no_text_takes_more_than_linear_time(block: str) -> None:
    def text_of(size: int) -> str:
        return block * (size // len(block))

    assert not grows_too_fast(mask_card_numbers, text_of, MIDDLE, LARGE)


# How often something else is taken for a card number: the table of docs/security.md.


def _with_ean_digit(digits: str) -> str:
    sums = sum(int(digit) * (3 if at % 2 == 0 else 1) for at, digit in enumerate(reversed(digits)))
    return f"{digits}{-sums % 10}"


def _digits(draw: random.Random, count: int) -> str:
    return "".join(draw.choices("0123456789", k=count))


CALLING_CODES = {
    "1": 10,
    "33": 9,
    "34": 9,
    "39": 10,
    "44": 10,
    "49": 11,
    "86": 11,
    "91": 10,
    "351": 9,
    "380": 9,
}


def _telephone(draw: random.Random) -> str:
    code, length = draw.choice(list(CALLING_CODES.items()))
    number = _digits(draw, length)
    return draw.choice((f"+{code}{number}", f"+{code} {number[:3]} {number[3:]}", f"{code}-{number}"))


def _moment(draw: random.Random) -> datetime:
    return datetime(2020, 1, 1, tzinfo=UTC) + timedelta(microseconds=draw.randrange(10**15))


def _reference(draw: random.Random) -> str:
    return new_reference(now=_moment(draw), randomness=draw.getrandbits(80))


def _uuid(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


KINDS: dict[str, Callable[[random.Random], str]] = {
    "EAN-13 of any country": lambda draw: _with_ean_digit(_digits(draw, 12)),
    "EAN-13 that begins with 4": lambda draw: _with_ean_digit("4" + _digits(draw, 11)),
    "GTIN-14": lambda draw: _with_ean_digit(draw.choice("12345678") + _digits(draw, 12)),
    "our references (ULID)": _reference,
    "UUID": _uuid,
    "SHA-256 in hexadecimal": lambda draw: f"{draw.getrandbits(256):064x}",
    "time in ISO 8601": lambda draw: _moment(draw).isoformat(),
    "two dates as 23.11.2026 - 24.11.2026": lambda draw: (
        f"{_moment(draw):%d.%m.%Y} - {_moment(draw):%d.%m.%Y}"
    ),
    "order number of 9 digits (Magento)": lambda draw: f"{draw.randrange(1, 3)}{_digits(draw, 8)}",
    "order number of 6 digits with its date": lambda draw: f"{_moment(draw):%Y%m%d}-{_digits(draw, 6)}",
    "order number of 13 digits (Shopify)": lambda draw: draw.choice("456") + _digits(draw, 12),
    "telephone number": _telephone,
    "serial number of a telephone (IMEI)": lambda draw: _with_luhn_digit("35" + _digits(draw, 12)),
    "list of four amounts": lambda draw: ", ".join(
        f"{draw.randrange(9999)}.{_digits(draw, 2)}" for _ in range(4)
    ),
    "any number of 13 digits": lambda draw: _digits(draw, 13),
    "any number of 16 digits": lambda draw: _digits(draw, 16),
}


def _with_luhn_digit(digits: str) -> str:
    return next(f"{digits}{last}" for last in "0123456789" if has_check_digit(f"{digits}{last}"))


TRIED = 4_000


def false_hits(kind: str) -> int:
    """Count those of so many generated texts of a kind that hold what is taken for a card number."""
    draw = random.Random(kind)
    return sum(map(has_card_number, (KINDS[kind](draw) for _ in range(TRIED))))


def test_the_document_says_how_often_something_else_is_taken_for_a_card_number() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    told = dict(re.findall(rf"^\| ([^|]+) \| ([0-9]+) of {TRIED:,} \|", page, flags=re.MULTILINE))
    assert told == {kind: str(false_hits(kind)) for kind in KINDS}
