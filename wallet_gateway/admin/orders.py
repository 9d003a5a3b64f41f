"""Orders in the admin: the list with its actions, the page of one order, and the links to operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf
from wallet_gateway.admin import operation_registry
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.batches import draft_batch, query_orders
from wallet_gateway.admin.cancel_order import Unreleased, cancel_order
from wallet_gateway.admin.capture_deadline import EndsSoon, time_left
from wallet_gateway.admin.confirm import confirm
from wallet_gateway.admin.date_range import CreatedFilter
from wallet_gateway.admin.decisions import query_gateway
from wallet_gateway.admin.list_sums import AmountsPaginator, money_to_sum
from wallet_gateway.admin.order_customer import customer_name
from wallet_gateway.admin.order_list import OrderList, name_of, way_of
from wallet_gateway.admin.order_page import order_page
from wallet_gateway.admin.permissions import VIEW_CUSTOMER, has_permission
from wallet_gateway.admin.profile_mark import marked
from wallet_gateway.admin.read_only import Finder, ReadOnlyAdmin, datetime_column, label_column
from wallet_gateway.admin.wallet_limits import WalletClosed, raise_limits
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.search import orders_found, orders_found_with_customer

CREATED_AT = datetime_column("created_at", _("created at"))
STATE = state_column(_("state"))
AMOUNT = money_to_sum(_("amount"))
GATEWAY = label_column("gateway", _("gateway"))


@admin.register(PaymentOrder)
class PaymentOrderAdmin(ReadOnlyAdmin):
    """Orders to be paid; money moves from here through confirm pages."""

    change_form_template = "admin/wallet_gateway/order.html"
    paginator = AmountsPaginator
    finder = staticmethod(orders_found)
    search_help_text = _(
        "Beginning of a reference; or whole: order number, value of the shop's metadata, transaction, the "
        "gateway's or the provider's id"
    )
    list_display = ("name", STATE, AMOUNT, "customer", "way", "to_capture", CREATED_AT, GATEWAY)
    list_filter = ("state", CreatedFilter, EndsSoon, WalletClosed, Unreleased)
    when_empty = _(
        "There is no order yet. One appears here as soon as the shop calls payments.create_order, usually "
        "when a customer goes to pay."
    )
    actions = ("capture_many", "refund_many", "reverse_many", "query_many")
    fields = ()

    @admin.display(description=_("order"))
    def name(self, order: PaymentOrder) -> str:
        """Return the shop's reference, and the number that the customer knows where it is another."""
        return marked(name_of(order), order)

    @admin.display(description=_("customer"))
    def customer(self, order: PaymentOrder) -> str:
        """Return who has ordered; personal data."""
        return format_html('<span class="wallet-name">{}</span>', customer_name(order) or "-")

    @admin.display(description=_("paid by"))
    def way(self, order: PaymentOrder) -> str:
        """Return the way by which the order was paid."""
        return way_of(order)

    @admin.display(description=_("time to capture"))
    def to_capture(self, order: PaymentOrder) -> str:
        """Return how long the authorized amount can still be captured."""
        return time_left(order)

    def get_list_display(self, request: HttpRequest) -> list[str | Callable[[Any], str | bool]]:
        """Return the columns: the gateway only if there are several, customers for those who may see them."""
        hidden: set[Any] = set()
        if len(conf.settings().gateways) < 2:
            hidden.add(GATEWAY)
        if not has_permission(request, VIEW_CUSTOMER):
            hidden.add("customer")
        return [column for column in self.list_display if column not in hidden]

    def get_finder(self, request: HttpRequest) -> Finder:
        """Return the search, by the customer too for those who may see customers."""
        return orders_found_with_customer if has_permission(request, VIEW_CUSTOMER) else self.finder

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[OrderList]:  # noqa: ARG002
        """Use a list that knows how its orders were paid, and what they come to."""
        return OrderList

    # Permissions that the actions refer to

    def has_capture_permission(self, request: HttpRequest) -> bool:
        """Return whether the capture action is offered and allowed."""
        return has_permission(request, operation_registry.CAPTURE.permission)

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Return whether the refund action is offered and allowed."""
        return has_permission(request, operation_registry.REFUND.permission)

    def has_reverse_permission(self, request: HttpRequest) -> bool:
        """Return whether the reversal action is offered and allowed."""
        return has_permission(request, operation_registry.REVERSE.permission)

    # Actions

    @admin.action(description=_("Capture the selected orders…"), permissions=["capture"])
    def capture_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a capture of many orders."""
        return draft_batch(request, operation_registry.CAPTURE, orders)

    @admin.action(description=_("Refund the selected orders…"), permissions=["refund"])
    def refund_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a refund of many orders."""
        return draft_batch(request, operation_registry.REFUND, orders)

    @admin.action(description=_("Reverse the selected orders…"), permissions=["reverse"])
    def reverse_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Redirect to the page that confirms a reversal of many orders."""
        return draft_batch(request, operation_registry.REVERSE, orders)

    @admin.action(description=_("Ask the gateway about the selected orders"), permissions=["view"])
    def query_many(self, request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
        """Query the status of many orders and redirect to the results."""
        return query_orders(request, orders)

    # Pages

    def get_urls(self) -> list[URLPattern]:
        """Add the pages of operations before Django's own URLs."""
        own = [
            path(
                "<int:order_id>/payments/<int:payment_id>/<slug:slug>/",
                self.staff_view(confirm),
                name="wallet_gateway_paymentorder_operation",
            ),
            path(
                "<int:order_id>/query/",
                self.staff_view(query_gateway),
                name="wallet_gateway_paymentorder_query",
            ),
            path(
                "<int:order_id>/cancel/",
                self.staff_view(cancel_order),
                name="wallet_gateway_paymentorder_cancel",
            ),
            path(
                "<int:order_id>/wallet-limits/",
                self.staff_view(raise_limits),
                name="wallet_gateway_paymentorder_wallet_limits",
            ),
        ]
        return own + super().get_urls()

    def page_context(self, request: HttpRequest, row: PaymentOrder) -> dict[str, Any]:
        """Add the order's totals, the possible operations and its history."""
        shown = {"state": state_badge(row), "number": visible(row.order_number)}
        return {"page": order_page(row, request), **shown}
