"""Text from other parties: safe to quote, to log, to show, to store and to export."""

from __future__ import annotations

import itertools
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway.protocol.text import (
    MAX_LOG_LENGTH,
    MAX_QUOTE_LENGTH,
    escape_formula,
    header_line,
    is_storable,
    one_line,
    printable,
    quote,
    storable,
    visible,
    without_bidi_controls,
)

RIGHT_TO_LEFT_OVERRIDE, NO_BREAK_SPACE = "\u202e", "\u00a0"


@every(
    ("value", "quoted"),
    [
        ("10,00", "'10,00'"),
        ("it's", '"it\'s"'),
        ("line\nbreak \x1b[31mred", r"'line\nbreak \x1b[31mred'"),
        ("١٢ \u202e \ud800", r"'\u0661\u0662 \u202e \ud800'"),
        ("card 4111.1111 1111-1111!", "'card ***1111!'"),
        ("x" * 50 + "4111111111111111", "'" + "x" * 50 + "***111..."),
        (4111111111111111, "***1111"),
        (None, "None"),
        (1.5, "1.5"),
        (10**100, "a number of many digits"),
        ([1, 2], "a value of type list"),
        ({"a": 1}, "a value of type dict"),
    ],
)
def test_a_value_is_quoted_in_plain_ascii(value: object, quoted: str) -> None:
    assert quote(value) == quoted


@every(
    "value",
    ["x" * 61, "x" * 1_000_000, "\n" * 40, "\U0001f4a9" * 60, 10**5000, type("T" * 500, (), {})()],
    ids=["long", "huge", "escaped", "emoji", "number", "type"],
)
def test_a_quote_never_exceeds_sixty_characters(value: object) -> None:
    assert len(quote(value)) <= MAX_QUOTE_LENGTH
    assert quote(value).isascii()


HIDING = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


@every(
    ("text", "shown"),
    [
        ("Größe ٥ 漢字 🎁", "Größe ٥ 漢字 🎁"),  # noqa: RUF001
        ("paid \u202edecil\u202c", "paid \\u202edecil\\u202c"),
        ("\u2066x\u2069\u200f\u200b\ufeff", "\\u2066x\\u2069\\u200f\\u200b\\ufeff"),
        ("one\r\ntwo\tthree\x00\x1b[31m\x7f", "one\\r\\ntwo\\tthree\\x00\\x1b[31m\\x7f"),
        ("\u2028\U000e0041\ue000\ud800", "\\u2028\\U000e0041\\ue000\\ud800"),
        ("<b onclick=x>&amp;", "<b onclick=x>&amp;"),
        (f"a{NO_BREAK_SPACE}b", f"a{NO_BREAK_SPACE}b"),
        (42, "42"),
    ],
)
def test_what_hides_is_written_as_its_escape(text: object, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_no_text_hides_anything(text: str) -> None:
    assert not {unicodedata.category(c) for c in visible(text)} & HIDING


@every(
    ("text", "line"),
    [
        (ValueError("a\r\nb\t"), r"a\r\nb\t"),
        (f"a{NO_BREAK_SPACE}b", r"a\xa0b"),
        ("as it is, é and 猫 too", "as it is, é and 猫 too"),
        ("\x00\x1b\x7f\x85\u2028\u202e\ufeff\ud800", r"\x00\x1b\x7f\x85\u2028\u202e\ufeff\ud800"),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 297 + "..."),
        ("\n" * 300, r"\n" * 148 + "\\..."),
        ("\U000e0001" * 300, r"\U000e0001" * 29 + r"\U000e0..."),
    ],
    ids=range(8),
)
def test_a_line_of_a_log_is_one_line_of_at_most_300_characters(text: object, line: str) -> None:
    assert one_line(text) == line
    assert len(line) <= MAX_LOG_LENGTH


def test_a_header_has_no_line_breaks_and_unprintable_characters_become_spaces() -> None:
    assert [header_line(text) for text in ("a\r\nBcc: x", "  a \t b ", "")] == ["a Bcc: x", "a b", ""]
    assert printable(f"a\n{RIGHT_TO_LEFT_OVERRIDE}\0b{NO_BREAK_SPACE}") == "a   b "


def test_nul_half_pairs_and_other_types_cannot_be_stored() -> None:
    for text in ("", "Zürich \U0001f600", "\u0645\u0631\u062d\u0628\u0627", "a\nb"):
        assert is_storable(text)
    for value in ("nul\0", "\ud800", "a\udfff", "\udc80b", None, 5, b"text"):
        assert not is_storable(value)
    assert storable("a\0b") == "a\ufffdb"
    assert storable(None) == ""


def test_what_turns_the_direction_of_a_text_is_left_out_and_joiners_stay() -> None:
    assert without_bidi_controls("Ada\u202e evil \u2066x\u2069\u200f") == "Ada evil x"
    assert without_bidi_controls("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"


SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20", *"\ufe66\ufe62\ufe63\ufe6b")
"""Of ASCII, of full width, and small ones."""
BLANKS = ("", " ", "  ", NO_BREAK_SPACE, f" {NO_BREAK_SPACE} ", "\u3000", "\u200b", "\ufeff", "\u202e")


@every(("blanks", "sign"), itertools.product(BLANKS, SIGNS))
def test_a_cell_that_begins_like_a_formula_is_escaped_whatever_blanks_precede(blanks: str, sign: str) -> None:
    assert escape_formula(f"{blanks}{sign}1+1") == f"'{blanks}{sign}1+1"


@every("text", ["", " ", "ORDER-1", "20.00", "2026-05-17T12:00:00+00:00", "a=b", "a\tb", "'=1", "\u2212 5"])
def test_any_other_cell_stays_as_it_is(text: str) -> None:
    assert escape_formula(text) == text
