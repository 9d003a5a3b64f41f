"""Claim a transaction, send its request once, and dispatch the outcome.

The claim is committed before the first byte leaves. No request is sent twice, except one of which certainly
no byte left. A request that was sent, or may have been, is never sent again: see Note [Unknown is a state]
in domain/lifecycle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import LEASE

M = TypeVar("M")
R = TypeVar("R")

_STAYS_UNSENT = {NotSentReason.TLS, NotSentReason.STALE_CLAIM}
"""Reasons that an immediate second try cannot fix: a bad certificate and a claim that is too old."""


def claim_columns(*, now: datetime, attempt_no: int = 0, **columns: Any) -> dict[str, Any]:
    """Return the columns that claim a transaction for one sender.

    `attempt_no` is the number of its last claim. Until `leased_until` no other sender sends it, and a sender
    may only record under the number of its own claim.
    """
    return {
        "state": TransactionState.SENDING,
        "state_changed_at": now,
        "attempt_no": attempt_no + 1,
        "leased_until": now + LEASE,
        **columns,
    }


def body_columns(body: bytes, account: MerchantAccount) -> dict[str, Any]:
    """Return the columns that store the exact bytes of a request, to be sent unchanged, and its account."""
    return {
        "request_body": body.decode(),
        "body_hash": hashlib.sha256(body).hexdigest(),
        "merchant_id": account.merchant_id,
        "store_id": account.store_id,
    }


def retry_unsent(send: Callable[[], Answer[M]]) -> Answer[M]:
    """Return the answer of `send`, called a second time with the same bytes if certainly no byte left.

    Raises the error of the second try, or of the first if a second is of no use.
    """
    try:
        return send()
    except NotSent as error:
        if error.reason in _STAYS_UNSENT:
            raise
    return send()
