"""The plan of a message class: which wire name belongs to which field, and how its value is made canonical.

Derived once per class from its annotations, so that a message states each fact about a field in one place.
Walking a plan is done in ``folding``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeGuard, Union, get_args, get_origin

from wallet_gateway.protocol.strict_json import fold_name

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from wallet_gateway.protocol.fields import WireModel


CURRENCY: Final = "currencyCode"
"""The field that says how many decimals the amounts of a message have."""


class Kind(Enum):
    """How the value of a field is brought into its canonical form."""

    TEXT = auto()
    REFERENCE = auto()
    AMOUNT = auto()
    RATE = auto()
    WHOLE_NUMBER = auto()
    CHOICE = auto()
    OBJECT = auto()
    LIST = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One field of a message class: its canonical name, its kind, and the message or the choices it holds."""

    wire_name: str
    kind: Kind
    part: type[WireModel] | None = None
    choices: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The fields of a message class by wire name, canonical or folded, and by attribute; and its currency."""

    by_name: Mapping[str, Slot]
    by_attribute: Mapping[str, Slot]
    currency: str | None


@cache
def plan_of(model: type[WireModel]) -> Plan:
    """The plan of a message class, made at its first use."""
    by_attribute = {name: _slot(field) for name, field in model.model_fields.items()}
    by_wire_name = {slot.wire_name: slot for slot in by_attribute.values()}
    spellings = {name: name for name in by_wire_name} | dict(model.alternative_names)
    # Canonical names stand beside the folded ones, so that the names of the usual answer are never folded.
    by_name = {fold_name(other): by_wire_name[name] for other, name in spellings.items()} | by_wire_name
    currency = next((name for name, slot in by_attribute.items() if slot.wire_name == CURRENCY), None)
    return Plan(by_name=by_name, by_attribute=by_attribute, currency=currency)


def _slot(field: FieldInfo) -> Slot:
    """Read the annotation ``T``, ``Annotated[T, ...]`` or one of them ``| None``."""
    annotation, marks = field.annotation, list(field.metadata)
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        marks += inner
    kind, part, words = _kind(annotation)
    kind = next((mark for mark in marks if isinstance(mark, Kind)), kind)
    return Slot(wire_name=field.alias or "", kind=kind, part=part, choices=words)


def _kind(annotation: object) -> tuple[Kind, type[WireModel] | None, dict[str, str] | None]:
    if get_origin(annotation) is Literal:
        return Kind.CHOICE, None, choices(get_args(annotation))
    if get_origin(annotation) is tuple:
        element = get_args(annotation)[0]
        return Kind.LIST, element if _is_message(element) else None, None
    if annotation is int:
        return Kind.WHOLE_NUMBER, None, None
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Kind.CHOICE, None, choices(member.value for member in annotation)
    if _is_message(annotation):
        return Kind.OBJECT, annotation, None
    return Kind.TEXT, None, None


def _is_message(annotation: object) -> TypeGuard[type[WireModel]]:
    return isinstance(annotation, type) and hasattr(annotation, "model_fields")


def choices(values: Iterable[str]) -> dict[str, str]:
    """The words of an enumeration by their folded form."""
    return {fold_name(value): value for value in values}
