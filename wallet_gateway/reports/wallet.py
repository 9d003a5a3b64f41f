"""The wallet's data of an order: the card as people name it, amount and addresses; how often it was used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from wallet_gateway.domain.card_names import network_name
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletUsage
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
    """One card that was or will be charged, and its data from the wallet. Personal data; never a secret."""

    card_network: str
    """`VISA`, `MASTERCARD`, `AMEX`, `DISCOVER` or `JCB`; empty if the gateway does not tell it."""
    card_last_four: str
    """The only part of the card number that is stored; empty as above, or once it was erased."""
    is_tokenized: bool
    """Whether a device's account number stands for the card's."""
    amount: Money
    """The amount that the customer approved on the sheet."""
    lines: tuple[tuple[str, Decimal], ...]
    """The lines of the amount as the sheet showed them; deductions are negative."""
    email: str = field(default="", repr=False)
    """This and the addresses are empty if the wallet was not asked for them."""
    billing_address: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys as in the interface: `name`, `address1`, `locality`, `postalCode`, `countryCode`, ..."""
    shipping_address: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys as of the billing address."""

    @property
    def card_brand(self) -> str:
        """The card's network as people read it: `Visa`, `American Express`; empty as above."""
        return network_name(self.card_network)


def wallet_receipt(order: PaymentOrder) -> WalletReceipt | None:
    """Return the wallet data of the card that pays an order; None if no card does. One SQL statement."""
    rows = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.AUTHORIZATION)
    charged = rows.exclude(state__in=_NOT_TAKEN).exclude(payment__card_type="")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletLimitUsage:
    """How much of one limit an order's wallet button has used."""

    limit: WalletLimit
    used: int
    allowed: int


def wallet_limit_usage(order: PaymentOrder, limits: WalletLimits) -> tuple[WalletLimitUsage, ...]:
    """Return the use of each limit of an order's wallet button. Two SQL statements."""
    usage = WalletUsage.objects.filter(order=order).first() or WalletUsage()
    sent = GatewayTransaction.objects.filter(
        payment__order=order, kind=TransactionKind.AUTHORIZATION, attempt_no__gt=0
    )
    used = {limit: getattr(usage, limit.lower(), 0) for limit in WalletLimit}
    used[WalletLimit.AUTHORIZATIONS] = sent.count()
    return tuple(
        WalletLimitUsage(limit=limit, used=number, allowed=limits.maximum(limit, raised=usage.raised))
        for limit, number in used.items()
    )
