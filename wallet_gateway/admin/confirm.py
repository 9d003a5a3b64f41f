"""The confirm page of one operation on one payment, and the handling of its submission.

Money moves only by a button that names the amount. A page submitted with another amount than its button
names comes back with a button that names the new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.forms import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from wallet_gateway.admin import confirm_tokens
from wallet_gateway.admin.approvals import report_approval_request
from wallet_gateway.admin.forms import OperationForm, read_amount
from wallet_gateway.admin.operation_registry import (
    BY_SLUG,
    NotDone,
    Operation,
    approval_limit_of,
    execute,
    reason_in_words,
)
from wallet_gateway.admin.pages import (
    log_change,
    render_page,
    row_url,
    sentence_of,
    show_status,
    visible_request,
)
from wallet_gateway.admin.permissions import person_of, require_permission
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.payments.errors import AwaitingApproval
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
        return self._submitted(form)

    def _submitted(self, form: OperationForm) -> HttpResponse:
        try:
            ticket = confirm_tokens.read(
                self.request.POST.get("ticket", ""), *self._page_of, person=self._person
            )
        except confirm_tokens.StalePage as stale:
            return self._refused(form, str(stale))
        # The payment was read before this: a transaction that used this key since then is found here.
        done = GatewayTransaction.objects.filter(idempotency_key=ticket.key).first()
        if done is not None:
            return self._done_before(done)
        if ticket.available != self.available.minor_units:
            return self._refused(form, confirm_tokens.changed_since(self.available))
        if not form.is_valid():
            return self._page(form)
        if self.request.POST.get("confirm") != form.asked.to_wire():
            return self._page(form, is_renamed=True)
        return self._confirmed(form, ticket)

    def _confirmed(self, form: OperationForm, ticket: confirm_tokens.Ticket) -> HttpResponse:
        try:
            transaction = execute(
                self.operation,
                self.payment,
                form.asked,
                key=ticket.key,
                by=person_of(self.request),
                **form.why,
            )
        except NotDone as error:
            self._look_again()
            return self._refused(form, str(error))
        except AwaitingApproval as waiting:
            report_approval_request(self.request, self.payment.order, waiting.approval)
            return HttpResponseRedirect(self._order_url)
        why = reason_in_words(**form.why)
        what = f"{sentence_of(transaction, write=str)} ({transaction.reference}; {why})"
        log_change(self.request, self.payment.order, what)
        show_status(self.request, transaction)
        return HttpResponseRedirect(self._order_url)

    def _done_before(self, transaction: GatewayTransaction) -> HttpResponse:
        """Show what the first submission did; a second submission with another amount has changed nothing."""
        if self._typed_other_than(transaction):
            messages.warning(
                self.request,
                _("That page was used already, so nothing new was done. Open it again for another amount."),
            )
        show_status(self.request, transaction)
        return HttpResponseRedirect(self._order_url)

    def _typed_other_than(self, transaction: GatewayTransaction) -> bool:
        try:
            typed = read_amount(self.request.POST.get("amount", ""), transaction.currency)
        except ValidationError:
            return self.operation.in_parts
        return typed != transaction.amount

    # The page

    @property
    def _page_of(self) -> tuple[int, str]:
        return (self.payment.pk, self.operation.slug)

    @property
    def _person(self) -> str:
        return str(self.request.user.pk)

    @property
    def _order_url(self) -> str:
        return row_url(self.payment.order)

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

    def _look_again(self) -> None:
        self.payment.refresh_from_db()
        self.available = self.operation.available_of(self.payment)

    def _page(
        self, form: OperationForm, *, preview_open: bool = False, is_renamed: bool = False
    ) -> HttpResponse:
        named = self._form(bound=True).asked if form.is_bound else self.available
        context = {
            "title": self.operation.heading,
            "operation": self.operation,
            "payment": self.payment,
            "order": self.payment.order,
            "order_url": self._order_url,
            "available": format_money(self.operation.left_of(self.payment)),
            "currency": self.available.currency,
            "named": named.to_wire(),
            "button": self._asking(named, form) or self.operation.button(named),
            "is_renamed": is_renamed,
            "why_not": self.operation.why_not_of(self.payment),
            # The form of a reversal has no amount.
            "said": [*form.non_field_errors(), *form.errors.get("amount", ())],
            "form": form,
            "ticket": confirm_tokens.issue(
                *self._page_of, person=self._person, available=self.available.minor_units
            ),
            "request_body": self._request_body(named),
            "preview_open": preview_open,
        }
        return render_page(self.site, self.request, "confirm.html", context, about=[self.payment])

    def _asking(self, named: Money, form: OperationForm) -> str:
        """Return the button's text where it asks for a second person; empty where it moves the amount."""
        if form.limit is None or named.minor_units <= form.limit.minor_units:
            return ""
        return _("Ask for %(amount)s") % {"amount": format_money(named)}

    def _request_body(self, asked: Money) -> str:
        """Return the request body for the amount in the form, or for all that is left if there is none."""
        return visible_request(self.payment, self.operation.kind, asked) if asked.minor_units else ""


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
