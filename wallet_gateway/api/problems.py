"""Errors as RFC 9457 problem details, without internal information about the shop.

Every answer except a success is `application/problem+json`: `type`, `title`, `status`, `detail`, `code`. The
`type` is the code as a URN, as no page explains it: scripts compare `code`. `detail` is for the customer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404
from django.utils.functional import Promise
from django.utils.log import log_response
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from wallet_gateway.error_reports import hide_variables
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import errors
from wallet_gateway.payments.errors import ErrorCode

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:wallet-gateway:problem:"


class Problem(NamedTuple):
    """The constant parts of a code's answer."""

    status: int
    title: Promise


PROBLEMS: Mapping[str, Problem] = {
    "parse_error": Problem(400, _("The request is not valid JSON")),
    "invalid_body": Problem(400, _("The request is not valid")),
    "invalid_result": Problem(400, _("The wallet's result is not valid")),
    "invalid_token": Problem(401, _("The access token is not valid")),
    "cross_site_request": Problem(403, _("The request comes from another site")),
    "stale_page": Problem(403, _("The page is out of date")),
    "unknown_link": Problem(404, _("Unknown link")),
    "method_not_allowed": Problem(405, _("Method not allowed")),
    "not_acceptable": Problem(406, _("Only JSON is available")),
    "wallet_limit_reached": Problem(403, _("The wallet button is closed")),
    "order_not_payable": Problem(409, _("The order cannot be paid")),
    "card_refused": Problem(409, _("The card is not accepted")),
    "price_changed": Problem(409, _("The price has changed")),
    "expired_link": Problem(410, _("The link has expired")),
    "too_large": Problem(413, _("The request is too large")),
    "unsupported_media_type": Problem(415, _("Only JSON is accepted")),
    "throttled": Problem(429, _("Too many requests")),
    "too_many_results": Problem(429, _("Too many results")),
    "internal_error": Problem(500, _("Unexpected error")),
    "checkout_unavailable": Problem(503, _("The payment page is not available")),
    "wallet_unavailable": Problem(503, _("The wallet is not available")),
    "try_again": Problem(503, _("Temporary failure")),
    "not_configured": Problem(503, _("Payments are not configured")),
}
"""The constant parts for each code."""

NOT_UNDERSTOOD = _("This request is not one that we understand.")
"""Sent for every request that no page of the plugin makes; the code has more details for a page's author."""


OUT_OF_DATE = _("This page is out of date. Nothing was charged. Load it again to pay.")
"""Sent to a page that was drawn before a login or logout, with a lost cookie, or yesterday."""


class UnknownLink(exceptions.APIException):
    """The token is invalid, or its subject is missing or another's: the answer is the same."""

    status_code = status.HTTP_404_NOT_FOUND
    default_code = "unknown_link"
    default_detail = OUT_OF_DATE


class StalePage(exceptions.APIException):
    """The request has no valid CSRF token; `csrf_token` is a new one, for a page of our own."""

    status_code = status.HTTP_403_FORBIDDEN
    default_code = "stale_page"
    default_detail = OUT_OF_DATE

    def __init__(self, csrf_token: str) -> None:
        super().__init__()
        self.csrf_token = csrf_token


class CrossSiteRequest(exceptions.APIException):
    """A page of another origin has sent the request."""

    status_code = status.HTTP_403_FORBIDDEN
    default_code = "cross_site_request"
    default_detail = NOT_UNDERSTOOD


class InvalidToken(exceptions.APIException):
    """The access token has expired, was altered, or is another order's (RFC 6750, section 3.1)."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_code = "invalid_token"
    default_detail = _("The access to this payment has expired.")
    auth_header = 'Bearer error="invalid_token"'


class CheckoutUnavailable(exceptions.APIException):
    """The gateway opened no payment page, or none can be opened now; nothing was charged."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "checkout_unavailable"
    default_detail = _("The payment page cannot be opened right now. Nothing was charged. Try again later.")


class ExpiredLink(exceptions.APIException):
    """The token is valid, but too old to show anything."""

    status_code = status.HTTP_410_GONE
    default_code = "expired_link"
    default_detail = _("This link has expired.")


class NotConfigured(exceptions.APIException):
    """A setting is missing or wrong; the log names it, the answer to the customer does not."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "not_configured"
    default_detail = _("Payments are not available right now.")


class TooLarge(exceptions.APIException):
    """The body is larger than any request of a customer's browser."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"
    default_detail = NOT_UNDERSTOOD


class InvalidBody(exceptions.APIException):
    """The body is JSON, but not what this address accepts."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid_body"
    default_detail = NOT_UNDERSTOOD


class InternalError(exceptions.APIException):
    """An unexpected error. It is not known whether a card was charged: the page must query the status."""

    default_code = "internal_error"
    default_detail = _("Something went wrong. Load the page again before you try anything else.")


class SessionUnreadable(exceptions.APIException):
    """The store of the sessions does not answer, so it is not known which browser asks; nothing was done."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "try_again"
    default_detail = _("Nothing was charged. Try again.")


class Refusal(exceptions.APIException):
    """An operation's refusal, in words for the customer."""

    def __init__(self, status_code: int, code: str, detail: Promise) -> None:
        self.status_code = status_code
        super().__init__(str(detail), code)


# After each of these, nothing was charged.
_REFUSALS: Mapping[type[errors.OperationError], tuple[str, Promise]] = {
    errors.InvalidInput: ("invalid_result", _("Nothing was charged. Try again.")),
    errors.OrderNotPayable: (
        "order_not_payable",
        _("This order is paid already, or a payment for it is being checked. Please do not pay again."),
    ),
    errors.CardRefused: (
        "card_refused",
        _("This card cannot be used here. Nothing was charged. Please take another one."),
    ),
    errors.PriceChanged: (
        "price_changed",
        _("The price has changed. Nothing was charged. Please look at it and try again."),
    ),
    errors.TryAgain: ("try_again", _("Nothing was charged. Try again.")),
}
_ENDED = _("This order can no longer be paid: it was cancelled, or the time to pay it is over.")
_TOO_OFTEN = _("That was tried too often. Nothing was charged. Please load the page again.")
_CLOSED = _(
    "The wallet was used too often for this order. Nothing was charged. "
    "Please pay on the payment page, or contact the shop."
)
_UNAVAILABLE = _("Your wallet cannot be used right now. Please pay on the payment page.")


def as_problem(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Return the problem details of an error; None for an unexpected one."""
    known = _known(fault)
    response = exception_handler(known, context)
    if response is None or not isinstance(known, exceptions.APIException):
        return None
    code = str(known.get_codes())
    detail: object = known.detail
    if isinstance(known, exceptions.Throttled):
        detail = _TOO_OFTEN
    elif type(known).__module__ == exceptions.__name__:
        # REST framework's own words are not for the customer.
        detail = NOT_UNDERSTOOD
    response.content_type = CONTENT_TYPE
    response.data = {
        "type": f"{TYPE_PREFIX}{code}",
        "title": str(PROBLEMS[code].title),
        "status": response.status_code,
        "detail": str(detail),
        "code": code,
    }
    if isinstance(known, StalePage) and known.csrf_token:
        response.data["csrfToken"] = known.csrf_token
    return response


def as_answer(fault: Exception, context: dict[str, Any]) -> Response:
    """Return the problem details of any error; report an unexpected one as Django does."""
    hide_variables(fault)
    response = as_problem(fault, context)
    if response is not None:
        return response
    request: Request = context["request"]
    got_request_exception.send(sender=None, request=request._request)
    response = as_problem(InternalError(), {})
    assert response is not None  # noqa: S101 - it is our own exception
    log_response(
        "Internal Server Error: %s",
        request.path,
        response=response,
        request=request._request,
        exception=fault,
    )
    return response


def _known(fault: Exception) -> Exception:
    match fault:
        case ImproperlyConfigured():
            logger.error("wallet payments are not configured", exc_info=fault)
            return NotConfigured()
        case SessionUnreadable():
            logger.error("the session of a request could not be read", exc_info=fault)
        case PaymentOrder.DoesNotExist() | Http404():
            return UnknownLink()
        case RequestDataTooBig():
            return TooLarge()
        case SuspiciousOperation():
            # Django's own limits, such as that of the number of parameters.
            return InvalidBody()
        case errors.OperationError():
            return _refusal(fault)
    return fault


def _refusal(fault: errors.OperationError) -> exceptions.APIException:
    if fault.code is ErrorCode.WALLET_SESSION_UNKNOWN:
        return UnknownLink()
    if fault.code is ErrorCode.TOO_MANY_RESULTS:
        refusal = Refusal(fault.status, "too_many_results", _TOO_OFTEN)
    elif fault.code is ErrorCode.WALLET_LIMIT_REACHED:
        refusal = Refusal(fault.status, "wallet_limit_reached", _CLOSED)
    elif fault.code is ErrorCode.ORDER_ENDED:
        # Nobody may read of an order without a payment that it is paid.
        refusal = Refusal(fault.status, "order_not_payable", _ENDED)
    elif type(fault) in _REFUSALS:
        refusal = Refusal(fault.status, *_REFUSALS[type(fault)])
    else:
        refusal = Refusal(status.HTTP_503_SERVICE_UNAVAILABLE, "wallet_unavailable", _UNAVAILABLE)
    # The message of an operation is for the log: it may name the gateway and the order.
    if not fault.is_logged:
        logger.warning("refused as %s: %r", refusal.get_codes(), fault)
    return refusal
