"""The page that cancels an order which is not paid: it says what was begun, and requires a confirmation."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways, payments
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.forms import NoteForm
from wallet_gateway.admin.pages import render_page, row_url
from wallet_gateway.admin.permissions import CANCEL_ORDER, has_permission, person_of, require_permission
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.formats import format_money
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.orders import CANCELLABLE_STATES
from wallet_gateway.payments.errors import OperationRefused
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import unreleased


class Unreleased(admin.SimpleListFilter):
    """Filter for orders that are not released long after their end, counted as on the health page."""

    title = gettext_lazy("released")
    parameter_name = "released"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:  # noqa: ARG002
        """Return the one choice besides "all"."""
        return [("late", _("Not, long after the end"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PaymentOrder]) -> QuerySet[PaymentOrder]:  # noqa: ARG002
        """Filter the list."""
        return queryset.filter(unreleased(gateways.clock().now())) if self.value() == "late" else queryset


def cancel_url_of(order: PaymentOrder, request: HttpRequest) -> str:
    """Return the address of the page; empty if the order cannot be cancelled, or not by this user."""
    if order.is_cancelled or order.state not in CANCELLABLE_STATES:
        return ""
    if not has_permission(request, CANCEL_ORDER):
        return ""
    return reverse("admin:wallet_gateway_paymentorder_cancel", args=[order.pk])


def cancel_order(site: AdminSite, request: HttpRequest, order_id: int) -> HttpResponse:
    """Show what a cancellation means for an order, then cancel it."""
    require_permission(request, CANCEL_ORDER)
    order = get_object_or_404(PaymentOrder, pk=order_id)
    form = NoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _cancelled(request, order, form):
        return HttpResponseRedirect(row_url(order))
    context = {
        "title": _("Cancel the order"),
        "verb": _("Cancel the order"),
        "back_label": _("Keep the order"),
        "explanation": _(
            "Nobody can begin to pay the order any more, and this cannot be undone. What the customer has "
            "begun cannot be stopped: the gateway is asked until it has ended, and only then are the goods "
            "free."
        ),
        "hint": _("No money is given back: for that, refund or reverse the payment."),
        "form": form,
        "back": row_url(order),
        "facts": _facts(order),
    }
    return render_page(site, request, "decide.html", context, about=[order])


def _cancelled(request: HttpRequest, order: PaymentOrder, form: NoteForm) -> bool:
    note = form.cleaned_data["note"].strip()
    try:
        order = payments.cancel(order, by=person_of(request), note=note)
    except OperationRefused as error:
        form.refuse(refusal_text(error, gateway=order.gateway))
        return False
    log_change(request, order, _("Order cancelled: %(note)s") % {"note": note or "-"})
    if order.is_released:
        messages.success(request, _("The order is cancelled. Its goods are free."))
    else:
        text = _("The order is cancelled. Its goods are free when what the customer has begun has ended.")
        messages.warning(request, text)
    return True


def _facts(order: PaymentOrder) -> list[tuple[str | Promise, object]]:
    return [
        (_("Order"), visible(order)),
        (_("Amount"), format_money(order.amount)),
        (_("State"), order.get_state_display()),
    ]
