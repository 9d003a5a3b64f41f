"""The TEST mark: which pages, rows and figures are about tests, with which no real money moves.

What was stored with a payment decides; of what has none, the profile that its gateway has today.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Model, prefetch_related_objects
from django.utils.html import format_html
from django.utils.translation import gettext as _

from wallet_gateway import conf, gateways
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.maintenance import is_test_row

TEST_SUFFIX = "-test"
"""Ends the first part of the name of a file about tests only, so that nobody books it."""


def are_all_tests() -> bool:
    """Return whether the settings have test gateways only: then every page is about tests."""
    known = conf.settings().gateways
    return bool(known) and not conf.wrong_accounts() and all(map(gateways.is_test, known))


def figures_are_tests() -> bool:
    """Return whether the figures are of tests: of anything else there is neither a gateway nor a payment."""
    return are_all_tests() and not Payment.objects.exclude(is_test=True).exists()


def tests_beside_real_money() -> tuple[str, ...]:
    """Return the gateways whose tests are not added to real money; none if there are only tests."""
    if figures_are_tests():
        return ()
    known = filter(gateways.is_test, conf.settings().gateways)
    stored = PaymentOrder.objects.filter(payments__is_test=True).order_by().values_list("gateway", flat=True)
    return tuple(sorted({*known, *stored.distinct()}))


def mark_of(rows: Iterable[Model]) -> dict[str, bool]:
    """Return what the mark of a page says that is about these rows; without any, about all gateways."""
    rows = list(rows)
    prefetch_related_objects([row for row in rows if isinstance(row, PaymentOrder)], "payments")
    is_test = all(is_test_row(row, is_test_page) for row in rows) if rows else are_all_tests()
    return {
        "is_test": is_test,
        "was_test": is_test and not all(is_test_page(gateway_of(row)) for row in rows),
    }


def is_test_page(gateway: str = "") -> bool:
    """Return whether a page gets the mark; `gateway` is the one that it is about, empty for all."""
    return gateways.is_test(gateway) if gateway else are_all_tests()


def gateway_of(row: Model) -> str:
    """Return the gateway of a row or of its transaction; empty if it may have several, as a batch."""
    parent = getattr(row, "transaction", None) or getattr(row, "order", None)
    return str(getattr(row, "gateway", "") or getattr(parent, "gateway", ""))


def marked(text: str, row: Model) -> str:
    """Return a text of a row in a list, with the mark where the row is a test and the page has none."""
    if is_test_page() or not is_test_row(row, gateways.is_test):
        return text
    return format_html('{} <strong class="wallet-badge wallet-badge--test">{}</strong>', text, _("TEST"))
