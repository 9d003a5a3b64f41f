"""Create an order, and find it again: all fields are checked before anything is stored or sent."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway import conf, gateways
from wallet_gateway.domain.error_codes import AMBIGUOUS_REFERENCE, ErrorCode, Refusal
from wallet_gateway.domain.orders import is_continue_url, metadata_errors
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.domain.states import PaymentType, TransactionKind
from wallet_gateway.email_hashes import columns_of_order
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.transactions import in_current_or_new_transaction, is_unseen_duplicate
from wallet_gateway.models import OrderMetadata, PaymentOrder
from wallet_gateway.models.orders import ERASED
from wallet_gateway.operation_errors import IdempotencyConflict, InvalidInput, TryAgain
from wallet_gateway.phones import read_mobile_phone
from wallet_gateway.protocol import checkout as messages
from wallet_gateway.protocol.cart import (
    Discount,
    DiscountDetail,
    Item,
    ItemDetail,
    Shipping,
    ShippingDetail,
    ShoppingCart,
    build_cart,
    cart_total,
)
from wallet_gateway.protocol.checkout import OrderContent
from wallet_gateway.protocol.codes import alpha_2_country, check_currency_of_today, is_country, is_subdivision
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import (
    FieldError,
    InvalidAmount,
    InvalidMessage,
    ProtocolError,
    UnknownCode,
    join_path,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import canonical
from wallet_gateway.protocol.text import is_storable, quote
from wallet_gateway.protocol.wire import MISSING, WireModel

logger = logging.getLogger("wallet_gateway.operations")


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingAddress:
    """The billing address; everything but the state is mandatory. `repr` shows none of it."""

    street: str = field(repr=False)
    """Not empty: `"Main Street"`."""
    house_number: str = field(repr=False)
    """Not empty: `"12a"`. A shop that keeps it with the street takes it apart."""
    zip_postal_code: str = field(repr=False)
    """Not empty: `"10115"`."""
    city: str = field(repr=False)
    """Not empty: `"Berlin"`."""
    country_code: str = field(repr=False)
    """ISO 3166-1, three letters: `"DEU"`."""
    state: str | None = field(default=None, repr=False)
    """ISO 3166-2, a part of that country: `"US-CA"`; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingAddress:
    """The shipping address; every field is optional. `repr` shows none of it."""

    first_name: str | None = field(default=None, repr=False)
    """Of the person who gets the parcel: `"Ada"`."""
    last_name: str | None = field(default=None, repr=False)
    """Of the person who gets the parcel: `"Lovelace"`."""
    telephone_number: str | None = field(default=None, repr=False)
    """As the customer wrote it: `"+49 30 1234567"`."""
    email: str | None = field(default=None, repr=False)
    """One address: `"ada@shop.example"`."""
    house_number: str | None = field(default=None, repr=False)
    """Number of the house, as text: `"12a"`."""
    street: str | None = field(default=None, repr=False)
    """Name of the street: `"Main Street"`."""
    city: str | None = field(default=None, repr=False)
    """Name of the city: `"Berlin"`."""
    zip_postal_code: str | None = field(default=None, repr=False)
    """Postal code, as text: `"10115"`."""
    state: str | None = field(default=None, repr=False)
    """ISO 3166-2, a part of the country: `"US-CA"`."""
    country_code: str | None = field(default=None, repr=False)
    """ISO 3166-1, three letters: `"DEU"`."""
    delivery_method: str | None = field(default=None, repr=False)
    """Text; in the interface's example only, undescribed."""


Address = BillingAddress | ShippingAddress


def as_mapping(given: Address | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an address by name; a dict is returned as it is."""
    return asdict(given) if isinstance(given, Address) else given


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
    given, clock = conf.gateway_settings(gateway), gateways.clock()
    items, discounts = tuple(items or ()), tuple(discounts or ())
    errors = [
        *wrong_reference(reference),
        *wrong_texts(order_number=order_number, language=language, continue_url=continue_url),
        *wrong_language(language),
        *wrong_addresses(billing_address=billing_address, shipping_address=shipping_address),
        *too_long_names(items, shipping, discounts),
    ]
    if redirect_when_paid and not continue_url:
        message = "is needed with redirect_when_paid: the address of the page to which a customer is sent"
        errors.append(FieldError(path="continue_url", message=message))
    try:
        currency = _currency(currency)
    except UnknownCode as error:
        errors.append(FieldError(path="currency", message=str(error)))
    if errors:
        raise InvalidInput(*ORDER_INVALID, errors=errors)
    origins = conf.shop_origins(gateway)
    if continue_url and not is_continue_url(continue_url, origins):
        raise _invalid("continue_url", f"must be {_CONTINUE_URL} {' or '.join(origins) or 'the shop'}")
    if problems := tuple(metadata_errors(metadata)):
        raise InvalidInput(*ORDER_INVALID, errors=problems)
    try:
        cart = None
        if items or shipping or discounts:
            cart = build_cart(currency=currency, items=items, shipping=shipping, discounts=discounts)
        written_type, total = _wire_type(type), _amount(amount, cart, currency)
        addresses: dict[str, Mapping[str, Any]] = {}
        if billing_address is not None:
            addresses["billing_address"] = as_mapping(billing_address)
        if shipping_address is not None:
            addresses["shipping_address"] = as_mapping(shipping_address)
        if isinstance(cardholder_mobile_phone, str):
            # It is read by the country of the first address that names one.
            codes = [fields.get("country_code") for fields in addresses.values()]
            country = next((code for code in codes if isinstance(code, str)), None)
            cardholder_mobile_phone = read_mobile_phone(cardholder_mobile_phone, country)
        addresses = {name: _with_known_state(name, fields) for name, fields in addresses.items()}
        checked = OrderContent.build(
            type=written_type,
            amount=total.to_wire(),
            currency_code=currency,
            provider_discretionary_data=order_number,
            details=None if provider_merchant_id is None else {"provider_merchant_id": provider_merchant_id},
            checkout_details={
                "skin_id": skin_id,
                "language": language,
                "cardholder_id": cardholder_id,
                "cardholder_first_name": cardholder_first_name,
                "cardholder_last_name": cardholder_last_name,
                "cardholder_email": cardholder_email,
                "cardholder_mobile_phone": cardholder_mobile_phone,
                "cardholder_home_phone": cardholder_home_phone,
                "cardholder_work_phone": cardholder_work_phone,
                "cardholder_national_identification_number": cardholder_national_identification_number,
            },
            address_details=addresses or None,
            shopping_cart_details=cart,
        )
    except InvalidMessage as error:
        raise InvalidInput(*ORDER_INVALID, errors=in_python_names(error.errors)) from error
    except ProtocolError as error:
        raise _invalid("order", str(error)) from error
    content = checked.to_wire()
    text, now = canonical(content), clock.now()
    if "\\u0000" in text:
        # Some databases cannot store it.
        raise _invalid("order", "a text contains the character NUL")
    # An end in the past is stored, too: nobody can pay such an order.
    if payable_until is not None and not _is_instant(payable_until):
        problem = "must be a datetime with a time zone, such as timezone.now() + timedelta(hours=1), or None"
        raise _invalid("payable_until", problem)
    order = PaymentOrder(
        reference=reference,
        gateway=gateway,
        numbering=given.policy.numbering,
        type=PaymentType(type),
        currency=checked.currency_code,
        amount_minor=checked.money.minor_units,
        order_number=order_number or "",
        language=language or "",
        content=content,
        content_hash=PaymentOrder.hash_of(gateway, text),
        **columns_of_order(content),
        continue_url=continue_url or "",
        redirect_when_paid=redirect_when_paid,
        payable_until=payable_until,
        release_check_at=payable_until,
        created_at=now,
        updated_at=now,
    )
    return _store_once(order, metadata or {}, given.policy)


ORDER_INVALID = Refusal(_("The order is not valid. %(problems)s"), ErrorCode.FIELDS_INVALID)
_CONTINUE_URL = "a path of this site that begins with one slash, such as /thanks/7/, or an address at"


def _is_instant(when: object) -> bool:
    """Return whether this is a time that has a zone, and can be written in UTC, as databases do."""
    if not isinstance(when, datetime):
        return False
    try:
        return when.utcoffset() is not None and when.astimezone(UTC).utcoffset() is not None
    except OverflowError:
        return False


def _currency(code: object) -> str:
    if not isinstance(code, str):
        raise UnknownCode(f"must be a three-letter ISO 4217 code such as EUR, not {type(code).__name__}")
    return check_currency_of_today(code)


def _invalid(path: str, problem: str) -> InvalidInput:
    return InvalidInput(*ORDER_INVALID, errors=[FieldError(path=path, message=problem)])


def _store_once(order: PaymentOrder, metadata: Mapping[str, str], policy: GatewayPolicy) -> PaymentOrder:
    def insert() -> None:
        # After a conflict it is inserted anew: the key of the first try may be another order's by then.
        order.pk = None
        order.save(force_insert=True)
        if metadata:
            rows = [OrderMetadata(order=order, key=key, value=value) for key, value in metadata.items()]
            OrderMetadata.objects.bulk_create(rows)

    found = _same_order(PaymentOrder.objects.all(), order)
    if found is None:
        # Only now: an order that exists is returned even if the settings have changed.
        check_requirements(order, policy)
        try:
            # A shop may store its own order in the same transaction: nothing is sent yet.
            in_current_or_new_transaction(insert)
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


def _wire_type(value: object) -> str:
    if not isinstance(value, str) or value not in set(PaymentType):
        raise _invalid("type", f"must be one of {', '.join(PaymentType)}")
    return wire_type(TransactionKind.CHECKOUT, value)


def _with_known_state(name: str, address: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out a state that ISO 3166-2 does not list: the field is optional, and must not cost the order."""
    state, country = address.get("state"), address.get("country_code")
    if not isinstance(state, str) or not state:
        return address
    # A state may be the country itself: Puerto Rico is US-PR, and PRI.
    is_territory = (
        isinstance(country, str) and is_country(country) and state[3:].upper() == alpha_2_country(country)
    )
    if is_subdivision(state) and not is_territory:
        return address
    logger.warning(
        "the state of a %s is left out: ISO 3166-2 has no such code in %s", name, quote(country or "")
    )
    return {**address, "state": None}


def _amount(given: Decimal | Money | None, cart: ShoppingCart | None, currency: str) -> Money:
    if given is None:
        if cart is None:
            raise _invalid("amount", "is needed when there are no items")
        return cart_total(cart, currency)
    try:
        return Money.parse(given, currency)
    except InvalidAmount as error:
        raise _invalid("amount", str(error)) from error


# Find it again


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
    check_key("reference", reference)
    if gateway is not None:
        if is_storable(gateway):
            order = PaymentOrder.objects.get(reference=reference, gateway=gateway)
            # MariaDB takes capitals for small letters, and ignores blanks at the end.
            if order.gateway == gateway:
                return order
        raise PaymentOrder.DoesNotExist(f"no gateway is called {gateway[:64]!r}")
    found = list(PaymentOrder.objects.filter(reference=reference).order_by()[:2])
    if not found:
        raise PaymentOrder.DoesNotExist(f"no order has the reference {reference[:64]!r}")
    check_unambiguous(found)
    return found[0]


def check_unambiguous(found: Sequence[PaymentOrder]) -> None:
    """Raise `InvalidInput` unless these orders of one reference are one order of the shared numbering."""
    if len(found) > 1 or any(order.numbering for order in found):
        reference = found[0].reference
        same = PaymentOrder.objects.filter(reference=reference).order_by("gateway")
        names = ", ".join(same.values_list("gateway", flat=True)[:_MOST_NAMED])
        raise InvalidInput(*AMBIGUOUS_REFERENCE, reference=reference, gateways=names)


_MOST_NAMED = 5


@sensitive_variables()
def get_order_by_token(token: str) -> PaymentOrder:
    """Return the order that a URL names.

    :param token: the unguessable `order.token`, as in the pages' addresses.
    :returns: the order as stored.
    :raises PaymentOrder.DoesNotExist: if no order has it.
    """
    check_key("token", token)
    return PaymentOrder.objects.get(token=token)


def check_key(name: str, value: str) -> None:
    """Check the format of a reference or token before its lookup; raise `PaymentOrder.DoesNotExist`.

    Databases handle blanks and NUL differently.
    """
    if not REFERENCE.match(value):
        raise PaymentOrder.DoesNotExist(f"no order has the {name} {value[:64]!r}")


# What is checked of an order where the protocol has no rule. The interface names no format for a language and
# no length for the names of products. A language that is no tag and a name of some pages are slips of a shop,
# which no gateway could show to a customer.


REFERENCE = re.compile(r"\A[!-~]{1,64}\Z")
LONGEST: Mapping[str, int] = {"order_number": 127, "language": 35, "continue_url": 500}
"""The lengths of the columns of an order."""
_LONGEST_IN_LINE: Mapping[str, int] = {
    "product_id": 255,
    "product_name": 255,
    "product_description": 2000,
    "discount_name": 255,
}
_LONGEST_NAME: Mapping[str, int] = {"name": 255}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")


def wrong_reference(reference: object) -> Iterator[FieldError]:
    """Yield the fault of an order's reference, if it has one."""
    if not isinstance(reference, str) or not REFERENCE.match(reference):
        message = f"must be 1 to 64 visible ASCII characters without blanks, not {quote(reference)}"
        yield FieldError("reference", message)


def wrong_texts(**texts: object) -> Iterator[FieldError]:
    """Yield each text that its column cannot hold; None is no text and may be missing."""
    for name, value in texts.items():
        longest = LONGEST[name]
        if value is not None and not (is_storable(value) and len(str(value)) <= longest):
            message = (
                f"must be text of at most {longest} characters, none of them NUL or half of a surrogate pair"
            )
            yield FieldError(name, message)


def wrong_language(language: object) -> Iterator[FieldError]:
    """Yield the fault of a language that is no tag: BCP 47 begins with two or three letters (ISO 639)."""
    is_judged = isinstance(language, str) and 0 < len(language) <= LONGEST["language"]
    if is_judged and not _LANGUAGE.fullmatch(str(language)):
        yield FieldError("language", f"{quote(language)} is no language tag; give one such as de or de-AT")


def wrong_addresses(**addresses: object) -> Iterator[FieldError]:
    """Yield each address that is no address, and each name in a mapping that no field has."""
    kinds: dict[str, tuple[type[Address], type[WireModel]]] = {
        "billing_address": (BillingAddress, messages.BillingAddress),
        "shipping_address": (ShippingAddress, messages.ShippingAddress),
    }
    for name, given in addresses.items():
        kind, message = kinds[name]
        if given is None or isinstance(given, kind):
            continue
        if not isinstance(given, Mapping):
            yield FieldError(name, f"must be a {kind.__name__} or a dict, not {type(given).__name__}")
            continue
        for member in given:
            if member not in message.wire_names:
                path, known = f"{name}.{quote(member)}".replace("'", ""), ", ".join(message.wire_names)
                yield FieldError(path, f"is unknown; the fields are: {known}")


def too_long_names(
    items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount]
) -> Iterator[FieldError]:
    """Yield each text of a line that no page could show."""
    for number, item in enumerate(items):
        yield from _long_texts(f"items[{number}]", item, _LONGEST_IN_LINE)
    for number, discount in enumerate(discounts):
        yield from _long_texts(f"discounts[{number}]", discount, _LONGEST_NAME)
    yield from _long_texts("shipping", shipping, _LONGEST_NAME)


def _long_texts(path: str, given: object, longest: Mapping[str, int]) -> Iterator[FieldError]:
    for name, most in longest.items():
        text = getattr(given, name, None)
        if isinstance(text, str) and len(text) > most:
            yield FieldError(f"{path}.{name}", f"has {len(text)} characters; at most {most} are allowed")


# What the settings require


def check_requirements(order: PaymentOrder, policy: GatewayPolicy) -> None:
    """Check a new order; raise `InvalidInput`."""
    if policy.currencies is not None and order.currency not in policy.currencies:
        known = ", ".join(sorted(policy.currencies))
        raise InvalidInput(
            _("Gateway %(gateway)s takes no %(currency)s. The settings allow: %(known)s."),
            gateway=order.gateway,
            currency=order.currency,
            known=known,
        )
    if policy.billing_address_required:
        check_billing_address(order.content)


def check_billing_address(content: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for content without a billing address.

    An address that is given is complete, because the order could not be created otherwise.
    """
    if not content.get("addressDetails", {}).get("billingAddress"):
        missing = [
            FieldError(path=f"billing_address.{name}", message=MISSING)
            for name, field in messages.BillingAddress.model_fields.items()
            if field.is_required()
        ]
        raise InvalidInput(
            _("The gateway requires a billing address. %(problems)s"),
            ErrorCode.FIELDS_INVALID,
            errors=missing,
        )


# Where two orders of one reference differ


def different_arguments(stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the arguments by which two orders' content differs, each once, in the order of the content.

    Of an order whose customer was erased, what is left is compared first; if it is equal, the rest differs.
    """
    kept = {name: stored[name] for name in stored if name != ERASED}
    names = kept if ERASED in stored else {**given, **kept}
    return _arguments(names, kept, given) or _arguments({**given, **kept}, kept, given)


def _arguments(names: Iterable[str], stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    paths = []
    for name in names:
        old, new = stored.get(name), given.get(name)
        if old == new:
            continue
        if name.lower().endswith("details"):
            # An object of arguments: its own members are what the shop has given.
            old, new = old or {}, new or {}
            differ = [field for field in {**new, **old} if old.get(field) != new.get(field)]
            paths += [join_path(name, field) for field in differ]
        else:
            paths.append(name)
    renamed = in_python_names(FieldError(path=path, message="") for path in paths)
    return tuple(dict.fromkeys(fault.path for fault in renamed))


# The names of the fields: the protocol reports `shoppingCartDetails.itemDetails[0].unitAmount`; a shop has
# written `items[0].unit_amount`. Bodies of the JSON interface keep the names of the wire.


_LINE = {name: attribute for attribute, name in ItemDetail.wire_names.items()} | {
    "productQuantity": "quantity",
    # The total follows from these two.
    "totalAmount": "unit_amount",
}
_SHIPPING = {
    name: attribute.removeprefix("shipping_") for attribute, name in ShippingDetail.wire_names.items()
}
_DISCOUNT = {
    name: attribute.removeprefix("discount_") for attribute, name in DiscountDetail.wire_names.items()
}
_ORDER = {"providerDiscretionaryData": "order_number", "currencyCode": "currency"}

_OBJECTS: tuple[tuple[re.Pattern[str], str, Mapping[str, str]], ...] = (
    (re.compile(r"shoppingCartDetails\.itemDetails(\[\d+\])?\.?"), "items", _LINE),
    (re.compile(r"shoppingCartDetails\.shippingDetails()\.?"), "shipping", _SHIPPING),
    (re.compile(r"shoppingCartDetails\.discountDetails(\[\d+\])?\.?"), "discounts", _DISCOUNT),
    (re.compile(r"shoppingCartDetails(?:\.totalTaxAmount)?()"), "items", {}),
    (re.compile(r"addressDetails\.billingAddress()\.?"), "billing_address", {}),
    (re.compile(r"addressDetails\.shippingAddress()\.?"), "shipping_address", {}),
    (re.compile(r"(?:checkoutDetails|details|addressDetails)()\.?"), "", {}),
)
"""The objects of the wire, the special ones first: where each begins, its argument, and its fields."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")
_WIRE_WORD = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")


def in_python_names(faults: Iterable[FieldError]) -> tuple[FieldError, ...]:
    """Return faults with the names of `create_order`, of `Item` and of the other classes."""
    return tuple(map(_renamed, faults))


def _renamed(fault: FieldError) -> FieldError:
    for start, argument, names in _OBJECTS:
        if (found := start.match(fault.path)) is not None:
            field = _attribute(fault.path[found.end() :], names)
            path = join_path(argument + (found[1] or ""), field)
            return FieldError(path, _WIRE_WORD.sub(partial(_word, names), fault.message))
    return FieldError(_attribute(fault.path, _ORDER), fault.message)


def _word(names: Mapping[str, str], word: re.Match[str]) -> str:
    return names.get(word[0], word[0])


def _attribute(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or _CAPITAL.sub(lambda letter: f"_{letter[0].lower()}", name)
