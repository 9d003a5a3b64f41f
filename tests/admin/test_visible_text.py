"""Bodies of messages: laid out for reading, and nothing in them is hidden."""

from __future__ import annotations

from wallet_gateway.admin.visible_text import visible_body


def test_a_message_is_laid_out_without_being_read() -> None:
    body = '{"amount":1.10,"list":["a,b:{","\\"q\\""],"x":{"y":true}}'

    assert visible_body(body) == (
        '{\n  "amount": 1.10,\n  "list": [\n    "a,b:{",\n    "\\"q\\""\n  ],\n'
        '  "x": {\n    "y": true\n  }\n}'
    )


def test_a_bidi_override_inside_a_message_is_seen() -> None:
    assert "\\u202e" in visible_body('{"message":"\u202e"}')
