"""Reads JSON strictly and writes it compactly: bytes and JSON values, without any message or meaning.

Parsers disagree about duplicate keys, huge numbers, deep nesting and broken Unicode, and money has been
stolen through such gaps. So what two parsers could read in two ways is refused, in time linear in its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring
from typing import NoReturn, TypeAlias

from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.text import quote

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | bool | None"
"""A value that ``loads`` returns; a number is a NumberText."""


class NumberText(str):
    """A JSON number, kept as the digits that were sent; written again without quotes."""

    __slots__ = ()


class Collision(str):
    """Stands for an object that names one field twice; the text says so."""

    __slots__ = ()


# Possessive repeats and the optional closing quote keep both scans linear: no text makes them try again.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = re.compile(r"[^\[\]{}]++")
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_MAX_BYTES = 1_048_576
_MAX_DEPTH = 20


def loads(data: bytes | str, *, max_bytes: int = _MAX_BYTES) -> JsonValue:
    """Read strict JSON; for any input it raises UnreadableBody or nothing."""
    value = loads_by_parts(data, max_bytes=max_bytes)
    if collision := next(collisions(value), None):
        raise UnreadableBody(str(collision))
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UnreadableBody("a text holds half of a surrogate pair, which is no character") from error
    return value


def loads_by_parts(data: bytes | str, *, max_bytes: int = _MAX_BYTES) -> JsonValue:
    """Read JSON whose parts the caller checks one by one; raises UnreadableBody for invalid JSON.

    As ``loads``, except that an object which names one field twice becomes a ``Collision``, and that a text
    may hold half of a surrogate pair. The caller must refuse the parts that hold either.
    """
    try:
        value: JsonValue = json.loads(
            _text_of(data, max_bytes),
            object_pairs_hook=_object_or_collision,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise UnreadableBody(f"not JSON: {error.msg} at character {error.pos}") from error
    return value


def collisions(value: object) -> Iterator[Collision]:
    """Yield each object in a value that names one field twice."""
    if isinstance(value, Collision):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from collisions(part)


def dumps(value: object) -> bytes:
    """Write a JSON value as compact UTF-8, a NumberText as a number; raises TypeError for any other type."""
    return _write(value).encode("utf-8")


def canonical(value: object) -> str:
    """Write a value of text, whole numbers, lists and mappings: equal values give the same text.

    Names are sorted. A NumberText becomes text: this is for what we made ourselves, not for what was read.
    """
    return _CANONICAL.encode(value)


def fold_name(name: str) -> str:
    """Lower the ASCII letters of a field name and no others: Unicode has more letters that fold to k or s."""
    return name.lower() if name.isascii() else name.translate(_ASCII_LOWER)


def _text_of(data: bytes | str, max_bytes: int) -> str:
    """Return the text of a body that is neither too long nor nested too deep."""
    try:
        size = len(data.encode("utf-8") if isinstance(data, str) else data)
        if size > max_bytes:
            raise UnreadableBody(f"the body has {size} bytes; at most {max_bytes} are read")
        text = data if isinstance(data, str) else bytes(data).decode("utf-8")
    except UnicodeError as error:
        raise UnreadableBody(
            f"not UTF-8 at position {getattr(error, 'start', 0)}; send JSON in UTF-8"
        ) from error
    # The parser recurses, and its own limit depends on who called it.
    if text.count("[") + text.count("{") > _MAX_DEPTH:
        depth = 0
        for bracket in _NOT_BRACKETS.sub("", _STRING.sub("", text)):
            depth += 1 if bracket in "[{" else -1
            if depth > _MAX_DEPTH:
                raise UnreadableBody(f"nested deeper than {_MAX_DEPTH} levels")
    # RFC 8259, 8.1: a reader may ignore a byte order mark, and gateways send it.
    return text.removeprefix("\ufeff")


def _object_or_collision(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    result = dict(pairs)
    if len({fold_name(name) for name in result}) == len(pairs):
        return result
    spellings: dict[str, list[str]] = {}
    for name, _ in pairs:
        spellings.setdefault(fold_name(name), []).append(name)
    first, second = next(same for same in spellings.values() if len(same) > 1)[:2]
    return Collision(
        f"one object has {quote(first)} and {quote(second)}, which are the same field; send it once"
    )


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableBody(f"{name} is no JSON number")


_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def _write(value: object) -> str:
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, str):
        return encode_basestring(str(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, Mapping):
        return (
            "{" + ",".join(f"{encode_basestring(name)}:{_write(part)}" for name, part in value.items()) + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_write, value)) + "]"
    raise TypeError(
        f"{type(value).__name__} has no place in a message; give text, whole numbers, lists, mappings"
    )
