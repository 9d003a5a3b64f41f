"""What the pages with a form have in common: who may come, outside which transaction, in which frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.db import transaction as db_transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from wallet_gateway.admin.messages import said
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.labels import label_of

View = Callable[..., HttpResponseBase]

_LEVELS = {
    TransactionState.APPROVED: messages.SUCCESS,
    TransactionState.REJECTED: messages.ERROR,
    TransactionState.ANOMALY: messages.ERROR,
    TransactionState.ABANDONED: messages.INFO,
}


def acting(site: AdminSite, view: View) -> View:
    """Admit staff to a view that asks the gateway, and keep it out of the request's transaction.

    What is about to be sent has to be committed first, also where the project has `ATOMIC_REQUESTS`.
    """

    @db_transaction.non_atomic_requests
    @wraps(view)
    def outside(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs)

    return site.admin_view(outside)


def draw(site: AdminSite, request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Draw a page in the frame of the admin."""
    return TemplateResponse(
        request, f"admin/wallet_gateway/{template}", {**site.each_context(request), **context}
    )


def tell(request: HttpRequest, transaction: GatewayTransaction) -> None:
    """Say how a transaction stands, in the colour that goes with it."""
    level = _LEVELS.get(TransactionState(transaction.state), messages.WARNING)
    messages.add_message(request, level, sentence_of(transaction))


def sentence_of(transaction: GatewayTransaction) -> str:
    """Say in one line what was asked and how it stands."""
    words = _("%(kind)s of %(amount)s: %(state)s.") % {
        "kind": label_of(TransactionKind(transaction.kind)),
        "amount": transaction.approved_amount or transaction.amount,
        "state": label_of(TransactionState(transaction.state)),
    }
    if transaction.state == TransactionState.UNKNOWN:
        words += " " + _("The amount stays reserved; the gateway is being asked and nothing is sent again.")
    return f"{words} {said(transaction.detail)}".strip()
