"""What the wallet gave for an order: the card as people name it, what the sheet came to, who and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.money import Money

_NOT_TAKEN = (
    TransactionState.AWAITING_RESULT,
    TransactionState.REJECTED,
    TransactionState.NOT_SENT,
    TransactionState.ABANDONED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletReceipt:
    """One card that was charged, or is about to be, and what came with it. Personal data; never a secret."""

    card_network: str
    """`VISA`, `MASTERCARD`, `AMEX`, `DISCOVER` or `JCB`."""
    card_last_four: str
    """All that is kept of the number."""
    is_tokenized: bool
    amount: Money
    """What the customer approved on the sheet."""
    lines: tuple[tuple[str, Decimal], ...]
    """What the amount is made of, as the sheet showed it; what was taken off is below zero."""
    email: str = field(default="", repr=False)
    """This and the addresses are empty where the wallet was not asked."""
    billing_address: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By the names of the interface: `name`, `address1`, `locality`, `postalCode`, `countryCode`, ..."""
    shipping_address: Mapping[str, str] = field(default_factory=dict, repr=False)


def wallet_receipt(order: PaymentOrder) -> WalletReceipt | None:
    """Return what the wallet gave for the card that pays an order; None where no card does. One statement."""
    rows = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.AUTHORIZATION)
    charged = rows.exclude(state__in=_NOT_TAKEN).exclude(payment__card_last_four="")
    transaction = charged.select_related("payment", "wallet").order_by("-pk").first()
    return (
        None
        if transaction is None or transaction.payment is None
        else _receipt(transaction, transaction.payment)
    )


def _receipt(transaction: GatewayTransaction, payment: Payment) -> WalletReceipt:
    given, price = transaction.wallet.given, transaction.wallet.price
    return WalletReceipt(
        card_network=payment.card_network,
        card_last_four=payment.card_last_four,
        is_tokenized=payment.card_type == CardType.TOKEN,
        amount=Money.from_minor_units(price.get("total", transaction.amount_minor), transaction.currency),
        lines=tuple((label, Decimal(amount)) for label, _, amount in price.get("lines", ())),
        email=given.get("email", ""),
        billing_address=given.get("billingAddress", {}),
        shipping_address=given.get("shippingAddress", {}),
    )
