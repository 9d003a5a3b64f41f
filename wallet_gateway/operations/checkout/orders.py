"""Create an order: everything a checkout may say is checked here, before anything is stored or sent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.domain.lifecycle import PaymentType
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.prepared_sql import select
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.inputs import WHAT_IS_NO_TEXT, is_storable
from wallet_gateway.operations.settlement.db_transactions import in_current_or_new_transaction
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.addresses import BillingAddress, ShippingAddress
from wallet_gateway.protocol.cart import Discount, Item, Shipping, build_cart, cart_total
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutType
from wallet_gateway.protocol.codes import check_currency
from wallet_gateway.protocol.errors import (
    FieldError,
    InvalidAmount,
    InvalidMessage,
    ProtocolError,
    UnknownCode,
)
from wallet_gateway.protocol.money import Money

_REFERENCE = re.compile(r"\A[!-~]{1,64}\Z")
_WIRE_TYPES = {
    PaymentType.SALE: CheckoutType.SALE,
    PaymentType.PREAUTHORIZATION: CheckoutType.PREAUTHORIZATION,
}
# What every attempt sets anew; an order is checked with stand-ins for them.
_PER_ATTEMPT = (
    "merchantId",
    "storeId",
    "userId",
    "clientSystemTransactionId",
    "redirectDetails",
)
_LONGEST = {"order_number": 127, "language": 35, "continue_url": 500}
_STAND_IN_URL = "https://shop.invalid/"


class InvalidOrder(OperationRefused):
    """The order breaks rules of the interface; `errors` names every field and what would be right."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(f"{error.path}: {error.message}" for error in self.errors))


class OrderConflict(OperationRefused):
    """The reference belongs to an order with other content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetails:
    """Everything that can be said of an order besides its reference. `repr` does not name the customer."""

    currency: str
    items: Sequence[Item] = ()
    shipping: Shipping | None = None
    discounts: Sequence[Discount] = ()
    amount: Decimal | Money | None = None
    """May be left out when there are items; is checked against their sum otherwise."""
    type: str = PaymentType.SALE
    order_number: str | None = None
    language: str | None = None
    billing_address: BillingAddress | Mapping[str, Any] | None = field(default=None, repr=False)
    shipping_address: ShippingAddress | Mapping[str, Any] | None = field(default=None, repr=False)
    cardholder: Mapping[str, str | None] | None = field(default=None, repr=False)
    """The `cardholder...` fields of the checkout details, by their snake_case names."""
    skin_id: str | None = None
    provider_merchant_id: str | None = None


def find(**key: str) -> PaymentOrder:
    """Return the order with this reference or token; raises `PaymentOrder.DoesNotExist`."""
    for name, value in key.items():
        check_key(name, value)
    return select(PaymentOrder, where=key)


def check_key(name: str, value: str) -> None:
    """See that a reference or token can be one before it is looked up; raises `PaymentOrder.DoesNotExist`.

    Databases differ in what they make of blanks and of NUL.
    """
    if not _REFERENCE.match(value):
        raise PaymentOrder.DoesNotExist(f"no order has the {name} {value[:64]!r}")


@sensitive_variables()
def create_order(
    *, reference: str, details: OrderDetails, gateway: str, clock: Clock, continue_url: str = ""
) -> PaymentOrder:
    """Store an order, or return the one that this reference already has.

    Raises `InvalidOrder` when it breaks a rule and `OrderConflict` when the reference belongs to another
    content; nothing is stored in either case.
    """
    details = _check_own_fields(reference, details, continue_url)
    request = _checked_request(details)
    content = {name: value for name, value in request.to_wire().items() if name not in _PER_ATTEMPT}
    content.get("checkoutDetails", {}).pop("paymentMethod", None)
    written, now = _check_storable(content), clock.now()
    order = PaymentOrder(
        reference=reference,
        gateway=gateway,
        type=PaymentType(details.type),
        currency=request.currency_code,
        amount_minor=request.money.minor_units,
        order_number=details.order_number or "",
        language=details.language or "",
        content=content,
        content_hash=hashlib.sha256(gateway.encode() + b"\n" + written).hexdigest(),
        continue_url=continue_url or "",
        created_at=now,
        updated_at=now,
    )
    return _store_once(order)


def _check_own_fields(reference: object, details: OrderDetails, continue_url: str) -> OrderDetails:
    """Check what the interface does not limit and our columns do; return the details in ISO's spelling."""
    errors = []
    if not isinstance(reference, str) or not _REFERENCE.match(reference):
        message = "must be 1 to 64 visible ASCII characters without blanks"
        errors.append(FieldError(path="reference", message=message))
    own = {"order_number": details.order_number, "language": details.language, "continue_url": continue_url}
    for name, value in own.items():
        longest = _LONGEST[name]
        if value is not None and not (is_storable(value) and len(value) <= longest):
            message = f"must be text of at most {longest} characters, {WHAT_IS_NO_TEXT}"
            errors.append(FieldError(path=name, message=message))
    try:
        details = replace(details, currency=_currency(details.currency))
    except UnknownCode as error:
        errors.append(FieldError(path="currency", message=str(error)))
    if errors:
        raise InvalidOrder(errors)
    return details


def _currency(code: object) -> str:
    if not isinstance(code, str):
        raise UnknownCode(f"must be a three-letter ISO 4217 code such as EUR, not {type(code).__name__}")
    return check_currency(code)


def _check_storable(content: dict[str, Any]) -> bytes:
    """Return the content's canonical bytes; a NUL cannot be stored by every database."""
    written = strict_json.dumps(content)
    if b"\\u0000" in written:
        raise InvalidOrder([FieldError(path="order", message="a text contains the character NUL")])
    return written


def _store_once(order: PaymentOrder) -> PaymentOrder:
    found = PaymentOrder.objects.filter(reference=order.reference).first()
    if found is None:
        try:
            # A shop may store its own order in the same transaction: nothing is sent yet.
            in_current_or_new_transaction(lambda: order.save(force_insert=True))
        except IntegrityError:
            # Somebody else stored the same reference between the two statements. A read that locks sees it,
            # whatever was there when the caller's own transaction began.
            found = in_current_or_new_transaction(
                lambda: PaymentOrder.objects.select_for_update().get(reference=order.reference)
            )
        else:
            return order
    if found.content_hash != order.content_hash:
        raise OrderConflict(
            f"reference {order.reference!r} belongs to an order with other content; "
            "an order that changed needs a reference of its own"
        )
    return found


def _checked_request(details: OrderDetails) -> CheckoutRequest:
    try:
        return _request(details)
    except InvalidMessage as error:
        raise InvalidOrder(error.errors) from error
    except ProtocolError as error:
        raise InvalidOrder([FieldError(path="order", message=str(error))]) from error


def _request(details: OrderDetails) -> CheckoutRequest:
    cart = None
    if details.items or details.shipping or details.discounts:
        cart = build_cart(
            currency=details.currency,
            items=details.items,
            shipping=details.shipping,
            discounts=details.discounts,
        )
    amount = _amount(details, cart_total(cart, details.currency) if cart else None)
    return CheckoutRequest.build(
        merchant_id="-",
        store_id="-",
        user_id="-",
        type=_wire_type(details.type),
        amount=amount.to_wire(),
        currency_code=details.currency,
        client_system_transaction_id="-",
        provider_discretionary_data=details.order_number,
        details=_provider_details(details),
        checkout_details=_checkout_details(details),
        address_details=_address_details(details),
        redirect_details=dict.fromkeys(
            ("return_url", "success_url", "pending_url", "error_url", "cancel_url", "refused_url"),
            _STAND_IN_URL,
        ),
        shopping_cart_details=cart,
    )


def _wire_type(value: object) -> CheckoutType:
    if not isinstance(value, str) or value not in set(PaymentType):
        message = f"must be one of {', '.join(PaymentType)}"
        raise InvalidOrder([FieldError(path="type", message=message)])
    return _WIRE_TYPES[PaymentType(value)]


def _amount(details: OrderDetails, total: Money | None) -> Money:
    if details.amount is None:
        if total is None:
            message = "is needed when there are no items"
            raise InvalidOrder([FieldError(path="amount", message=message)])
        return total
    given = details.amount
    try:
        return Money.parse(given, details.currency)
    except InvalidAmount as error:
        raise InvalidOrder([FieldError(path="amount", message=str(error))]) from error


def _provider_details(details: OrderDetails) -> dict[str, Any] | None:
    if details.provider_merchant_id is None:
        return None
    return {"provider_merchant_id": details.provider_merchant_id}


def _checkout_details(details: OrderDetails) -> dict[str, Any]:
    return {
        "payment_method": "-",
        "skin_id": details.skin_id,
        "language": details.language,
        **(details.cardholder or {}),
    }


def _address_details(details: OrderDetails) -> dict[str, Any] | None:
    addresses = {
        "billing_address": details.billing_address,
        "shipping_address": details.shipping_address,
    }
    given = {name: address for name, address in addresses.items() if address is not None}
    return given or None
