"""Text of others: everything in it can be seen, and nothing in it turns the page around."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.admin.visible_text import LONGEST, visible, visible_body

HIDING = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


@every(
    ("text", "shown"),
    [
        ("a chip in the rim", "a chip in the rim"),
        ("Größe ٥ 漢字 🎁", "Größe ٥ 漢字 🎁"),  # noqa: RUF001
        ("paid \u202edecil\u202c", "paid \\u202edecil\\u202c"),
        ("\u2066x\u2069\u200f\u200b\ufeff", "\\u2066x\\u2069\\u200f\\u200b\\ufeff"),
        ("one\r\ntwo\tthree\x00\x1b[31m\x7f", "one\\r\\ntwo\\tthree\\x00\\x1b[31m\\x7f"),
        ("\u2028\U000e0041\ue000", "\\u2028\\U000e0041\\ue000"),
        ("<b onclick=x>&amp;", "<b onclick=x>&amp;"),
    ],
)
def test_what_hides_is_written_as_its_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_no_text_hides_anything(text: str) -> None:
    assert not {unicodedata.category(c) for c in visible(text)} & HIDING


def test_a_long_text_is_cut_and_says_so() -> None:
    assert visible("x" * 501) == "x" * LONGEST + "…"
    assert visible("x" * 500) == "x" * 500


def test_a_message_is_laid_out_without_being_read() -> None:
    body = '{"amount":1.10,"list":["a,b:{","\\"q\\""],"x":{"y":true}}'

    assert visible_body(body) == (
        '{\n  "amount": 1.10,\n  "list": [\n    "a,b:{",\n    "\\"q\\""\n  ],\n'
        '  "x": {\n    "y": true\n  }\n}'
    )


@every("body", ["", "<html>502</html>", "{", "}}}", '["open', "[" * 2000])
def test_what_is_no_message_is_shown_all_the_same(body: str) -> None:
    assert visible_body(body).replace("\n", "").replace(" ", "") == body.replace(" ", "")


def test_a_bidi_override_inside_a_message_is_seen() -> None:
    assert "\\u202e" in visible_body('{"message":"\u202e"}')
