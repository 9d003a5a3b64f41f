"""One reference, one request: recognising a repetition, and a reference that belongs to something else."""

from __future__ import annotations

import hashlib
from typing import Any

from wallet_gateway.protocol.fields import WireModel
from wallet_gateway.sandbox.engine.calls import Call
from wallet_gateway.sandbox.engine.refusals import ReferenceAlreadyUsed
from wallet_gateway.sandbox.models import AcceptedRequest, DuplicatePolicy


def earlier_answer(
    call: Call, *, reference: str, record_type: str, request: WireModel, shared: bool = False
) -> dict[str, Any] | None:
    """Give the answer a repeated request was given the first time, or None where it is to be carried out.

    ``shared`` says that the request carries its original's reference on purpose, which is right once per type.
    Raises ``ReferenceAlreadyUsed``.
    """
    accepted = AcceptedRequest.objects.filter(merchant=call.merchant, reference=reference)
    if shared:
        accepted = accepted.filter(type=record_type)
    first = accepted.order_by("pk").first()
    if first is None:
        return None
    if first.fingerprint != _fingerprint(request):
        raise ReferenceAlreadyUsed(f"{reference!r} was used for another request.")
    match call.conditions.behaviour.duplicates:
        case DuplicatePolicy.REPLAY:
            answer: dict[str, Any] = first.answer
            return answer
        case DuplicatePolicy.EXECUTE:
            return None
        case DuplicatePolicy.REJECT:
            raise ReferenceAlreadyUsed(f"{reference!r} was used for this request before.")


def remember(
    call: Call, *, reference: str, record_type: str, request: WireModel, answer: dict[str, Any]
) -> None:
    """Note that a reference is used up, and what the request was answered."""
    AcceptedRequest.objects.create(
        merchant=call.merchant,
        reference=reference,
        type=record_type,
        fingerprint=_fingerprint(request),
        answer=answer,
    )


def _fingerprint(request: WireModel) -> str:
    return hashlib.sha256(request.to_json()).hexdigest()
