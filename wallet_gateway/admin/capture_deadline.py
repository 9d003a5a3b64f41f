"""How long the authorizations of listed orders can be captured: a column, and a filter for urgent ones.

The list reads since when its orders have held money in one SQL statement per page, whatever its length.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from wallet_gateway import conf, gateways
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.maintenance import with_money
from wallet_gateway.reports.work import expiring_orders

_HOUR = timedelta(hours=1)


def time_left(order: PaymentOrder) -> str:
    """Return how long an order of the list can still be captured; `-` where no money is held."""
    since: datetime | None = getattr(order, "held_since", None)
    gateway = conf.find_gateway(order.gateway)
    if since is None or gateway is None:
        return "-"
    return in_words(gateway.policy.capture_window.expires_at(since) - gateways.clock().now())


def in_words(left: timedelta) -> str:
    """Return the remaining time in days, or in hours if it is less than two days."""
    hours = left // _HOUR
    if left <= timedelta():
        return _("may have expired")
    if hours >= 48:
        days = hours // 24
        return ngettext("%(count)d day", "%(count)d days", days) % {"count": days}
    if not hours:
        return _("less than an hour")
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}


def expires_from() -> Mapping[str, datetime]:
    """Return for each gateway the time before which its authorizations are about to expire."""
    now = gateways.clock().now()
    known = conf.settings().gateways.items()
    return {alias: given.policy.capture_window.warns_from(now) for alias, given in known}


class EndsSoon(admin.SimpleListFilter):
    """Filter for orders with an authorization that is about to expire, counted as on the dashboard."""

    title = gettext_lazy("time to capture")
    parameter_name = "expires"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:  # noqa: ARG002
        """Return the one choice besides "all"."""
        return [("soon", _("Ends soon"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PaymentOrder]) -> QuerySet[PaymentOrder]:  # noqa: ARG002
        """Return the orders whose payments hold money and expire soon."""
        if self.value() != "soon":
            return queryset
        return queryset.filter(expiring_orders(expires_from()), with_money(gateways.live_aliases()))
