"""Find rows by what a user has at hand: each lookup has its own index, or reads the newest orders only.

A single condition that joins several tables would read a million rows, so each table is queried separately.
The gateway's own ids are looked up at named gateways: their index begins with the gateway.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from heapq import nlargest
from itertools import chain
from typing import Any

from django.db.models import Q, QuerySet, Subquery

from wallet_gateway.domain.people import begins_name, is_same_email
from wallet_gateway.email_hashes import hashes_of
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

NEWEST = 10_000
"""Number of orders that a search by name or by the digits of a card reads: neither has an index."""


def orders_found(text: str, *, gateways: Collection[str]) -> QuerySet[PaymentOrder]:
    """Return the orders whose reference begins with a text, or that have it as another identifier.

    Other identifiers: the order number, a value of its metadata, the reference of an attempt or of a
    follow-up, the gateway's own id, the provider's id.
    """
    return PaymentOrder.objects.filter(pk__in=_orders_named(text, gateways))


def orders_found_with_customer(text: str, *, gateways: Collection[str]) -> QuerySet[PaymentOrder]:
    """Return what `orders_found` does, and the orders of a customer.

    A customer is known by the whole e-mail address; among the newest orders also by the beginning of a name,
    or by the last four digits of the card.
    """
    found = _orders_named(text, gateways)
    if "@" in text:
        found |= _found(*_of_email(text))
    elif re.fullmatch("[0-9]{4}", text):
        paid = Payment.objects.filter(order__gt=_BEFORE_NEWEST, card_last_four=text)
        found |= _found(paid.values_list("order_id"))
    elif _NAME.fullmatch(text):
        # Compared here, as databases fold differently.
        by_shop = PaymentOrder.objects.filter(pk__gt=_BEFORE_NEWEST).values_list("pk", *_NAMES)
        by_wallet = WalletAttempt.objects.filter(**{f"{_ORDER_OF_WALLET}__gt": _BEFORE_NEWEST})
        rows = chain(
            by_shop.order_by().iterator(),
            by_wallet.order_by().values_list(_ORDER_OF_WALLET, *_NAMES_FROM_WALLET).iterator(),
        )
        named = {pk for pk, *names in rows if begins_name(text, filter(None, names))}
        found |= set(nlargest(MOST_FOUND, named))
    return PaymentOrder.objects.filter(pk__in=found)


_NAME = re.compile(r"[^\W\d_][^\d_]+")
"""Two characters or more without a digit."""
_BEFORE_NEWEST = Subquery(PaymentOrder.objects.order_by("-pk").values("pk")[:1]) - NEWEST


def _orders_named(text: str, gateways: Collection[str]) -> set[int]:
    ways = (
        PaymentOrder.objects.filter(reference__begins=text).values_list("pk"),
        PaymentOrder.objects.filter(order_number=text).values_list("pk"),
        OrderMetadata.objects.filter(value=text).values_list("order_id"),
        Payment.objects.filter(reference=text).values_list("order_id"),
        GatewayTransaction.objects.filter(reference=text).values_list("payment__order_id"),
        _of_record(text, gateways).values_list("payment__order_id"),
        _of_provider(text).values_list("payment__order_id"),
    )
    return _found(*ways)


def orders_of(
    *, references: Collection[str] = (), email: str = "", gateway: str | None = None
) -> tuple[PaymentOrder, ...]:
    """Return the orders with these references, and those of an e-mail address.

    The address may be one that the shop gave, of the customer or of the shipping address, or the one that a
    wallet gave, in any letter case. With a gateway only its orders are returned; without one, those of all.
    No order has what cannot be stored.
    """
    wanted = Q(reference__in=[reference for reference in references if is_storable(reference)])
    if is_storable(email):
        # The hash folds letters that only look alike: what is disclosed or erased is compared once more.
        held = chain.from_iterable(_of_email(email))
        wanted |= Q(pk__in={pk for pk, address in held if address and is_same_email(address, email)})
    found = PaymentOrder.objects.filter(wanted).order_by("pk")
    # Compared here, because MariaDB takes capitals for small letters.
    return tuple(order for order in found if gateway in {None, order.gateway})


def orders_with(reference: str) -> tuple[PaymentOrder, ...]:
    """Return the orders with a reference: several where gateways number their orders separately."""
    if not is_storable(reference):
        return ()
    return tuple(PaymentOrder.objects.filter(reference=reference).order_by())


def _of_email(address: str) -> list[QuerySet[Any, tuple[int, str | None]]]:
    """Return the keys of the orders with the hash of an address, each with the address that was hashed."""
    hashes = hashes_of(address)
    return [
        model._default_manager.filter(**{f"{column}__in": hashes}).order_by().values_list(order, held)
        for model, column, order, held in _ADDRESSES
    ]


_ORDER_OF_WALLET = "transaction__payment__order"
_ADDRESSES: tuple[tuple[type[PaymentOrder | WalletAttempt], str, str, str], ...] = (
    (PaymentOrder, "email_hash", "pk", "content__checkoutDetails__cardholderEmail"),
    (PaymentOrder, "recipient_email_hash", "pk", "content__addressDetails__shippingAddress__email"),
    (WalletAttempt, "email_hash", _ORDER_OF_WALLET, "given__email"),
)
_NAMES = (
    "content__checkoutDetails__cardholderFirstName",
    "content__checkoutDetails__cardholderLastName",
    "content__addressDetails__shippingAddress__firstName",
    "content__addressDetails__shippingAddress__lastName",
)
_NAMES_FROM_WALLET = ("given__billingAddress__name", "given__shippingAddress__name")


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


def _found(*ways: QuerySet[Any, Any]) -> set[int]:
    # Without ORDER BY the rows come in index order, and the database stops early.
    return {pk for way in ways for pk, *_ in way.order_by()[:MOST_FOUND] if pk is not None}
