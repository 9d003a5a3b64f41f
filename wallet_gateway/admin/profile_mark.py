"""The TEST mark: which pages and rows are about a gateway with which no real money moves."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Model
from django.utils.html import format_html
from django.utils.translation import gettext as _

from wallet_gateway import conf, gateways

TEST_SUFFIX = "-test"
"""Ends the first part of the name of a file about tests only, so that nobody books it."""


def are_all_tests() -> bool:
    """Return whether the settings have test gateways only: then every page is about tests."""
    known = conf.settings().gateways
    return bool(known) and not conf.wrong_accounts() and all(map(gateways.is_test, known))


def tests_beside_real_money() -> tuple[str, ...]:
    """Return the test gateways, which are not added to real money; none if there are only tests."""
    return () if are_all_tests() else tuple(filter(gateways.is_test, conf.settings().gateways))


def is_test_page(gateway: str = "") -> bool:
    """Return whether a page gets the mark; `gateway` is the one that it is about, empty for all."""
    return gateways.is_test(gateway) if gateway else are_all_tests()


def only_one(gateways_of_rows: Iterable[str]) -> str:
    """Return the gateway that all rows of a page have; empty if they have several."""
    found = set(gateways_of_rows)
    return found.pop() if len(found) == 1 else ""


def gateway_of(row: Model) -> str:
    """Return the gateway of a row or of its transaction; empty if it may have several, as a batch."""
    own = getattr(row, "gateway", "") or getattr(getattr(row, "transaction", None), "gateway", "")
    return str(own)


def marked_name(gateway: str) -> str:
    """Return a gateway's alias for a list, with the mark where it is a test."""
    if not gateways.is_test(gateway):
        return gateway
    return format_html('{} <strong class="wallet-badge wallet-badge--test">{}</strong>', gateway, _("TEST"))
