"""Create and read orders, open the hosted payment page, and query the status of payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from wallet_gateway import access_tokens, conf, gateways
from wallet_gateway.domain.gateway_records import GatewayRecord, Payer, RecordedAddress
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of, return_urls, usable_context
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.checkout import orders
from wallet_gateway.operations.checkout import start as checkout
from wallet_gateway.operations.checkout.addresses import BillingAddress, ShippingAddress
from wallet_gateway.operations.checkout.failure_log import log_failure
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.polling import gateway_records as records
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.operations.polling.gateway_records import TransactionRecords
from wallet_gateway.payments.cancellation import cancel
from wallet_gateway.protocol.cart import Discount, Item, Shipping
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import UnreadableRecord
from wallet_gateway.protocol.text import is_storable
from wallet_gateway.reports import customer_data as subject_access
from wallet_gateway.reports import orders as order_reports
from wallet_gateway.reports.attempts import find_attempt
from wallet_gateway.reports.orders import OrderSummary, TimelineEntry
from wallet_gateway.reports.receipts import Receipt, ReceiptAmount, ReceiptLine, order_receipt

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
    """Store an order, or return the existing order with this reference at this gateway.

    Nothing is sent to the gateway. The amount is the sum of items, shipping and discounts (the interface,
    shoppingCartDetails). A table of all parameters, with the fields in which the gateway gets them, is in the
    reference, "Creating an order".

    :param reference: the shop's own name for the order, for ever: 1 to 64 visible ASCII characters without
        blanks, as text: `"ORDER-1001"`. It is unique among all gateways with the same `NUMBERING`.
    :param currency: ISO 4217: `"EUR"`. Amounts have at most its decimals.
    :param items: the lines, `Item(...)` each; without them `amount` is needed.
    :param shipping: shipping costs of the whole order: `Shipping(name="Parcel", amount=Decimal("4.90"))`.
    :param discounts: discounts on the whole order, `Discount(...)` each; together less than the order.
    :param amount: what the order comes to, in major units, above zero, at most 14 digits, never a float:
        `Decimal("23.70")`. With items it is a check.
    :param type: `"sale"` takes the money at once, `"preauthorization"` reserves it for a later `capture`.
    :param gateway: alias of a gateway in the settings.
    :param order_number: what the customer knows the order by, at most 127 characters: `"2026-1001"`
        (providerDiscretionaryData).
    :param language: of the gateway's page and of mails, a tag of at most 35 characters: `"de"`, `"de-AT"`.
    :param billing_address: a `BillingAddress` or a dict with its fields; the settings may demand one.
    :param shipping_address: a `ShippingAddress` or a dict with its fields.
    :param cardholder_id: the shop's identifier of the customer, such as an account number: `"C-4711"`.
    :param cardholder_first_name: first name: `"Ada"`.
    :param cardholder_last_name: last name: `"Lovelace"`.
    :param cardholder_email: one e-mail address, at most 254 characters: `"ada@shop.example"`.
    :param cardholder_mobile_phone: `"+49 171 1234567"` or any usual form; one without a calling code is read
        by the country of the order's address.
    :param cardholder_home_phone: a phone as the customer wrote it.
    :param cardholder_work_phone: a phone as the customer wrote it.
    :param cardholder_national_identification_number: text; in the interface's example only, undescribed.
    :param skin_id: look of the gateway's page: `"skin-2"`; that of the settings if not given.
    :param provider_merchant_id: merchant id at the acquirer; that of the settings if not given.
    :param continue_url: the shop's page after payment: a path such as `"/thanks/7/"`, or an address at
        `PUBLIC_ORIGIN` or one of `CONTINUE_ORIGINS`; at most 500 characters.
    :param redirect_when_paid: send a customer who has paid to `continue_url` at once.
    :param payable_until: aware datetime in the future; after it no payment begins, and the sweep releases an
        unpaid order.
    :param metadata: the shop's own texts by name, at most 50, names of 40 and values of 500 characters:
        `{"cart": "77"}`. No gateway gets them.
    :returns: the order, in the state `NEW` if it was not there.
    :raises InvalidInput: `fields_invalid`, whose `errors` name each wrong field; `argument_invalid` for a
        currency that the settings of the gateway leave out.
    :raises IdempotencyConflict: `order_content_differs`, if the reference belongs to an order with other
        content; `reference_at_other_gateway`, if that order is at another gateway of the same numbering.
    :raises TryAgain: `order_stored_meanwhile`, within a transaction of the caller's that is isolated above
        READ COMMITTED, if another process stores the same reference meanwhile.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
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
def get_order(reference: str, *, gateway: str | None = None) -> PaymentOrder:
    """Return the order with the shop's reference.

    :param reference: as given to `create_order`: `"ORDER-1001"`.
    :param gateway: alias of the order's gateway: `"default"`. Needed for an order of a gateway with a
        `NUMBERING` of its own, and wherever such a gateway has an order with the same reference.
    :returns: the order as stored; the gateway is not asked.
    :raises InvalidInput: `ambiguous_reference` where the reference alone does not say which order is meant.
    :raises PaymentOrder.DoesNotExist: if no order has it.
    """
    return orders.find_by_reference(reference, gateway)


@sensitive_variables()
def get_order_by_token(token: str) -> PaymentOrder:
    """Return the order that a URL names.

    :param token: the unguessable `order.token`, as in the pages' addresses.
    :returns: the order as stored.
    :raises PaymentOrder.DoesNotExist: if no order has it.
    """
    return orders.find_by_token(token)


@sensitive_variables()
def start_checkout(order: PaymentOrder) -> Payment:
    """Open the gateway's payment page for an order, or return the page that is still open.

    The interface, Checkout request: at most 900 seconds long a page can be paid, see `REDIRECT_URL_TIMEOUT`.

    :param order: an order that can be paid, as `create_order` returns it.
    :returns: the attempt, with the `redirect_url` to which the shop sends the customer.
    :raises OrderNotPayable: `order_not_payable` and `order_ended`: the customer must not pay (again).
    :raises InvalidInput: `fields_invalid` where the settings require an address since then.
    :raises SendingStopped: `sending_stopped`; nothing was sent.
    :raises TryAgain: `checkout_in_progress`, while another request opens the page.
    :raises GatewayRefused: `gateway_refused`, also for a page on a host or by a scheme that is not allowed.
    :raises GatewayUnreachable: `nothing_sent` and `gateway_silent`; the customer may try again.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
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

    Give it to the order's own customer only. It opens no other order; a new one continues what was begun with
    an earlier one. It is signed and stored nowhere, so it cannot be revoked.

    :param order: the order of the customer who uses the app.
    :returns: text, sent as `Authorization: Bearer ...`; it ends after `ACCESS_TOKEN_SECONDS`.
    """
    return access_tokens.sign(order.token)


@sensitive_variables()
def attempt_for(reference: str) -> Payment:
    """Return the payment attempt with this clientSystemTransactionId.

    :param reference: as the gateway and the return URLs have it, of 1 to 64 characters.
    :returns: the attempt with its order, as stored.
    :raises Payment.DoesNotExist: if no attempt has it.
    """
    return find_attempt(reference)


@sensitive_variables()
def reconcile(subject: PaymentOrder | Payment, *, everything: bool = False) -> PaymentOrder:
    """Query the status of all unsettled transactions of an order (the interface, endpoint 4).

    One transaction is queried at most every two seconds, however often this is called. A gateway that does
    not answer raises nothing: what is not known stays as it was.

    :param subject: an order; or a payment, then only that attempt is queried.
    :param everything: include settled transactions, without the limit of two seconds.
    :returns: the order as it is now; read its `state`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.reconcile")
    if isinstance(subject, Payment):
        return reconcile_attempt(subject.reference).order
    context = context_of(subject.gateway)
    return reconciliation.reconcile_order(order=subject, context=context, everything=everything)


@sensitive_variables()
def reconcile_attempt(reference: str) -> Payment:
    """Query the status of one attempt, as seldom as `reconcile`.

    Nothing is asked, and the attempt is returned as stored, if no usable account has its gateway's alias.

    :param reference: its clientSystemTransactionId, of 1 to 64 characters.
    :returns: the attempt with its current order.
    :raises Payment.DoesNotExist: if no attempt has it.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.orders.reconcile_attempt")
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    return reconciliation.reconcile_reference(reference=reference, context_of=usable_context)


@sensitive_variables()
def order_summary(order: PaymentOrder) -> OrderSummary:
    """Return the totals of an order's payments.

    :param order: any order.
    :returns: amounts authorized, captured, refunded and reserved, and the open attempt.
    """
    return order_reports.order_summary(order)


@sensitive_variables()
def order_timeline(order: PaymentOrder, *, everything: bool = False) -> tuple[TimelineEntry, ...]:
    """Return an order's history, the oldest first.

    Unused buttons are one entry, at the time of the last one: each page reload may show a new button.

    :param order: any order.
    :param everything: for staff: adds events that changed no state, how the button loaded in the browser, the
        approval requests and the discrepancies.
    :returns: the entries; two SQL statements, with `everything` two more, however long the history is.
    """
    return order_reports.order_timeline(order, everything=everything)


@sensitive_variables()
def receipt(order: PaymentOrder) -> Receipt | None:
    """Return what a customer has paid for and with, for a thank-you page of the shop's own.

    It names no person, but goods and the last digits of a card: show it to the customer only.

    :param order: any order.
    :returns: the receipt; None for an order that nothing was approved for. One SQL statement, none for an
        order that was just reconciled; one more where the wallet's sheet has changed the amount.
    """
    return order_receipt(order)


@sensitive_variables()
def gateway_records(order: PaymentOrder) -> tuple[TransactionRecords, ...]:
    """Ask the gateway now what it has recorded of each transaction of an order that was sent.

    The records have the payer, the addresses (of a pre-authorization), the provider's id and the time (the
    interface, Transaction status record). Nothing is stored: keep what you need.

    :param order: any order.
    :returns: one value for each transaction, the oldest first. A gateway that files follow-ups under their
        original's reference lists them there.
    :raises GatewayRefused: `gateway_refused`.
    :raises GatewayUnreachable: `gateway_silent`, if a query has no usable answer.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.gateway_records")
    return records.gateway_records(order=order, context=context_of(order.gateway))


@sensitive_variables()
def customer_data(email: str, *, gateway: str | None = None) -> dict[str, Any]:
    """Return everything that is held about an e-mail address, for a customer who asks for their data.

    Orders with their customer, addresses, goods and metadata, payments, transactions, events and mails; no
    keys, tokens or names of the shop's staff.

    :param email: one address in any letter case: `"ada@shop.example"`.
    :param gateway: alias of the gateway whose orders alone are read, where gateways are brands or tenants:
        `"brand"`; None for all.
    :returns: a dict of texts, numbers, lists and dicts, ready for `json.dumps`.
    """
    return subject_access.customer_data(email, gateway=gateway)
