"""The confirm page of one operation on one payment, and the handling of its submission.

Money moves only by a button that names the amount. A page submitted with another amount than its button
names comes back with a button that names the new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import ImproperlyConfigured
from django.forms import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from wallet_gateway import payments
from wallet_gateway.admin.approvals import report_approval_request
from wallet_gateway.admin.forms import OperationForm, read_amount
from wallet_gateway.admin.operation_registry import (
    BY_SLUG,
    CAPTURE,
    REVERSE,
    Operation,
    approval_limit_of,
    reason_in_words,
)
from wallet_gateway.admin.pages import (
    StalePage,
    changed_since,
    issue_ticket,
    log_change,
    read_ticket,
    refusal_text,
    render_page,
    row_url,
    sentence_of,
    show_status,
    visible_request,
)
from wallet_gateway.admin.permissions import person_of, require_permission
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.payments.errors import AwaitingApproval, OperationRefused
from wallet_gateway.protocol.money import Money


@dataclass(kw_only=True)
class ConfirmPage:
    """One page request: the payment in its current state, and the current user."""

    site: AdminSite
    request: HttpRequest
    operation: Operation
    payment: Payment
    available: Money = field(init=False)

    def __post_init__(self) -> None:
        self.available = self.operation.available_of(self.payment)

    def answer(self) -> HttpResponse:
        """Show the page, or execute the operation that it confirms."""
        if self.request.method != "POST":
            return self._page(self._form())
        form = self._form(bound=True)
        if "preview" in self.request.POST:
            return self._page(form, preview_open=True)
        try:
            ticket = read_ticket(self.request.POST.get("ticket", ""), *self._page_of, person=self._person)
        except StalePage as stale:
            return self._refused(form, str(stale))
        # The payment was read before this: a transaction that used this key since then is found here.
        done = GatewayTransaction.objects.filter(idempotency_key=ticket.key).first()
        if done is not None:
            return self._done_before(done)
        if ticket.available != self.available.minor_units:
            return self._refused(form, changed_since(self.available))
        if not form.is_valid():
            return self._page(form)
        if self.request.POST.get("confirm") != form.asked.to_wire():
            return self._page(form, is_renamed=True)
        order, by = self.payment.order, person_of(self.request)
        given: dict[str, Any] = {
            "payment": self.payment,
            "idempotency_key": ticket.key,
            "by": by,
            **form.why,
        }
        try:
            if self.operation is REVERSE:
                transaction = payments.reverse(order, **given)
            else:
                capture_or_refund = payments.capture if self.operation is CAPTURE else payments.refund
                transaction = capture_or_refund(order, form.asked, **given)
        except AwaitingApproval as waiting:
            report_approval_request(self.request, order, waiting.approval)
            return HttpResponseRedirect(self._order_url)
        except (OperationRefused, ImproperlyConfigured) as error:
            why_not = refusal_text(error, gateway=order.gateway)
        else:
            # A user is waiting: what was not sent because the gateway is unreachable is abandoned at once
            # instead of being sent later, and its amount is available again.
            if not payments.follow_ups.give_up_unsent(transaction, by=by):
                why = reason_in_words(**form.why)
                what = f"{sentence_of(transaction, write=str)} ({transaction.reference}; {why})"
                log_change(self.request, order, what)
                show_status(self.request, transaction)
                return HttpResponseRedirect(self._order_url)
            why_not = _(
                "The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later."
            )
        self.payment.refresh_from_db()
        self.available = self.operation.available_of(self.payment)
        return self._refused(form, why_not)

    def _done_before(self, transaction: GatewayTransaction) -> HttpResponse:
        """Show what the first submission did; a second submission with another amount has changed nothing."""
        try:
            typed = read_amount(self.request.POST.get("amount", ""), transaction.currency)
            is_other = typed != transaction.amount
        except ValidationError:
            is_other = self.operation.in_parts
        if is_other:
            messages.warning(
                self.request,
                _("That page was used already, so nothing new was done. Open it again for another amount."),
            )
        show_status(self.request, transaction)
        return HttpResponseRedirect(self._order_url)

    # The page

    @property
    def _page_of(self) -> tuple[int, str]:
        return (self.payment.pk, self.operation.slug)

    @property
    def _person(self) -> str:
        return str(self.request.user.pk)

    @property
    def _order_url(self) -> str:
        return row_url(self.request, self.payment.order)

    def _form(self, *, bound: bool = False) -> OperationForm:
        given = self.request.POST if bound else None
        limit = approval_limit_of(
            self.operation,
            self.payment,
            gateway=self.payment.order.gateway,
            person=person_of(self.request),
        )
        return OperationForm(given, operation=self.operation, available=self.available, limit=limit)

    def _refused(self, form: OperationForm, why: str) -> HttpResponse:
        form.errors.clear()
        form.refuse(why)
        return self._page(form)

    def _page(
        self, form: OperationForm, *, preview_open: bool = False, is_renamed: bool = False
    ) -> HttpResponse:
        named = self._form(bound=True).asked if form.is_bound else self.available
        button = self.operation.button(named)
        if form.limit is not None and named.minor_units > form.limit.minor_units:
            button = _("Ask for %(amount)s") % {"amount": format_money(named)}
        is_any = bool(named.minor_units)
        context = {
            "title": self.operation.heading,
            "operation": self.operation,
            "payment": self.payment,
            "order": self.payment.order,
            "order_url": self._order_url,
            "available": format_money(self.operation.left_of(self.payment)),
            "currency": self.available.currency,
            "named": named.to_wire(),
            "button": button,
            "is_renamed": is_renamed,
            "why_not": self.operation.why_not_of(self.payment),
            # The form of a reversal has no amount.
            "said": [*form.non_field_errors(), *form.errors.get("amount", ())],
            "form": form,
            "ticket": issue_ticket(*self._page_of, person=self._person, available=self.available.minor_units),
            # For the amount in the form; without an amount, for all that is left.
            "request_body": visible_request(self.payment, self.operation.kind, named) if is_any else "",
            "preview_open": preview_open,
        }
        return render_page(self.site, self.request, "confirm.html", context, about=[self.payment])


def confirm(site: AdminSite, request: HttpRequest, order_id: int, payment_id: int, slug: str) -> HttpResponse:
    """Handle a request for the confirm page of an operation on a payment of an order."""
    operation = BY_SLUG.get(slug)
    if operation is None:
        raise Http404
    require_permission(request, operation.permission)
    payment = Payment.objects.select_related("order").filter(pk=payment_id).first()
    # Compared here: SQLite refuses a foreign key of more than 64 bits, where a primary key is found nowhere.
    if payment is None or payment.order_id != order_id:
        raise Http404
    return ConfirmPage(site=site, request=request, operation=operation, payment=payment).answer()
