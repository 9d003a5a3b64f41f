"""What a probe can end with, and what it expects of an answer.

It passes, fails, is skipped with a reason, or reports an open point. Each function here ends it with a
sentence on what came instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wallet_gateway.conformance.answers import MISSING, Answer, member
from wallet_gateway.conformance.schemas import wrong_at

SettingValue = str | bool | tuple[str, ...] | Mapping[str, str]


class Outcome(StrEnum):
    """How a probe ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    REPORTED = "reported"


class Failed(Exception):
    """The gateway contradicts the document; the message says in which way."""


class Skipped(Exception):
    """The probe could not be carried out; the message says what it would need."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How the gateway behaves where the document leaves it open, and the settings that follow from it."""

    text: str
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    """Members of ``WALLET_GATEWAY["GATEWAYS"][alias]`` that must not stay at their defaults."""


def accepted(answer: Answer) -> Answer:
    """Fail unless the request was carried out."""
    if not answer.is_success:
        raise Failed(f"it is not accepted: {answer}")
    return answer


def refused(answer: Answer) -> Answer:
    """Fail unless the request was refused; the shape of the refusal is for the probes of errors."""
    if not answer.is_refusal:
        raise Failed(f"it is not refused: {answer}")
    return answer


def as_documented(message: str, path: str, value: object) -> None:
    """Fail if a field of a message is not as its table has it."""
    if wrong := wrong_at(message, path, value):
        raise Failed(f"{path}: {wrong}")


def equal(what: str, found: object, wanted: object) -> None:
    """Fail unless two values are equal."""
    if found != wanted:
        shown = "left out" if found is MISSING else repr(found)
        raise Failed(f"{what} is {shown}, not {wanted!r}")


def text_of(value: object, path: str) -> str:
    """Return a text member; skip the probe if it is missing, which another probe reports."""
    found = member(value, path)
    if not isinstance(found, str):
        raise Skipped(f"there is no text in {path}")
    return found


def says(value: object, path: str, wanted: str) -> None:
    """Fail if a text member, where there is one, is another than that which was sent."""
    equal(path, text_of(value, path), wanted)
