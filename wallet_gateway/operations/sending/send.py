"""Claim a transaction, send its request once, and dispatch the outcome.

The claim is committed before the first byte leaves. No request is sent twice, except one of which certainly
no byte left. A request that was sent, or may have been, is never sent again: see Note [Unknown is a state]
in domain/lifecycle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.operations.context import GatewayContext

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes(Generic[M, R]):
    """The handlers of the four outcomes of a request; each returns the result or raises."""

    answered: Callable[[Answer[M]], R]
    not_sent: Callable[[NotSent], R]
    refused: Callable[[Refused], R]
    unknown: Callable[[OutcomeUnknown], R]


def send_once(
    call: Callable[[float], Answer[M]],
    outcomes: Outcomes[M, R],
    *,
    context: GatewayContext,
    retries_unsent: bool = False,
) -> R:
    """Send a claimed request and record its outcome.

    `call` gets the monotonic time after which the claim is too old to send. With `retries_unsent` the same
    bytes are sent once more immediately if certainly none of them left.
    """
    not_after = context.not_after()
    try:
        answer = retry_unsent(lambda: call(not_after)) if retries_unsent else call(not_after)
    except NotSent as error:
        return outcomes.not_sent(error)
    except Refused as error:
        return outcomes.refused(error)
    except OutcomeUnknown as error:
        return outcomes.unknown(error)
    return outcomes.answered(answer)


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
