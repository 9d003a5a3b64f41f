"""Idempotency: a reference belongs to one request; repetitions are recognised, other uses are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import AcceptedRequest, DuplicatePolicy
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext


def answer_once(
    context: RequestContext,
    request: TransactionRequest,
    execute: Callable[[], dict[str, Any]],
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """Execute a request once and return its answer; answer a repetition as configured.

    With ``shared`` the request carries its original's reference on purpose, which is allowed once per type.
    Raises ``ReferenceAlreadyUsed`` and what ``execute`` raises; after that the reference is still unused.
    """
    fingerprint = hashlib.sha256(request.to_json()).hexdigest()
    reference, duplicates = request.client_system_transaction_id, context.conditions.behaviour.duplicates
    with write_lock():
        earlier = context.merchant.accepted_requests.filter(reference=reference)
        if shared:
            earlier = earlier.filter(type=request.type)
        if (first := earlier.first()) is not None:
            if first.fingerprint != fingerprint:
                raise Refusal("ReferenceAlreadyUsed", f"{quote(reference)} was used for another request.")
            if duplicates == DuplicatePolicy.REJECT:
                text = f"{quote(reference)} was used for this request before."
                raise Refusal("ReferenceAlreadyUsed", text)
            if duplicates == DuplicatePolicy.REPLAY:
                recorded: dict[str, Any] = first.answer
                return recorded
        answer = execute()
        AcceptedRequest.objects.create(
            merchant=context.merchant,
            reference=reference,
            type=request.type,
            fingerprint=fingerprint,
            answer=answer,
        )
    return answer
