"""Which facts a move of an intent is for the shop. Decides; writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.domain.lifecycle import IntentState, OrderState, PaymentType, TransactionKind
from wallet_gateway.domain.standing import Sums
from wallet_gateway.models import FactKind, GatewayTransaction

HELD_BACK = frozenset({FactKind.AUTHORISED, FactKind.PAID, FactKind.CAPTURED_IN_PART})
"""What goods go out upon: not told of a payment that is frozen, but when a person has lifted the freeze."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One fact to be told, with its amount in minor units."""

    kind: FactKind
    amount: int | None = None


def facts_of(intent: GatewayTransaction, *, moved: bool, sums_before: Sums | None) -> tuple[Told, ...]:
    """Say what the shop is to be told of an intent as it stands; nothing for a detached refund.

    `moved` says that it came into its state just now, and had never been approved before: an approval that
    was contradicted and then accepted is no second payment.
    """
    payment = intent.payment
    if payment is None or sums_before is None:
        return ()
    told = _moved(intent) if moved else ()
    if payment.frozen:
        told = tuple(fact for fact in told if fact.kind not in HELD_BACK)
    frozen_now = payment.frozen and not sums_before.frozen
    return (*told, Told(kind=FactKind.ANOMALY)) if frozen_now else told


def facts_of_thawed(intent: GatewayTransaction) -> tuple[Told, ...]:
    """Say what of an approved intent was held back while its payment was frozen, and is told now."""
    payment = intent.payment
    if payment is None or payment.order.state == OrderState.OVERPAID:
        return ()
    told = _approved(intent)
    return tuple(fact for fact in told if fact.kind in HELD_BACK)


def _moved(intent: GatewayTransaction) -> tuple[Told, ...]:
    after = IntentState(intent.state)
    if after is IntentState.APPROVED:
        return _approved(intent)
    return _ended(intent, after)


def _approved(intent: GatewayTransaction) -> tuple[Told, ...]:
    payment, amount = intent.payment, intent.approved_minor or intent.amount_minor
    assert payment is not None  # noqa: S101 - the caller has looked
    kind = TransactionKind(intent.kind)
    if kind is TransactionKind.REFUND:
        return (Told(kind=FactKind.REFUNDED, amount=amount),)
    if kind is TransactionKind.REVERSAL:
        return (Told(kind=FactKind.REVERSED, amount=amount),)
    if kind is TransactionKind.CAPTURE:
        return (_captured(intent, amount),)
    told = Told(
        kind=FactKind.AUTHORISED if payment.type != PaymentType.SALE else FactKind.PAID, amount=amount
    )
    # A further payment of a paid order is not "paid" once more: it is a task for a person.
    overpaid = payment.order.state == OrderState.OVERPAID
    return (Told(kind=FactKind.ANOMALY, amount=amount),) if overpaid else (told,)


def _captured(intent: GatewayTransaction, amount: int) -> Told:
    assert intent.payment is not None  # noqa: S101 - captures belong to payments
    whole = intent.payment.captured >= intent.payment.authorised
    return Told(kind=FactKind.PAID if whole else FactKind.CAPTURED_IN_PART, amount=amount)


_ENDINGS = {OrderState.FAILED: FactKind.FAILED, OrderState.EXPIRED: FactKind.EXPIRED}


def _ended(intent: GatewayTransaction, after: IntentState) -> tuple[Told, ...]:
    payment = intent.payment
    if payment is None or intent.reference != payment.reference:
        return ()
    if after not in {IntentState.REJECTED, IntentState.EXPIRED}:
        return ()
    order_state = OrderState(payment.order.state)
    ending = _ENDINGS.get(order_state)
    return (Told(kind=ending, amount=intent.amount_minor),) if ending else ()
