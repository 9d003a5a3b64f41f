"""The console: pages on which a developer reads what the gateway stored, and three buttons.

The views query rows for display; each change is one call to another package. ``access`` admits only callers
on this machine or with the control key, and no pages of other sites. No cookie authorizes the buttons, so
they need no CSRF token.
"""

from __future__ import annotations

import contextlib
import json
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import translation
from django.views.decorators.http import require_POST, require_safe

from wallet_gateway.sandbox.api import faults
from wallet_gateway.sandbox.console.formatting import duration_text, indent_json
from wallet_gateway.sandbox.control import provision
from wallet_gateway.sandbox.models import (
    Authentication,
    Checkout,
    JournalEntry,
    Merchant,
    Outcome,
    PaymentAccount,
    SandboxState,
    SetFault,
    TransactionRecord,
)
from wallet_gateway.sandbox.pages.headers import set_security_headers
from wallet_gateway.sandbox.pages.localization import browser_language, direction
from wallet_gateway.sandbox.payments.records import SETTLING_OUTCOMES, settle_pending, transaction_history
from wallet_gateway.sandbox.refusals import NotPending
from wallet_gateway.sandbox.state import current_conditions

ROWS_PER_PAGE: Final = 25
LATEST: Final = 8


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show an overview: latest transactions and requests, clock, faults, behaviour and merchants."""
    conditions = current_conditions()
    records, entries = _records(), _entries()
    context = {
        "records": records[:LATEST],
        "record_count": records.count(),
        "entries": entries[:LATEST],
        "entry_count": entries.count(),
        "faults": [_fault_row(fault) for fault in faults.list_faults()],
        "merchants": Merchant.objects.order_by("pk"),
        "behaviour": conditions.behaviour,
        "status_lag": duration_text(conditions.behaviour.status_lag),
        "ahead": _clock_ahead(),
        "base_url": request.build_absolute_uri("/").rstrip("/"),
    }
    return _console_page(request, "overview", context, section="overview")


@require_safe
def checkouts(request: HttpRequest) -> HttpResponse:
    """List the checkouts, newest first, each with its link."""
    rows = Checkout.objects.order_by("-pk")
    return _console_page(request, "checkouts", {"page": _paginate(rows, request)}, section="checkouts")


@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """List the open 3-D Secure pages and the payment accounts, newest first."""
    is_open = Q(decided_outcome="", expires_at__gt=current_conditions().now)
    context = {
        "authentications": Authentication.objects.filter(is_open).select_related("record").order_by("-pk"),
        "page": _paginate(PaymentAccount.objects.order_by("-pk"), request),
    }
    return _console_page(request, "wallet", context, section="wallet")


@require_safe
def transactions(request: HttpRequest) -> HttpResponse:
    """List the transactions, newest first."""
    return _console_page(
        request, "transactions", {"page": _paginate(_records(), request)}, section="transactions"
    )


@require_safe
def requests(request: HttpRequest) -> HttpResponse:
    """List the requests received, newest first."""
    return _console_page(request, "requests", {"page": _paginate(_entries(), request)}, section="requests")


@require_safe
def transaction_detail(request: HttpRequest, record_id: str) -> HttpResponse:
    """Show one transaction: its fields, history, follow-ups and related requests."""
    record = (
        TransactionRecord.objects.select_related("merchant", "original").filter(record_id=record_id).first()
    )
    if record is None:
        return _not_found(request, section="transactions")
    context = {
        "record": record,
        "history": transaction_history(record),
        "follow_ups": record.follow_ups.order_by("-pk"),
        "details": json.dumps(record.details, ensure_ascii=False, indent=2) if record.details else "",
        "entries": _entries_about(record.reference),
    }
    return _console_page(request, "transaction", context, section="transactions")


@require_safe
def request_detail(request: HttpRequest, number: int) -> HttpResponse:
    """Show one request and its answer, formatted for reading."""
    entry = JournalEntry.objects.filter(pk=number).first()
    if entry is None:
        return _not_found(request, section="requests")
    context = {
        "entry": entry,
        "received": indent_json(entry.request_body),
        "answered": indent_json(entry.answer_body),
    }
    return _console_page(request, "request", context, section="requests")


@require_POST
def settle(request: HttpRequest, record_id: str) -> HttpResponse:
    """Settle a pending transaction as the provider would, and show it again."""
    record = TransactionRecord.objects.filter(record_id=record_id).first()
    outcome = request.POST.get("outcome", "")
    if record is None or outcome not in SETTLING_OUTCOMES:
        return _not_found(request, section="transactions")
    # If the transaction was settled meanwhile, the page shows that result.
    with contextlib.suppress(NotPending):
        settle_pending(record, Outcome(outcome))
    return _redirect_to("console_transaction", record_id)


@require_POST
def clear_faults(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it
    """Remove all faults."""
    faults.clear_faults()
    return _redirect_to("console")


@require_POST
def reset(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it
    """Reset the sandbox to its initial state."""
    provision.reset()
    return _redirect_to("console")


def _clock_ahead() -> str:
    ahead = SandboxState.objects.values_list("clock_ahead", flat=True).first()
    return duration_text(ahead) if ahead else ""


def _records() -> QuerySet[TransactionRecord]:
    return TransactionRecord.objects.order_by("-pk")


def _entries() -> QuerySet[JournalEntry]:
    # Each body may have a megabyte, and the list does not show it.
    return JournalEntry.objects.order_by("-pk").defer("request_body", "answer_body")


def _entries_about(reference: str) -> QuerySet[JournalEntry]:
    named = Q(request_body__contains=json.dumps(reference, ensure_ascii=False)) | Q(
        path__contains=quote(reference)
    )
    return _entries().filter(named)[:ROWS_PER_PAGE]


def _paginate(rows: QuerySet[Any], request: HttpRequest) -> Page[Any]:
    return Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))


def _fault_row(fault: SetFault) -> dict[str, Any]:
    return {"fault": fault, "delay": "" if fault.delay is None else duration_text(fault.delay)}


def _not_found(request: HttpRequest, *, section: str) -> HttpResponse:
    return _console_page(request, "missing", {}, section=section, status=HTTPStatus.NOT_FOUND)


def _redirect_to(name: str, *arguments: str) -> HttpResponse:
    return set_security_headers(
        HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": reverse(name, args=arguments)})
    )


def _console_page(
    request: HttpRequest,
    name: str,
    context: dict[str, Any],
    *,
    section: str,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    language = browser_language(request.headers.get("Accept-Language", ""))
    context |= {
        "section": section,
        "language": language,
        "direction": direction(language),
        "now": current_conditions().now,
    }
    with translation.override(language):
        response = render(request, f"wallet_sandbox/console/{name}.html", context, status=status)
    response["Vary"] = "Accept-Language"
    # Access control checks the Origin header, which browsers would send as "null" with "no-referrer".
    return set_security_headers(response, referrer_policy="same-origin")


console_urls: list[URLPattern] = [
    path("checkouts/", checkouts, name="console_checkouts"),
    path("accounts/", accounts, name="console_accounts"),
    path("transactions/", transactions, name="console_transactions"),
    path("transactions/<str:record_id>/", transaction_detail, name="console_transaction"),
    path("transactions/<str:record_id>/settle/", settle, name="console_settle"),
    path("requests/", requests, name="console_requests"),
    path("requests/<int:number>/", request_detail, name="console_request"),
    path("faults/clear/", clear_faults, name="console_clear_faults"),
    path("reset/", reset, name="console_reset"),
]
