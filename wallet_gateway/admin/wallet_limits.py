"""Limits of the wallet button in the admin: the orders whose button is closed, and the page that opens it."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf, gateways, payments
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.forms import ReasonForm
from wallet_gateway.admin.pages import render_page, row_url
from wallet_gateway.admin.permissions import RAISE_LIMITS, person_of, require_permission
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.domain.policy import WalletLimit, WalletLimits
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_short_datetime
from wallet_gateway.models import GatewayTransaction, PaymentOrder, WalletUsage
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments.errors import OperationRefused
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import closed_buttons


class WalletClosed(admin.SimpleListFilter):
    """Filter for unpaid orders whose wallet button a limit has closed, counted as on the dashboard."""

    title = gettext_lazy("wallet button")
    parameter_name = "wallet"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:  # noqa: ARG002
        """Return the one choice besides "all"."""
        return [("closed", _("Closed by a limit"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PaymentOrder]) -> QuerySet[PaymentOrder]:  # noqa: ARG002
        """Return the orders that a person should look at."""
        if self.value() != "closed":
            return queryset
        return queryset.filter(closed_buttons(gateways.clock().now()))


def raise_limits(site: AdminSite, request: HttpRequest, order_id: int) -> HttpResponse:
    """Require a reason, then open an order's wallet button again with as much as before."""
    require_permission(request, RAISE_LIMITS)
    order = get_object_or_404(PaymentOrder, pk=order_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _raised(request, order, form):
        return HttpResponseRedirect(row_url(order))
    context = {
        "title": _("Raise the limits of the wallet button"),
        "verb": _("Raise the limits"),
        "explanation": _(
            "The order's wallet button can be used again: each limit is added once more in full. Check first "
            "that you know the customer: people who test stolen cards ask for more, too."
        ),
        "form": form,
        "back": row_url(order),
        "facts": _facts(order),
    }
    return render_page(site, request, "decide.html", context, about=[order])


def _raised(request: HttpRequest, order: PaymentOrder, form: ReasonForm) -> bool:
    reason = form.cleaned_data["reason"]
    try:
        payments.wallet.raise_limits(order, by=person_of(request), reason=reason)
    except OperationRefused as error:
        form.refuse(refusal_text(error, gateway=order.gateway))
        return False
    log_change(request, order, _("Limits of the wallet button raised: %(reason)s") % {"reason": reason})
    messages.success(request, _("The wallet button of the order is open again."))
    return True


def _facts(order: PaymentOrder) -> list[tuple[str | Promise, object]]:
    gateway = conf.find_gateway(order.gateway)
    limits = gateway.wallet.limits if gateway and gateway.wallet else WalletLimits()
    usage = WalletUsage.objects.filter(order=order).first() or WalletUsage()
    sent = GatewayTransaction.objects.filter(
        payment__order=order, kind=TransactionKind.AUTHORIZATION, attempt_no__gt=0
    )
    used = {limit: getattr(usage, limit.lower(), 0) for limit in WalletLimit}
    used[WalletLimit.AUTHORIZATIONS] = sent.count()
    counted = []
    for limit, number in used.items():
        numbers = {"used": number, "allowed": limits.maximum(limit, raised=usage.raised)}
        counted.append((label_of(limit), _("%(used)d of %(allowed)d") % numbers))
    closed_at = order.wallet_closed_at
    since = format_short_datetime(closed_at) if closed_at else "-"
    return [(_("Order"), visible(order)), (_("Closed since"), since), *counted]
