"""The pages on which a person decides: on an outcome, an unsent transaction, a difference, or an order.

Each page of a transaction requires a reason, which is stored as a transaction event with the name of the user
who gave it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf, payments
from wallet_gateway.admin.confirm import ConfirmPage
from wallet_gateway.admin.forms import DecisionForm, NoteForm
from wallet_gateway.admin.operation_registry import hint_of_decision
from wallet_gateway.admin.pages import log_change, page_url, row_url, sentence_of, show_status
from wallet_gateway.admin.permissions import CANCEL_ORDER, RAISE_LIMITS, person_of, require_permission
from wallet_gateway.admin.tasks import Label, sentence_of_difference, taking_button, taking_words
from wallet_gateway.documentation import address_of
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.policy import WalletLimit, WalletLimits
from wallet_gateway.domain.states import CANCELLABLE_STATES, TransactionKind, TransactionState
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, WalletUsage
from wallet_gateway.models.decisions import OF_KIND, RESOLVE
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import bookable_differences, is_bookable


def query_gateway(site: AdminSite, request: HttpRequest, order_id: int) -> HttpResponse:  # noqa: ARG001
    """Query the gateway about the whole order and return to its page. This changes nothing at the gateway."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    order = get_object_or_404(PaymentOrder, pk=order_id)
    before = order.state
    try:
        order = payments.reconcile(order, everything=True)
    except ImproperlyConfigured:
        messages.error(request, _("The order's gateway is not in the settings."))
    else:
        log_change(request.user, order, _("Asked the gateway."))
        moved = _("The gateway was asked; the order has changed.")
        same = _("The gateway was asked; the order stands as before.")
        messages.info(request, moved if order.state != before else same)
    return HttpResponseRedirect(row_url(request, order))


def mark_refusal_seen(site: AdminSite, request: HttpRequest, transaction_id: int) -> HttpResponse:  # noqa: ARG001
    """Record that the current user has seen a refusal, and return to the page with the button."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    transaction = _transaction(transaction_id)
    require_permission(request, OF_KIND.get(TransactionKind(transaction.kind), RESOLVE))
    payments.follow_ups.mark_refusal_seen(transaction, by=person_of(request))
    log_change(request.user, transaction, _("Refusal seen."))
    messages.success(request, _("Marked as seen."))
    pages = {row_url(request, transaction), page_url(request, "dashboard_changelist")}
    if transaction.payment is not None:
        pages.add(row_url(request, transaction.payment.order))
    back = request.POST.get("back", "")
    return HttpResponseRedirect(back if back in pages else row_url(request, transaction))


def _transaction(transaction_id: int) -> GatewayTransaction:
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return get_object_or_404(rows, pk=transaction_id)


# One transaction


class TransactionPage(ConfirmPage):
    """What the pages about one transaction share."""

    row: GatewayTransaction
    place: Model

    def __init__(self, site: AdminSite, request: HttpRequest, transaction_id: int) -> None:
        row = _transaction(transaction_id)
        place = row.payment.order if row.payment else row
        super().__init__(site, request, self.permission_for(row), row, place=place)

    def permission_for(self, row: GatewayTransaction) -> str:  # noqa: ARG002 - for subclasses
        """Return the permission that the page needs."""
        return RESOLVE

    def open_differences(self) -> QuerySet[Discrepancy]:
        """Return what a person has not looked at yet."""
        return Discrepancy.objects.filter(transaction=self.row, closed_at__isnull=True).order_by("pk")

    def describe(self) -> None:
        """Show what was asked for and what is known of it."""
        self.facts = [
            (_("Asked for"), sentence_of(self.row)),
            (_("Reference"), self.row.reference),
            (_("Since"), format_short_datetime(self.row.state_changed_at)),
            (_("Answers in a row that ended nothing"), self.row.absent_count),
            *((_("Difference"), sentence_of_difference(row)) for row in self.open_differences()),
        ]

    def tell(self, transaction: GatewayTransaction) -> None:
        """Show and log what became of the transaction."""
        what = f"{self.title}: {sentence_of(transaction, write=str)} ({transaction.reference})"
        log_change(self.request.user, self.place, what)
        show_status(self.request, transaction)


class SendAgainPage(TransactionPage):
    """The page that sends an unsent transaction again."""

    title = gettext_lazy("Send again")
    explanation = gettext_lazy("Not one byte of this request has left. The same request is sent, once.")

    def permission_for(self, row: GatewayTransaction) -> str:
        """Return the permission of the operation."""
        return OF_KIND.get(TransactionKind(row.kind), RESOLVE)

    def describe(self) -> None:
        """Name the operation on the button."""
        super().describe()
        what = {
            "kind": label_of(TransactionKind(self.row.kind)),
            "amount": format_money(self.row.amount),
        }
        self.verb = _("Send again: %(kind)s of %(amount)s") % what

    def act(self) -> None:
        """Send it again."""
        comment = self.form.cleaned_data["reason"]
        self.tell(payments.follow_ups.send_again(self.row, by=self.by, comment=comment))


class DecidePage(TransactionPage):
    """The page for a person's decision on a transaction whose outcome no event has settled."""

    title = gettext_lazy("Decide on an outcome")
    verb = gettext_lazy("Record the decision")

    @property
    def may_accept(self) -> bool:
        """Whether what the gateway shows can be accepted."""
        is_shown = self.row.shown_minor is not None or self.row.approved_minor is not None
        return self.row.state == TransactionState.ANOMALY and is_shown

    @cached_property
    def form(self) -> DecisionForm:
        """What happened, and how this person knows."""
        return DecisionForm(self.posted, may_accept=self.may_accept)

    def shown(self) -> list[Any]:
        """Return the state and the differences: nobody decides on what came later."""
        since = self.row.state_changed_at.isoformat()
        return [self.row.state, since, [row.pk for row in self.open_differences()]]

    def describe(self) -> None:
        """Say what can be decided, and what to do before."""
        super().describe()
        row = self.row
        if row.undocumented_state and row.state != TransactionState.ANOMALY:
            self.explanation = _(
                "The gateway says “%(word)s”, which the interface does not name as a state. Ask the provider "
                "what it means. If it means paid, teach the shop this word first: %(docs)s. The next status "
                "query decides then. If it did not happen, say so here; an order can be paid again then."
            ) % {
                "word": visible(row.undocumented_state),
                "docs": address_of("how-to/another-gateway", "other-words"),
            }
        else:
            remains = _("Decide only on what you have learned from the provider. Nothing is sent by this.")
            if row.state == TransactionState.ANOMALY and not self.may_accept:
                remains = _(
                    "The gateway has shown no approval with the requested amount and currency, so it cannot "
                    "be accepted. Ask the gateway again, or decide that it did not happen once the provider "
                    "has undone it."
                )
            books = _(
                "If another amount was captured or refunded, take it into our totals on the page of the "
                "difference."
            )
            self.explanation = f"{remains} {books}" if bookable_differences([row]) else remains
        self.hints = list(filter(None, [hint_of_decision(row, self.by)]))

    def act(self) -> None:
        """Record the decision."""
        given = self.form.cleaned_data
        decision, reason = given["decision"], given["reason"]
        self.tell(payments.approvals.resolve(self.row, decision=decision, reason=reason, by=self.by))


# One difference


class DiscrepancyPage(ConfirmPage):
    """What the pages about one difference share. They lead back to the order where they were opened there."""

    row: Discrepancy
    logged: Label
    done: Label
    end: Callable[..., object]

    def __init__(self, site: AdminSite, request: HttpRequest, discrepancy_id: int) -> None:
        rows = Discrepancy.objects.select_related("payment__order", "transaction__payment__order")
        row = get_object_or_404(rows, pk=discrepancy_id)
        self.is_from_order = request.GET.get("back") == "order" and row.payment is not None
        place = row.payment.order if self.is_from_order and row.payment is not None else row
        super().__init__(site, request, RESOLVE, row, place=place)

    def describe(self) -> None:
        """Show what is different."""
        self.facts = [
            (_("Difference"), sentence_of_difference(self.row)),
            (_("Explanation"), visible(self.row.explanation)),
            (_("Found at"), format_short_datetime(self.row.found_at)),
        ]

    def act(self) -> None:
        """End the difference."""
        reason = self.form.cleaned_data["reason"]
        self.end(self.row, reason=reason, by=self.by)
        log_change(self.request.user, self.row, self.logged % {"reason": reason})
        messages.success(self.request, str(self.done))


class ClosePage(DiscrepancyPage):
    """The page that closes a difference, dismisses what our totals could contain, or keeps a late payment."""

    title: Label = gettext_lazy("Close a difference")
    verb: Label = gettext_lazy("Close")
    explanation: Label = gettext_lazy("The payment can be used again once none of its differences is open.")
    logged: Label = gettext_lazy("Closed: %(reason)s")
    done: Label = gettext_lazy("The difference is closed.")
    end = staticmethod(payments.approvals.close_discrepancy)

    def __init__(self, site: AdminSite, request: HttpRequest, discrepancy_id: int) -> None:
        super().__init__(site, request, discrepancy_id)
        if is_bookable(self.row):
            self.title, self.verb = _("Dismiss a difference"), _("Dismiss")
            self.logged, self.done = _("Dismissed: %(reason)s"), _("The difference is dismissed.")
            words = _(
                "Our totals stay without it, so the same money could be captured or refunded again. Dismiss "
                "only what is not yours, or was undone in the provider's portal."
            )
            self.hints = [words]
            self.instead = taking_button(self.row, request, back="?back=order" * self.is_from_order)
        elif self.row.kind == DiscrepancyKind.LATE_PAYMENT:
            self.title, self.verb = _("Keep a late payment"), _("Keep the payment")
            self.explanation = _(
                "The order was cancelled and paid all the same. If you keep the payment, the shop is told "
                "that the order is paid, and may ship it. To give the money back, open the order instead."
            )
            self.logged, self.done = _("Kept: %(reason)s"), _("The payment is kept, and the shop is told.")


class BookPage(DiscrepancyPage):
    """The page that takes the operation of a difference into our totals."""

    title = gettext_lazy("Take into our totals what the gateway has done")
    explanation = gettext_lazy(
        "The gateway is asked, and what it reports is taken into our totals: the state of the order "
        "follows, and the shop is told. No money is moved by this."
    )
    logged = gettext_lazy("Taken into our totals: %(reason)s")
    done = gettext_lazy("Our totals contain it now.")
    end = staticmethod(payments.approvals.book_discrepancy)

    def describe(self) -> None:
        """Name the amount on the button."""
        super().describe()
        self.verb = taking_words(self.row)


# One order


class OrderPage(ConfirmPage):
    """What the pages about one order share."""

    row: PaymentOrder
    permission: str

    def __init__(self, site: AdminSite, request: HttpRequest, order_id: int) -> None:
        order = get_object_or_404(PaymentOrder, pk=order_id)
        super().__init__(site, request, self.permission, order, place=order)


def cancel_url_of(order: PaymentOrder, request: HttpRequest) -> str:
    """Return the address of the page; empty if the order cannot be cancelled, or not by this user."""
    if order.is_cancelled or order.state not in CANCELLABLE_STATES:
        return ""
    if not request.user.has_perm(CANCEL_ORDER):
        return ""
    return page_url(request, "paymentorder_cancel", order.pk)


class CancelPage(OrderPage):
    """The page that says what a cancellation means for an order, then cancels it."""

    permission = CANCEL_ORDER
    title = verb = gettext_lazy("Cancel the order")
    back_label = gettext_lazy("Keep the order")
    form_class = NoteForm
    explanation = gettext_lazy(
        "Nobody can begin to pay the order any more, and this cannot be undone. What the customer has "
        "begun cannot be stopped: the gateway is asked until it has ended, and only then are the goods "
        "free."
    )
    hints = (gettext_lazy("No money is given back: for that, refund or reverse the payment."),)

    def describe(self) -> None:
        """Show the order."""
        self.facts = [
            (_("Order"), visible(self.row)),
            (_("Amount"), format_money(self.row.amount)),
            (_("State"), self.row.get_state_display()),
        ]

    def act(self) -> None:
        """Cancel the order."""
        note = self.form.cleaned_data["note"].strip()
        order = payments.cancel(self.row, by=self.by, note=note)
        log_change(self.request.user, order, _("Order cancelled: %(note)s") % {"note": note or "-"})
        if order.is_released:
            messages.success(self.request, _("The order is cancelled. Its goods are free."))
        else:
            words = _(
                "The order is cancelled. Its goods are free when what the customer has begun has ended."
            )
            messages.warning(self.request, words)


class RaiseLimitsPage(OrderPage):
    """The page that opens an order's wallet button again, with as much as before."""

    permission = RAISE_LIMITS
    title = gettext_lazy("Raise the limits of the wallet button")
    verb = gettext_lazy("Raise the limits")
    explanation = gettext_lazy(
        "The order's wallet button can be used again: each limit is added once more in full. Check first "
        "that you know the customer: people who test stolen cards ask for more, too."
    )

    def describe(self) -> None:
        """Show how much of each limit was used."""
        order = self.row
        gateway = conf.find_gateway(order.gateway)
        limits = gateway.wallet.limits if gateway and gateway.wallet else WalletLimits()
        usage = WalletUsage.objects.filter(order=order).first() or WalletUsage()
        sent = GatewayTransaction.objects.filter(
            payment__order=order, kind=TransactionKind.AUTHORIZATION, attempt_no__gt=0
        )
        used = {limit: getattr(usage, limit.lower(), 0) for limit in WalletLimit}
        used[WalletLimit.AUTHORIZATIONS] = sent.count()
        since = format_short_datetime(order.wallet_closed_at) if order.wallet_closed_at else "-"
        self.facts = [(_("Order"), visible(order)), (_("Closed since"), since)]
        for limit, number in used.items():
            numbers = {"used": number, "allowed": limits.maximum(limit, raised=usage.raised)}
            self.facts.append((label_of(limit), _("%(used)d of %(allowed)d") % numbers))

    def act(self) -> None:
        """Raise the limits."""
        reason = self.form.cleaned_data["reason"]
        payments.wallet.raise_limits(self.row, by=self.by, reason=reason)
        log_change(
            self.request.user,
            self.row,
            _("Limits of the wallet button raised: %(reason)s") % {"reason": reason},
        )
        messages.success(self.request, _("The wallet button of the order is open again."))
