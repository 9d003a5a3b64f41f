"""The sweep: end leases, query due transactions, release orders, resend unsent requests, deliver events.

The rows are the queue. Any number of workers on any number of machines may sweep at the same time. Each sweep
records its heartbeat, so that a stopped one is noticed.

An authorization that expires soon is told to the shop once, by one worker; if a receiver raises, the next
sweep tells it again. An automatic capture or reversal is the same operation as a person's click, under a key
made from the payment's reference: a repetition is still one operation. If the gateway refuses it, the shop is
told once more, with the policy `ask`.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Count, Exists, OuterRef, Q

from wallet_gateway import conf, gateways, signals
from wallet_gateway.context import GatewayContext, asked_about
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import CapturePolicy, CaptureWindow
from wallet_gateway.domain.polling_schedule import INSTANTS_ARE_LATE, QueryPriority
from wallet_gateway.domain.states import (
    LEFT_TO_PEOPLE,
    OPENING_KINDS,
    UNENDED_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.outbox import deliver_due
from wallet_gateway.ledger.repair import give_up_unsent, release_freezes
from wallet_gateway.ledger.transactions import (
    check_outside_transaction,
    failure,
    in_current_or_new_transaction,
    in_statement,
    log_row_error,
    read_due,
)
from wallet_gateway.models import (
    BatchState,
    ExpiryNotice,
    ExpiryNoticeState,
    GatewayTransaction,
    Job,
    JobPosition,
    OperationBatch,
    Payment,
    TransactionEventKind,
)
from wallet_gateway.models.transactions import uncaptured
from wallet_gateway.operation_errors import OperationRefused
from wallet_gateway.payments import batches, retention
from wallet_gateway.payments.cancellation import release_orders
from wallet_gateway.payments.execution import Initiator, follow_up, resend_unsent
from wallet_gateway.payments.polling import reconcile_urgent, repeat_queries
from wallet_gateway.payments.second_person import expire_requests
from wallet_gateway.payments.sending import count_unknown
from wallet_gateway.payments.wallet_attempts import sweep_wallet
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.sweep")

BATCH_SECONDS = 10.0
"""How long one sweep executes rows of batches, so that recovery and the outbox are not delayed."""
_LIMIT = 500
DRAFTS_KEPT = timedelta(days=7)
_DRAFTS = 100
"""Maximum number of drafts that one sweep deletes: each has some hundred rows."""

AUTHOR = "authorization expiry"
_WITHOUT_EFFECT = frozenset({TransactionState.REJECTED, TransactionState.ABANDONED})
_AUTHORIZATIONS = 100
"""Maximum number of authorizations that one sweep handles before they expire."""
_CLAIM = timedelta(minutes=5)
"""Time after which a notice that was claimed and not finished may be claimed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """The result of one sweep of one gateway."""

    gateway: str
    """Its alias in the settings."""
    leases_ended: int
    """Requests whose process ended without a result."""
    pages_given_up: int
    """Payment pages that ended without a record."""
    buttons_expired: int
    """Wallet buttons whose result did not come in time."""
    queried: int
    """Status queries that were due."""
    sent_again: int
    """Requests sent again of which no byte had left."""
    events_delivered: int
    """Events that the shop's receivers have accepted."""
    orders_released: int = 0
    """Cancelled orders, and orders whose time to pay was over, that nothing can pay any more."""
    queried_again: int = 0
    """Queries of approvals, for changes made elsewhere, and what became urgent among them."""
    batch_rows: int = 0
    """Batch rows processed at this gateway."""

    @property
    def did_something(self) -> bool:
        """Return whether there was anything to do."""
        return any(count for name, count in asdict(self).items() if name != "gateway")


@sensitive_variables()
def sweep() -> tuple[SweepReport, ...]:
    """Do the background work of every gateway once: recovery, expiry, unsent requests, the outbox.

    Running batches are executed for at most `BATCH_SECONDS`; the next sweep continues.

    :returns: a report for each gateway that can be used.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.sweep")
    clock, settings = gateways.clock(), conf.settings()
    aliases = tuple(settings.gateways)
    # Unfinished transactions at gateways that the settings no longer name
    watched = Q(query_priority__in=[QueryPriority.UNFINISHED, QueryPriority.WATCHED])
    unended = watched & Q(next_query_at__isnull=False) | Q(state__in=UNENDED_STATES)
    waiting = GatewayTransaction.objects.filter(unended).exclude(gateway__in=aliases)
    orphans = dict(waiting.order_by().values_list("gateway").annotate(Count("pk")))
    for alias, count in orphans.items():
        text = "%d transactions wait at gateway %r, which the settings do not name"
        logger.error(text, count, alias, extra={"gateway": alias})

    swept = []
    for alias in aliases:
        try:
            context = context_of(alias)
        except ImproperlyConfigured as error:
            # The rows keep the instants at which they are due, and the other gateways are swept.
            logger.error("gateway %s is not swept: %s", alias, error, extra={"gateway": alias})
            continue
        expire_requests(now=context.clock.now(), gateway=context.alias)
        release_freezes(context=context, limit=_LIMIT)
        report = SweepReport(
            gateway=context.alias,
            leases_ended=_end_leases(context),
            pages_given_up=_give_up_unsent_pages(context),
            buttons_expired=sweep_wallet(context=context, limit=_LIMIT),
            queried=reconcile_urgent(context=context, limit=_LIMIT),
            orders_released=release_orders(context=context, limit=_LIMIT),
            sent_again=_send_unsent(context),
            events_delivered=deliver_due(clock=context.clock, limit=_LIMIT),
            # Last: nobody waits for it.
            queried_again=repeat_queries(context=context, limit=_LIMIT),
        )
        _watch_authorizations(context)
        in_statement(partial(JobPosition.move, Job.SWEEP, gateway=context.alias, now=context.clock.now()))
        swept.append(report)

    rows = batches.drive(seconds=BATCH_SECONDS)
    reports = tuple(replace(report, batch_rows=rows[report.gateway]) for report in swept)
    if not reports:
        # What is known of payments is told to the shop, even while no gateway can be used.
        deliver_due(clock=clock)
    retention.erase_old_bodies(kept=timedelta(days=settings.retention_days))
    _drop_old_drafts(clock.now())
    return reports


def _end_leases(context: GatewayContext) -> int:
    """End transactions whose sender's lease has expired; return how many.

    It is unknown whether the sender sent anything. A hosted page whose URL was lost with its sender cannot be
    reached by any customer, so that attempt is abandoned and kept on watch.
    """
    now = context.clock.now()
    silent = GatewayTransaction.objects.filter(
        gateway=context.alias, state=TransactionState.SENDING, leased_until__lt=now
    )
    rows = read_due(silent.select_related("payment__order", "deposit"), limit=_LIMIT)
    for transaction in rows:
        checkout = transaction.kind == TransactionKind.CHECKOUT
        change = Change(
            kind=TransactionEventKind.LEASE_ENDED,
            event=LifecycleEvent.PAGE_LOST if checkout else LifecycleEvent.LOST,
            explanation=explain(ExplanationCode.SENDER_SILENT),
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    if rows:
        count_unknown(context)
    return len(rows)


def _give_up_unsent_pages(context: GatewayContext) -> int:
    """End checkout attempts of which no byte left and which were not retried; return how many.

    Their exact bodies, which contain personal data, were kept only for another try.
    """
    now = context.clock.now()
    unsent = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.NOT_SENT,
        expires_at__lte=now,
    )
    rows = read_due(unsent.select_related("payment__order"), limit=_LIMIT)
    for transaction in rows:
        with log_row_error(transaction.reference):
            give_up_unsent(transaction, explain(ExplanationCode.NOT_RETRIED), context=context)
    return len(rows)


def _send_unsent(context: GatewayContext) -> int:
    """Resend requests of which no byte left, each at most a few times; return how many were tried."""
    now = context.clock.now()
    if not context.policy.sending:
        return 0
    due = GatewayTransaction.objects.filter(
        gateway=context.alias, state=TransactionState.NOT_SENT, next_send_at__lte=now
    )
    rows = read_due(due.exclude(kind__in=OPENING_KINDS).order_by("next_send_at"), limit=_LIMIT)
    tried = 0
    for transaction in rows:
        sent = None
        with log_row_error(transaction.reference):
            try:
                sent = resend_unsent(transaction, context=context)
            except OperationRefused as error:
                fields = transaction.log_fields | {"code": error.code.value}
                words = one_line(repr(error))
                logger.info("%s was not sent again: %s", transaction.reference, words, extra=fields)
                if error.code in {ErrorCode.MERCHANT_ACCOUNT_CHANGED, ErrorCode.REQUEST_UNREADABLE}:
                    _give_to_person(transaction, next_send_at=None)
                    continue
        if sent is not None:
            tried += 1
            continue
        # Another operation without an outcome, a freeze, or a pause is in its way. After an hour a person is
        # to see it; the next sweeps still try.
        since = transaction.next_send_at
        is_late = since is not None and context.clock.now() - since >= INSTANTS_ARE_LATE
        if is_late and not transaction.needs_operator:
            _give_to_person(transaction)
    return tried


def _give_to_person(transaction: GatewayTransaction, **columns: Any) -> None:
    unsent = GatewayTransaction.objects.filter(
        pk=transaction.pk, state=TransactionState.NOT_SENT, attempt_no=transaction.attempt_no
    )
    in_statement(lambda: unsent.update(needs_operator=True, **columns))


def _drop_old_drafts(now: datetime) -> None:
    """Delete batch drafts that are a week old and were never confirmed.

    Nothing was sent for them. Confirmed batches are kept.
    """
    old = OperationBatch.objects.filter(state=BatchState.DRAFT, created_at__lt=now - DRAFTS_KEPT)
    drafts = list(old.values_list("pk", flat=True)[:_DRAFTS])

    def drop() -> None:
        # Lock and check the state again: a user may be confirming a draft at this moment.
        still = OperationBatch.objects.select_for_update().filter(pk__in=drafts, state=BatchState.DRAFT)
        OperationBatch.objects.filter(pk__in=[batch.pk for batch in still]).delete()

    in_current_or_new_transaction(drop)


# Authorizations that expire soon


def _watch_authorizations(context: GatewayContext) -> None:
    """Notify of authorizations that expire soon; capture or reverse them if configured."""
    window, now = context.policy.capture_window, context.clock.now()
    notices = ExpiryNotice.objects.filter(payment=OuterRef("payment"))
    handled = Exists(notices.filter(Q(state=ExpiryNoticeState.DONE) | Q(claimed_at__gt=now - _CLAIM)))
    due = uncaptured(context.alias, since=window.warns_from(now)).filter(~handled, asked_about(context))
    for transaction in due[:_AUTHORIZATIONS]:
        with log_row_error(transaction.reference):
            _handle(transaction, window, context)


def _handle(transaction: GatewayTransaction, window: CaptureWindow, context: GatewayContext) -> None:
    payment, approved_at, now = transaction.payment, transaction.approved_at, context.clock.now()
    assert payment is not None  # noqa: S101 - an authorization has a payment
    assert approved_at is not None  # noqa: S101 - only approved ones are read
    # One worker handles it: who finds the claim of another one stale, or writes the first.
    notice = ExpiryNotice.objects.filter(payment=payment)
    stale = notice.filter(claimed_at__lte=now - _CLAIM).exclude(state=ExpiryNoticeState.DONE)
    if not stale.update(claimed_at=now):
        of: dict[str, Any] = {"payment": payment, "defaults": {"claimed_at": now}}
        _notice, is_new = in_statement(lambda: ExpiryNotice.objects.get_or_create(**of))
        if not is_new:
            return
    told_before = notice.filter(state=ExpiryNoticeState.SENT).exists()
    # What was done with another payment of the order, in this sweep too, may have changed its state.
    payment.order.refresh_from_db()
    is_left = payment.order.state in LEFT_TO_PEOPLE
    if is_left:
        window = replace(window, policy=CapturePolicy.ASK)
    told = told_before or _tell(payment, window, approved_at)
    # A receiver that fails, such as a mail server that does not answer, must not let the authorization lapse.
    done = False if is_left else _act(payment, window.policy)
    if not told:
        return
    if done is None:
        # The gateway refused it, and the machine does not try a second one: it is left to people.
        done = _tell(payment, replace(window, policy=CapturePolicy.ASK), approved_at)
    # If it is not done, the claim ends in a few minutes and a later sweep looks again.
    notice.update(state=ExpiryNoticeState.DONE if done else ExpiryNoticeState.SENT, claimed_at=now)


def _tell(payment: Payment, window: CaptureWindow, approved_at: datetime) -> bool:
    left = payment.authorized - payment.captured - payment.capture_reserved
    answers = signals.authorization_expiring.send_robust(
        sender=type(payment.order),
        reference=payment.order.reference,
        order=payment.order,
        payment=payment,
        amount=Money.from_minor_units(left, payment.currency),
        expires_at=window.expires_at(approved_at),
        policy=str(window.policy),
    )
    failures = [answer for _, answer in answers if isinstance(answer, Exception)]
    for error in failures:
        text = "a receiver of authorization_expiring failed, it is told again: %s"
        logger.error(text, failure(error), extra=_log_fields(payment))
    return not failures


def _act(payment: Payment, policy: CapturePolicy) -> bool | None:
    """Do what the settings say; return whether nothing is left to do, and None if it ended without effect.

    An action of an earlier sweep is found again by its key: its outcome may have been unknown.
    """
    who = Initiator(
        idempotency_key=f"expiry-{payment.reference}",
        by=AUTHOR,
        comment="about to expire",
        is_awaited=False,
    )
    try:
        if policy is CapturePolicy.CAPTURE:
            state = follow_up(payment, TransactionKind.CAPTURE, who=who).state
        elif policy is CapturePolicy.REVERSE and payment.captured == 0:
            state = follow_up(payment, TransactionKind.REVERSAL, who=who).state
        else:
            return True
    except OperationRefused as error:
        text, fields = "%s was not handled before it expires: %s", _log_fields(payment)
        fields["code"] = error.code.value
        logger.warning(text, payment.reference, one_line(repr(error)), extra=fields)
        return False
    if state in _WITHOUT_EFFECT:
        text = "%s was not handled before it expires: it ended as %s"
        logger.error(text, payment.reference, state, extra=_log_fields(payment) | {"state": state})
        return None
    return state == TransactionState.APPROVED


def _log_fields(payment: Payment) -> dict[str, str]:
    return {"reference": payment.reference, "gateway": payment.order.gateway}
