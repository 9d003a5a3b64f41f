"""The list of orders: what its columns show beyond the order's own row, and the sums below it.

A list page costs one statement each for the countdowns, the ways of paying, the payments (they may be tests)
and the sums, whatever its length.
"""

from __future__ import annotations

from django.db.models import prefetch_related_objects
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from wallet_gateway.admin.list_sums import SummedList
from wallet_gateway.admin.permissions import VIEW_CUSTOMER, has_permission
from wallet_gateway.formats import format_number
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.attempts import ways_of_paying
from wallet_gateway.reports.search import NEWEST
from wallet_gateway.reports.work import held_since


class OrderList(SummedList):
    """A change list that knows how each order on the page was paid, and since when it has held money."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page's orders and what is shown of each; drop the countdown where none is running."""
        if has_permission(request, VIEW_CUSTOMER):
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


def name_of(order: PaymentOrder) -> str | SafeString:
    """Return the order's reference, and below it the number that the customer knows where that is another."""
    reference, number = visible(order), visible(order.order_number)
    shown = format_html('<span class="wallet-name">{}</span>', reference)
    if not number or number == reference:
        return shown
    return format_html('{}<span class="wallet-name wallet-name--second">{}</span>', shown, number)


def way_of(order: PaymentOrder) -> str:
    """Return how an order of the list was paid; `-` as long as nobody has paid it."""
    ways = sorted(getattr(order, "ways_of_paying", ()))
    return get_text_list([str(label_of(way)) for way in ways], _("and")) or "-"
