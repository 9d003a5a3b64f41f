"""What waits for a person: transactions to decide on, and requests for a second person; with the ways out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin.approval_messages import url_of, what_is_asked
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.admin.permissions import OF_KIND, RESOLVE, has_permission, is_own_request
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import bookable_differences, made_elsewhere, reported_amount

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A link to a confirm page."""

    label: Label
    url: str
    is_quiet: bool = False
    """Whether another one beside it is the act that is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A transaction that needs a person."""

    sentence: str
    reference: str
    since: datetime
    queries: int
    buttons: tuple[Button, ...]
    seen_url: str = ""
    """Where a button posts that a refusal was seen; empty if there is none or the user may not."""
    attempt: int | None = None
    """The number of the attempt that it opened, on the page that shows the attempt; None elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that waits for a second person."""

    sentence: str
    by: str
    since: datetime
    until: datetime
    button: Button


FOR_A_PERSON = frozenset(
    {
        TransactionState.NOT_SENT,
        TransactionState.UNKNOWN,
        TransactionState.OPEN,
        TransactionState.AWAITING_3DS,
        TransactionState.PENDING,
        TransactionState.ANOMALY,
    }
)
"""States that a person may end."""
_PENDING = frozenset({TransactionState.OPEN, TransactionState.AWAITING_3DS, TransactionState.PENDING})


def tasks_of(transactions: Iterable[GatewayTransaction], request: HttpRequest) -> Iterator[Task]:
    """Yield the transactions that need a person, with what the current user may do about them."""
    rows = list(transactions)
    bookable = bookable_differences(rows)
    for transaction in rows:
        # Open or pending: the customer or the provider decides; a person is needed only after too long.
        too_soon = transaction.state in _PENDING and not transaction.needs_operator
        if transaction.state in FOR_A_PERSON and not too_soon:
            yield Task(
                sentence=sentence_of(transaction),
                reference=transaction.reference,
                since=transaction.state_changed_at,
                queries=transaction.query_count,
                buttons=tuple(_ways_out(transaction, bookable.get(transaction.pk), request)),
            )
        elif transaction.refusal_unseen_since is not None:
            yield Task(
                sentence=f"{_('Refused afterwards')}: {sentence_of(transaction)}",
                reference=transaction.reference,
                since=transaction.refusal_unseen_since,
                queries=transaction.query_count,
                buttons=(),
                seen_url=seen_url_of(transaction, request),
            )


def seen_url_of(transaction: GatewayTransaction, request: HttpRequest) -> str:
    """Return where the current user posts that a refusal was seen; empty without the permission."""
    permission = OF_KIND.get(TransactionKind(transaction.kind))
    if permission is None or not has_permission(request, permission):
        return ""
    return reverse("admin:wallet_gateway_gatewaytransaction_refusal_seen", args=[transaction.pk])


def _ways_out(
    transaction: GatewayTransaction, other_amount: Discrepancy | None, request: HttpRequest
) -> Iterator[Button]:
    resend = OF_KIND.get(TransactionKind(transaction.kind))
    if (
        transaction.state == TransactionState.NOT_SENT
        and resend is not None
        and has_permission(request, resend)
    ):
        url = reverse("admin:wallet_gateway_gatewaytransaction_send_again", args=[transaction.pk])
        yield Button(label=_("Send again"), url=url, is_quiet=True)
    if has_permission(request, RESOLVE):
        if other_amount is not None:
            yield taking_button(other_amount, back="?back=order")
        url = reverse("admin:wallet_gateway_gatewaytransaction_decide", args=[transaction.pk])
        yield Button(label=_("Decide"), url=url, is_quiet=True)


def taking_button(row: Discrepancy, *, back: str = "") -> Button:
    """Return the link to the page that takes an operation of the gateway into our totals."""
    url = reverse("admin:wallet_gateway_discrepancy_book", args=[row.pk])
    return Button(label=f"{taking_words(row)}…", url=url + back)


def taking_words(row: Discrepancy) -> str:
    """Return what taking an operation into our totals is called, with the amount that they change by."""
    elsewhere, amount = made_elsewhere(row), reported_amount(row)
    if amount is None or (elsewhere is not None and elsewhere.kind is TransactionKind.REVERSAL):
        return _("Take it into our totals")
    return _("Take %(amount)s into our totals") % {"amount": format_money(amount)}


def requests_of(approvals: Iterable[Approval], request: HttpRequest) -> Iterator[Request]:
    """Yield the requests that wait for a second person; the requester may only withdraw."""
    now = gateways.clock().now()
    for approval in approvals:
        if approval.is_waiting(now):
            yield Request(
                sentence=what_is_asked(approval),
                by=visible(approval.created_by or "-"),
                since=approval.created_at,
                until=approval.expires_at,
                button=Button(label=_decision_of(approval, request), url=url_of(approval)),
            )


def _decision_of(approval: Approval, request: HttpRequest) -> Label:
    return _("Withdraw") if is_own_request(request, approval) else _("Agree or decline")
