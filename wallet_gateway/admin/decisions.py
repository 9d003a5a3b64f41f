"""The pages on which a person decides: on an outcome, an unsent transaction, a difference, or an order.

Each page of a transaction requires a reason, which is stored as a transaction event with the name of the user
who gave it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from wallet_gateway import conf, payments
from wallet_gateway.admin.approvals import report_approval_request
from wallet_gateway.admin.forms import DecisionForm, NoteForm, ReasonForm
from wallet_gateway.admin.operation_registry import hint_of_decision
from wallet_gateway.admin.pages import (
    StalePage,
    log_change,
    page_url,
    refusal_text,
    render_page,
    row_url,
    sentence_of,
    show_status,
    signed,
)
from wallet_gateway.admin.permissions import (
    CANCEL_ORDER,
    OF_KIND,
    RAISE_LIMITS,
    RESOLVE,
    has_permission,
    person_of,
    require_permission,
)
from wallet_gateway.admin.tasks import sentence_of_difference, taking_button, taking_words
from wallet_gateway.documentation import address_of
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import STATE_CHANGED
from wallet_gateway.domain.policy import WalletLimit, WalletLimits
from wallet_gateway.domain.states import CANCELLABLE_STATES, TransactionKind, TransactionState
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, WalletUsage
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments.errors import InvalidState, OperationRefused
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import bookable_differences, is_bookable

Words = dict[str, Any]
_SALT = "wallet_gateway.admin.decide"


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
        log_change(request, order, _("Asked the gateway."))
        moved = _("The gateway was asked; the order has changed.")
        same = _("The gateway was asked; the order stands as before.")
        messages.info(request, moved if order.state != before else same)
    return HttpResponseRedirect(row_url(request, order))


def send_again(site: AdminSite, request: HttpRequest, transaction_id: int) -> HttpResponse:
    """Send an unsent transaction again, after a page that asks for the reason."""
    transaction = _transaction(transaction_id)
    require_permission(request, OF_KIND.get(TransactionKind(transaction.kind), RESOLVE))

    def act(form: forms.Form) -> GatewayTransaction:
        by, comment = person_of(request), form.cleaned_data["reason"]
        return payments.follow_ups.send_again(transaction, by=by, comment=comment)

    words = {
        "title": _("Send again"),
        "verb": _("Send again: %(kind)s of %(amount)s")
        % {
            "kind": label_of(TransactionKind(transaction.kind)),
            "amount": format_money(transaction.amount),
        },
        "explanation": _("Not one byte of this request has left. The same request is sent, once."),
    }
    form = ReasonForm(request.POST or None)
    return _decided(site, request, transaction, form, act, words)


def mark_refusal_seen(site: AdminSite, request: HttpRequest, transaction_id: int) -> HttpResponse:  # noqa: ARG001
    """Record that the current user has seen a refusal, and return to the page with the button."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    transaction = _transaction(transaction_id)
    require_permission(request, OF_KIND.get(TransactionKind(transaction.kind), RESOLVE))
    payments.follow_ups.mark_refusal_seen(transaction, by=person_of(request))
    log_change(request, transaction, _("Refusal seen."))
    messages.success(request, _("Marked as seen."))
    pages = {row_url(request, transaction), page_url(request, "dashboard_changelist")}
    if transaction.payment is not None:
        pages.add(row_url(request, transaction.payment.order))
    back = request.POST.get("back", "")
    return HttpResponseRedirect(back if back in pages else row_url(request, transaction))


def decide(site: AdminSite, request: HttpRequest, transaction_id: int) -> HttpResponse:
    """Record a person's decision on a transaction whose outcome no event has settled."""
    require_permission(request, RESOLVE)
    transaction = _transaction(transaction_id)
    is_shown = transaction.shown_minor is not None or transaction.approved_minor is not None
    may_accept = transaction.state == TransactionState.ANOMALY and is_shown
    form = DecisionForm(request.POST or None, may_accept=may_accept)
    if form.is_bound and (why_not := _why_not_as_shown(request, transaction)):
        form.errors.clear()
        form.refuse(why_not)

    def act(form: forms.Form) -> GatewayTransaction:
        given = form.cleaned_data
        return payments.approvals.resolve(
            transaction, decision=given["decision"], reason=given["reason"], by=person_of(request)
        )

    shown = [*_shown_to(request, transaction), [row.pk for row in _open_differences(transaction)]]
    words = {
        "title": _("Decide on an outcome"),
        "verb": _("Record the decision"),
        "explanation": _what_remains(transaction, may_accept=may_accept),
        "hint": hint_of_decision(transaction, person_of(request)),
        # What the page shows, signed: nobody decides on what came later.
        "ticket": signing.dumps(shown, salt=_SALT),
    }
    return _decided(site, request, transaction, form, act, words)


def _what_remains(transaction: GatewayTransaction, *, may_accept: bool) -> str:
    """Return what a person can decide, and what to do before."""
    if transaction.undocumented_state and transaction.state != TransactionState.ANOMALY:
        return _(
            "The gateway says “%(word)s”, which the interface does not name as a state. Ask the provider "
            "what it means. If it means paid, teach the shop this word first: %(docs)s. The next status "
            "query decides then. If it did not happen, say so here; an order can be paid again then."
        ) % {
            "word": visible(transaction.undocumented_state),
            "docs": address_of("how-to/another-gateway", "other-words"),
        }
    books = _(
        "If another amount was captured or refunded, take it into our totals on the page of the difference."
    )
    may_book = transaction.pk in bookable_differences([transaction])
    if transaction.state == TransactionState.ANOMALY and not may_accept:
        remains = _(
            "The gateway has shown no approval with the requested amount and currency, so it cannot be "
            "accepted. Ask the gateway again, or decide that it did not happen once the provider has "
            "undone it."
        )
        return f"{remains} {books}" if may_book else remains
    remains = _("Decide only on what you have learned from the provider. Nothing is sent by this.")
    return f"{remains} {books}" if may_book else remains


def _shown_to(request: HttpRequest, transaction: GatewayTransaction) -> list[str]:
    since = transaction.state_changed_at.isoformat()
    return [str(request.user.pk), str(transaction.pk), transaction.state, since]


def _why_not_as_shown(request: HttpRequest, transaction: GatewayTransaction) -> str:
    """Return why the page that was submitted is no ground for a decision; empty if it still is."""
    try:
        *shown, differences = signed(request.POST.get("ticket", ""), salt=_SALT)
    except StalePage as stale:
        return str(stale)
    unseen = _open_differences(transaction).exclude(pk__in=differences)
    if shown == _shown_to(request, transaction) and not unseen.exists():
        return ""
    return refusal_text(InvalidState(*STATE_CHANGED), gateway=transaction.gateway)


def _open_differences(transaction: GatewayTransaction) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(transaction=transaction, closed_at__isnull=True).order_by("pk")


def _transaction(transaction_id: int) -> GatewayTransaction:
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return get_object_or_404(rows, pk=transaction_id)


def _decided(
    site: AdminSite,
    request: HttpRequest,
    transaction: GatewayTransaction,
    form: DecisionForm | ReasonForm,
    act: Callable[[forms.Form], GatewayTransaction],
    words: Words,
) -> HttpResponse:
    row = transaction.payment.order if transaction.payment else transaction
    back = row_url(request, row)
    if request.method == "POST" and form.is_valid():
        try:
            transaction = act(form)
        except (OperationRefused, ImproperlyConfigured) as error:
            form.refuse(refusal_text(error, gateway=transaction.gateway))
        except payments.errors.AwaitingApproval as waiting:
            report_approval_request(request, row, waiting.approval)
            return HttpResponseRedirect(back)
        else:
            what = f"{words['title']}: {sentence_of(transaction, write=str)} ({transaction.reference})"
            log_change(request, row, what)
            show_status(request, transaction)
            return HttpResponseRedirect(back)
    facts = [
        (_("Asked for"), sentence_of(transaction)),
        (_("Reference"), transaction.reference),
        (_("Since"), format_short_datetime(transaction.state_changed_at)),
        (_("Answers in a row that ended nothing"), transaction.absent_count),
        *((_("Difference"), sentence_of_difference(row)) for row in _open_differences(transaction)),
    ]
    context = {**words, "form": form, "back": back, "facts": facts}
    return render_page(site, request, "decide.html", context, about=[transaction])


def close_discrepancy(site: AdminSite, request: HttpRequest, discrepancy_id: int) -> HttpResponse:
    """Close a difference with a reason, dismiss what our totals could contain, or keep a late payment."""
    require_permission(request, RESOLVE)
    row = _difference(discrepancy_id)
    may_book = is_bookable(row)
    words: Words = {
        "title": _("Dismiss a difference") if may_book else _("Close a difference"),
        "verb": _("Dismiss") if may_book else _("Close"),
        "explanation": _("The payment can be used again once none of its differences is open."),
        "logged": _("Dismissed: %(reason)s") if may_book else _("Closed: %(reason)s"),
        "done": _("The difference is dismissed.") if may_book else _("The difference is closed."),
    }
    if may_book:
        words["hint"] = _(
            "Our totals stay without it, so the same money could be captured or refunded again. Dismiss only "
            "what is not yours, or was undone in the provider's portal."
        )
        words["instead"] = taking_button(
            row, request, back="?back=order" if _is_from_order(row, request) else ""
        )
    elif row.kind == DiscrepancyKind.LATE_PAYMENT:
        words |= {
            "title": _("Keep a late payment"),
            "verb": _("Keep the payment"),
            "explanation": _(
                "The order was cancelled and paid all the same. If you keep the payment, the shop is told "
                "that the order is paid, and may ship it. To give the money back, open the order instead."
            ),
            "logged": _("Kept: %(reason)s"),
            "done": _("The payment is kept, and the shop is told."),
        }
    return _ended(site, request, row, payments.approvals.close_discrepancy, words)


def book_discrepancy(site: AdminSite, request: HttpRequest, discrepancy_id: int) -> HttpResponse:
    """Take the operation of a difference into our totals, with a reason."""
    require_permission(request, RESOLVE)
    row = _difference(discrepancy_id)
    words = {
        "title": _("Take into our totals what the gateway has done"),
        "verb": taking_words(row),
        "explanation": _(
            "The gateway is asked, and what it reports is taken into our totals: the state of the order "
            "follows, and the shop is told. No money is moved by this."
        ),
        "logged": _("Taken into our totals: %(reason)s"),
        "done": _("Our totals contain it now."),
    }
    return _ended(site, request, row, payments.approvals.book_discrepancy, words)


def _difference(key: int) -> Discrepancy:
    rows = Discrepancy.objects.select_related("payment__order", "transaction__payment__order")
    return get_object_or_404(rows, pk=key)


def _ended(
    site: AdminSite, request: HttpRequest, discrepancy: Discrepancy, end: Callable[..., object], words: Words
) -> HttpResponse:
    rows, name = page_url(request, "discrepancy_changelist"), Discrepancy._meta.verbose_name_plural
    back, trail = row_url(request, discrepancy), {"url": rows, "label": capfirst(str(name))}
    if _is_from_order(discrepancy, request) and discrepancy.payment is not None:
        order = discrepancy.payment.order
        back, trail = row_url(request, order), {"url": row_url(request, order), "label": visible(order)}
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            end(discrepancy, reason=reason, by=person_of(request))
        except (payments.errors.OperationError, ImproperlyConfigured) as error:
            form.refuse(refusal_text(error, gateway=discrepancy.gateway))
        else:
            log_change(request, discrepancy, words["logged"] % {"reason": reason})
            messages.success(request, words["done"])
            return HttpResponseRedirect(back)
    context = {
        **words,
        "form": form,
        "back": back,
        "trail": trail,
        "facts": [
            (_("Difference"), sentence_of_difference(discrepancy)),
            (_("Explanation"), visible(discrepancy.explanation)),
            (_("Found at"), format_short_datetime(discrepancy.found_at)),
        ],
    }
    return render_page(site, request, "decide.html", context, about=[discrepancy])


def _is_from_order(discrepancy: Discrepancy, request: HttpRequest) -> bool:
    return request.GET.get("back") == "order" and discrepancy.payment is not None


def cancel_url_of(order: PaymentOrder, request: HttpRequest) -> str:
    """Return the address of the page; empty if the order cannot be cancelled, or not by this user."""
    if order.is_cancelled or order.state not in CANCELLABLE_STATES:
        return ""
    if not has_permission(request, CANCEL_ORDER):
        return ""
    return page_url(request, "paymentorder_cancel", order.pk)


def cancel_order(site: AdminSite, request: HttpRequest, order_id: int) -> HttpResponse:
    """Show what a cancellation means for an order, then cancel it."""
    require_permission(request, CANCEL_ORDER)
    order = get_object_or_404(PaymentOrder, pk=order_id)
    form = NoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        note = form.cleaned_data["note"].strip()
        try:
            order = payments.cancel(order, by=person_of(request), note=note)
        except OperationRefused as error:
            form.refuse(refusal_text(error, gateway=order.gateway))
        else:
            log_change(request, order, _("Order cancelled: %(note)s") % {"note": note or "-"})
            if order.is_released:
                messages.success(request, _("The order is cancelled. Its goods are free."))
            else:
                text = _(
                    "The order is cancelled. Its goods are free when what the customer has begun has ended."
                )
                messages.warning(request, text)
            return HttpResponseRedirect(row_url(request, order))
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
        "back": row_url(request, order),
        "facts": [
            (_("Order"), visible(order)),
            (_("Amount"), format_money(order.amount)),
            (_("State"), order.get_state_display()),
        ],
    }
    return render_page(site, request, "decide.html", context, about=[order])


def raise_limits(site: AdminSite, request: HttpRequest, order_id: int) -> HttpResponse:
    """Require a reason, then open an order's wallet button again with as much as before."""
    require_permission(request, RAISE_LIMITS)
    order = get_object_or_404(PaymentOrder, pk=order_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            payments.wallet.raise_limits(order, by=person_of(request), reason=reason)
        except OperationRefused as error:
            form.refuse(refusal_text(error, gateway=order.gateway))
        else:
            words = _("Limits of the wallet button raised: %(reason)s")
            log_change(request, order, words % {"reason": reason})
            messages.success(request, _("The wallet button of the order is open again."))
            return HttpResponseRedirect(row_url(request, order))
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
    context = {
        "title": _("Raise the limits of the wallet button"),
        "verb": _("Raise the limits"),
        "explanation": _(
            "The order's wallet button can be used again: each limit is added once more in full. Check first "
            "that you know the customer: people who test stolen cards ask for more, too."
        ),
        "form": form,
        "back": row_url(request, order),
        "facts": [(_("Order"), visible(order)), (_("Closed since"), since), *counted],
    }
    return render_page(site, request, "decide.html", context, about=[order])
