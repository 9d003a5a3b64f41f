"""One reference, one request: recognising a repetition, and a reference that belongs to something else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.fields import TransactionRequest
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import AcceptedRequest, DuplicatePolicy
from wallet_gateway.sandbox.refusals import ReferenceAlreadyUsed
from wallet_gateway.sandbox.state import RequestContext


def answer_once(
    context: RequestContext,
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
    same_reference = {"merchant": context.merchant, "reference": request.client_system_transaction_id}
    with write_lock():
        only = {"type": request.type} if shared else {}
        first = AcceptedRequest.objects.filter(**same_reference, **only).first()
        if first is not None and not _is_executed_again(context, first, fingerprint):
            earlier: dict[str, Any] = first.answer
            return earlier
        answer = execute()
        AcceptedRequest.objects.create(
            **same_reference, type=request.type, fingerprint=fingerprint, answer=answer
        )
    return answer


def _is_executed_again(context: RequestContext, first: AcceptedRequest, fingerprint: str) -> bool:
    if first.fingerprint != fingerprint:
        raise ReferenceAlreadyUsed(f"{excerpt(first.reference)} was used for another request.")
    duplicates = context.conditions.behaviour.duplicates
    if duplicates is DuplicatePolicy.REJECT:
        raise ReferenceAlreadyUsed(f"{excerpt(first.reference)} was used for this request before.")
    return duplicates is DuplicatePolicy.EXECUTE
