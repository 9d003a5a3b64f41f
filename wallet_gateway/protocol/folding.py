"""Brings names, numbers and enumerated values into their canonical form before a message is validated.

``fold`` does it for what came over the wire, ``gather`` for what Python code passes. Neither judges a value,
except that an amount must suit its currency and a number must not stand for a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from wallet_gateway.protocol import codes
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, UnknownCode, excerpt
from wallet_gateway.protocol.money import (
    FINEST,
    MAX_DIGITS,
    Money,
    format_units,
    parse_amount,
    plain_text,
    units_of,
)
from wallet_gateway.protocol.plans import CURRENCY, Kind, Slot, plan_of
from wallet_gateway.protocol.strict_json import NumberText, fold_name

if TYPE_CHECKING:
    from wallet_gateway.protocol.fields import WireModel

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")
_OWN_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def fold(model: type[WireModel], source: Mapping[str, object], errors: list[FieldError]) -> dict[str, object]:
    """Give the values of a wire object under canonical names, without unknown ones; faults are added."""
    return _Folder(errors, is_answer=model.is_answer).fold(model, source)


def gather(
    model: type[WireModel], values: Mapping[str, object], errors: list[FieldError]
) -> dict[str, object]:
    """Give Python values under canonical names; an unknown name is a TypeError, as for any function."""
    return _Folder(errors, is_answer=False).gather(model, values)


def fold_choice(model: type[WireModel], attribute: str, value: object) -> object:
    """An enumerated value in the table's spelling; one not in the table stays, for the message to refuse."""
    choices = plan_of(model).by_attribute[attribute].choices or {}
    return choices.get(fold_name(value), value) if isinstance(value, str) else value


class _Folder:
    """One walk through a message; its currency, found first, holds for everything below it."""

    __slots__ = ("currency", "errors", "is_answer")

    def __init__(self, errors: list[FieldError], *, is_answer: bool) -> None:
        self.errors = errors
        self.is_answer = is_answer
        self.currency: str | None = None

    def fold(self, model: type[WireModel], source: Mapping[str, object]) -> dict[str, object]:
        plan = plan_of(model)
        by_name = plan.by_name
        if plan.currency:
            self.currency = _currency(_find(source, CURRENCY))
        values: dict[str, object] = {}
        for name, value in source.items():
            slot = by_name.get(name) or by_name.get(fold_name(name))
            if slot is None:
                continue
            if slot.wire_name in values:
                self._complain_of_names(slot, source, by_name)
            plain = slot.kind is Kind.TEXT and type(value) is str
            values[slot.wire_name] = value if plain else self._from_wire(slot, value)
        return values

    def gather(self, model: type[WireModel], source: Mapping[str, object]) -> dict[str, object]:
        plan = plan_of(model)
        by_attribute = plan.by_attribute
        if plan.currency:
            self.currency = _currency(source.get(plan.currency))
        values: dict[str, object] = {}
        for name, value in source.items():
            slot = by_attribute.get(name)
            if slot is None:
                raise TypeError(f"{model.__name__} has no field {excerpt(name)}")
            plain = slot.kind is Kind.TEXT and type(value) is str
            values[slot.wire_name] = value if plain else self._from_python(slot, value)
        return values

    def _from_wire(self, slot: Slot, value: object) -> object:
        if slot.part is not None:
            return self._each(slot, slot.part, value, self._object_from_wire)
        if slot.kind is Kind.LIST:
            return _texts(value)
        if isinstance(value, NumberText):
            return self._number(slot, value)
        return self._scalar(slot, value)

    def _from_python(self, slot: Slot, value: object) -> object:
        if slot.part is not None:
            return self._each(slot, slot.part, value, self._object_from_python)
        if slot.kind is Kind.LIST:
            return _texts(value)
        if slot.kind is Kind.REFERENCE and isinstance(value, str) and not _OWN_REFERENCE.fullmatch(value):
            self._complain(slot, f"{excerpt(value)} is no reference of ours; use 1 to 64 of A-Z a-z 0-9 _ -")
        return self._scalar(slot, value)

    def _each(
        self,
        slot: Slot,
        part: type[WireModel],
        value: object,
        read: Callable[[type[WireModel], object], object],
    ) -> object:
        """Read the object or every object of the list; the faults found in it get its path."""
        if slot.kind is Kind.OBJECT:
            return self._below(slot.wire_name, part, value, read)
        if not isinstance(value, list | tuple):
            return value
        return tuple(
            self._below(f"{slot.wire_name}[{index}]", part, element, read)
            for index, element in enumerate(value)
        )

    def _below(
        self,
        path: str,
        part: type[WireModel],
        value: object,
        read: Callable[[type[WireModel], object], object],
    ) -> object:
        known = len(self.errors)
        result = read(part, value)
        if len(self.errors) > known:
            self.errors[known:] = [fault.under(path) for fault in self.errors[known:]]
        return result

    def _object_from_wire(self, part: type[WireModel], value: object) -> object:
        return self.fold(part, value) if isinstance(value, Mapping) else value

    def _object_from_python(self, part: type[WireModel], value: object) -> object:
        if isinstance(value, Mapping):
            return self.gather(part, value)
        if isinstance(value, part) and not value.is_written_for(self.currency):
            return self.fold(part, value.to_wire())
        return value

    def _number(self, slot: Slot, value: NumberText) -> object:
        """A JSON number: an amount, a count, or in an answer any text; in a request a text must be quoted."""
        if slot.kind is Kind.WHOLE_NUMBER:
            return int(value) if _WHOLE_NUMBER.fullmatch(value) else value
        if slot.kind is not Kind.AMOUNT and slot.kind is not Kind.RATE and not self.is_answer:
            self._complain(slot, f"{excerpt(value)} is a number; send text, in quotes")
        return self._scalar(slot, str(value))

    def _scalar(self, slot: Slot, value: object) -> object:
        if value is None:
            return None
        if slot.kind is Kind.AMOUNT:
            return self._amount(slot, value)
        if slot.kind is Kind.RATE:
            return plain_text(value)
        if slot.choices is not None and isinstance(value, str):
            return slot.choices.get(fold_name(value), value)
        return value

    def _amount(self, slot: Slot, value: object) -> object:
        """The text of an amount, canonical where the currency is known; elsewhere its pattern judges it."""
        try:
            if self.currency is None:
                return _written_out(value)
            exponent = codes.currency_exponent(self.currency)
            if isinstance(value, str) and _has_decimals(value, exponent):
                return value
            units = parse_amount(value, self.currency, allow_zero=True, extra_zeros=self.is_answer)
            return format_units(units, exponent)
        except InvalidAmount as error:
            self._complain(slot, str(error))
            return value

    def _complain(self, slot: Slot, message: str) -> None:
        self.errors.append(FieldError(slot.wire_name, message))

    def _complain_of_names(
        self, slot: Slot, source: Mapping[str, object], by_name: Mapping[str, Slot]
    ) -> None:
        names = [excerpt(name) for name in source if by_name.get(fold_name(name)) is slot]
        self._complain(
            slot, f"is given more than once, as {' and '.join(names)}; send {slot.wire_name} alone"
        )


def _texts(value: object) -> object:
    """A list of texts, which have no canonical form: their field judges them one by one."""
    return tuple(value) if isinstance(value, list) else value


def _written_out(value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, Money):
        return value.to_wire()
    units_of(value, FINEST)  # refuses what is no amount in any currency
    return plain_text(value)


def _has_decimals(text: str, exponent: int) -> bool:
    """Whether a text, if it is an amount, has so many decimals: then it needs no rewriting."""
    if len(text) > MAX_DIGITS:
        return False
    return text[-exponent - 1 : -exponent] == "." if exponent else "." not in text


def _find(source: Mapping[str, object], wire_name: str) -> object:
    if wire_name in source:
        return source[wire_name]
    folded = fold_name(wire_name)
    return next((value for name, value in source.items() if fold_name(name) == folded), None)


def _currency(code: object) -> str | None:
    """The currency of a message, None if it is none: its own field says what is wrong with it."""
    try:
        return codes.check_currency(code) if isinstance(code, str) else None
    except UnknownCode:
        return None
