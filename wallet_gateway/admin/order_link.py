"""The link from an order's page to the shop's own page of the order: the setting `ORDER_ADMIN_URL`."""

from __future__ import annotations

import logging
import re
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.urls import NoReverseMatch
from django.utils.module_loading import import_string

from wallet_gateway import conf
from wallet_gateway.models import PaymentOrder

logger = logging.getLogger("wallet_gateway.admin")

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
"""Characters that browsers drop or read as others: `/\\evil.example` leads to another host."""


def link_of(order: PaymentOrder) -> str:
    """Return the URL of the shop's page of an order; empty without the setting, the page or a safe URL.

    An order that the shop does not know has no link. Any other error of the shop's function is raised.
    """
    try:
        path = conf.settings().order_admin_url
        url = import_string(path)(order) if path else None
    except ImproperlyConfigured:
        # The system checks say what is wrong; the page is needed all the same.
        return ""
    except (ObjectDoesNotExist, NoReverseMatch) as error:
        logger.warning("ORDER_ADMIN_URL knows no page of %s: %s", order.reference, type(error).__name__)
        return ""
    if url and not is_linkable(url):
        logger.error("ORDER_ADMIN_URL gave no http(s) or relative URL for %s", order.reference)
        return ""
    return str(url or "")


def is_linkable(url: object) -> bool:
    """Return whether a value is an absolute URL of http or https, or a path on this site."""
    if not isinstance(url, str) or _UNSAFE.search(url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme or parts.netloc:
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    return url.startswith("/")
