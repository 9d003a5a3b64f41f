"""The console: pages on which a developer reads what the gateway stored.

The views query rows for display and change nothing; ``controls`` executes the buttons. ``access`` admits only
callers on this machine or with the control key, and no pages of other sites.
"""

from __future__ import annotations

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
from django.views.decorators.http import require_safe

from wallet_gateway.sandbox.api import faults
from wallet_gateway.sandbox.console.buttons import (
    Button,
    authentication_buttons,
    portal_buttons,
    portal_form,
    reference_fields,
    settle_buttons,
)
from wallet_gateway.sandbox.console.formatting import duration_text, indent_json
from wallet_gateway.sandbox.models import (
    Authentication,
    Checkout,
    JournalEntry,
    Merchant,
    PaymentAccount,
    RecordState,
    SandboxState,
    SetFault,
    TransactionRecord,
)
from wallet_gateway.sandbox.pages.headers import set_security_headers
from wallet_gateway.sandbox.pages.localization import browser_language, direction
from wallet_gateway.sandbox.payments.records import (
    ReferenceQuery,
    find_payment,
    find_pending,
    transaction_history,
)
from wallet_gateway.sandbox.refusals import Refusal
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
        "faults": [fault_row(fault) for fault in faults.list_faults()],
        "merchants": Merchant.objects.order_by("pk"),
        "behaviour": conditions.behaviour,
        "status_lag": duration_text(conditions.behaviour.status_lag),
        "ahead": clock_ahead(),
    }
    return console_page(request, "overview", context, section="overview")


@require_safe
def checkouts(request: HttpRequest) -> HttpResponse:
    """List the checkouts, newest first, each with its link."""
    rows = Checkout.objects.order_by("-pk")
    return console_page(request, "checkouts", {"page": _paginate(rows, request)}, section="checkouts")


@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """List the open 3-D Secure pages and the payment accounts, newest first."""
    authentications = _open_authentications().select_related("record__merchant").order_by("-pk")
    context = {
        "authentications": [(one, authentication_buttons(one.record)) for one in authentications],
        "page": _paginate(PaymentAccount.objects.order_by("-pk"), request),
    }
    return console_page(request, "wallet", context, section="wallet")


@require_safe
def transactions(request: HttpRequest) -> HttpResponse:
    """List the transactions, newest first."""
    return console_page(
        request, "transactions", {"page": _paginate(_records(), request)}, section="transactions"
    )


@require_safe
def requests(request: HttpRequest) -> HttpResponse:
    """List the requests received, newest first."""
    return console_page(request, "requests", {"page": _paginate(_entries(), request)}, section="requests")


@require_safe
def transaction_detail(request: HttpRequest, record_id: str) -> HttpResponse:
    """Show one transaction: its fields, history, follow-ups and related requests."""
    record = (
        TransactionRecord.objects.select_related("merchant", "original").filter(record_id=record_id).first()
    )
    if record is None:
        return not_found(request, section="transactions")
    context = {
        "record": record,
        "history": transaction_history(record),
        "follow_ups": record.follow_ups.order_by("-pk"),
        "details": json.dumps(record.details, ensure_ascii=False, indent=2) if record.details else "",
        "entries": _entries_about(record.reference),
        **_controls_of(record, request),
    }
    return console_page(request, "transaction", context, section="transactions")


@require_safe
def request_detail(request: HttpRequest, number: int) -> HttpResponse:
    """Show one request and its answer, formatted for reading."""
    entry = JournalEntry.objects.filter(pk=number).first()
    if entry is None:
        return not_found(request, section="requests")
    context = {
        "entry": entry,
        "received": indent_json(entry.request_body),
        "answered": indent_json(entry.answer_body),
    }
    return console_page(request, "request", context, section="requests")


def _controls_of(record: TransactionRecord, request: HttpRequest) -> dict[str, Any]:
    """Return the buttons of a transaction: those whose control call finds this record, not a namesake."""
    fields = reference_fields(record)
    query = ReferenceQuery(
        reference=record.reference, merchant_id=fields["merchantId"], store_id=fields["storeId"]
    )
    if record.state == RecordState.PENDING:
        is_meant = find_pending(query) == record
        return {"settling": settle_buttons(record), "secure": _open_check(record)} if is_meant else {}
    try:
        is_meant = find_payment(query) == record
    except Refusal:
        return {}
    if not is_meant:
        return {}
    return {"portal": portal_buttons(record), "portal_form": portal_form(record, request.GET.dict())}


def _open_check(record: TransactionRecord) -> tuple[Button, ...]:
    is_open = _open_authentications().filter(record=record).exists()
    return authentication_buttons(record) if is_open else ()


def _open_authentications() -> QuerySet[Authentication]:
    return Authentication.objects.filter(decided_outcome="", expires_at__gt=current_conditions().now)


def clock_ahead() -> str:
    """Return how far the sandbox's clock is ahead of the machine's; empty if it is not."""
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


def fault_row(fault: SetFault) -> dict[str, Any]:
    """Return what the list of faults shows of one."""
    return {"fault": fault, "delay": "" if fault.delay is None else duration_text(fault.delay)}


def not_found(request: HttpRequest, *, section: str) -> HttpResponse:
    """Answer 404 with a page of the console."""
    return console_page(request, "missing", {}, section=section, status=HTTPStatus.NOT_FOUND)


def console_page(
    request: HttpRequest,
    name: str,
    context: dict[str, Any],
    *,
    section: str,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """Render a page of the console in the browser's language, with its security headers."""
    language = browser_language(request.headers.get("Accept-Language", ""))
    context |= {
        "section": section,
        "language": language,
        "direction": direction(language),
        "now": current_conditions().now,
        "base_url": request.build_absolute_uri(reverse("console")).rstrip("/"),
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
    path("requests/", requests, name="console_requests"),
    path("requests/<int:number>/", request_detail, name="console_request"),
]
