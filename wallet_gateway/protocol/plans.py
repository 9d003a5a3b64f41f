"""The plan of a message class: which wire name belongs to which field, and how its value is made canonical.

Derived once per class from its annotations, so that a message states each fact about a field in one place. Walking a
plan is done in ``folding``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Literal, Union, get_args, get_origin

from wallet_gateway.protocol.strict_json import fold_name

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from wallet_gateway.protocol.fields import WireModel


class Kind(Enum):
    """How the value of a field is brought into its canonical form."""

    TEXT = auto()
    REFERENCE = auto()
    AMOUNT = auto()
    POSITIVE_AMOUNT = auto()
    RATE = auto()
    WHOLE_NUMBER = auto()
    CHOICE = auto()
    OBJECT = auto()
    LIST = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One field of a message class, as folding needs to know it."""

    wire_name: str
    kind: Kind
    part: type[WireModel] | None = None
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The fields of a message class by folded wire name and by attribute."""

    by_name: Mapping[str, Slot]
    by_attribute: Mapping[str, Slot]


@cache
def plan_of(model: type[WireModel]) -> Plan:
    """The plan of a message class, made at its first use."""
    by_attribute = {name: _slot(field) for name, field in model.model_fields.items()}
    by_wire_name = {slot.wire_name: slot for slot in by_attribute.values()}
    spellings = {name: name for name in by_wire_name} | dict(model.alternative_names)
    # Canonical names stand in the table beside the folded ones, so that the usual answer is never folded.
    by_name = {fold_name(other): by_wire_name[name] for other, name in spellings.items()} | by_wire_name
    return Plan(by_name=by_name, by_attribute=by_attribute)


def _slot(field: FieldInfo) -> Slot:
    wire_name = field.alias or ""
    annotation, marks = field.annotation, list(field.metadata)
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        marks += inner
    kind = next((mark for mark in marks if isinstance(mark, Kind)), None)
    if kind is not None:
        return Slot(wire_name=wire_name, kind=kind, choices={})
    if get_origin(annotation) is Literal:
        return Slot(wire_name=wire_name, kind=Kind.CHOICE, choices=_choices(get_args(annotation)))
    if get_origin(annotation) is tuple:
        return Slot(wire_name=wire_name, kind=Kind.LIST, part=get_args(annotation)[0], choices={})
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        choices = _choices(member.value for member in annotation)
        return Slot(wire_name=wire_name, kind=Kind.CHOICE, choices=choices)
    if hasattr(annotation, "model_fields"):
        return Slot(wire_name=wire_name, kind=Kind.OBJECT, part=annotation, choices={})
    return Slot(wire_name=wire_name, kind=Kind.WHOLE_NUMBER if annotation is int else Kind.TEXT, choices={})


def _choices(values: Iterable[str]) -> dict[str, str]:
    return {fold_name(value): value for value in values}
