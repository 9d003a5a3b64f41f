"""Create an order: check all checkout fields before anything is stored or sent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.continue_url import is_continue_url
from wallet_gateway.domain.error_codes import AMBIGUOUS_REFERENCE, ErrorCode, Refusal
from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind
from wallet_gateway.domain.metadata import metadata_errors
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.email_hashes import columns_of_order
from wallet_gateway.ledger.transactions import (
    in_current_or_new_transaction,
    is_unseen_duplicate,
)
from wallet_gateway.models import OrderMetadata, PaymentOrder
from wallet_gateway.models.single_rows import insert_row, select_row, select_rows
from wallet_gateway.operations.checkout.addresses import BillingAddress, ShippingAddress, as_mapping
from wallet_gateway.operations.checkout.content_differences import different_arguments
from wallet_gateway.operations.checkout.gateway_requirements import check_requirements
from wallet_gateway.operations.checkout.order_fields import (
    REFERENCE,
    too_long_names,
    wrong_addresses,
    wrong_language,
    wrong_reference,
    wrong_texts,
)
from wallet_gateway.operations.checkout.page_request import content_hash, texts_of
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.errors import IdempotencyConflict, InvalidInput, TryAgain
from wallet_gateway.operations.field_names import in_python_names
from wallet_gateway.phones import read_mobile_phone
from wallet_gateway.protocol.cart import (
    Discount,
    Item,
    Shipping,
    build_cart,
    cart_total,
)
from wallet_gateway.protocol.checkout import OrderContent
from wallet_gateway.protocol.codes import (
    alpha_2_country,
    check_currency_of_today,
    is_country,
    is_subdivision,
)
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import (
    FieldError,
    InvalidAmount,
    InvalidMessage,
    ProtocolError,
    UnknownCode,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import is_storable, quote

logger = logging.getLogger("wallet_gateway.operations")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetails:
    """All fields of an order except its reference. `repr` leaves out the customer's data."""

    currency: str
    items: Sequence[Item] = ()
    shipping: Shipping | None = None
    discounts: Sequence[Discount] = ()
    amount: Decimal | Money | None = None
    """Optional if there are items; if given, it is checked against their sum."""
    type: str = PaymentType.SALE
    order_number: str | None = None
    language: str | None = None
    billing_address: BillingAddress | Mapping[str, Any] | None = field(default=None, repr=False)
    shipping_address: ShippingAddress | Mapping[str, Any] | None = field(default=None, repr=False)
    cardholder: Mapping[str, str | None] | None = field(default=None, repr=False)
    """The `cardholder…` fields of the checkout details, by their snake_case names."""
    skin_id: str | None = None
    provider_merchant_id: str | None = None


def find_by_token(token: str) -> PaymentOrder:
    """Return the order with this token; raises `PaymentOrder.DoesNotExist`."""
    check_key("token", token)
    return select_row(PaymentOrder, where={"token": token})


def find_by_reference(reference: str, gateway: str | None = None) -> PaymentOrder:
    """Return the order with this reference, at a gateway if one is named.

    Raises `PaymentOrder.DoesNotExist`; and `InvalidInput` without a gateway, unless one order alone has the
    reference and is in the numbering that gateways share: any other may be another brand's or tenant's.
    """
    check_key("reference", reference)
    if gateway is not None:
        return _find_at(gateway, reference)
    found = select_rows(PaymentOrder, where={"reference": reference}, most=2)
    if not found:
        raise PaymentOrder.DoesNotExist(f"no order has the reference {reference[:64]!r}")
    check_unambiguous(found)
    return found[0]


def _find_at(gateway: str, reference: str) -> PaymentOrder:
    if is_storable(gateway):
        found = select_row(PaymentOrder, where={"reference": reference, "gateway": gateway})
        # MariaDB takes capitals for small letters, and ignores blanks at the end.
        if found.gateway == gateway:
            return found
    raise PaymentOrder.DoesNotExist(f"no gateway is called {gateway[:64]!r}")


def check_unambiguous(found: Sequence[PaymentOrder]) -> None:
    """Raise `InvalidInput` unless these orders of one reference are one order of the shared numbering."""
    if len(found) > 1 or any(order.numbering for order in found):
        reference = found[0].reference
        same = PaymentOrder.objects.filter(reference=reference).order_by("gateway")
        names = ", ".join(same.values_list("gateway", flat=True)[:_MOST_NAMED])
        raise InvalidInput(*AMBIGUOUS_REFERENCE, reference=reference, gateways=names)


_MOST_NAMED = 5


def check_key(name: str, value: str) -> None:
    """Check the format of a reference or token before its lookup; raise `PaymentOrder.DoesNotExist`.

    Databases handle blanks and NUL differently.
    """
    if not REFERENCE.match(value):
        raise PaymentOrder.DoesNotExist(f"no order has the {name} {value[:64]!r}")


def create_order(
    *,
    reference: str,
    details: OrderDetails,
    gateway: str,
    policy: GatewayPolicy,
    clock: Clock,
    continue_url: str = "",
    redirect_when_paid: bool = False,
    shop_origins: Collection[str] = (),
    payable_until: datetime | None = None,
    metadata: Mapping[str, str] | None = None,
) -> PaymentOrder:
    """Store an order, or return the existing order with this reference at this gateway.

    `continue_url` must be a path, or have one of the `shop_origins`. What is not sent to the gateway is no
    part of the comparison with an existing order, which keeps what it was created with.
    Raises `InvalidInput` if it breaks a rule or lacks what the gateway's `policy` requires, and
    `IdempotencyConflict` if the reference belongs to an order with other content, or to one at another
    gateway of the same numbering; `TryAgain` if the caller's transaction cannot see what another one has
    stored meanwhile. Nothing is stored in any of these cases.
    """
    details = _check_own_fields(reference, details, continue_url, redirect_when_paid=redirect_when_paid)
    _check_continue_url(continue_url, shop_origins)
    if problems := tuple(metadata_errors(metadata)):
        raise InvalidInput(*_ORDER_INVALID, errors=problems)
    checked = _checked_content(details)
    content = checked.to_wire()
    texts, now = _check_storable(content), clock.now()
    _check_end(payable_until)
    order = PaymentOrder(
        reference=reference,
        gateway=gateway,
        numbering=policy.numbering,
        type=PaymentType(details.type),
        currency=checked.currency_code,
        amount_minor=checked.money.minor_units,
        order_number=details.order_number or "",
        language=details.language or "",
        content=content,
        content_hash=content_hash(gateway, texts),
        **columns_of_order(content),
        continue_url=continue_url or "",
        redirect_when_paid=redirect_when_paid,
        payable_until=payable_until,
        release_check_at=payable_until,
        created_at=now,
        updated_at=now,
    )
    return _store_once(
        order,
        metadata or {},
        lambda: check_requirements(content, currency=order.currency, gateway=gateway, policy=policy),
    )


def _check_own_fields(
    reference: object, details: OrderDetails, continue_url: str, *, redirect_when_paid: bool
) -> OrderDetails:
    """Check what the protocol does not; return the details with the currency in ISO spelling."""
    errors = [
        *wrong_reference(reference),
        *wrong_texts(order_number=details.order_number, language=details.language, continue_url=continue_url),
        *wrong_language(details.language),
        *wrong_addresses(billing_address=details.billing_address, shipping_address=details.shipping_address),
    ]
    details = replace(details, items=tuple(details.items or ()), discounts=tuple(details.discounts or ()))
    errors += too_long_names(details.items, details.shipping, details.discounts)
    if redirect_when_paid and not continue_url:
        message = "is needed with redirect_when_paid: the address of the page to which a customer is sent"
        errors.append(FieldError(path="continue_url", message=message))
    try:
        details = replace(details, currency=_currency(details.currency))
    except UnknownCode as error:
        errors.append(FieldError(path="currency", message=str(error)))
    if errors:
        raise InvalidInput(*_ORDER_INVALID, errors=errors)
    return details


def _check_continue_url(url: str, origins: Collection[str]) -> None:
    if url and not is_continue_url(url, origins):
        raise _invalid("continue_url", f"must be {_CONTINUE_URL} {' or '.join(origins) or 'the shop'}")


_ORDER_INVALID = Refusal(_("The order is not valid. %(problems)s"), ErrorCode.FIELDS_INVALID)
_CONTINUE_URL = "a path of this site that begins with one slash, such as /thanks/7/, or an address at"


def _check_end(payable_until: object) -> None:
    """Check the end of the time to pay. One in the past is stored, too: nobody can pay such an order."""
    if payable_until is None:
        return
    if not isinstance(payable_until, datetime) or not _is_instant(payable_until):
        problem = "must be a datetime with a time zone, such as timezone.now() + timedelta(hours=1), or None"
        raise _invalid("payable_until", problem)


def _is_instant(when: datetime) -> bool:
    """Return whether a time has a zone, and can be written in UTC, as databases do."""
    try:
        return when.utcoffset() is not None and when.astimezone(UTC).utcoffset() is not None
    except OverflowError:
        return False


def _currency(code: object) -> str:
    if not isinstance(code, str):
        raise UnknownCode(f"must be a three-letter ISO 4217 code such as EUR, not {type(code).__name__}")
    return check_currency_of_today(code)


def _check_storable(content: dict[str, Any]) -> dict[str, str]:
    """Return the content's JSON texts; raise `InvalidInput` on NUL: some databases cannot store it."""
    texts = texts_of(content)
    if any("\\u0000" in text for text in texts.values()):
        raise _invalid("order", "a text contains the character NUL")
    return texts


def _invalid(path: str, problem: str) -> InvalidInput:
    return InvalidInput(*_ORDER_INVALID, errors=[FieldError(path=path, message=problem)])


def _store_once(order: PaymentOrder, metadata: Mapping[str, str], check: Callable[[], None]) -> PaymentOrder:
    found = _same_order(PaymentOrder.objects.all(), order)
    if found is None:
        # Only now: an order that exists is returned even if the settings have changed.
        check()
        try:
            # A shop may store its own order in the same transaction: nothing is sent yet.
            in_current_or_new_transaction(lambda: _insert(order, metadata))
        except IntegrityError as error:
            # Another process stored the same reference between the two statements. A locking read sees it,
            # but not on PostgreSQL in a transaction of the caller's that reads an older snapshot.
            found = in_current_or_new_transaction(
                lambda: _same_order(PaymentOrder.objects.select_for_update(), order)
            )
            if found is None and is_unseen_duplicate(error):
                raise TryAgain(
                    _(
                        "Another process has just stored order %(reference)s, and your database transaction "
                        "began too early to see it. Repeat the whole transaction."
                    ),
                    ErrorCode.ORDER_STORED_MEANWHILE,
                    reference=order.reference,
                ) from error
            if found is None:
                raise
        else:
            return order
    if found.gateway != order.gateway:
        raise IdempotencyConflict(
            _(
                "Reference %(reference)s belongs to an order at gateway %(other)s, so none was "
                "stored at %(gateway)s: the customer could pay twice. Use that order or, if the two "
                "gateways number their orders separately, give one of them a NUMBERING of its own."
            ),
            ErrorCode.REFERENCE_AT_OTHER_GATEWAY,
            reference=order.reference,
            gateway=order.gateway,
            other=found.gateway,
        )
    if found.content_hash != order.content_hash:
        raise IdempotencyConflict(
            _(
                "Reference %(reference)s belongs to an order with other content (%(fields)s). An "
                "order that has changed needs its own reference."
            ),
            ErrorCode.ORDER_CONTENT_DIFFERS,
            reference=order.reference,
            fields=", ".join(different_arguments(found.content, order.content)),
        )
    return found


def _same_order(rows: QuerySet[PaymentOrder], order: PaymentOrder) -> PaymentOrder | None:
    """Return the order that this one would repeat: with its reference, at its gateway or in its numbering.

    There may be two, if the gateway has another numbering than it had; then the one at its gateway is meant.
    """
    known = Q(gateway=order.gateway) | Q(numbering=order.numbering)
    found = list(rows.filter(known, reference=order.reference).order_by())
    return min(found, key=lambda one: one.gateway != order.gateway, default=None)


def _insert(order: PaymentOrder, metadata: Mapping[str, str]) -> None:
    insert_row(order)
    if metadata:
        rows = [OrderMetadata(order=order, key=key, value=value) for key, value in metadata.items()]
        OrderMetadata.objects.bulk_create(rows)


def _checked_content(details: OrderDetails) -> OrderContent:
    try:
        return _content(details)
    except InvalidMessage as error:
        raise InvalidInput(*_ORDER_INVALID, errors=in_python_names(error.errors)) from error
    except ProtocolError as error:
        raise _invalid("order", str(error)) from error


def _content(details: OrderDetails) -> OrderContent:
    cart = None
    if details.items or details.shipping or details.discounts:
        cart = build_cart(
            currency=details.currency,
            items=details.items,
            shipping=details.shipping,
            discounts=details.discounts,
        )
    amount = _amount(details, cart_total(cart, details.currency) if cart else None)
    return OrderContent.build(
        type=_wire_type(details.type),
        amount=amount.to_wire(),
        currency_code=details.currency,
        provider_discretionary_data=details.order_number,
        details=_provider_details(details),
        checkout_details=_checkout_details(details),
        address_details=_address_details(details),
        shopping_cart_details=cart,
    )


def _wire_type(value: object) -> str:
    if not isinstance(value, str) or value not in set(PaymentType):
        raise _invalid("type", f"must be one of {', '.join(PaymentType)}")
    return wire_type(TransactionKind.CHECKOUT, value)


def _amount(details: OrderDetails, total: Money | None) -> Money:
    if details.amount is None:
        if total is None:
            raise _invalid("amount", "is needed when there are no items")
        return total
    given = details.amount
    try:
        return Money.parse(given, details.currency)
    except InvalidAmount as error:
        raise _invalid("amount", str(error)) from error


def _provider_details(details: OrderDetails) -> dict[str, Any] | None:
    if details.provider_merchant_id is None:
        return None
    return {"provider_merchant_id": details.provider_merchant_id}


def _checkout_details(details: OrderDetails) -> dict[str, Any]:
    cardholder = dict(details.cardholder or {})
    phone = cardholder.get("cardholder_mobile_phone")
    if isinstance(phone, str):
        cardholder["cardholder_mobile_phone"] = read_mobile_phone(phone, _country(details))
    return {"skin_id": details.skin_id, "language": details.language, **cardholder}


def _country(details: OrderDetails) -> str | None:
    """Return the country whose national form of a phone number is read, if the order names one."""
    for address in (details.billing_address, details.shipping_address):
        code = as_mapping(address).get("country_code") if address is not None else None
        if isinstance(code, str):
            return code
    return None


def _address_details(details: OrderDetails) -> dict[str, Any] | None:
    addresses = {
        "billing_address": details.billing_address,
        "shipping_address": details.shipping_address,
    }
    given = {name: as_mapping(address) for name, address in addresses.items() if address is not None}
    return {name: _with_known_state(name, fields) for name, fields in given.items()} or None


def _with_known_state(name: str, address: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out a state that ISO 3166-2 does not list: the field is optional, and must not cost the order."""
    state, country = address.get("state"), address.get("country_code")
    if (
        not isinstance(state, str)
        or not state
        or (is_subdivision(state) and not _is_territory(state, country))
    ):
        return address
    logger.warning(
        "the state of a %s is left out: ISO 3166-2 has no such code in %s", name, quote(country or "")
    )
    return {**address, "state": None}


def _is_territory(state: str, country: object) -> bool:
    """Return whether a state is the country itself: Puerto Rico is US-PR, and PRI."""
    return isinstance(country, str) and is_country(country) and state[3:].upper() == alpha_2_country(country)
