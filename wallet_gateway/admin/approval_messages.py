"""Texts about approval requests: for the requester, the log and the row of a batch."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.operation_registry import reason_in_words
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import Approval, ApprovalState
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.protocol.money import Money

DECISIONS = {
    Decision.DID_NOT_HAPPEN: gettext_lazy("It did not happen; free its amount"),
    Decision.DID_HAPPEN: gettext_lazy("It did happen, as the gateway reports it"),
}
"""The decisions that a person may make on an outcome."""


def what_is_asked(approval: Approval, *, write: Callable[[Money], str] = format_money) -> str:
    """Return what a request is for: an amount to refund, or a decision on an outcome."""
    words = {"kind": label_of(TransactionKind(approval.kind)), "amount": write(approval.amount)}
    if not approval.decision:
        return _("%(kind)s of %(amount)s") % words
    # Another version may have stored another one.
    decision = next((DECISIONS[one] for one in DECISIONS if one == approval.decision), approval.decision)
    return _("%(kind)s of %(amount)s, decision: %(decision)s") % {**words, "decision": decision}


def reason_of(approval: Approval) -> str:
    """Return the requester's reason in the reader's language."""
    return reason_in_words(approval.reason_code, approval.comment)


def sentence_of_request(approval: Approval, *, write: Callable[[Money], str] = format_money) -> str:
    """Return a sentence with what was requested and the status of the request; see `pages.sentence_of`."""
    what = what_is_asked(approval, write=write)
    if approval.state == ApprovalState.WAITING:
        return _("%(what)s: waits for a second person. Nothing is reserved and nothing was sent.") % {
            "what": what
        }
    return f"{what}: {label_of(ApprovalState(approval.state))}."


def url_of(approval: Approval) -> str:
    """Return the URL of the page on which a request is decided."""
    return reverse("admin:wallet_gateway_approval_decide", args=[approval.pk])


def report_approval_request(request: HttpRequest, row: Model, approval: Approval) -> None:
    """Tell the requester that a second person is needed, and record the request in the admin log."""
    log_change(request, row, sentence_of_request(approval, write=str))
    messages.warning(request, sentence_of_request(approval))
