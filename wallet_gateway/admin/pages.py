"""What all pages with a form share: access control, no surrounding database transaction, page layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.db import transaction as db_transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from wallet_gateway.admin.current_site import enter_site, reverse
from wallet_gateway.admin.profile_mark import mark_of
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

View = Callable[..., HttpResponseBase]

_LEVELS = {
    TransactionState.APPROVED: messages.SUCCESS,
    TransactionState.REJECTED: messages.ERROR,
    TransactionState.ANOMALY: messages.ERROR,
    TransactionState.ABANDONED: messages.INFO,
}


def staff_view(site: AdminSite, view: View) -> View:
    """Restrict a view that contacts the gateway to staff, and run it outside the request's transaction.

    A request must be committed before it is sent, even if the project sets `ATOMIC_REQUESTS`.
    """

    @db_transaction.non_atomic_requests
    @wraps(view)
    def non_atomic(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        enter_site(site, request)
        return view(request, *args, **kwargs)

    return site.admin_view(non_atomic)


def render_page(
    site: AdminSite,
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    about: Iterable[Model] = (),
) -> HttpResponse:
    """Render a page in the layout of the admin; `about` are the rows that decide whether it is of a test."""
    shown = {**site.each_context(request), **mark_of(about), **context}
    return TemplateResponse(request, f"admin/wallet_gateway/{template}", shown)


def row_url(row: Model) -> str:
    """Return the URL of a row's page."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def row_name(row: Model) -> str:
    """Return the name under which people know a row, in their language."""
    if isinstance(row, GatewayTransaction):
        return f"{label_of(TransactionKind(row.kind))} {row.reference}"
    if isinstance(row, TransactionEvent):
        return f"{label_of(TransactionEventKind(row.kind))}, {format_short_datetime(row.occurred_at)}"
    return visible(row)


def show_status(request: HttpRequest, transaction: GatewayTransaction) -> None:
    """Show a transaction's status as a message of the matching level."""
    level = _LEVELS.get(TransactionState(transaction.state), messages.WARNING)
    messages.add_message(request, level, sentence_of(transaction))


def sentence_of(transaction: GatewayTransaction, *, write: Callable[[Money], str] = format_money) -> str:
    """Return one sentence with the operation and its status, in the reader's language.

    What is stored is written with `str`: it is read in other languages, too, in which `1.234` is another
    amount.
    """
    words = _("%(kind)s of %(amount)s: %(state)s.") % {
        "kind": label_of(TransactionKind(transaction.kind)),
        "amount": write(transaction.approved_amount or transaction.amount),
        "state": label_of(TransactionState(transaction.state)),
    }
    if transaction.state == TransactionState.UNKNOWN:
        words += " " + _("The amount stays reserved; the gateway is being asked and nothing is sent again.")
    if transaction.explanation:
        words += " " + _("Details: %(detail)s") % {"detail": visible(transaction.explanation)}
    return words
