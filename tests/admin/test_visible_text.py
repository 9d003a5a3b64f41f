"""Bodies of messages: laid out for reading, and nothing in them is hidden."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.admin.visible_text import MAX_BODY_LENGTH, visible_body


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


def test_a_long_body_is_cut_and_says_so() -> None:
    assert visible_body("x" * (MAX_BODY_LENGTH + 1)) == "x" * MAX_BODY_LENGTH + "…"
