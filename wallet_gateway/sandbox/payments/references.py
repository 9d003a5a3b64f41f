"""Idempotency: a reference belongs to one request; repetitions are recognised, other uses are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import AcceptedRequest, DuplicatePolicy
from wallet_gateway.sandbox.models.prepared_sql import insert_row, select_rows
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
    same_reference = {"merchant_id": context.merchant.pk, "reference": request.client_system_transaction_id}
    with write_lock():
        only = {"type": request.type} if shared else {}
        first = next(iter(select_rows(AcceptedRequest, **same_reference, **only)), None)
        if first is not None and not _is_executed_again(context, first, fingerprint):
            earlier: dict[str, Any] = first.answer
            return earlier
        answer = execute()
        insert_row(
            AcceptedRequest(**same_reference, type=request.type, fingerprint=fingerprint, answer=answer)
        )
    return answer


def _is_executed_again(context: RequestContext, first: AcceptedRequest, fingerprint: str) -> bool:
    if first.fingerprint != fingerprint:
        raise Refusal("ReferenceAlreadyUsed", f"{quote(first.reference)} was used for another request.")
    duplicates = context.conditions.behaviour.duplicates
    if duplicates is DuplicatePolicy.REJECT:
        raise Refusal("ReferenceAlreadyUsed", f"{quote(first.reference)} was used for this request before.")
    return duplicates is DuplicatePolicy.EXECUTE
