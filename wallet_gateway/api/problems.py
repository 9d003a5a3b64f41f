"""Failures as JSON: one shape, `{code, message}`, and no word about the inside of the shop."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

logger = logging.getLogger(__name__)


class UnknownLink(APIException):
    """The token is not ours, or names nothing: the two are not told apart."""

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


def as_problem(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Put the REST framework's answer to a failure into our shape; what it does not know stays a failure."""
    if isinstance(fault, ImproperlyConfigured):
        logger.error("wallet payments are not configured: %s", fault)
        fault = NotConfigured()
    response = exception_handler(fault, context)
    if response is not None and isinstance(fault, APIException):
        response.data = {"code": fault.get_codes(), "message": str(fault.detail)}
    return response
