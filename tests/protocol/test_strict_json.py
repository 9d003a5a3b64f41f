"""Strict JSON: what two parsers could read in two ways is refused, quickly and with one kind of error."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import Collision, NumberText, dumps, fold_name, loads, loads_by_parts

MEGABYTE = 1_048_576


@every(
    ("body", "value"),
    [
        (b"{}", {}),
        (b" \r\n\t[]\n ", []),
        (b"null", None),
        (b'{"a": [true, false, null]}', {"a": [True, False, None]}),
        ('{"city": "München"}'.encode(), {"city": "München"}),
        (b'"\\u00fc\\ud83d\\ude00"', "ü\U0001f600"),
        ('"Straße"', "Straße"),
    ],
    ids=repr,
)
def test_plain_json_is_read_from_bytes_and_from_text(body: bytes | str, value: object) -> None:
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


@pytest.mark.parametrize(
    "body",
    [
        '{"skinId": 1, "s\\u212ainId": 2}',
        '{"state": 1, "\\u017ftate": 2}',
        '{"id": 1, "\\u0130d": 2, "\\u0131d": 3}',
        '{"stra\\u00dfe": 1, "strasse": 2}',
        '{"\\u00c4": 1, "\\u00e4": 2}',
    ],
    ids=["kelvin", "long s", "turkish i", "sharp s", "umlauts"],
)
def test_letters_outside_ascii_are_never_folded_together(body: str) -> None:
    value = loads(body)
    assert isinstance(value, dict)
    assert len(value) == body.count(":")


@every(
    ("name", "folded"),
    [
        ("amount", "amount"),
        ("AmOUnt", "amount"),
        ("\u212a", "\u212a"),
        ("S\u017fS", "s\u017fs"),
        ("\u0130D", "\u0130d"),
        ("", ""),
    ],
    ids=ascii,
)
def test_only_ascii_letters_of_a_name_are_lowered(name: str, folded: str) -> None:
    assert fold_name(name) == folded


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_number_is_refused_by_name(word: str) -> None:
    with pytest.raises(UnreadableBody, match=f"{word} is no JSON number"):
        loads(f"[{word}]")


BROKEN = {
    "nothing": b"",
    "white space": b"  \n",
    "a word": b"hello",
    "html": b"<html><body>Bad gateway</body></html>",
    "half an object": b'{"a": 1',
    "half a text": b'{"a": "b',
    "half an escape": b'"\\u12',
    "a bad escape": b'"\\x41"',
    "single quotes": b"{'a': 1}",
    "a trailing comma": b'{"a": 1,}',
    "two values": b"{} {}",
    "a comment": b"{} // done",
    "a line break in a text": b'"a\nb"',
    "a tab in a text": b'"a\tb"',
    "a control character": b'"\x01"',
    "a leading zero": b"[010]",
    "a leading plus": b"[+1]",
    "a bare period": b"[.5]",
    "a final period": b"[5.]",
    "a hexadecimal": b"[0x10]",
    "a name without quotes": b"{a: 1}",
    "a name that is a number": b"{1: 1}",
    "only brackets": b"]]]]",
    "crossed brackets": b"[{]}",
    "NUL bytes": b"\x00\x00\x00",
    "latin 1": '{"a": "ü"}'.encode("latin-1"),
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "utf-16 without mark": '{"a": 1}'.encode("utf-16-le"),
    "utf-32": '{"a": 1}'.encode("utf-32"),
    "utf-7": b"{+AGE: 1}",
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "a byte order mark behind a blank": " \ufeff{}",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "a cut character": '{"a": "ü"}'.encode()[:8],
    "an overlong slash": b'"\xc0\xaf"',
    "an encoded surrogate": b'"\xed\xa0\x80"',
    "beyond Unicode": b'"\xf4\x90\x80\x80"',
    "a lone surrogate": b'{"a": "\\ud800"}',
    "a lone low surrogate": b'{"a": "\\uDFFF"}',
    "surrogates in the wrong order": b'"\\ude00\\ud83d"',
    "a surrogate as a name": b'{"\\ud800": 1}',
    "a surrogate in text": '"\ud800"',
}


@every("body", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_strict_json_is_unreadable(body: bytes | str) -> None:
    with pytest.raises(UnreadableBody) as caught:
        loads(body)
    assert len(str(caught.value)) < 200


@every("opener", ["[", '{"a":', '[{"a":'])
@every("levels", [25, 1_000, 100_000])
def test_deep_nesting_is_refused_before_it_can_exhaust_the_stack(opener: str, levels: int) -> None:
    with pytest.raises(UnreadableBody, match="nested deeper than 20 levels"):
        loads(opener * levels)


def test_deep_nesting_is_refused_however_little_stack_is_left() -> None:
    def at_depth(frames: int) -> None:
        if frames:
            at_depth(frames - 1)
        else:
            loads("[" * 900 + "]" * 900)

    with pytest.raises(UnreadableBody):
        at_depth(sys.getrecursionlimit() // 2)


@pytest.mark.parametrize(("levels", "accepted"), [(20, True), (21, False)])
def test_twenty_levels_are_the_limit(levels: int, accepted: bool) -> None:
    body = "[" * levels + "]" * levels
    if accepted:
        assert loads(body) is not None
    else:
        with pytest.raises(UnreadableBody):
            loads(body)


@pytest.mark.parametrize(
    "body",
    [
        '{"a": "' + "[{" * 1000 + '"}',
        '{"a": "\\"' + "[" * 1000 + '"}',
        '["\\\\", "' + "]" * 50 + '", "' + "[" * 50 + '"]',
        "[" + ",".join(["[]"] * 1000) + "]",
        '{"' + "[" * 30 + '": 1}',
    ],
    ids=["brackets in a text", "after an escaped quote", "after an escaped backslash", "wide", "in a name"],
)
def test_only_real_nesting_counts(body: str) -> None:
    assert loads(body) == json.loads(body, parse_int=NumberText)


@pytest.mark.parametrize(("size", "accepted"), [(MEGABYTE, True), (MEGABYTE + 1, False)])
def test_one_mebibyte_is_the_limit(size: int, accepted: bool) -> None:
    body = b'"' + b"x" * (size - 2) + b'"'
    if accepted:
        assert len(str(loads(body))) == size - 2
    else:
        with pytest.raises(UnreadableBody, match="1048577 bytes; at most 1048576"):
            loads(body)


HOSTILE = {
    "openers": b"[" * MEGABYTE,
    "pairs": b"[]" * (MEGABYTE // 2),
    "quotes": b'"' * MEGABYTE,
    "escaped quotes": b'"' + b'\\"' * (MEGABYTE // 2 - 1),
    "backslashes": b'[[[[[[[[[[[[[[[[[[[[["' + b"\\" * (MEGABYTE - 30),
    "one number": b"9" * MEGABYTE,
    "many numbers": b"[" + b"1," * (MEGABYTE // 2 - 10) + b"1]",
    "names": b"{" + b",".join(b'"k%d":1' % index for index in range(80_000)) + b"}",
    "names that fold": b"{" + b",".join(b'"k%d":1' % (index % 40_000) for index in range(80_000)) + b"}",
    "white space": b" " * MEGABYTE,
    "objects": b"[" + b",".join([b'{"a":1,"b":2}'] * 70_000) + b"]",
    "surrogates": b'"' + b"\\ud83d\\ude00" * 80_000 + b'"',
}


@pytest.fixture(scope="module")
def small_heap() -> None:
    """Keep the collector from walking over what thousands of other tests have left in the process."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
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


@pytest.mark.parametrize(
    "value", [1.5, float("nan"), b"x", {1, 2}, object()], ids=["float", "nan", "bytes", "set", "object"]
)
def test_what_json_cannot_carry_exactly_is_not_written(value: object) -> None:
    with pytest.raises(TypeError, match="has no place in a message"):
        dumps({"a": [value]})


# Part by part


def test_part_by_part_one_field_given_twice_spoils_its_own_object_alone() -> None:
    value = loads_by_parts('[{"id": 1}, {"id": 1, "Id": 2}, {"a": {"b": 1, "B": 1}}]')
    collision = "one object has {} and {}, which are the same field; send it once".format
    assert value == [{"id": "1"}, collision("'id'", "'Id'"), {"a": collision("'b'", "'B'")}]
    assert isinstance(value, list)
    assert [type(part) for part in value] == [dict, Collision, dict]


def test_part_by_part_half_of_a_character_is_left_to_whoever_reads_the_part() -> None:
    assert loads_by_parts('["\\ud800", "ü"]') == ["\ud800", "ü"]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1", b"[NaN]", b"\xff", b"[" * 21 + b"]" * 21, b"[] []"])
def test_part_by_part_what_is_no_json_is_refused_as_ever(body: bytes) -> None:
    with pytest.raises(UnreadableBody):
        loads_by_parts(body)


@given(st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_what_is_strict_json_is_the_same_part_by_part(value: object) -> None:
    body = json.dumps(value)
    assert loads_by_parts(body) == loads(body)
