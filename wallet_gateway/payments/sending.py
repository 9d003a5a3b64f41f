"""What every request that moves money shares: its claim, the record of its outcome, and the circuit breaker.

The claim is committed before the first byte leaves. No request is sent twice, except one of which certainly
no byte left. A request that was sent, or may have been, is never sent again: see Note [Unknown is a state]
in domain/states.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from wallet_gateway.client.errors import GatewayError, NotSent, NotSentReason, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Answer, Exchange, MerchantAccount
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import DiscrepancyKind, Explanation, ExplanationCode, explain
from wallet_gateway.domain.error_codes import SENDING_PAUSED
from wallet_gateway.domain.evidence import EVENTS, Finding, FoundDiscrepancy, Verdict, read_follow_up_answer
from wallet_gateway.domain.polling_schedule import (
    LEASE,
    PAUSE,
    PAUSE_AT_UNKNOWNS,
    PAUSE_WINDOW,
    RESEND_WAITS,
    pause_end,
)
from wallet_gateway.domain.states import LifecycleEvent, TransactionState
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.outbox import announce_pause
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import GatewayPause, GatewayTransaction, PauseCode, TransactionEventKind
from wallet_gateway.models.fields import cut_to, explanation_text
from wallet_gateway.operation_errors import SendingStopped
from wallet_gateway.payments.status import (
    contradict_others,
    expectation_of,
    is_used_up,
    others_told_otherwise,
    query_status,
)
from wallet_gateway.protocol.authorizations import AuthorizationResponse
from wallet_gateway.protocol.faults import read_refund_amount_exceeded
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

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


# The outcome


def record_authorization_answer(
    transaction: GatewayTransaction, answer: Answer[AuthorizationResponse], *, context: GatewayContext
) -> GatewayTransaction:
    """Record the direct answer to an authorization; a pending one may send the customer to 3-D Secure."""
    finding = read_follow_up_answer(answer.message, expectation_of(transaction))
    url = answer.message.redirect_url
    if finding.verdict is not Verdict.PENDING or not url:
        return record_finding(transaction, finding, answer.exchange, context)
    if not is_allowed_page(url, context):
        # The gateway has the authorization in any case, so only a status query tells how it ends.
        strange = unexpected_page(url, context)
        strange = replace(strange, verdict=Verdict.PENDING, reported_id=finding.reported_id)
        return record_finding(transaction, strange, answer.exchange, context)
    ends = context.clock.now() + timedelta(seconds=context.gateway.account.redirect_url_timeout)
    change = Change(
        kind=TransactionEventKind.ANSWER,
        event=LifecycleEvent.CHALLENGED,
        finding=finding,
        exchange=answer.exchange,
        columns={"redirect_url": url, "expires_at": ends},
    )
    return apply(transaction, change, context=context)


def record_finding(
    transaction: GatewayTransaction,
    finding: Finding,
    exchange: Exchange,
    context: GatewayContext,
    *,
    is_awaited: bool = True,
) -> GatewayTransaction:
    """Record the direct answer to a request that moves money.

    `is_awaited` means that the caller receives the outcome; a refusal is then not reported to anybody else.
    """
    # An answer that neither approves nor rejects leaves the outcome unknown.
    event = EVENTS.get(finding.verdict, LifecycleEvent.LOST)
    change = Change(
        kind=TransactionEventKind.ANSWER,
        event=event,
        finding=finding,
        exchange=exchange,
        is_awaited=is_awaited,
    )
    settled = apply(transaction, change, context=context)
    if event is LifecycleEvent.LOST:
        count_unknown(context)
    return settled


def explanation_of(error: GatewayError) -> Explanation:
    """Return why a call failed, with the words of the gateway or of the network library."""
    if isinstance(error, Refused):
        limit = read_refund_amount_exceeded(error.message)
        code = ExplanationCode.REFUSED if limit is None else ExplanationCode.REFUND_AMOUNT_EXCEEDED
        amounts = {} if limit is None else {name: str(amount) for name, amount in asdict(limit).items()}
        status = error.http_status
        return explain(code, error_code=error.code, http_status=status, **amounts, said=error.message)
    if isinstance(error, NotSent):
        return explain(ExplanationCode.NOT_SENT, reason=error.reason.value, said=error.detail)
    if isinstance(error, OutcomeUnknown):
        return explain(ExplanationCode.OUTCOME_UNKNOWN, reason=error.reason.value, said=error.detail)
    raise TypeError(type(error).__name__)


def record_not_sent(
    transaction: GatewayTransaction, error: NotSent, *, context: GatewayContext
) -> GatewayTransaction:
    """Record that no byte left; a worker may send the same bytes again a few times, then a person decides."""
    tries = 1 if error.reason is NotSentReason.TLS else len(RESEND_WAITS)
    done = transaction.attempt_no
    again = context.clock.now() + RESEND_WAITS[done - 1] if done <= tries else None
    change = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.NOTHING_LEFT,
        exchange=error.exchange,
        explanation=explanation_of(error),
        attempt_no=transaction.attempt_no,
        columns={"next_send_at": again, "needs_operator": again is None},
    )
    return apply(transaction, change, context=context)


def record_unknown(
    transaction: GatewayTransaction, error: OutcomeUnknown, *, context: GatewayContext
) -> GatewayTransaction:
    """Record an unknown outcome: the amount stays reserved; only status queries follow, no second send."""
    change = _fault(error)
    if error.retry_after is not None:
        change = replace(change, query_not_before=pause_end(context.clock.now(), error.retry_after))
    with pausing(context, error, explanation_of(error)):
        settled = apply(transaction, change, context=context)
    count_unknown(context)
    return settled


def _fault(error: GatewayError) -> Change:
    return Change(
        kind=TransactionEventKind.ANSWER if isinstance(error, Refused) else TransactionEventKind.FAULT,
        event=LifecycleEvent.LOST,
        exchange=error.exchange,
        explanation=explanation_of(error),
        columns=error_columns(error),
    )


def error_columns(error: GatewayError) -> dict[str, str]:
    """Return the column of the gateway's error code, if it refused."""
    name = "error_code"
    return {name: cut_to(GatewayTransaction, name, error.code)} if isinstance(error, Refused) else {}


def record_refusal(
    transaction: GatewayTransaction, error: Refused, *, context: GatewayContext, is_awaited: bool = True
) -> GatewayTransaction:
    """Record a refusal after a status query has shown that the refused operation was not executed.

    If something between us and the gateway repeated our request, the first copy may have moved the money
    and only the second was refused. Earlier tries under this reference never left, or it would not have been
    sent again, so this is the gateway's first answer to it.
    """
    transaction = apply(transaction, _fault(error), context=context)
    queried_in = (TransactionState(transaction.state), transaction.state_changed_at)
    finding = query_status(transaction, context=context)
    if finding is None:
        return transaction
    if finding.absent:
        if is_used_up(transaction, error.http_status):
            return transaction
        # The gateway refused and has no record: this confirms that nothing was executed.
        change = Change(
            kind=TransactionEventKind.RECORDS,
            event=LifecycleEvent.REJECTED,
            finding=finding,
            # Another worker may have seen a record since.
            queried_in=queried_in,
            explanation=explanation_of(error),
            is_awaited=is_awaited,
        )
    else:
        if finding.verdict is Verdict.APPROVED:
            # An approval that was answered by a refusal: something repeats our requests.
            why = explain(ExplanationCode.REPEATED_ON_THE_WIRE)
            repeated = FoundDiscrepancy(kind=DiscrepancyKind.REPEATED_ON_THE_WIRE, explanation=why)
            finding = replace(finding, discrepancies=(repeated,), explanation=why)
        # A record in an undocumented state is not an event: the outcome stays unknown.
        change = Change(
            kind=TransactionEventKind.RECORDS,
            event=EVENTS.get(finding.verdict),
            finding=finding,
            queried_in=queried_in,
            is_awaited=is_awaited,
        )
    settled = apply(transaction, change, context=context)
    return contradict_others(settled, others_told_otherwise(settled, finding), context)


# The host of a page to which a customer is redirected


def is_allowed_page(url: str, context: GatewayContext) -> bool:
    """Return whether a customer may be sent to a URL from the gateway."""
    schemes: Sequence[str] = ("https", "http") if context.policy.allow_plain_http else ("https",)
    return scheme_of(url) in schemes and is_allowed_host(url, context)


def is_allowed_host(url: str, context: GatewayContext) -> bool:
    """Return whether the host of a URL is allowed; with a page that is not, its scheme is what is wrong."""
    return _split(url)[1] in context.policy.redirect_hosts


def unexpected_page(url: str, context: GatewayContext) -> Finding:
    """Return the finding for a gateway page that is not allowed: its host is not, or only its scheme."""
    host = host_of(url)
    why = explain(ExplanationCode.HOST_UNEXPECTED, host=host)
    if is_allowed_host(url, context):
        why = explain(ExplanationCode.SCHEME_UNEXPECTED, host=host, scheme=scheme_of(url))
    unexpected = FoundDiscrepancy(kind=DiscrepancyKind.UNEXPECTED_HOST, explanation=why)
    return Finding(verdict=Verdict.INCONCLUSIVE, discrepancies=(unexpected,), explanation=why)


def scheme_of(url: str) -> str:
    """Return the scheme of a URL, cut to 100 characters; empty if the URL is invalid."""
    return _split(url)[0][:100]


def host_of(url: str) -> str:
    """Return the host of a URL, cut to 100 characters; empty if the URL is invalid."""
    return _split(url)[1][:100]


def _split(url: str) -> tuple[str, str]:
    """Return the scheme and host of a URL, both empty if the URL is invalid."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower()


# The circuit breaker


@contextlib.contextmanager
def pausing(context: GatewayContext, error: OutcomeUnknown, why: Explanation) -> Iterator[None]:
    """Pause new requests before the block if the gateway requests it with a lost answer.

    The shop's receivers hear of it after the block, in which the outcome is recorded: they may be slow.
    """
    tell = _nobody
    if error.retry_after is not None:
        tell = pause_sending(context, seconds=error.retry_after, explanation=why)
    try:
        yield
    finally:
        tell()


def _nobody() -> None:
    """Tell nobody."""


def pause_sending(context: GatewayContext, *, seconds: float, explanation: Explanation) -> Callable[[], None]:
    """Pause new requests for the seconds that the gateway requests, at most 15 minutes.

    Return what tells the shop's receivers.
    """
    until = pause_end(context.clock.now(), seconds)
    return _pause(context, until, PauseCode.RETRY_AFTER, explanation)


def _pause(
    context: GatewayContext, until: datetime, code: PauseCode, explanation: Explanation | None
) -> Callable[[], None]:
    now, pause = context.clock.now(), GatewayPause.pause_sending
    # Repeated after a conflict: what comes next is the record of the outcome.
    begins = in_statement(
        lambda: pause(context.alias, now=now, until=until, code=code, explanation=explanation)
    )
    if not begins:
        return _nobody
    reason = explanation_text(explanation)
    text, fields = "sending to %s is paused until %s: %s %s", {"gateway": context.alias, "code": code.value}
    logger.warning(text, context.alias, until, code, one_line(reason), extra=fields)
    return partial(announce_pause, context.alias, until=until, code=code, reason=reason)


def check_sending_not_paused(context: GatewayContext) -> None:
    """Raise `SendingStopped` while sending is paused.

    Call this before a database transaction that has to start with a lock: with repeatable reads, the first
    read fixes the snapshot of all later reads, including those under the lock.
    """
    if GatewayPause.that_hold(context.clock.now()).filter(gateway=context.alias).exists():
        raise SendingStopped(*SENDING_PAUSED)


def count_unknown(context: GatewayContext) -> None:
    """Pause new requests if too many outcomes became unknown within a short time.

    A refusal is not counted, though it stays unknown until a status query has confirmed it: the gateway
    did answer.
    """
    now = context.clock.now()
    unknown = GatewayTransaction.objects.filter(
        gateway=context.alias,
        state=TransactionState.UNKNOWN,
        state_changed_at__gt=now - PAUSE_WINDOW,
        error_code="",
    )
    if unknown.count() > PAUSE_AT_UNKNOWNS:
        _pause(context, now + PAUSE, PauseCode.UNKNOWN_OUTCOMES, None)()
