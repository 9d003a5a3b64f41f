"""What waits for a person, in plain sentences: transactions, requests and differences, with the ways out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from wallet_gateway import gateways
from wallet_gateway.admin.forms import DECISIONS
from wallet_gateway.admin.pages import page_url, sentence_of
from wallet_gateway.admin.permissions import is_own_request
from wallet_gateway.domain.discrepancies import OF_GATEWAY, DiscrepancyKind
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import Approval, ApprovalState, Discrepancy, GatewayTransaction
from wallet_gateway.models.decisions import OF_KIND, RESOLVE
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import (
    POLLED_STATES,
    MadeElsewhere,
    bookable_differences,
    held_by,
    is_bookable,
    made_elsewhere,
    reported_amount,
)

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A link to a confirm page."""

    label: Label
    url: str
    is_quiet: bool = False
    """Whether another one beside it is the act that is meant."""


FOR_A_PERSON = frozenset({*POLLED_STATES, TransactionState.NOT_SENT, TransactionState.ANOMALY})
"""States that a person may end."""
_PENDING = frozenset(POLLED_STATES) - {TransactionState.UNKNOWN}


def tasks_of(transactions: Iterable[GatewayTransaction], request: HttpRequest) -> Iterator[dict[str, Any]]:
    """Yield the transactions that need a person, with what the current user may do about them."""
    rows = list(transactions)
    bookable = bookable_differences(rows)
    for transaction in rows:
        # Open or pending: the customer or the provider decides; a person is needed only after too long.
        too_soon = transaction.state in _PENDING and not transaction.needs_operator
        buttons = []
        if transaction.state in FOR_A_PERSON and not too_soon:
            may_resend = OF_KIND.get(TransactionKind(transaction.kind))
            if (
                transaction.state == TransactionState.NOT_SENT
                and may_resend is not None
                and request.user.has_perm(may_resend)
            ):
                url = page_url(request, "gatewaytransaction_send_again", transaction.pk)
                buttons.append(Button(label=_("Send again"), url=url, is_quiet=True))
            if request.user.has_perm(RESOLVE):
                if (other_amount := bookable.get(transaction.pk)) is not None:
                    buttons.append(taking_button(other_amount, request, back="?back=order"))
                url = page_url(request, "gatewaytransaction_decide", transaction.pk)
                buttons.append(Button(label=_("Decide"), url=url, is_quiet=True))
            sentence, since, seen_url = sentence_of(transaction), transaction.state_changed_at, ""
        elif transaction.refusal_unseen_since is not None:
            sentence = f"{_('Refused afterwards')}: {sentence_of(transaction)}"
            since, seen_url = transaction.refusal_unseen_since, seen_url_of(transaction, request)
        else:
            continue
        yield {
            "sentence": sentence,
            "reference": transaction.reference,
            "since": since,
            "queries": transaction.query_count,
            "buttons": buttons,
            "seen_url": seen_url,
        }


def seen_url_of(transaction: GatewayTransaction, request: HttpRequest) -> str:
    """Return where the current user posts that a refusal was seen; empty without the permission."""
    permission = OF_KIND.get(TransactionKind(transaction.kind))
    if permission is None or not request.user.has_perm(permission):
        return ""
    return page_url(request, "gatewaytransaction_refusal_seen", transaction.pk)


def taking_button(row: Discrepancy, request: HttpRequest, *, back: str = "") -> Button:
    """Return the link to the page that takes an operation of the gateway into our totals."""
    url = page_url(request, "discrepancy_book", row.pk)
    return Button(label=f"{taking_words(row)}…", url=url + back)


def taking_words(row: Discrepancy) -> str:
    """Return what taking an operation into our totals is called, with the amount that they change by."""
    elsewhere, amount = made_elsewhere(row), reported_amount(row)
    if amount is None or (elsewhere is not None and elsewhere.kind is TransactionKind.REVERSAL):
        return _("Take it into our totals")
    return _("Take %(amount)s into our totals") % {"amount": format_money(amount)}


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


def requests_of(approvals: Iterable[Approval], request: HttpRequest) -> Iterator[dict[str, Any]]:
    """Yield the requests that wait for a second person; the requester may only withdraw."""
    now = gateways.clock().now()
    for approval in approvals:
        if approval.is_waiting(now):
            label = _("Withdraw") if is_own_request(request, approval) else _("Agree or decline")
            yield {
                "sentence": what_is_asked(approval),
                "by": visible(approval.created_by or "-"),
                "since": approval.created_at,
                "until": approval.expires_at,
                "button": Button(label=label, url=page_url(request, "approval_decide", approval.pk)),
            }


_SENTENCES: Mapping[DiscrepancyKind, Promise | str] = {
    DiscrepancyKind.AMOUNT_DIFFERS: gettext_lazy(
        "The gateway has recorded another amount than we requested."
    ),
    DiscrepancyKind.UNIT_MIX_UP: gettext_lazy(
        "The gateway's amount is ours times ten or more, or a tenth or less: somebody counts another unit."
    ),
    DiscrepancyKind.CURRENCY_DIFFERS: gettext_lazy(
        "The gateway has recorded another currency than we requested."
    ),
    DiscrepancyKind.EXECUTED_TWICE: gettext_lazy("The gateway has carried out one request more than once."),
    DiscrepancyKind.RECORD_TAKEN: gettext_lazy(
        "The gateway's record for this belongs to another transaction already."
    ),
    DiscrepancyKind.APPROVED_AFTER_END: gettext_lazy(
        "The gateway has approved what had ended here without money."
    ),
    DiscrepancyKind.LATE_PAYMENT: gettext_lazy("The order was paid after it had been cancelled."),
    DiscrepancyKind.RECORD_UNUSABLE: gettext_lazy(
        "The gateway's approval has an id that is too long or a placeholder, so it cannot be known again."
    ),
    DiscrepancyKind.RECORDS_SHARED: gettext_lazy(
        "The gateway shows one operation in its answers about two payments, so nobody knows whose it is."
    ),
    DiscrepancyKind.RECORD_UNREADABLE: gettext_lazy(
        "The gateway has a record on this payment that cannot be read."
    ),
    DiscrepancyKind.MADE_ELSEWHERE: gettext_lazy(
        "The gateway has an operation on this payment that was not requested here."
    ),
    DiscrepancyKind.UNKNOWN_TYPE: gettext_lazy(
        "The gateway has a record of an unknown type on this payment; it may be a chargeback."
    ),
    DiscrepancyKind.APPROVED_ABOVE_REQUEST: gettext_lazy("The gateway has refunded more than was requested."),
    DiscrepancyKind.ABOVE_LIMIT: gettext_lazy("More was captured or refunded than this payment allows."),
    DiscrepancyKind.REPEATED_ON_THE_WIRE: gettext_lazy(
        "A request has reached the gateway twice: something on the way repeats requests."
    ),
    DiscrepancyKind.REFUND_SHORT: gettext_lazy(
        "Less was refunded than was requested; the rest is still owed to the customer."
    ),
    DiscrepancyKind.UNEXPECTED_HOST: gettext_lazy(
        "The gateway has named a payment page on a host that is not allowed."
    ),
    DiscrepancyKind.MISSING_THERE: gettext_lazy(
        "The gateway no longer has a record of what it had approved."
    ),
    DiscrepancyKind.STATE_DIFFERS: gettext_lazy(
        "The gateway's record contradicts an approval that is booked here."
    ),
}
_ELSEWHERE = {
    TransactionKind.CAPTURE: gettext_lazy("%(amount)s were captured elsewhere"),
    TransactionKind.REFUND: gettext_lazy("%(amount)s were refunded elsewhere"),
    TransactionKind.REVERSAL: gettext_lazy("An authorization of %(amount)s was reversed elsewhere"),
}


def difference_of(row: Discrepancy, request: HttpRequest) -> dict[str, Any]:
    """Return a discrepancy on its order's page, with what the current user may do about it."""
    elsewhere = made_elsewhere(row)
    return {
        "key": f"difference-{row.pk}",
        "sentence": sentence_of_difference(row),
        # What was compared, unless the sentence tells all of it.
        "detail": "" if elsewhere else visible(row.explanation),
        # By it the provider's portal finds an operation made elsewhere.
        "record_id": visible(elsewhere.record_id) if elsewhere else "",
        "since": row.found_at,
        "buttons": list(ways_to_end(row, request, back="?back=order")),
    }


def sentence_of_difference(row: Discrepancy) -> str:
    """Return one plain sentence with what is different."""
    elsewhere = made_elsewhere(row)
    if elsewhere is not None:
        what = {"what": words_of_elsewhere(elsewhere)}
        return _("%(what)s, for instance in the provider's portal. Our totals do not contain it.") % what
    kind = DiscrepancyKind(row.kind)
    if kind is DiscrepancyKind.UNKNOWN_STATE:
        held = held_by(row)
        holds = ngettext("It holds %(held)d payment.", "It holds %(held)d payments.", held) % {"held": held}
        return f"{visible(row.explanation)}. {holds}"
    return str(_SENTENCES.get(kind) or label_of(kind))


def explanation_of(row: Discrepancy) -> str:
    """Return what a list tells of a difference beside its kind: a sentence, or what was compared."""
    if made_elsewhere(row) is not None or row.kind in OF_GATEWAY:
        return sentence_of_difference(row)
    return row.explanation


def words_of_elsewhere(elsewhere: MadeElsewhere) -> str:
    """Return what was made elsewhere in a few words, such as `€7.00 were refunded elsewhere`."""
    return str(_ELSEWHERE[elsewhere.kind]) % {"amount": format_money(elsewhere.amount)}


def ways_to_end(row: Discrepancy, request: HttpRequest, *, back: str = "") -> Iterator[Button]:
    """Yield what the current user may do about a difference.

    Where the gateway has done something that can be booked, that is the act that is meant. To dismiss the
    difference, or to close one of any other kind, is quiet.

    `back` is the query by which `decisions` finds the page to return to; empty for the discrepancy's own.
    """
    if not request.user.has_perm(RESOLVE):
        return
    may_book = is_bookable(row)
    if may_book:
        yield taking_button(row, request, back=back)
    if row.closed_at is None:
        url = page_url(request, "discrepancy_close", row.pk)
        yield Button(label=_("Dismiss…") if may_book else _("Close…"), url=url + back, is_quiet=True)
