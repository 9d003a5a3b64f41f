"""What a probe expects of an answer; each function fails, or skips, with a sentence on what came instead."""

from __future__ import annotations

from wallet_gateway.conformance.answers import MISSING, Answer, member
from wallet_gateway.conformance.results import Failed, Skipped
from wallet_gateway.conformance.schemas import wrong_at


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
    """Return a text member; skip where there is none, which another probe names."""
    found = member(value, path)
    if not isinstance(found, str):
        raise Skipped(f"there is no text in {path}")
    return found


def says(value: object, path: str, wanted: str) -> None:
    """Fail if a text member, where there is one, is another than that which was sent."""
    equal(path, text_of(value, path), wanted)
