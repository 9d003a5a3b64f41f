"""Differences as a person reads them: a plain sentence for each, and the ways to end it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.permissions import RESOLVE, has_permission
from wallet_gateway.admin.tasks import Button, taking_button
from wallet_gateway.domain.discrepancies import OF_GATEWAY, DiscrepancyKind
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import Discrepancy
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import MadeElsewhere, held_by, is_bookable, made_elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that our records and the gateway's tell differently, and that needs a person."""

    key: str
    """Names it within its page."""
    sentence: str
    detail: str
    """What was compared; empty if the sentence tells all of it."""
    record_id: str
    """The gateway's id of an operation made elsewhere, by which the provider's portal finds it."""
    since: datetime
    buttons: tuple[Button, ...]


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


def difference_of(row: Discrepancy, request: HttpRequest) -> Difference:
    """Return a discrepancy on its order's page, with what the current user may do about it."""
    elsewhere = made_elsewhere(row)
    return Difference(
        key=f"difference-{row.pk}",
        sentence=sentence_of_difference(row),
        detail="" if elsewhere else visible(row.explanation),
        record_id=visible(elsewhere.record_id) if elsewhere else "",
        since=row.found_at,
        buttons=tuple(ways_to_end(row, request, back="?back=order")),
    )


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
    if not has_permission(request, RESOLVE):
        return
    may_book = is_bookable(row)
    if may_book:
        yield taking_button(row, back=back)
    if row.closed_at is None:
        url = reverse("admin:wallet_gateway_discrepancy_close", args=[row.pk])
        yield Button(label=_("Dismiss…") if may_book else _("Close…"), url=url + back, is_quiet=True)
