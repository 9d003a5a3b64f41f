"""Requests for a second person: the page on which one approves or declines, and their list.

The requester may only withdraw a request, even as a superuser; the operations check this again.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways, payments
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.confirm import ConfirmPage
from wallet_gateway.admin.forms import ApprovalDecisionForm
from wallet_gateway.admin.operation_registry import BY_KIND, REFUND, reason_in_words
from wallet_gateway.admin.pages import (
    NotDone,
    changed_since,
    log_change,
    sentence_of,
    show_status,
    visible_request,
)
from wallet_gateway.admin.permissions import is_own_request
from wallet_gateway.admin.read_only import ReadOnlyAdmin, datetime_column, link_column, money, text_column
from wallet_gateway.admin.tasks import Label, sentence_of_request, what_is_asked
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import Approval
from wallet_gateway.models.decisions import APPROVE, OF_KIND, RESOLVE, account_has, permission_of
from wallet_gateway.models.fields import actor_in
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible


class ApprovalPage(ConfirmPage):
    """The page on which a second person agrees or declines, or the requester withdraws."""

    title: Label = gettext_lazy("A second person")
    back_label = gettext_lazy("Back")
    row: Approval
    place: Model

    def __init__(self, site: AdminSite, request: HttpRequest, approval_id: int) -> None:
        rows = Approval.objects.select_related("payment__order", "deposit", "subject")
        row = get_object_or_404(rows, pk=approval_id)
        place = row.payment.order if row.payment is not None else row.parent
        super().__init__(site, request, permission_of(row), row, place=place)
        self.is_own = is_own_request(request, row)
        self.may_agree = not self.is_own and request.user.has_perm(APPROVE)
        self.declines = self.posted is not None and "decline" in self.posted
        if self.posted is not None and not (self.may_agree or (self.declines and self.is_own)):
            raise PermissionDenied

    @cached_property
    def form(self) -> ApprovalDecisionForm:
        """Why."""
        return ApprovalDecisionForm(self.posted, is_own=self.is_own)

    def _left(self) -> Money | None:
        """Return the amount left to give back; None for a decision, or where only the gateway knows it."""
        if self.row.decision:
            return None
        if self.row.payment is not None:
            return REFUND.left_of(self.row.payment)
        return self.row.deposit.refundable if self.row.deposit is not None else None

    def is_checked(self) -> bool:
        """Return whether the person agrees; declining moves no money, so nothing needs to be unchanged."""
        return not self.declines

    def shown(self) -> int:
        """Return the amount left, which may change before somebody agrees."""
        left = self._left()
        return 0 if left is None else left.minor_units

    def changed(self) -> str:
        """Return how much is left now."""
        left = self._left()
        return changed_since(left) if left is not None else super().changed()

    def describe(self) -> None:
        """Show what was asked for and by whom, or what became of it."""
        row, left, asked = self.row, self._left(), what_is_asked(self.row)
        self.head = format_html("{} <strong><bdi>{}</bdi></strong>", state_badge(row), asked)
        self.facts = [
            (_("Asked for by"), visible(row.created_by or "-")),
            (_("Asked for at"), format_short_datetime(row.created_at)),
            (_("Reason"), visible(reason_in_words(row.reason_code, row.comment) or "-")),
        ]
        if left is not None:
            self.facts.append((REFUND.left, format_money(left)))
        if row.decided_at is None:
            self.facts.append((_("Waits until"), format_short_datetime(row.expires_at)))
        else:
            self.facts += [
                (row.get_state_display(), format_short_datetime(row.decided_at)),
                (_("Second person"), visible(row.decided_by or "-")),
                (_("Said"), visible(row.reason or "-")),
            ]
        if not row.is_waiting(gateways.clock().now()):
            self.why_not = _("This does not wait for anybody any more.")
        elif self.is_own:
            self.title = _("Withdraw a request")
            self.explanation = _(
                "You have asked for this yourself, so another person decides. You can withdraw it."
            )
        elif self.may_agree:
            self.explanation = _(
                "Agree only to what you have checked yourself. It is done at once, and sent once; both names "
                "are kept."
            )
        else:
            self.why_not = _("This needs somebody with the permission to agree to what others ask for.")
        kind = TransactionKind(row.kind)
        self.verb = asked
        if row.decision:
            self.verb = _("Agree to the decision")
        elif kind in BY_KIND:
            self.verb = str(BY_KIND[kind].agreement) % {"amount": format_money(row.amount)}
            if row.payment is not None:
                self.request_body = visible_request(row.payment, kind, row.amount, sends=row.sent_along)

    def buttons(self) -> list[tuple[str, str, Label, str]]:
        """Return what this person may say."""
        if self.is_own:
            return [("decline", "1", _("Withdraw"), "stop")]
        return [("agree", "1", self.verb, ""), ("decline", "1", _("Decline"), "stop")]

    def act(self) -> None:
        """Decline the request; or agree, which carries it out."""
        row, reason = self.row, self.form.cleaned_data["reason"]
        if self.declines:
            declined = payments.approvals.decline(row, by=self.by, reason=reason)
            log_change(self.request.user, self.place, f"{sentence_of_request(declined, write=str)} {reason}")
            messages.info(self.request, sentence_of_request(declined))
            return
        author = actor_in(row, "created_by")
        # An author without an account has no permission to lose.
        if not author.is_program and account_has(author, permission_of(row)) is False:
            words = _("%(author)s has no longer the permission to ask for this. Decline it.")
            raise NotDone(words % {"author": visible(row.created_by)})
        transaction = payments.approvals.approve(row, by=self.by, reason=reason)
        words = _("Agreed to what %(author)s asked for.") % {"author": row.created_by or "-"}
        done = f"{words} {sentence_of(transaction, write=str)} ({transaction.reference})"
        log_change(self.request.user, self.place, done)
        show_status(self.request, transaction)


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyAdmin):
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
    pages: ClassVar = {"decide": ("<int:approval_id>/decide/", ApprovalPage.view)}
    own_page = "decide"
    viewers = (*OF_KIND.values(), RESOLVE, APPROVE)
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
