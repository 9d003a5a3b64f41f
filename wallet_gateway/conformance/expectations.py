"""What a probe expects of an answer; each function fails with a sentence on what came instead."""

from __future__ import annotations

from wallet_gateway.conformance.answers import MISSING, Answer, member
from wallet_gateway.conformance.results import Failed
from wallet_gateway.conformance.schemas import wrong_at


def accepted(answer: Answer) -> Answer:
    """Fail unless the request was carried out."""
    if not answer.is_success:
        raise Failed(f"it is not accepted: {answer}")
    return answer


def refused(answer: Answer) -> Answer:
    """Fail unless the request was refused; the shape of the refusal is for the probes of errors."""
    if answer.is_refusal:
        return answer
    raise Failed(f"it is not refused: {answer}")


def as_documented(message: str, path: str, value: object) -> None:
    """Fail if a field of a message is not as its table has it."""
    if wrong := wrong_at(message, path, value):
        raise Failed(f"{path}: {wrong}")


def equal(what: str, found: object, wanted: object) -> None:
    """Fail unless two values are equal."""
    if found != wanted:
        shown = "left out" if found is MISSING else repr(found)
        raise Failed(f"{what} is {shown}, not {wanted!r}")


def echoes(value: object, path: str, wanted: str) -> None:
    """Fail unless a member repeats what was sent."""
    equal(path, member(value, path), wanted)
