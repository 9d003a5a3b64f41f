"""One reference, one request: recognising a repetition, and a reference that belongs to something else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.engine.calls import Call
from wallet_gateway.sandbox.engine.refusals import ReferenceAlreadyUsed
from wallet_gateway.sandbox.models import AcceptedRequest, DuplicatePolicy
from wallet_gateway.sandbox.write_lock import one_writer


def answer_once(
    call: Call,
    request: TransactionRequest,
    execute: Callable[[], dict[str, Any]],
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """Carry a request out, or answer a repetition as the behaviour in force has it; give the answer.

    ``shared`` says that the request carries its original's reference on purpose, as it may once per type.
    Raises ``ReferenceAlreadyUsed`` and what ``carry_out`` raises; the reference is then still free.
    """
    fingerprint = hashlib.sha256(request.to_json()).hexdigest()
    same_reference = {"merchant": call.merchant, "reference": request.client_system_transaction_id}
    with one_writer():
        only = {"type": request.type} if shared else {}
        first = AcceptedRequest.objects.filter(**same_reference, **only).first()
        if first is not None and not _is_carried_out_again(call, first, fingerprint):
            earlier: dict[str, Any] = first.answer
            return earlier
        answer = execute()
        AcceptedRequest.objects.create(
            **same_reference, type=request.type, fingerprint=fingerprint, answer=answer
        )
    return answer


def _is_carried_out_again(call: Call, first: AcceptedRequest, fingerprint: str) -> bool:
    if first.fingerprint != fingerprint:
        raise ReferenceAlreadyUsed(f"{quote(first.reference)} was used for another request.")
    duplicates = call.conditions.behaviour.duplicates
    if duplicates is DuplicatePolicy.REJECT:
        raise ReferenceAlreadyUsed(f"{quote(first.reference)} was used for this request before.")
    return duplicates is DuplicatePolicy.EXECUTE
