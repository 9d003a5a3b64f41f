"""The discrepancies of one order, and the operations made elsewhere among them. Read-only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.elsewhere import OperationElsewhere, refusal_to_book
from wallet_gateway.domain.error_codes import NOT_BOOKABLE
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.record_attribution import KINDS
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.attention import left_to_person


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeElsewhere:
    """A capture, refund or reversal that the gateway reports and none of our rows contains."""

    kind: TransactionKind
    amount: Money
    record_id: str
    """The gateway's own id of it."""


def differences_of(order: PaymentOrder) -> tuple[Discrepancy, ...]:
    """Return all discrepancies of an order, open and closed, in order of time. One SQL statement."""
    rows = Discrepancy.objects.filter(payment__order=order).select_related("payment", "transaction")
    return tuple(rows.order_by("pk"))


def held_by(row: Discrepancy) -> int:
    """Return how many transactions are held by the word that a discrepancy is about. One SQL statement."""
    word = str(row.explanation_params.get("word", ""))
    held = GatewayTransaction.objects.filter(left_to_person(), gateway=row.gateway)
    return held.filter(undocumented_state__iexact=word).count()


def is_bookable(row: Discrepancy) -> bool:
    """Return whether a person may book what a discrepancy is about.

    An operation made elsewhere for which there is a rule, until it is booked; and the amount of a capture or
    refund of ours that the gateway carried out with another amount, until a person has decided on it.
    """
    return _is_operation_with_rule(row) or _is_other_amount(row)


def _is_operation_with_rule(row: Discrepancy) -> bool:
    """Return whether an operation made elsewhere can be booked, now or when another one is finished."""
    found, payment = made_elsewhere(row), row.payment
    if found is None or payment is None or found.amount.currency != payment.currency:
        return False
    amount = found.amount.minor_units
    operation = OperationElsewhere(kind=found.kind, amount=amount, record_id=found.record_id)
    return operation.can_be_known_again and refusal_to_book(operation, payment.totals) != NOT_BOOKABLE


def _is_other_amount(row: Discrepancy) -> bool:
    transaction = row.transaction
    return (
        row.kind in {DiscrepancyKind.AMOUNT_DIFFERS, DiscrepancyKind.UNIT_MIX_UP}
        and row.closed_at is None
        and transaction is not None
        and transaction.state == TransactionState.ANOMALY
        and transaction.kind in {TransactionKind.CAPTURE, TransactionKind.REFUND}
    )


def bookable_differences(transactions: Iterable[GatewayTransaction]) -> dict[int, Discrepancy]:
    """Return the open discrepancy of each capture or refund with another amount, by the transaction's key.

    One SQL statement; none without a contradiction.
    """
    anomalies = [row.pk for row in transactions if row.state == TransactionState.ANOMALY]
    if not anomalies:
        return {}
    rows = Discrepancy.objects.filter(transaction__in=anomalies, closed_at__isnull=True)
    found = filter(_is_other_amount, rows.select_related("transaction").order_by("-pk"))
    return {row.transaction.pk: row for row in found if row.transaction is not None}


def made_elsewhere(row: Discrepancy) -> MadeElsewhere | None:
    """Return the operation that a discrepancy is about; None if it is booked, or about anything else."""
    if row.kind != DiscrepancyKind.MADE_ELSEWHERE or row.booked_as_id is not None:
        return None
    params = row.explanation_params
    kind, amount = KINDS.get(str(params.get("type", "")).lower()), told_amount(row)
    if kind is None or amount is None:
        return None
    return MadeElsewhere(kind=kind, amount=amount, record_id=str(params.get("record", "")))


def told_amount(row: Discrepancy) -> Money | None:
    """Return the amount that the gateway has told; None if it has told none that can be read."""
    params = row.explanation_params
    currency = str(params.get("currency", ""))
    if row.transaction is not None and row.transaction.currency == currency:
        # With the decimals that the row keeps.
        currency = row.transaction.currency
    try:
        return Money.parse(str(params.get("given", "")), currency)
    except ProtocolError:
        return None
