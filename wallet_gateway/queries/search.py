"""Find rows by what a user has at hand; each lookup has its own index, except that of an e-mail address.

A single condition that joins several tables would read a million rows, so each table is queried separately.
The gateway's own ids are looked up at named gateways: their index begins with the gateway.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Any

from django.db.models import Q, QuerySet

from wallet_gateway.domain.customers import is_same_email
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OrderMetadata,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
)
from wallet_gateway.protocol.text import is_storable

MOST_FOUND = 200
"""Maximum number of rows that one lookup returns: a search with more results is useless."""


def orders_found(text: str, *, gateways: Collection[str]) -> QuerySet[PaymentOrder]:
    """Return the orders whose reference begins with a text, or that have it as another identifier.

    Other identifiers: the order number, a value of its metadata, the reference of an attempt or of a
    follow-up, the gateway's own id, the provider's id.
    """
    ways = (
        PaymentOrder.objects.filter(reference__begins=text).values_list("pk"),
        PaymentOrder.objects.filter(order_number=text).values_list("pk"),
        OrderMetadata.objects.filter(value=text).values_list("order_id"),
        Payment.objects.filter(reference=text).values_list("order_id"),
        GatewayTransaction.objects.filter(reference=text).values_list("payment__order_id"),
        _of_record(text, gateways).values_list("payment__order_id"),
        _of_provider(text).values_list("payment__order_id"),
    )
    return PaymentOrder.objects.filter(pk__in=_found(*ways))


def orders_of(
    *, references: Collection[str] = (), email: str = "", gateway: str | None = None
) -> tuple[PaymentOrder, ...]:
    """Return the orders with these references, and those of an e-mail address, which reads all orders.

    The address may be one that the shop gave, of the customer or of the shipping address, or the one that a
    wallet gave, in any letter case. With a gateway only its orders are returned; without one, those of all.
    No order has what cannot be stored.
    """
    wanted = Q(reference__in=[reference for reference in references if is_storable(reference)])
    if email and is_storable(email):
        wanted |= Q(pk__in=_orders_of_email(email))
    found = PaymentOrder.objects.filter(wanted).order_by("pk")
    # Compared here, because MariaDB takes capitals for small letters.
    return tuple(order for order in found if gateway in {None, order.gateway})


def orders_with(reference: str) -> tuple[PaymentOrder, ...]:
    """Return the orders with a reference: several where gateways number their orders separately."""
    if not is_storable(reference):
        return ()
    return tuple(PaymentOrder.objects.filter(reference=reference).order_by())


def _orders_of_email(email: str) -> set[int]:
    """Return the keys of the orders of an address.

    Databases fold letters in different ways, SQLite those of ASCII only: what an address of ASCII finds is
    compared once more, and for any other all addresses are compared here.
    """
    by_shop = PaymentOrder.objects.all()
    by_wallet = WalletAttempt.objects.all()
    if email.isascii():
        by_shop = by_shop.filter(
            Q(**{f"{_OF_CUSTOMER}__iexact": email}) | Q(**{f"{_OF_RECIPIENT}__iexact": email})
        )
        by_wallet = by_wallet.filter(given__email__iexact=email)
    found = chain(
        by_shop.order_by().values_list("pk", _OF_CUSTOMER, _OF_RECIPIENT).iterator(),
        by_wallet.order_by().values_list("transaction__payment__order", "given__email").iterator(),
    )
    return {pk for pk, *held in found if any(address and is_same_email(address, email) for address in held)}


_OF_CUSTOMER = "content__checkoutDetails__cardholderEmail"
_OF_RECIPIENT = "content__addressDetails__shippingAddress__email"


def transactions_found(text: str, *, gateways: Collection[str]) -> QuerySet[GatewayTransaction]:
    """Return the transactions whose reference begins with a text, or that have it as another identifier.

    Other identifiers: the reference of the order, the gateway's own id, the provider's id.
    """
    rows = GatewayTransaction.objects
    ways = (
        rows.filter(reference__begins=text).values_list("pk"),
        rows.filter(payment__order__reference=text).values_list("pk"),
        _of_record(text, gateways).values_list("pk"),
        _of_provider(text).values_list("pk"),
    )
    return rows.filter(pk__in=_found(*ways))


def events_found(text: str, *, gateways: Collection[str]) -> QuerySet[TransactionEvent]:
    """Return the events of the transactions that match a text."""
    return TransactionEvent.objects.filter(transaction__in=_keys(transactions_found(text, gateways=gateways)))


def discrepancies_found(text: str, *, gateways: Collection[str]) -> QuerySet[Discrepancy]:
    """Return the discrepancies of the orders that match a text."""
    orders = _keys(orders_found(text, gateways=gateways))
    payments = Payment.objects.filter(order__in=orders).values_list("pk", flat=True)
    return Discrepancy.objects.filter(payment__in=list(payments))


def deposits_found(text: str, *, gateways: Collection[str]) -> QuerySet[MigratedDeposit]:
    """Return the deposits of these gateways with a reference that begins with a text.

    Each deposit has two references: the former provider's own, and the one assigned by the migration.
    """
    rows = MigratedDeposit.objects.filter(gateway__in=gateways)
    ways = (
        rows.filter(provider_transaction_id__begins=text).values_list("pk"),
        rows.filter(parent_transaction_id__begins=text).values_list("pk"),
    )
    return MigratedDeposit.objects.filter(pk__in=_found(*ways))


def _keys(rows: QuerySet[Any]) -> list[int]:
    return list(rows.order_by().values_list("pk", flat=True))


def _of_record(text: str, gateways: Collection[str]) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(gateway__in=gateways, record_id=text)


def _of_provider(text: str) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(provider_transaction_id=text)


def _found(*ways: QuerySet[Any, tuple[int | None]]) -> set[int]:
    # Without ORDER BY the rows come in index order, and the database stops early.
    return {pk for way in ways for (pk,) in way.order_by()[:MOST_FOUND] if pk is not None}
