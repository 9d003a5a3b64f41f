"""What the bridges to other projects' orders and payments share."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Model, QuerySet
from django.dispatch import Signal
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from wallet_gateway import conf, payments, signals
from wallet_gateway.documentation import address_of
from wallet_gateway.domain.states import CANCELLABLE_STATES, OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.protocol.codes import alpha_3_country
from wallet_gateway.protocol.errors import UnknownCode


def payment_page(order: PaymentOrder) -> str:
    """Return the gateway's payment page; our own page where it has a wallet button or says why not now.

    Calls the gateway, so it must not run inside a database transaction.
    """
    if conf.gateway_settings(order.gateway).wallet is None:
        try:
            return payments.start_checkout(order).redirect_url
        except payments.errors.OperationError:
            # Our page says what the order's state is, and offers to pay as soon as that is possible.
            pass
    return reverse("wallet_gateway:pay", args=[order.token])


def postal_address(*, line: str, city: str, postcode: str, country: str) -> dict[str, str] | None:
    """Return a billing address for `payments.create_order`, or None: all its parts are mandatory.

    For shops that keep street and house number in one line.
    The house number is the first or last word of `line` that has a digit; `country` is an alpha-2 code.
    """
    words = line.split()
    places = [place for place in (len(words) - 1, 0) if words and any(map(str.isdigit, words[place]))]
    number = words.pop(places[0]) if places else ""
    try:
        country_code = alpha_3_country(country)
    except UnknownCode:
        country_code = ""
    address = {
        "street": " ".join(words),
        "house_number": number,
        "city": city.strip(),
        "zip_postal_code": postcode.strip(),
        "country_code": country_code,
    }
    return address if all(address.values()) else None


def columns_of(held: Model, *, locks: bool = False) -> dict[str, Any]:
    """Return the columns of an instance's row as they are stored now, which can be locked as well."""
    rows: QuerySet[Any] = type(held)._base_manager.filter(pk=held.pk)
    rows = rows.select_for_update() if locks else rows
    return rows.values(*(field.attname for field in rows.model._meta.concrete_fields)).get()


def take_over(held: Model, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Give an instance the columns that have changed between two readings of its row.

    Other code holds the instance, and saves it as a whole, while receivers write into its row. What they have
    written is taken over. What the other code has changed and not saved yet stays as it is.

    All of them without an earlier reading; none that the instance has not loaded: it does not save that one.
    """
    not_loaded = held.get_deferred_fields()
    for name, value in now.items():
        if name not in not_loaded and (name not in before or before[name] != value):
            setattr(held, name, value)


def why_not_approved(transaction: GatewayTransaction) -> str:
    """Return a sentence for the staff; empty for an approved transaction."""
    if transaction.state == TransactionState.APPROVED:
        return ""
    if transaction.state == TransactionState.REJECTED:
        return transaction.explanation or _("The gateway has refused it.")
    return _("The outcome is not known yet. It is recorded here as soon as it is: do not repeat it.")


ORDER_CHANGED: Final[tuple[Signal, ...]] = (
    signals.order_authorized,
    signals.order_paid,
    signals.order_captured_in_part,
    signals.order_refunded,
    signals.order_reversed,
    signals.order_failed,
    signals.order_expired,
    signals.order_cancelled,
    signals.order_released,
    signals.order_anomaly,
    signals.order_unfrozen,
)
"""All signals after which an order may have another state."""


def leads_to(order: PaymentOrder, view: str, **arguments: object) -> bool:
    """Return whether the customer goes on at this view: a shop may have orders beside those of a bridge."""
    try:
        return order.continue_url == reverse(view, kwargs=arguments)
    except NoReverseMatch:
        return False


logger = logging.getLogger("wallet_gateway.bridges")

_NOT_MISSED: Final = CANCELLABLE_STATES | {OrderState.CANCELLED, OrderState.REFUNDED, OrderState.FROZEN}
"""States without money; a frozen order is a person's already."""


def log_missing(order: PaymentOrder, row: str) -> None:
    """Log that an order holds money and its row was deleted; a shop may delete what nobody has paid.

    It is no exception: the event would stay overdue for ever, and no later delivery could do better.
    """
    if order.state not in _NOT_MISSED:
        page = address_of("runbook", "money-for-an-order-that-was-deleted")
        text = "order %s holds money (%s), and %s of it is gone; see %s"
        logger.error(text, order.reference, order.state, row, page)
