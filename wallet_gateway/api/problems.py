"""Failures as JSON: one shape, `{code, message}`, and no word about the inside of the shop."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

logger = logging.getLogger(__name__)


NOT_UNDERSTOOD = _("This request is not one that we understand.")
"""Said of every request that no page of ours makes; the code says more, for whoever writes a page."""


class UnknownLink(APIException):
    """The token is not ours, or names nothing, or another's: these are not told apart."""

    status_code = status.HTTP_404_NOT_FOUND
    default_code = "unknown_link"

    def __init__(self) -> None:
        super().__init__(_("There is no such link."))


class ExpiredLink(APIException):
    """The token is ours and too old to be shown anything."""

    status_code = status.HTTP_410_GONE
    default_code = "expired_link"

    def __init__(self) -> None:
        super().__init__(_("This link has expired."))


class NotConfigured(APIException):
    """A setting is missing or wrong; which one, the log says and the customer need not know."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "not_configured"

    def __init__(self) -> None:
        super().__init__(_("Payments are not available right now."))


class TooLarge(APIException):
    """The body has more bytes than a customer's browser has to say."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"

    def __init__(self) -> None:
        super().__init__(NOT_UNDERSTOOD)


class InvalidBody(APIException):
    """The body is JSON, and not what this address takes."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid_body"

    def __init__(self) -> None:
        super().__init__(NOT_UNDERSTOOD)


class Refusal(APIException):
    """What the operations refuse, in the customer's words."""

    def __init__(self, status_code: int, code: str, message: Promise) -> None:
        self.status_code = status_code
        super().__init__(str(message), code)


# The most particular first. After each of them nothing was charged.
REFUSALS: tuple[tuple[type[Exception], int, str, Promise], ...] = (
    (payments.InvalidWalletResult, 400, "invalid_result", _("Nothing was charged. Try again.")),
    (
        payments.OrderNotPayable,
        409,
        "order_not_payable",
        _("This order is paid already, or a payment for it is being checked. Please do not pay again."),
    ),
    (
        payments.WalletCardRefused,
        409,
        "card_refused",
        _("This card cannot be used here. Nothing was charged. Please take another one."),
    ),
    (
        payments.WalletPriceChanged,
        409,
        "price_changed",
        _("The price has changed. Nothing was charged. Please look at it and try again."),
    ),
    (
        payments.TooManyWalletResults,
        429,
        "too_many_results",
        _("That was tried too often. Nothing was charged. Please load the page again."),
    ),
    (payments.WalletTryAgain, 503, "try_again", _("Nothing was charged. Try again.")),
    (
        payments.OperationError,
        503,
        "wallet_unavailable",
        _("Your wallet cannot be used right now. Please pay on the payment page."),
    ),
)


def as_problem(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Put the REST framework's answer to a failure into our shape; what it does not know stays a failure."""
    known = _known(fault)
    response = exception_handler(known, context)
    if response is not None and isinstance(known, APIException):
        response.data = {"code": known.get_codes(), "message": str(known.detail)}
    return response


def _known(fault: Exception) -> Exception:
    if isinstance(fault, ImproperlyConfigured):
        logger.error("wallet payments are not configured", exc_info=fault)
        return NotConfigured()
    if isinstance(fault, PaymentOrder.DoesNotExist | payments.UnknownWalletReference):
        return UnknownLink()
    for refused, status_code, code, message in REFUSALS:
        if isinstance(fault, refused):
            # The words of an operation are for the log: they may name the gateway and the order.
            logger.warning("refused as %s: %s", code, fault)
            return Refusal(status_code, code, message)
    return fault
