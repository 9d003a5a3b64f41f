"""Card numbers are found as they are written; how often something else is taken for one is counted."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tests.docs.pages import ROOT
from tests.support.processor_time import LARGE, MIDDLE, grows_too_fast
from tests.support.tables import every
from wallet_gateway.domain.orders import new_reference
from wallet_gateway.protocol.card_numbers import (
    has_card_number,
    has_check_digit,
    is_card_number,
    mask_card_numbers,
)

VISA = "4111111111111111"
NUMBERS = (
    *(VISA, "4000000000000000006", "5555555555554444", "2223003122003222", "378282246310005"),
    *("36006666333344", "30569309025904", "6011111111111117", "3530111333300000", "6200000000000005"),
    *("6304000000000000", "500000000000000009", "8171999927660000", "2200000000000004"),
)
"""Visa, Mastercard, American Express, Diners Club, Discover, JCB, UnionPay, Maestro, RuPay and Mir."""
GAPS = (" ", "  ", "\u00a0", "\t", "-", " - ", "\u2011", ".", "/", "_", "+", "%20", "%2D", "\n")


def spelt(number: str, gap: str) -> str:
    """Return a number in the groups that are printed on a card."""
    sizes = {15: (4, 6, 5), 14: (4, 6, 4)}.get(len(number), (4, 4, 4, 4, 3))
    groups = [number[sum(sizes[:at]) : sum(sizes[: at + 1])] for at in range(len(sizes))]
    return gap.join(group for group in groups if group)


@every(("number", "gap"), [(number, gap) for number in NUMBERS for gap in ("", *GAPS)])
def test_a_card_number_is_found_in_one_piece_and_in_the_groups_of_cards(number: str, gap: str) -> None:
    text = spelt(number, gap)
    assert mask_card_numbers(f"No{text}x") == f"No***{number[-4:]}x"
    assert is_card_number(text)


@every(
    ("text", "masked"),
    [
        (f"{VISA} 12/29 123", "***1111 12/29 123"),
        (f"{spelt(VISA, ' ')} 123", "***1111 123"),
        (f"12 {VISA}", "12 ***1111"),
        (f"2026 {spelt(VISA, ' ')}", "2026 ***1111"),
        (f"{VISA},5555555555554444", "***1111,***4444"),
        (f"{VISA}=29121010000012345", "***1111=29121010000012345"),
        (f'{{"m":"{VISA}"}}', '{"m":"***1111"}'),
        (f"pan={spelt(VISA, '+')}&cvv=1", "pan=***1111&cvv=1"),
        (f"a=b%20{VISA}", "a=b%20***1111"),
        (f"2026-11-23T08:20:06Z {spelt(VISA, ' ')}", "2026-11-23T08:20:06Z ***1111"),
        (f"a {spelt(VISA, '.')} b 5555555555554444", "a ***1111 b ***4444"),
    ],
)
def test_what_stands_beside_a_card_number_stays(text: str, masked: str) -> None:
    assert mask_card_numbers(text) == masked
    assert not is_card_number(text)


@every(
    "text",
    [
        "",
        "4111111111111112",
        "41111111111111111111111111",
        "0000000000000000",
        "4222222222222",
        "+49 151 00000079",
        "4006381333931",
        "490154203237518",
        "353490069873319",
        "41 11 11 11 11 11 11 11",
        "amounts 4500.00, 5000.00, 3000.00, 250.00, 17.10",
        "23.11.2026 - 24.11.2026, 25.11.2026/26.11.2026",
        "from 2026-11-23 23:59:59.123456+00:00",
        "1,000,000.00 and 4,111,111,111.11",
        "\ud800" * 40,
    ],
)
def test_what_is_no_card_number_stays(text: str) -> None:
    assert mask_card_numbers(text) == text
    assert not has_card_number(text)
    assert not is_card_number(text)


HOSTILE = ("4 ", "4", "4111 ", f"{VISA}2 ", "%20", "1.1.2020 ", "36 ", "4" + " " * 6)


@every("block", HOSTILE)
def test_no_text_takes_more_than_linear_time(block: str) -> None:
    def text_of(size: int) -> str:
        return block * (size // len(block))

    assert not grows_too_fast(mask_card_numbers, text_of, MIDDLE, LARGE)


# How often something else is taken for a card number. The table of docs/security.md leaves out what never is.


def _with_ean_digit(digits: str) -> str:
    sums = sum(int(digit) * (3 if at % 2 == 0 else 1) for at, digit in enumerate(reversed(digits)))
    return f"{digits}{-sums % 10}"


def _digits(draw: random.Random, count: int) -> str:
    return "".join(draw.choices("0123456789", k=count))


LENGTHS = "1:10 33:9 34:9 39:10 44:10 49:11 86:11 91:10 351:9 380:9"
CALLING_CODES = {code: int(length) for code, length in (pair.split(":") for pair in LENGTHS.split())}


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
    assert told == {kind: str(hits) for kind in KINDS if (hits := false_hits(kind))}
