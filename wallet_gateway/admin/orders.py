"""Orders in the admin: the list with its columns, filters and actions, and the links to operations.

A list page costs one statement each for the countdowns, the ways of paying, the payments (they may be tests)
and the sums, whatever its length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from wallet_gateway import conf, gateways
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.batches import draft_batch, query_many
from wallet_gateway.admin.confirm import OperationPage
from wallet_gateway.admin.decisions import CancelPage, RaiseLimitsPage, query_gateway
from wallet_gateway.admin.filters import ChoiceFilter, CreatedFilter
from wallet_gateway.admin.operation_registry import CAPTURE, REFUND, REVERSE
from wallet_gateway.admin.order_content import customer_name
from wallet_gateway.admin.order_page import order_page
from wallet_gateway.admin.pages import marked
from wallet_gateway.admin.read_only import (
    AmountsPaginator,
    Finder,
    ReadOnlyAdmin,
    SummedList,
    datetime_column,
    label_column,
    money_to_sum,
)
from wallet_gateway.formats import format_number
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.decisions import VIEW_CUSTOMER
from wallet_gateway.models.fields import label_of
from wallet_gateway.models.maintenance import with_money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.attempts import ways_of_paying
from wallet_gateway.reports.search import NEWEST, orders_found, orders_found_with_customer
from wallet_gateway.reports.work import closed_buttons, expiring_orders, held_since, unreleased

_HOUR = timedelta(hours=1)


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


class EndsSoon(ChoiceFilter):
    """Filter for orders with an authorization that is about to expire, counted as on the dashboard."""

    title = gettext_lazy("time to capture")
    parameter_name = "expires"

    ways = {
        "soon": (
            gettext_lazy("Ends soon"),
            lambda: expiring_orders(expires_from()) & with_money(gateways.live_aliases()),
        )
    }


class Unreleased(ChoiceFilter):
    """Filter for orders that are not released long after their end, counted as on the health page."""

    title = gettext_lazy("released")
    parameter_name = "released"
    ways = {"late": (gettext_lazy("Not, long after the end"), lambda: unreleased(gateways.clock().now()))}


class WalletClosed(ChoiceFilter):
    """Filter for unpaid orders whose wallet button a limit has closed, counted as on the dashboard."""

    title = gettext_lazy("wallet button")
    parameter_name = "wallet"
    ways = {"closed": (gettext_lazy("Closed by a limit"), lambda: closed_buttons(gateways.clock().now()))}


class OrderList(SummedList):
    """A change list that knows how each order on the page was paid, and since when it has held money."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page's orders and what is shown of each; drop the countdown where none is running."""
        if request.user.has_perm(VIEW_CUSTOMER):
            self.search_help_text = _(
                "Beginning of a reference, or of the customer's name; or whole: e-mail address, last four "
                "digits of the card, order number, value of the shop's metadata, transaction, the "
                "gateway's or the provider's id. Names and digits: in the newest %(count)s orders"
            ) % {"count": format_number(NEWEST)}
        super().get_results(request)
        orders = list(self.result_list)
        prefetch_related_objects(orders, "payments")
        keys = [order.pk for order in orders]
        since, ways = held_since(keys), ways_of_paying(keys)
        for order in orders:
            order.held_since = since.get(order.pk)
            order.ways_of_paying = ways.get(order.pk, frozenset())
        self.result_list = orders
        if not since:
            # A shop that never authorizes would see an empty column.
            self.list_display = [column for column in self.list_display if column != "to_capture"]


CREATED_AT = datetime_column("created_at", gettext_lazy("created at"))
STATE = state_column(gettext_lazy("state"))
AMOUNT = money_to_sum(gettext_lazy("amount"))
GATEWAY = label_column("gateway", gettext_lazy("gateway"))


@admin.register(PaymentOrder)
class PaymentOrderAdmin(ReadOnlyAdmin):
    """Orders to be paid; money moves from here through confirm pages."""

    change_form_template = "admin/wallet_gateway/order.html"
    paginator = AmountsPaginator
    changelist_class = OrderList
    finder = staticmethod(orders_found)
    search_help_text = gettext_lazy(
        "Beginning of a reference; or whole: order number, value of the shop's metadata, transaction, the "
        "gateway's or the provider's id"
    )
    list_display = ("name", STATE, AMOUNT, "customer", "way", "to_capture", CREATED_AT, GATEWAY)
    list_filter = ("state", CreatedFilter, EndsSoon, WalletClosed, Unreleased)
    when_empty = gettext_lazy(
        "There is no order yet. One appears here as soon as the shop calls payments.create_order, usually "
        "when a customer goes to pay."
    )
    actions = ("capture_many", "refund_many", "reverse_many", "query_many")
    fields = ()
    pages: ClassVar = {
        "operation": ("<int:order_id>/payments/<int:payment_id>/<slug:slug>/", OperationPage.view),
        "query": ("<int:order_id>/query/", query_gateway),
        "cancel": ("<int:order_id>/cancel/", CancelPage.view),
        "wallet_limits": ("<int:order_id>/wallet-limits/", RaiseLimitsPage.view),
    }

    @admin.display(description=gettext_lazy("order"))
    def name(self, order: PaymentOrder) -> str:
        """Return the shop's reference, and the number that the customer knows where it is another."""
        reference, number = visible(order), visible(order.order_number)
        shown = format_html('<span class="wallet-name">{}</span>', reference)
        if number and number != reference:
            shown = format_html('{}<span class="wallet-name wallet-name--second">{}</span>', shown, number)
        return marked(shown, order)

    @admin.display(description=gettext_lazy("customer"))
    def customer(self, order: PaymentOrder) -> str:
        """Return who has ordered; personal data."""
        return format_html('<span class="wallet-name">{}</span>', customer_name(order) or "-")

    @admin.display(description=gettext_lazy("paid by"))
    def way(self, order: PaymentOrder) -> str:
        """Return how an order was paid; `-` as long as nobody has paid it."""
        ways = sorted(getattr(order, "ways_of_paying", ()))
        return get_text_list([str(label_of(way)) for way in ways], _("and")) or "-"

    @admin.display(description=gettext_lazy("time to capture"))
    def to_capture(self, order: PaymentOrder) -> str:
        """Return how long the authorized amount can still be captured; `-` where no money is held."""
        since: datetime | None = getattr(order, "held_since", None)
        gateway = conf.find_gateway(order.gateway)
        if since is None or gateway is None:
            return "-"
        return in_words(gateway.policy.capture_window.expires_at(since) - gateways.clock().now())

    def get_list_display(self, request: HttpRequest) -> list[str | Callable[[Any], str | bool]]:
        """Return the columns: the gateway only if there are several, customers for those who may see them."""
        hidden: set[Any] = set()
        if len(conf.settings().gateways) < 2:
            hidden.add(GATEWAY)
        if not request.user.has_perm(VIEW_CUSTOMER):
            hidden.add("customer")
        return [column for column in self.list_display if column not in hidden]

    def get_finder(self, request: HttpRequest) -> Finder:
        """Return the search, by the customer too for those who may see customers."""
        return orders_found_with_customer if request.user.has_perm(VIEW_CUSTOMER) else self.finder

    # Permissions that the actions refer to

    def has_capture_permission(self, request: HttpRequest) -> bool:
        """Return whether the capture action is offered and allowed."""
        return request.user.has_perm(CAPTURE.permission)

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Return whether the refund action is offered and allowed."""
        return request.user.has_perm(REFUND.permission)

    def has_reverse_permission(self, request: HttpRequest) -> bool:
        """Return whether the reversal action is offered and allowed."""
        return request.user.has_perm(REVERSE.permission)

    # Actions

    @admin.action(description=gettext_lazy("Capture the selected orders…"), permissions=["capture"])
    def capture_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a capture of many orders."""
        return draft_batch(request, CAPTURE, orders)

    @admin.action(description=gettext_lazy("Refund the selected orders…"), permissions=["refund"])
    def refund_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a refund of many orders."""
        return draft_batch(request, REFUND, orders)

    @admin.action(description=gettext_lazy("Reverse the selected orders…"), permissions=["reverse"])
    def reverse_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a reversal of many orders."""
        return draft_batch(request, REVERSE, orders)

    @admin.action(description=gettext_lazy("Ask the gateway about the selected orders"), permissions=["view"])
    def query_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Query the status of many orders and redirect to the results."""
        return query_many(request, orders.iterator())

    def page_context(self, request: HttpRequest, row: PaymentOrder) -> dict[str, Any]:
        """Add the order's totals, the possible operations and its history."""
        shown = {"state": state_badge(row), "number": visible(row.order_number)}
        return {"page": order_page(row, request), **shown}
