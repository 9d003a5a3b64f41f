"""Brings names, numbers and enumerated values into their canonical form before a message is validated.

``fold`` does it for what came over the wire, ``gather`` for what Python code passes. Neither judges a value, except
that an amount must suit its currency and a number must not stand for a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from wallet_gateway.protocol import codes
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, UnknownCode, excerpt, join_path
from wallet_gateway.protocol.money import Money, format_units, units_of
from wallet_gateway.protocol.plans import Kind, Slot, plan_of
from wallet_gateway.protocol.strict_json import NumberText, fold_name

if TYPE_CHECKING:
    from wallet_gateway.protocol.fields import WireModel

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")
_OWN_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """What is known on the way down: where we are, in which currency, how tolerant, and the faults so far."""

    errors: list[FieldError]
    path: str = ""
    exponent: int | None = None
    is_answer: bool = False

    def complain(self, name: str, message: str) -> None:
        self.errors.append(FieldError(join_path(self.path, name), message))


def fold(model: type[WireModel], source: Mapping[str, Any], errors: list[FieldError]) -> dict[str, Any]:
    """Give the values of a wire object under canonical names; unknown names are left out, faults are added."""
    return _fold(model, source, _Walk(errors=errors, is_answer=model.is_answer))


def gather(model: type[WireModel], values: Mapping[str, Any], errors: list[FieldError]) -> dict[str, Any]:
    """Give Python values under canonical names; an unknown name is a TypeError, as for any function."""
    return _gather(model, values, _Walk(errors=errors))


def _fold(model: type[WireModel], source: Mapping[str, Any], walk: _Walk) -> dict[str, Any]:
    by_name = plan_of(model).by_name
    found: dict[str, tuple[str, Slot]] = {}
    for name in source:
        slot = by_name.get(name) or by_name.get(fold_name(name))
        if slot is None:
            continue
        if slot.wire_name in found:
            both = f"{excerpt(found[slot.wire_name][0])} and {excerpt(name)}"
            walk.complain(slot.wire_name, f"is given twice, as {both}; send {slot.wire_name} once")
        found[slot.wire_name] = name, slot
    if "currencyCode" in found:
        walk = replace(walk, exponent=_exponent(source[found["currencyCode"][0]]))
    return {wire_name: _from_wire(slot, source[name], walk) for wire_name, (name, slot) in found.items()}


def _gather(model: type[WireModel], values: Mapping[str, Any], walk: _Walk) -> dict[str, Any]:
    by_attribute = plan_of(model).by_attribute
    if unknown := values.keys() - by_attribute.keys():
        raise TypeError(f"{model.__name__} has no field {', '.join(sorted(map(str, unknown)))}")
    if "currency_code" in values:
        walk = replace(walk, exponent=_exponent(values["currency_code"]))
    return {
        by_attribute[name].wire_name: _from_python(by_attribute[name], value, walk)
        for name, value in values.items()
    }


def _from_wire(slot: Slot, value: Any, walk: _Walk) -> Any:
    if slot.kind is Kind.OBJECT and isinstance(value, Mapping):
        return _fold(_part(slot), value, replace(walk, path=join_path(walk.path, slot.wire_name)))
    if slot.kind is Kind.LIST and isinstance(value, list | tuple):
        return tuple(
            _fold(
                _part(slot), element, replace(walk, path=join_path(walk.path, f"{slot.wire_name}[{index}]"))
            )
            if isinstance(element, Mapping)
            else element
            for index, element in enumerate(value)
        )
    if isinstance(value, NumberText):
        return _number(slot, value, walk)
    return _scalar(slot, value, walk)


def _from_python(slot: Slot, value: Any, walk: _Walk) -> Any:
    if slot.kind is Kind.OBJECT:
        return _object_from_python(
            _part(slot), value, replace(walk, path=join_path(walk.path, slot.wire_name))
        )
    if slot.kind is Kind.LIST and isinstance(value, list | tuple):
        return tuple(
            _object_from_python(
                _part(slot), element, replace(walk, path=join_path(walk.path, f"{slot.wire_name}[{index}]"))
            )
            for index, element in enumerate(value)
        )
    if slot.kind is Kind.REFERENCE and isinstance(value, str) and not _OWN_REFERENCE.fullmatch(value):
        walk.complain(
            slot.wire_name, f"{excerpt(value)} is no reference of ours; use 1 to 64 of A-Z a-z 0-9 _ -"
        )
    return _scalar(slot, value, walk)


def _object_from_python(part: type[WireModel], value: Any, walk: _Walk) -> Any:
    if isinstance(value, Mapping):
        return _gather(part, value, walk)
    if isinstance(value, part) and not value.is_written_for(walk.exponent):
        return _fold(part, value.to_wire(), walk)
    return value


def _part(slot: Slot) -> type[WireModel]:
    if slot.part is None:
        raise AssertionError(f"{slot.wire_name} holds no message")
    return slot.part


def _number(slot: Slot, value: NumberText, walk: _Walk) -> Any:
    """A JSON number: an amount, a count, or in an answer any text; in a request a text must be quoted."""
    if slot.kind is Kind.WHOLE_NUMBER:
        return int(value) if _WHOLE_NUMBER.fullmatch(value) else value
    if slot.kind in (Kind.AMOUNT, Kind.POSITIVE_AMOUNT, Kind.RATE) or walk.is_answer:
        return _scalar(slot, str(value), walk)
    walk.complain(slot.wire_name, f"{excerpt(value)} is a number; send text, in quotes")
    return str(value)


def _scalar(slot: Slot, value: Any, walk: _Walk) -> Any:
    if value is None:
        return None
    if slot.kind is Kind.CHOICE and isinstance(value, str):
        return slot.choices.get(fold_name(value), value)
    if slot.kind is Kind.AMOUNT or slot.kind is Kind.POSITIVE_AMOUNT:
        return _amount(slot, value, walk)
    if slot.kind is Kind.RATE and isinstance(value, Decimal | int) and not isinstance(value, bool):
        return _rate_text(value)
    return value


def _amount(slot: Slot, value: Any, walk: _Walk) -> Any:
    """The canonical text of an amount. Without a known currency text stays as it is, and the pattern judges it."""
    if walk.exponent is None and isinstance(value, str):
        return value
    try:
        exponent = 4 if walk.exponent is None else walk.exponent
        units = units_of(value, exponent, extra_zeros=walk.is_answer)
    except InvalidAmount as error:
        walk.complain(slot.wire_name, str(error))
        return value
    return format_units(units, exponent)


def _rate_text(value: Decimal | int) -> str:
    """A rate without zeros at its end; whether it is one is judged by its pattern."""
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text


def _exponent(currency: Any) -> int | None:
    try:
        return codes.currency_exponent(currency)
    except (UnknownCode, TypeError):
        return None  # the currency's own field says what is wrong with it
