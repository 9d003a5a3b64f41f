"""The rows of a wire message's table: each field with when it is required and what its value may be.

Lengths and limits come from the field's type. Formats are what the type itself says of a wrong value,
and conditions are those of `required_where`: so the reference cannot differ from the code.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le, MaxLen
from pydantic import Secret
from pydantic.fields import FieldInfo

from wallet_gateway.protocol import codes, money
from wallet_gateway.protocol.field_types import PATTERN_MESSAGES, Amount, OwnReference, Text
from wallet_gateway.protocol.status import JsonNumber
from wallet_gateway.protocol.wire import WireModel

Row = tuple[str, str, str]
"""A field's wire name, when it is required, and its value, in words."""

_CHECKS = {
    codes.check_currency: "ISO 4217 code such as EUR",
    codes.check_country: "ISO 3166 alpha-3 code such as DEU",
    codes.check_subdivision: "ISO 3166-2 code such as DE-BY",
    money.check_above_zero: "above zero",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An object within a message, or the message itself with an empty path."""

    path: str
    model: type[WireModel]


def parts_of(model: type[WireModel], path: str = "") -> Iterator[Part]:
    """Yield a message and the objects in it, each with its path."""
    yield Part(path=path, model=model)
    for name, field in model.model_fields.items():
        kind, is_list = _object_of(field.annotation)
        if kind:
            yield from parts_of(kind, f"{path}.{field.alias or name}".lstrip(".") + "[]" * is_list)


def rows_of(model: type[WireModel]) -> Iterator[Row]:
    """Yield the rows of one object."""
    hints = get_type_hints(model, include_extras=True)
    for name, field in model.model_fields.items():
        wire = field.alias or name
        words = [_words(field, hints[name]), *([field.description] if field.description else [])]
        yield wire, _required(model, name, field), "; ".join(words)


def _required(model: type[WireModel], name: str, field: FieldInfo) -> str:
    if name in model.required_where:
        return f"where {model.required_where[name][0]}"
    return "yes" if field.is_required() else ""


def _words(field: FieldInfo, annotation: Any) -> str:  # noqa: ANN401 - any type of a field
    kind, is_list = _object_of(field.annotation)
    if kind:
        return "list of objects, below" if is_list else "object, below"
    base, facts = _taken_apart(annotation)
    if choices := _choices(base):
        return "one of " + ", ".join(choices)
    return _whole_number(facts) if base is int else ", ".join(_text(annotation, facts))


def _text(annotation: Any, facts: list[Any]) -> Iterator[str]:  # noqa: ANN401
    checks = [_CHECKS[check] for fact in facts if (check := getattr(fact, "func", None)) in _CHECKS]
    patterns = [pattern for fact in facts if (pattern := getattr(fact, "pattern", None))]
    longest = [f"at most {fact.max_length} characters" for fact in facts if isinstance(fact, MaxLen)]
    if _pattern_of(Amount) in patterns:
        yield "amount as a JSON number" if _is(annotation, JsonNumber) else "amount"
    elif _is(annotation, OwnReference):
        yield "text; ours is of 1 to 64 of A-Z a-z 0-9 _ -"
    elif _pattern_of(Text) in patterns:
        yield "text, not empty"
    elif patterns:
        yield _advice(PATTERN_MESSAGES[patterns[0]]("?"))
    elif not checks:
        yield "text"
    yield from (*checks, *longest)


def _advice(sentence: str) -> str:
    """Return what would be right, from the sentence on a wrong value."""
    _, found, right = sentence.partition("; ")
    if not found:
        return sentence.partition(" is no ")[2]
    return right.replace("use ", "text of ", 1) if right.startswith("use ") else right.removeprefix("give ")


def _whole_number(facts: list[Any]) -> str:
    least = [fact.ge for fact in facts if isinstance(fact, Ge)]
    most = [fact.le for fact in facts if isinstance(fact, Le)]
    return f"whole number, {least[0]} to {most[0]}" if least and most else "whole number"


def _taken_apart(annotation: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401
    """Return the plain type of an annotation, and all that is said of it, without None."""
    if get_origin(annotation) is Annotated:
        base, *said = get_args(annotation)
        plain, facts = _taken_apart(base)
        return plain, [*facts, *(fact for one in said for fact in _facts(one))]
    if get_origin(annotation) is Secret:
        (hidden,) = get_args(annotation)
        return _taken_apart(hidden)
    if get_origin(annotation) in {Union, UnionType}:
        (only,) = (part for part in get_args(annotation) if part is not NoneType)
        return _taken_apart(only)
    if get_origin(annotation) is Secret:
        return _taken_apart(*get_args(annotation))
    return annotation, []


def _facts(said: Any) -> list[Any]:  # noqa: ANN401
    return list(said.metadata) if isinstance(said, FieldInfo) else [said]


def _pattern_of(kind: Any) -> str:  # noqa: ANN401
    return next(pattern for fact in _taken_apart(kind)[1] if (pattern := getattr(fact, "pattern", None)))


def _is(annotation: Any, kind: Any) -> bool:  # noqa: ANN401
    return annotation is kind or any(part is kind for part in get_args(annotation))


def _choices(kind: object) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    is_enum = isinstance(kind, type) and issubclass(kind, enum.Enum)
    return [str(member.value) for member in kind] if is_enum else []  # type: ignore[attr-defined]


def _object_of(annotation: object) -> tuple[type[WireModel] | None, bool]:
    """Return the message class in an annotation, and whether it is a list of them."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, WireModel):
            return candidate, get_origin(annotation) is tuple
        if get_origin(candidate) is tuple:
            return _object_of(get_args(candidate)[0])[0], True
    return None, False
