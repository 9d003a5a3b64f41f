"""Requests for a second person: their texts, the page on which one approves or declines, and their list.

The requester may only withdraw a request, even as a superuser; the operations check this again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways, payments
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.forms import DECISIONS, ApprovalDecisionForm
from wallet_gateway.admin.operation_registry import BY_KIND, REFUND, reason_in_words
from wallet_gateway.admin.pages import (
    StalePage,
    changed_since,
    issue_ticket,
    log_change,
    page_url,
    read_ticket,
    refusal_text,
    render_page,
    row_url,
    sentence_of,
    show_status,
    visible_request,
)
from wallet_gateway.admin.permissions import (
    APPROVE,
    OF_KIND,
    RESOLVE,
    has_permission,
    is_own_request,
    person_of,
    require_permission,
)
from wallet_gateway.admin.read_only import OwnPageAdmin, datetime_column, link_column, money, text_column
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import Approval, ApprovalState, GatewayTransaction, MigratedDeposit, PaymentOrder
from wallet_gateway.models.decisions import account_has, permission_of
from wallet_gateway.models.fields import actor_in, label_of
from wallet_gateway.payments.errors import OperationError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible


def what_is_asked(approval: Approval, *, write: Callable[[Money], str] = format_money) -> str:
    """Return what a request is for: an amount to refund, or a decision on an outcome."""
    words = {"kind": label_of(TransactionKind(approval.kind)), "amount": write(approval.amount)}
    if not approval.decision:
        return _("%(kind)s of %(amount)s") % words
    # Another version may have stored another one.
    decision = next((DECISIONS[one] for one in DECISIONS if one == approval.decision), approval.decision)
    return _("%(kind)s of %(amount)s, decision: %(decision)s") % {**words, "decision": decision}


def sentence_of_request(approval: Approval, *, write: Callable[[Money], str] = format_money) -> str:
    """Return a sentence with what was requested and the status of the request; see `pages.sentence_of`."""
    what = what_is_asked(approval, write=write)
    if approval.state == ApprovalState.WAITING:
        return _("%(what)s: waits for a second person. Nothing is reserved and nothing was sent.") % {
            "what": what
        }
    return f"{what}: {label_of(ApprovalState(approval.state))}."


def report_approval_request(request: HttpRequest, row: Model, approval: Approval) -> None:
    """Tell the requester that a second person is needed, and record the request in the admin log."""
    log_change(request, row, sentence_of_request(approval, write=str))
    messages.warning(request, sentence_of_request(approval))


@dataclass(kw_only=True)
class ApprovalDecisionPage:
    """One page request: the pending approval in its current state, and the current user."""

    site: AdminSite
    request: HttpRequest
    approval: Approval
    is_own: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_own = is_own_request(self.request, self.approval)

    def answer(self) -> HttpResponse:
        """Show the page, or carry out the submitted decision."""
        if self.request.method != "POST":
            return self._page(ApprovalDecisionForm(is_own=self.is_own))
        declines = "decline" in self.request.POST
        if not (self._may_agree or (declines and self.is_own)):
            raise PermissionDenied
        form = ApprovalDecisionForm(self.request.POST, is_own=self.is_own)
        if not form.is_valid():
            return self._page(form)
        reason, by = form.cleaned_data["reason"], person_of(self.request)
        if declines:
            try:
                approval = payments.approvals.decline(self.approval, by=by, reason=reason)
            except OperationError as error:
                return self._refused(form, refusal_text(error, gateway=self.approval.gateway))
            stored = sentence_of_request(approval, write=str)
            log_change(self.request, _row_of(approval), f"{stored} {reason}")
            messages.info(self.request, sentence_of_request(approval))
            return HttpResponseRedirect(self._back)
        why_not = self._why_not_as_shown() or _why_not_of_author(self.approval)
        if why_not:
            return self._refused(form, why_not)
        try:
            transaction = payments.approvals.approve(self.approval, by=by, reason=reason)
        except (OperationError, ImproperlyConfigured) as error:
            return self._refused(form, refusal_text(error, gateway=self.approval.gateway))
        words = _("Agreed to what %(author)s asked for.") % {"author": self.approval.created_by or "-"}
        log_change(
            self.request,
            _row_of(self.approval),
            f"{words} {sentence_of(transaction, write=str)} ({transaction.reference})",
        )
        show_status(self.request, transaction)
        return HttpResponseRedirect(self._back)

    @property
    def _may_agree(self) -> bool:
        return not self.is_own and has_permission(self.request, APPROVE)

    def _why_not_as_shown(self) -> str:
        """Return a message that says what has changed since the page was opened."""
        try:
            token = self.request.POST.get("ticket", "")
            ticket = read_ticket(token, "approval", self.approval.pk, person=str(self.request.user.pk))
        except StalePage as stale:
            return str(stale)
        left = left_of(self.approval)
        if left is None or ticket.available == left.minor_units:
            return ""
        return changed_since(left)

    # The page

    @property
    def _back(self) -> str:
        return row_url(self.request, _row_of(self.approval))

    def _refused(self, form: ApprovalDecisionForm, why: str) -> HttpResponse:
        self.approval = _read(self.approval.pk)
        form.refuse(why)
        return self._page(form)

    def _page(self, form: ApprovalDecisionForm) -> HttpResponse:
        approval, left = self.approval, left_of(self.approval)
        waits = approval.is_waiting(gateways.clock().now())
        facts: list[tuple[str, object]] = [
            (_("Asked for by"), visible(approval.created_by or "-")),
            (_("Asked for at"), format_short_datetime(approval.created_at)),
            (_("Reason"), visible(reason_in_words(approval.reason_code, approval.comment) or "-")),
        ]
        if left is not None:
            facts.append((str(REFUND.left), format_money(left)))
        if approval.decided_at is None:
            facts.append((_("Waits until"), format_short_datetime(approval.expires_at)))
        else:
            facts += [
                (str(approval.get_state_display()), format_short_datetime(approval.decided_at)),
                (_("Second person"), visible(approval.decided_by or "-")),
                (_("Said"), visible(approval.reason or "-")),
            ]
        kind, request_body = TransactionKind(approval.kind), ""
        if approval.decision:
            agreement = _("Agree to the decision")
        elif kind in BY_KIND:
            agreement = str(BY_KIND[kind].agreement) % {"amount": format_money(approval.amount)}
            if waits and approval.payment is not None:
                request_body = visible_request(
                    approval.payment, kind, approval.amount, sends=approval.sent_along
                )
        else:
            agreement = what_is_asked(approval)
        context = {
            "title": _("Withdraw a request") if self.is_own and waits else _("A second person"),
            "state": state_badge(approval),
            "what": what_is_asked(approval),
            "facts": tuple(facts),
            "form": form,
            "waits": waits,
            "is_own": self.is_own,
            "agreement": agreement,
            "may_agree": waits and self._may_agree,
            "back": self._back,
            "row": visible(_row_of(approval)),
            "request_body": request_body,
            "ticket": issue_ticket(
                "approval",
                approval.pk,
                person=str(self.request.user.pk),
                available=left.minor_units if left else 0,
            ),
        }
        return render_page(self.site, self.request, "approval.html", context, about=[approval])


def left_of(approval: Approval) -> Money | None:
    """Return the amount left to refund; None for a decision, or where only the gateway knows the amount."""
    if approval.decision:
        return None
    if approval.payment is not None:
        return REFUND.left_of(approval.payment)
    return approval.deposit.refundable if approval.deposit is not None else None


def _why_not_of_author(approval: Approval) -> str:
    """Return a message if the requester lost the permission; empty if they have no account any more."""
    author = actor_in(approval, "created_by")
    if author.is_program or account_has(author, permission_of(approval)) in {True, None}:
        return ""
    words = _("%(author)s has no longer the permission to ask for this. Decline it.")
    return words % {"author": visible(approval.created_by)}


def _row_of(approval: Approval) -> PaymentOrder | MigratedDeposit | GatewayTransaction:
    """Return the row whose page shows the request."""
    if approval.payment is not None:
        return approval.payment.order
    assert approval.deposit is not None  # noqa: S101 - the only other parent there is
    return approval.deposit


def _read(pk: int) -> Approval:
    rows = Approval.objects.select_related("payment__order", "deposit", "subject")
    return get_object_or_404(rows, pk=pk)


def decision_page(site: AdminSite, request: HttpRequest, approval_id: int) -> HttpResponse:
    """Handle a request for the approval page."""
    approval = _read(approval_id)
    require_permission(request, permission_of(approval))
    return ApprovalDecisionPage(site=site, request=request, approval=approval).answer()


@admin.register(Approval)
class ApprovalAdmin(OwnPageAdmin):
    """Approval requests: what was requested, by whom, and what the second person decided."""

    order = link_column("payment.order", gettext_lazy("order"))
    list_display = (
        "what",
        "order",
        money("amount", gettext_lazy("amount")),
        text_column("created_by", gettext_lazy("author")),
        state_column(gettext_lazy("state")),
        text_column("decided_by", gettext_lazy("second person")),
        datetime_column("created_at", gettext_lazy("created at")),
    )
    list_filter = ("state",)
    list_select_related = ("payment__order", "deposit")
    search_fields = ()
    when_empty = gettext_lazy(
        "Nobody has asked for a second person. A request appears here when somebody refunds more than one "
        "person may alone."
    )

    @admin.display(description=gettext_lazy("asked for"))
    def what(self, row: Approval) -> str:
        """Return what the request is for."""
        return what_is_asked(row)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return whether the user may view requests; those who may make or approve them may view them too."""
        makes = any(
            has_permission(request, permission) for permission in {*OF_KIND.values(), RESOLVE, APPROVE}
        )
        return makes or super().has_view_permission(request, obj)

    def get_urls(self) -> list[URLPattern]:
        """Add the page of a request before Django's own URLs."""
        name = "wallet_gateway_approval_decide"
        return [
            path("<int:approval_id>/decide/", self.staff_view(decision_page), name=name),
            *super().get_urls(),
        ]

    def page_of(self, request: HttpRequest, row: Approval) -> str:
        """Return the URL of the page that shows a request and takes the second person's decision."""
        return page_url(request, "approval_decide", row.pk)
