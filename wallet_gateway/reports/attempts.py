"""Attempts to pay an order: the latest one and its page, the ways of paying, buttons that nobody used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Q

from wallet_gateway.domain.polling_schedule import offered_until
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    UNENDED_STATES,
    WAY_OF,
    PaymentState,
    TransactionKind,
    TransactionState,
    Way,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.protocol.text import is_storable


@sensitive_variables()
def attempt_for(reference: str) -> Payment:
    """Return the payment attempt with this clientSystemTransactionId.

    :param reference: as the gateway and the return URLs have it, of 1 to 64 characters.
    :returns: the attempt with its order, as stored.
    :raises Payment.DoesNotExist: if no attempt has it.
    """
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    return Payment.objects.select_related("order").get(reference=reference)


def latest_reference(order: PaymentOrder) -> str:
    """Return the reference of the latest attempt to pay an order; empty without one.

    A later button that was shown and not pressed does not count: the gateway has no record of it.
    """
    latest = Payment.objects.filter(order=order).order_by("-pk").values_list("reference", flat=True)
    only_shown = (PaymentState.OFFERED, PaymentState.EXPIRED)
    return latest.exclude(state__in=only_shown).first() or latest.first() or ""


def may_turn_out_paid(order: PaymentOrder) -> bool:
    """Return whether the gateway may still report an attempt to pay this order as paid."""
    attempts = GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
    on_watch = Q(next_query_at__isnull=False)
    return attempts.filter(Q(state__in=UNENDED_STATES - {TransactionState.NOT_SENT}) | on_watch).exists()


def open_page(order: PaymentOrder, now: datetime) -> str:
    """Return the address of the order's latest payment page if it would be shown again at `now`, or empty."""
    latest = _latest_page(order)
    if latest is None or latest.state != TransactionState.OPEN or latest.expires_at is None:
        return ""
    until = offered_until(opened_at=latest.created_at, expires_at=latest.expires_at)
    return latest.redirect_url if until > now else ""


def is_being_opened(order: PaymentOrder, now: datetime) -> bool:
    """Return whether a process is opening a payment page of the order at `now`."""
    latest = _latest_page(order)
    if latest is None or latest.state != TransactionState.SENDING or latest.leased_until is None:
        return False
    return latest.leased_until > now


def _latest_page(order: PaymentOrder) -> GatewayTransaction | None:
    pages = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.CHECKOUT)
    return pages.order_by("-pk").first()


def unknown_outcomes(order: PaymentOrder) -> int:
    """Return for how many attempts to pay the outcome was unknown for some time.

    Only the shop follows captures and refunds.
    """
    rows = TransactionEvent.objects.filter(
        transaction__payment__order=order,
        transaction__kind__in=OPENING_KINDS,
        state_after__in=(TransactionState.UNKNOWN, TransactionState.PENDING),
    )
    return rows.values("transaction").distinct().count()


def is_unused(transaction: GatewayTransaction) -> bool:
    """Return whether an attempt is a wallet button that never received a card: each reload may show one."""
    is_button = transaction.kind == TransactionKind.AUTHORIZATION and hasattr(transaction, "wallet")
    never_sent = {TransactionState.AWAITING_RESULT, TransactionState.EXPIRED}
    return is_button and transaction.state in never_sent and transaction.wallet.results_count == 0


def ways_of_paying(orders: Collection[int]) -> Mapping[int, frozenset[Way]]:
    """Return the ways by which payments of these orders were approved, by the order's key. One SQL statement.

    An order that nobody has paid is left out.
    """
    opened = GatewayTransaction.objects.filter(
        payment__order__in=orders, kind__in=OPENING_KINDS, state=TransactionState.APPROVED
    )
    found: dict[int, frozenset[Way]] = {}
    for order, kind in opened.values_list("payment__order_id", "kind"):
        found[order] = found.get(order, frozenset()) | {WAY_OF[TransactionKind(kind)]}
    return found
