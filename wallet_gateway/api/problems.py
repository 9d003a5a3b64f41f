"""Errors as RFC 9457 problem details, without internal information about the shop.

Every answer except a success is `application/problem+json`: `type`, `title`, `status`, `detail`, `code`. The
`type` is the code as a URN, as no page explains it: scripts compare `code`. `detail` is for the customer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404
from django.utils.functional import Promise
from django.utils.log import log_response
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from wallet_gateway.error_reports import hide_variables
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import errors
from wallet_gateway.payments.errors import ErrorCode

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:wallet-gateway:problem:"


NOT_UNDERSTOOD = _("This request is not one that we understand.")
"""Sent for every request that no page of the plugin makes; the code has more details for a page's author."""
_OUT_OF_DATE = _("This page is out of date. Nothing was charged. Load it again to pay.")
"""Sent to a page that was drawn before a login or logout, with a lost cookie, or yesterday."""
_NOT_CHARGED = _("Nothing was charged. Try again.")
_TOO_OFTEN = _("That was tried too often. Nothing was charged. Please load the page again.")
_ENDED = _("This order can no longer be paid: it was cancelled, or the time to pay it is over.")

PROBLEMS: Mapping[str, tuple[int, Promise, Promise]] = {
    "parse_error": (400, _("The request is not valid JSON"), NOT_UNDERSTOOD),
    "invalid_body": (400, _("The request is not valid"), NOT_UNDERSTOOD),
    "invalid_result": (400, _("The wallet's result is not valid"), _NOT_CHARGED),
    "invalid_token": (401, _("The access token is not valid"), _("The access to this payment has expired.")),
    "cross_site_request": (403, _("The request comes from another site"), NOT_UNDERSTOOD),
    "stale_page": (403, _("The page is out of date"), _OUT_OF_DATE),
    "unknown_link": (404, _("Unknown link"), _OUT_OF_DATE),
    "method_not_allowed": (405, _("Method not allowed"), NOT_UNDERSTOOD),
    "not_acceptable": (406, _("Only JSON is available"), NOT_UNDERSTOOD),
    "wallet_limit_reached": (
        403,
        _("The wallet button is closed"),
        _(
            "The wallet was used too often for this order. Nothing was charged. "
            "Please pay on the payment page, or contact the shop."
        ),
    ),
    "order_not_payable": (
        409,
        _("The order cannot be paid"),
        _("This order is paid already, or a payment for it is being checked. Please do not pay again."),
    ),
    "card_refused": (
        409,
        _("The card is not accepted"),
        _("This card cannot be used here. Nothing was charged. Please take another one."),
    ),
    "price_changed": (
        409,
        _("The price has changed"),
        _("The price has changed. Nothing was charged. Please look at it and try again."),
    ),
    "expired_link": (410, _("The link has expired"), _("This link has expired.")),
    "too_large": (413, _("The request is too large"), NOT_UNDERSTOOD),
    "unsupported_media_type": (415, _("Only JSON is accepted"), NOT_UNDERSTOOD),
    "throttled": (429, _("Too many requests"), _TOO_OFTEN),
    "too_many_results": (429, _("Too many results"), _TOO_OFTEN),
    # It is not known whether a card was charged: the page must query the status.
    "internal_error": (
        500,
        _("Unexpected error"),
        _("Something went wrong. Load the page again before you try anything else."),
    ),
    "checkout_unavailable": (
        503,
        _("The payment page is not available"),
        _("The payment page cannot be opened right now. Nothing was charged. Try again later."),
    ),
    "wallet_unavailable": (
        503,
        _("The wallet is not available"),
        _("Your wallet cannot be used right now. Please pay on the payment page."),
    ),
    "try_again": (503, _("Temporary failure"), _NOT_CHARGED),
    "not_configured": (503, _("Payments are not configured"), _("Payments are not available right now.")),
}
"""The status, the title and the usual detail of each code."""


class Problem(exceptions.APIException):
    """One of `PROBLEMS`; `csrf_token` is a new one for a page of our own that has none that is valid."""

    def __init__(self, code: str, detail: Promise | str = "", *, csrf_token: str = "") -> None:
        self.status_code, self.title, usual = PROBLEMS[code]
        self.csrf_token = csrf_token
        if self.status_code == status.HTTP_401_UNAUTHORIZED:
            # RFC 6750, section 3.1.
            self.auth_header = f'Bearer error="{code}"'
        super().__init__(str(detail or usual), code)


class SessionUnreadable(Problem):
    """The store of the sessions does not answer, so it is not known which browser asks; nothing was done."""

    def __init__(self) -> None:
        super().__init__("try_again")


_REFUSALS: Mapping[object, str] = {
    ErrorCode.WALLET_SESSION_UNKNOWN: "unknown_link",
    ErrorCode.TOO_MANY_RESULTS: "too_many_results",
    ErrorCode.WALLET_LIMIT_REACHED: "wallet_limit_reached",
    ErrorCode.ORDER_ENDED: "order_not_payable",
    errors.InvalidInput: "invalid_result",
    errors.OrderNotPayable: "order_not_payable",
    errors.CardRefused: "card_refused",
    errors.PriceChanged: "price_changed",
    errors.TryAgain: "try_again",
}
"""The answer to a refusal by its code, else by its class. After each of these, nothing was charged."""


def as_answer(fault: Exception, context: dict[str, Any]) -> Response:
    """Return the problem details of any error; report an unexpected one as Django does."""
    hide_variables(fault)
    known = _known(fault)
    problem = known or Problem("internal_error")
    response = exception_handler(problem, context)
    assert response is not None  # noqa: S101 - it is an exception of the REST framework
    code = str(problem.get_codes())
    _status, title, usual = PROBLEMS[code]
    # REST framework's own words are not for the customer.
    detail = problem.detail if isinstance(problem, Problem) else usual
    response.content_type = CONTENT_TYPE
    response.data = {
        "type": f"{TYPE_PREFIX}{code}",
        "title": str(title),
        "status": response.status_code,
        "detail": str(detail),
        "code": code,
    }
    if isinstance(problem, Problem) and problem.csrf_token:
        response.data["csrfToken"] = problem.csrf_token
    if known is None:
        request = context["request"]._request
        got_request_exception.send(sender=None, request=request)
        text = "Internal Server Error: %s"
        log_response(text, request.path, response=response, request=request, exception=fault)
    return response


def _known(fault: Exception) -> exceptions.APIException | None:
    """Return what is answered to an error; None for an unexpected one."""
    match fault:
        case ImproperlyConfigured():
            # The log names the setting, the answer to the customer does not.
            logger.error("wallet payments are not configured", exc_info=fault)
            return Problem("not_configured")
        case SessionUnreadable():
            logger.error("the session of a request could not be read", exc_info=fault)
            return fault
        case exceptions.APIException():
            return fault
        case PaymentOrder.DoesNotExist() | Http404():
            return Problem("unknown_link")
        case RequestDataTooBig():
            return Problem("too_large")
        case SuspiciousOperation():
            # Django's own limits, such as that of the number of parameters.
            return Problem("invalid_body")
        case errors.OperationError():
            return _refusal(fault)
    return None


def _refusal(fault: errors.OperationError) -> Problem:
    code = _REFUSALS.get(fault.code) or _REFUSALS.get(type(fault), "wallet_unavailable")
    # The message of an operation is for the log: it may name the gateway and the order.
    if not fault.is_logged and code != "unknown_link":
        logger.warning("refused as %s: %r", code, fault)
    # Nobody may read of an order without a payment that it is paid.
    return Problem(code, _ENDED if fault.code is ErrorCode.ORDER_ENDED else "")
