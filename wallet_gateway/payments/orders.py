"""Create and read orders, open the hosted payment page, and query the status of payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from wallet_gateway import access_tokens, conf, gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.domain.gateway_records import GatewayRecord, Payer, RecordedAddress
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of, return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.argument_types import check_order, check_text, check_type
from wallet_gateway.operations.checkout import orders
from wallet_gateway.operations.checkout import start as checkout
from wallet_gateway.operations.checkout.failure_log import log_failure
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.polling import gateway_records as records
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.operations.polling.gateway_records import TransactionRecords
from wallet_gateway.operations.settlement import cancellation
from wallet_gateway.operations.settlement.db_transactions import check_outside_transaction
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import BillingAddress, ShippingAddress
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import UnreadableRecord
from wallet_gateway.protocol.text import is_storable
from wallet_gateway.queries import customer_data as subject_access
from wallet_gateway.queries import orders as order_queries
from wallet_gateway.queries.attempts import find_attempt
from wallet_gateway.queries.orders import OrderSummary, TimelineEntry
from wallet_gateway.queries.receipts import Receipt, ReceiptAmount, ReceiptLine, order_receipt

__all__ = [
    "GatewayRecord",
    "OrderSummary",
    "Payer",
    "Receipt",
    "ReceiptAmount",
    "ReceiptLine",
    "RecordedAddress",
    "TimelineEntry",
    "TransactionRecords",
    "UnreadableRecord",
    "access_token",
    "attempt_for",
    "cancel",
    "create_order",
    "customer_data",
    "gateway_records",
    "get_order",
    "get_order_by_token",
    "order_summary",
    "order_timeline",
    "receipt",
    "reconcile",
    "reconcile_attempt",
    "start_checkout",
]


@sensitive_variables()
def create_order(
    *,
    reference: str,
    currency: str,
    items: Sequence[Item] = (),
    shipping: Shipping | None = None,
    discounts: Sequence[Discount] = (),
    amount: Decimal | Money | None = None,
    type: str = "sale",  # noqa: A002 - the interface's own word
    gateway: str = "default",
    order_number: str | None = None,
    language: str | None = None,
    billing_address: BillingAddress | Mapping[str, Any] | None = None,
    shipping_address: ShippingAddress | Mapping[str, Any] | None = None,
    cardholder_id: str | None = None,
    cardholder_first_name: str | None = None,
    cardholder_last_name: str | None = None,
    cardholder_email: str | None = None,
    cardholder_mobile_phone: str | None = None,
    cardholder_home_phone: str | None = None,
    cardholder_work_phone: str | None = None,
    cardholder_national_identification_number: str | None = None,
    skin_id: str | None = None,
    provider_merchant_id: str | None = None,
    continue_url: str = "",
    redirect_when_paid: bool = False,
    payable_until: datetime | None = None,
    metadata: Mapping[str, str] | None = None,
) -> PaymentOrder:
    """Store an order, or return the existing order with this reference.

    `reference` has 1 to 64 visible ASCII characters, `language` is a tag such as "de" or "de-AT". Names of
    products, shipping and discounts have at most 255 characters, descriptions 2,000.
    The amount is the sum of items, shipping and discounts; if `amount` is given as well, it is checked.
    `type` is "sale" or "preauthorization". All optional fields of the interface's checkout request can be
    given; the gateway's settings may require a billing address or allow some currencies only.
    With `redirect_when_paid`, a customer who has paid is sent to `continue_url`, your own thank-you page.
    `metadata` is the shop's own: texts by name, which no gateway is sent.
    After `payable_until` no payment begins, and the sweep releases an order that was not paid.
    Raises `InvalidInput`, whose `errors` name each field, and `IdempotencyConflict` when the reference
    belongs to an order with other content.
    """
    given = conf.gateway_settings(gateway)
    cardholder = {
        "cardholder_id": cardholder_id,
        "cardholder_first_name": cardholder_first_name,
        "cardholder_last_name": cardholder_last_name,
        "cardholder_email": cardholder_email,
        "cardholder_mobile_phone": cardholder_mobile_phone,
        "cardholder_home_phone": cardholder_home_phone,
        "cardholder_work_phone": cardholder_work_phone,
        "cardholder_national_identification_number": cardholder_national_identification_number,
    }
    details = OrderDetails(
        currency=currency,
        items=items,
        shipping=shipping,
        discounts=discounts,
        amount=amount,
        type=type,
        order_number=order_number,
        language=language,
        billing_address=billing_address,
        shipping_address=shipping_address,
        cardholder=cardholder,
        skin_id=skin_id,
        provider_merchant_id=provider_merchant_id,
    )
    return orders.create_order(
        reference=reference,
        details=details,
        gateway=gateway,
        policy=given.policy,
        clock=gateways.clock(),
        continue_url=continue_url,
        redirect_when_paid=redirect_when_paid,
        shop_origins=conf.shop_origins(gateway),
        payable_until=payable_until,
        metadata=metadata,
    )


@sensitive_variables()
def get_order(reference: str) -> PaymentOrder:
    """Return the order with the shop's reference; raises `PaymentOrder.DoesNotExist`."""
    return orders.find(reference=reference)


@sensitive_variables()
def get_order_by_token(token: str) -> PaymentOrder:
    """Return the order that a URL names; raises `PaymentOrder.DoesNotExist`."""
    return orders.find(token=token)


@sensitive_variables()
def start_checkout(order: PaymentOrder) -> Payment:
    """Return a payment with the `redirect_url` to which the shop sends the customer.

    A page that is still open is returned again. Raises `OrderNotPayable` if the customer must not pay again,
    `InvalidInput` where the settings require a billing address and the order, made before, has none,
    and `SendingStopped`, `TryAgain`, `GatewayRefused` or `GatewayUnreachable` when no page can be opened now.
    """
    check_order(order)
    with log_failure(order.reference):
        check_outside_transaction("payments.start_checkout")
        return checkout.start_checkout(
            order=order,
            context=context_of(order.gateway),
            return_urls=partial(return_urls, gateway=order.gateway),
        )


@sensitive_variables()
def access_token(order: PaymentOrder) -> str:
    """Return a token with which an app acts for this order in the JSON API, without cookies and CSRF token.

    Give it to the order's own customer only. It is sent as `Authorization: Bearer ...`, opens no other order
    and ends after `ACCESS_TOKEN_SECONDS`; a new one continues what was begun with an earlier one. It is
    signed and stored nowhere, so it cannot be revoked.
    """
    check_order(order)
    return access_tokens.sign(order.token)


@sensitive_variables()
def cancel(order: PaymentOrder, *, by: By, note: str = "") -> PaymentOrder:
    """Take no new payment for an order that is not paid, and return it; a second call changes nothing.

    What the customer has begun may still pay it: its goods are free when `order.is_released`, which the
    signal `order_released` tells. A cancelled order stays cancelled: create a new one. Raises `InvalidState`,
    whose code says whether to refund or to reverse instead, and must not run inside a database transaction.
    """
    check_order(order)
    check_outside_transaction("payments.cancel")
    return cancellation.cancel(order=order, by=by, note=note, clock=gateways.clock())


@sensitive_variables()
def attempt_for(reference: str) -> Payment:
    """Return the payment attempt with this clientSystemTransactionId; raises `Payment.DoesNotExist`."""
    check_text("reference", reference)
    return find_attempt(reference)


@sensitive_variables()
def reconcile(subject: PaymentOrder | Payment, *, everything: bool = False) -> PaymentOrder:
    """Query the status of all unsettled transactions of an order, and return the updated order.

    With a payment, only that attempt is queried. One transaction is queried at most every two seconds,
    however often this is called. `everything` includes settled transactions, without this limit.
    """
    check_outside_transaction("payments.reconcile")
    check_type("subject", subject, PaymentOrder, Payment)
    if isinstance(subject, Payment):
        return reconcile_attempt(subject.reference).order
    context = context_of(subject.gateway)
    return reconciliation.reconcile_order(order=subject, context=context, everything=everything)


@sensitive_variables()
def reconcile_attempt(reference: str) -> Payment:
    """Query the status of the attempt with this clientSystemTransactionId; return it with its current order.

    Queries as seldom as `reconcile`; raises `Payment.DoesNotExist`.
    """
    check_outside_transaction("payments.orders.reconcile_attempt")
    check_text("reference", reference)
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    return reconciliation.reconcile_reference(reference=reference, context_of=context_of)


@sensitive_variables()
def order_summary(order: PaymentOrder) -> OrderSummary:
    """Return the totals of an order's payments."""
    check_order(order)
    return order_queries.order_summary(order)


@sensitive_variables()
def order_timeline(order: PaymentOrder, *, everything: bool = False) -> tuple[TimelineEntry, ...]:
    """Return an order's history, the oldest first. Two SQL statements, however long the history is.

    Unused buttons are one entry, at the time of the last one: each page reload may show a new button.
    `everything` is for staff: it adds events that changed no state, how the button loaded in the browser and,
    with a statement each, the approval requests and the discrepancies.
    """
    check_order(order)
    return order_queries.order_timeline(order, everything=everything)


@sensitive_variables()
def receipt(order: PaymentOrder) -> Receipt | None:
    """Return what a customer has paid for and with; None for an order that nothing was approved for.

    For a thank-you page of your own. It names no person, but goods and the last digits of a card: show it to
    the customer only. One SQL statement, none for an order that was just reconciled; one more where the
    wallet's sheet has changed the amount.
    """
    check_order(order)
    return order_receipt(order)


@sensitive_variables()
def gateway_records(order: PaymentOrder) -> tuple[TransactionRecords, ...]:
    """Ask the gateway now what it has recorded of each transaction of an order that was sent.

    The records have the payer, the addresses (of a pre-authorization), the provider's id and the time.
    Nothing is stored: keep what you need. A gateway that files follow-ups under their original's reference
    lists them there. Raises `GatewayRefused` or `GatewayUnreachable` if a query has no usable answer, and
    must not run inside a database transaction.
    """
    check_outside_transaction("payments.gateway_records")
    check_order(order)
    return records.gateway_records(order=order, context=context_of(order.gateway))


@sensitive_variables()
def customer_data(email: str) -> dict[str, Any]:
    """Return everything that is held about an e-mail address, in any letter case, as data for JSON.

    Orders with their customer, addresses, goods and metadata, payments, transactions, events and mails; no
    keys, tokens or names of the shop's staff. For a customer who asks for their data. It reads all orders.
    """
    return subject_access.customer_data(email)
