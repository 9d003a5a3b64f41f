"""The last touch to an answer: the letter case of its names and the form of its amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.models import LetterCase
from wallet_gateway.sandbox.state import Behaviour

_TEXT_AMOUNTS: Final = frozenset({"amount"})
"""Fields of answers that carry an amount as text; in status records it is a number anyway."""


def _canonical(name: str) -> str:
    return name


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


_WRITTEN: Final[dict[LetterCase, Callable[[str], str]]] = {
    LetterCase.CANONICAL: _canonical,
    LetterCase.PASCAL: _pascal,
    LetterCase.LOWER: str.lower,
}


def to_bytes(value: object, behaviour: Behaviour) -> bytes:
    """Write an answer, given in canonical wire form, as JSON."""
    if behaviour.letter_case is not LetterCase.CANONICAL or behaviour.numeric_amounts:
        value = _shaped(value, _WRITTEN[behaviour.letter_case], numeric=behaviour.numeric_amounts)
    return strict_json.dumps(value)


def _shaped(value: object, written: Callable[[str], str], *, numeric: bool) -> object:
    if isinstance(value, list):
        return [_shaped(part, written, numeric=numeric) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        written(name): NumberText(part)
        if numeric and name in _TEXT_AMOUNTS and isinstance(part, str)
        else _shaped(part, written, numeric=numeric)
        for name, part in value.items()
    }
