"""Strict JSON: what two parsers could read in two ways is refused, quickly and with one kind of error."""

from __future__ import annotations

import contextlib
import json
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import Collision, NumberText, dumps, fold_name, loads, loads_by_parts

MEGABYTE = 1_048_576


@every(
    ("body", "value"),
    [
        (b" \r\n\t[]\n ", []),
        (b"null", None),
        (b'{"a": [true, false, null]}', {"a": [True, False, None]}),
        ('{"city": "München"}'.encode(), {"city": "München"}),
        (b'"\\u00fc\\ud83d\\ude00"', "ü\U0001f600"),
        ('"Straße"', "Straße"),
        # Only real nesting counts.
        ('{"a": "' + "[{" * 1000 + '"}', {"a": "[{" * 1000}),
        ('{"a": "\\"' + "[" * 1000 + '"}', {"a": '"' + "[" * 1000}),
        ('["\\\\", "' + "]" * 50 + '", "' + "[" * 50 + '"]', ["\\", "]" * 50, "[" * 50]),
        ("[" + ",".join(["[]"] * 1000) + "]", [[]] * 1000),
        ('{"' + "[" * 30 + '": true}', {"[" * 30: True}),
        # Letters outside ASCII are never folded together.
        ('{"skinId": "", "s\\u212ainId": ""}', {"skinId": "", "s\u212ainId": ""}),
        ('{"id": "", "\\u0130d": "", "\\u0131d": ""}', {"id": "", "\u0130d": "", "\u0131d": ""}),
        ('{"\\u00c4": "", "\\u00e4": ""}', {"\u00c4": "", "\u00e4": ""}),
    ],
    ids=range(14),
)
def test_json_is_read_from_bytes_and_from_text(body: bytes | str, value: object) -> None:
    assert loads(body) == value


@every("text", ["10.00", "0", "-1", "1e5", "1E-400", "12345678901234567890.000", "9" * 10_000, "1e1000000"])
def test_a_number_stays_the_digits_that_were_sent(text: str) -> None:
    value = loads(f'{{"amount": {text}}}')
    assert isinstance(value, dict)
    assert value["amount"] == text
    assert type(value["amount"]) is NumberText


@pytest.mark.parametrize(
    ("body", "both"),
    [
        (b'{"amount": 1, "amount": 1}', "'amount' and 'amount'"),
        (b'{"Amount": 1, "amount": 2}', "'Amount' and 'amount'"),
        (b'{"a": {"b": [{"Id": 1, "x": 0, "ID": 2}]}}', "'Id' and 'ID'"),
        ('{"ÄMOUNT": 1, "Ämount": 2}'.encode(), r"'\\xc4MOUNT' and '\\xc4mount'"),
        (b'{"\\u0061": 1, "a": 2}', "'a' and 'a'"),
    ],
    ids=["same", "case", "nested", "beside a letter that is not folded", "escaped"],
)
def test_one_field_given_twice_is_refused_by_both_spellings(body: bytes, both: str) -> None:
    with pytest.raises(UnreadableBody, match=both):
        loads(body)


@every(
    ("name", "folded"),
    [("AmOUnt", "amount"), ("\u212a", "\u212a"), ("S\u017fS", "s\u017fs"), ("\u0130D", "\u0130d")],
)
def test_only_ascii_letters_of_a_name_are_lowered(name: str, folded: str) -> None:
    assert fold_name(name) == folded


BROKEN: list[bytes | str] = [
    *(b"", b"  \n", b"hello", b"<html><body>Bad gateway</body></html>", b"\x00\x00\x00", b"]]]]", b"[{]}"),
    *(b'{"a": 1', b'{"a": "b', b'"\\u12', b'"\\x41"', b"{'a': 1}", b'{"a": 1,}', b"{} {}", b"{} // done"),
    *(b'"a\nb"', b'"a\tb"', b'"\x01"'),
    *(b"[010]", b"[+1]", b"[.5]", b"[5.]", b"[0x10]", b"{a: 1}", b"{1: 1}"),
    # Other codes than UTF-8, byte order marks, and what is cut or overlong.
    *('{"a": "ü"}'.encode("latin-1"), '{"a": "ü"}'.encode()[:8], b"{+AGE: 1}", b'"\xc0\xaf"'),
    *('{"a": 1}'.encode(code) for code in ("utf-16", "utf-16-le", "utf-32")),
    *(b"\xef\xbb\xbf\xef\xbb\xbf{}", " \ufeff{}", b"\xef\xbb\xbf", b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"'),
    # Halves of surrogate pairs.
    *(b'{"a": "\\ud800"}', b'{"a": "\\uDFFF"}', b'"\\ude00\\ud83d"', b'{"\\ud800": 1}', '"\ud800"'),
]


@every("body", BROKEN, ids=map(ascii, BROKEN))
def test_what_is_not_strict_json_is_unreadable(body: bytes | str) -> None:
    with pytest.raises(UnreadableBody) as caught:
        loads(body)
    assert len(str(caught.value)) < 200


@every(
    ("body", "words"),
    [
        *((f"[{word}]", f"{word} is no JSON number") for word in ("NaN", "Infinity", "-Infinity")),
        *(
            (opener * levels, "nested deeper than 20 levels")
            for opener in ("[", '{"a":', '[{"a":')
            for levels in (25, 100_000)
        ),
    ],
    ids=range(9),
)
def test_no_number_and_too_deep_nesting_are_refused_with_the_reason(body: str, words: str) -> None:
    with pytest.raises(UnreadableBody, match=words):
        loads(body)


def test_deep_nesting_is_refused_however_little_stack_is_left() -> None:
    def at_depth(frames: int) -> None:
        if frames:
            at_depth(frames - 1)
        else:
            loads("[" * 900 + "]" * 900)

    with pytest.raises(UnreadableBody):
        at_depth(sys.getrecursionlimit() // 2)


def test_twenty_levels_and_one_mebibyte_are_the_limits() -> None:
    assert loads("[" * 20 + "]" * 20) is not None
    with pytest.raises(UnreadableBody):
        loads("[" * 21 + "]" * 21)
    assert len(str(loads(b'"' + b"x" * (MEGABYTE - 2) + b'"'))) == MEGABYTE - 2
    with pytest.raises(UnreadableBody, match="1048577 bytes; at most 1048576"):
        loads(b'"' + b"x" * (MEGABYTE - 1) + b'"')


HOSTILE = {
    "openers": b"[" * MEGABYTE,
    "escaped quotes": b'"' + b'\\"' * (MEGABYTE // 2 - 1),
    "backslashes": b"[" * 20 + b'"' + b"\\" * (MEGABYTE - 30),
    "one number": b"9" * MEGABYTE,
    "many numbers": b"[" + b"1," * (MEGABYTE // 2 - 10) + b"1]",
    "names that fold": b"{" + b",".join(b'"k%d":1' % (index % 40_000) for index in range(80_000)) + b"}",
    "surrogates": b'"' + b"\\ud83d\\ude00" * 80_000 + b'"',
}


@every("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_body_takes_long(body: bytes) -> None:
    started = time.thread_time()
    with contextlib.suppress(UnreadableBody):
        loads(body)
    # A tenth of a second on most machines; what grows with the square of the length takes minutes on any.
    assert time.thread_time() - started < 10


@given(text=st.text() | st.binary())
def test_any_input_is_read_or_unreadable(text: str | bytes) -> None:
    try:
        loads(text)
    except UnreadableBody:
        return
    json.loads(text)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.sampled_from("abcdef"), part, max_size=4),
    max_leaves=12,
)


@given(value=PLAIN)
def test_what_is_written_is_read_back_and_written_the_same(value: object) -> None:
    assert dumps(loads(dumps(value))) == dumps(value)
    assert loads_by_parts(dumps(value)) == loads(dumps(value))


@every("value", [1.5, float("nan"), b"x", {1, 2}, object()])
def test_what_json_cannot_carry_exactly_is_not_written(value: object) -> None:
    with pytest.raises(TypeError, match="has no place in a message"):
        dumps({"a": [value]})


def test_part_by_part_one_field_given_twice_spoils_its_own_object_alone() -> None:
    value = loads_by_parts('[{"id": 1}, {"id": 1, "Id": 2}, {"a": {"b": 1, "B": 1}}]')
    collision = "one object has {} and {}, which are the same field; send it once".format
    assert value == [{"id": "1"}, collision("'id'", "'Id'"), {"a": collision("'b'", "'B'")}]
    assert isinstance(value, list)
    assert [type(part) for part in value] == [dict, Collision, dict]
    # Half of a character is left to whoever reads the part, and what is no JSON is refused as ever.
    assert loads_by_parts('["\\ud800", "ü"]') == ["\ud800", "ü"]
    for body in (b"", b"<html>", b"[1", b"[NaN]", b"\xff", b"[" * 21 + b"]" * 21, b"[] []"):
        with pytest.raises(UnreadableBody):
            loads_by_parts(body)
