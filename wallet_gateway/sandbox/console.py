"""The console: pages on which a developer reads what the gateway stored, with forms that make control calls.

``access`` admits only callers on this machine or with the control key, and no pages of other sites. No cookie
authorizes the forms, so they need no CSRF token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import ProtocolError, UnreadableBody
from wallet_gateway.sandbox import faults
from wallet_gateway.sandbox.control import CONTROL_CALLS, behaviour_in_force
from wallet_gateway.sandbox.follow_ups import amounts_left
from wallet_gateway.sandbox.json_calls import InvalidInput
from wallet_gateway.sandbox.models import (
    Authentication,
    Checkout,
    JournalEntry,
    Merchant,
    PaymentAccount,
    RecordState,
    SandboxState,
    TransactionRecord,
)
from wallet_gateway.sandbox.pages import set_security_headers
from wallet_gateway.sandbox.records import ReferenceQuery, find_payment, find_pending, transaction_history
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions, wallet_mode

ROWS_PER_PAGE: Final = 25
LATEST: Final = 8
_NUMBER: Final = re.compile(r'"\\u0000([^"\\]+)\\u0000"')
BACK: Final = "back"
"""The form field that names the page of the form; all others are fields of the call."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show an overview: latest transactions and requests, clock, faults, behaviour and merchants."""
    records, entries = _records(), _entries()
    behaviour = _texts(behaviour_in_force())
    context = {
        "records": records[:LATEST],
        "record_count": records.count(),
        "entries": entries[:LATEST],
        "entry_count": entries.count(),
        "faults": faults.list_faults(),
        "merchants": Merchant.objects.order_by("pk"),
        "behaviour": [
            (field.label, dict(field.choices).get(behaviour[field.name], behaviour[field.name]))
            for field in CONTROL_CALLS["behaviour"].fields
        ],
        "reset": _form("reset"),
    }
    return _page(request, "overview", context)


@require_safe
def checkouts(request: HttpRequest) -> HttpResponse:
    """List the checkouts, newest first, each with its link."""
    return _page(request, "checkouts", {"page": _paginate(Checkout.objects.order_by("-pk"), request)})


@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """List the open 3-D Secure pages and the payment accounts, newest first."""
    context = {
        "authentications": _open_authentications().select_related("record").order_by("-pk"),
        "page": _paginate(PaymentAccount.objects.order_by("-pk"), request),
    }
    return _page(request, "wallet", context)


@require_safe
def transactions(request: HttpRequest) -> HttpResponse:
    """List the transactions, newest first."""
    return _page(request, "transactions", {"page": _paginate(_records(), request)})


@require_safe
def transaction_detail(request: HttpRequest, record_id: str) -> HttpResponse:
    """Show one transaction: its fields, history, follow-ups and related requests."""
    record = (
        TransactionRecord.objects.select_related("merchant", "original").filter(record_id=record_id).first()
    )
    if record is None:
        return _not_found(request, section="transactions")
    named = Q(request_body__contains=json.dumps(record.reference, ensure_ascii=False))
    context = {
        "record": record,
        "forms": _forms_for(record),
        "history": transaction_history(record),
        "follow_ups": record.follow_ups.order_by("-pk"),
        "details": json.dumps(record.details, ensure_ascii=False, indent=2) if record.details else "",
        "entries": _entries().filter(named | Q(path__contains=quote(record.reference)))[:ROWS_PER_PAGE],
    }
    return _page(request, "transaction", context, section="transactions")


@require_safe
def requests(request: HttpRequest) -> HttpResponse:
    """List the requests received, newest first."""
    return _page(request, "requests", {"page": _paginate(_entries(), request)})


@require_safe
def request_detail(request: HttpRequest, number: int) -> HttpResponse:
    """Show one request and its answer, formatted for reading."""
    entry = JournalEntry.objects.filter(pk=number).first()
    if entry is None:
        return _not_found(request, section="requests")
    bodies = (("Received", _readable(entry.request_body)), ("Answered", _readable(entry.answer_body)))
    return _page(request, "request", {"entry": entry, "bodies": bodies}, section="requests")


@require_safe
def controls(request: HttpRequest) -> HttpResponse:
    """Show a form for each call that concerns the sandbox as a whole, filled in with what is in force."""
    context = {
        "faults": faults.list_faults(),
        "clock_forms": [
            _form("advance-clock"),
            _form("set-clock", {"now": f"{current_conditions().now:%Y-%m-%dT%H:%M}"}),
            _form("reset-clock"),
        ],
        "fault_forms": [_form("set-fault"), _form("clear-faults")],
        "other_forms": [
            ("Behaviour", _form("behaviour", _texts(behaviour_in_force()))),
            ("Wallet", _form("wallet", {"mode": wallet_mode()})),
            ("Merchants", _form("add-merchant")),
        ],
    }
    return _page(request, "controls", context)


@require_POST
def make_call(request: HttpRequest, name: str) -> HttpResponse:
    """Make the control call of a form and return to its page; a refused call is shown with its reason."""
    call = CONTROL_CALLS.get(name)
    if call is None or not call.button:
        return _not_found(request, section="controls")
    back = request.POST.get(BACK, "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = reverse("console_controls")
    texts = {field: str(text) for field, text in request.POST.items() if field != BACK}
    try:
        call.run(call.from_form(texts))
    except (Refusal, InvalidInput, ProtocolError) as error:
        status = error.status if isinstance(error, Refusal) else HTTPStatus.BAD_REQUEST
        context = {"call": call, "reason": str(error), "back": back}
        return _page(request, "refused", context, section="controls", status=status)
    location = iri_to_uri(f"{back}#{name}")
    return set_security_headers(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location}))


def _forms_for(record: TransactionRecord) -> list[dict[str, Any]]:
    """Return the forms of the calls that would find this record, not another one with its reference."""
    merchant = record.merchant
    reference = {
        "clientSystemTransactionId": record.reference,
        "merchantId": merchant.merchant_id,
        "storeId": merchant.store_id,
    }
    query = ReferenceQuery(
        reference=record.reference, merchant_id=merchant.merchant_id, store_id=merchant.store_id
    )
    if record.state == RecordState.PENDING:
        if find_pending(query) != record:
            return []
        page_is_open = _open_authentications().filter(record=record).exists()
        names = ["settle", "three-d-secure"] if page_is_open else ["settle"]
        return [_form(name, hidden=reference) for name in names]
    left = [] if record.original_reference else [*amounts_left(record)]
    if not left or find_payment(query) != record:
        return []
    types = [(follow_up, f"{follow_up}, up to {amount}") for follow_up, amount in left]
    return [_form("portal", {"amount": left[0][1].to_wire()}, hidden=reference, choices={"type": types})]


def _form(
    name: str,
    values: Mapping[str, str] | None = None,
    *,
    hidden: Mapping[str, str] | None = None,
    choices: Mapping[str, Iterable[tuple[str, str]]] | None = None,
) -> dict[str, Any]:
    """Return the form of a call with these values; ``choices`` replace those of a field."""
    call, values, hidden, choices = CONTROL_CALLS[name], values or {}, hidden or {}, choices or {}
    rows = [
        (field, values.get(field.name, field.default), choices.get(field.name, field.choices))
        for field in call.fields
        if field.name not in hidden
    ]
    return {"call": call, "rows": rows, "hidden": hidden}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return JSON values as the texts of a form."""
    return {
        name: value if isinstance(value, str) else strict_json.dumps(value).decode()
        for name, value in values.items()
    }


def _readable(body: str) -> str:
    """Return JSON with line breaks and indentation; a body that is not strict JSON is unchanged."""
    try:
        strict_json.loads(body)
    except UnreadableBody:
        return body
    # `json.dumps` would write the digits of a number in another way than they were sent.
    value = json.loads(body, parse_int="\0{}\0".format, parse_float="\0{}\0".format)
    return _NUMBER.sub(r"\1", json.dumps(value, ensure_ascii=False, indent=2))


def _open_authentications() -> QuerySet[Authentication]:
    return Authentication.objects.filter(decided_outcome="", expires_at__gt=current_conditions().now)


def _records() -> QuerySet[TransactionRecord]:
    return TransactionRecord.objects.order_by("-pk")


def _entries() -> QuerySet[JournalEntry]:
    # Each body may have a megabyte, and the list does not show it.
    return JournalEntry.objects.order_by("-pk").defer("request_body", "answer_body")


def _paginate(rows: QuerySet[Any], request: HttpRequest) -> Page[Any]:
    return Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))


def _not_found(request: HttpRequest, *, section: str) -> HttpResponse:
    return _page(request, "missing", {}, section=section, status=HTTPStatus.NOT_FOUND)


def _page(
    request: HttpRequest,
    name: str,
    context: dict[str, Any],
    *,
    section: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """Render a page of the console, in a section of its menu (its own by default)."""
    context |= {
        "section": section or name,
        "language": "en",
        "direction": "ltr",
        "now": current_conditions().now,
        "ahead": SandboxState.objects.values_list("clock_ahead", flat=True).first(),
        "base_url": request.build_absolute_uri(reverse("console")).rstrip("/"),
        "here": request.path,
    }
    response = render(request, f"wallet_sandbox/console/{name}.html", context, status=status)
    # Access control checks the Origin header, which browsers would send as "null" with "no-referrer".
    return set_security_headers(response, referrer_policy="same-origin")


console_urls: list[URLPattern] = [
    path("", index, name="console"),
    path("checkouts/", checkouts, name="console_checkouts"),
    path("accounts/", accounts, name="console_accounts"),
    path("transactions/", transactions, name="console_transactions"),
    path("transactions/<str:record_id>/", transaction_detail, name="console_transaction"),
    path("requests/", requests, name="console_requests"),
    path("requests/<int:number>/", request_detail, name="console_request"),
    path("controls/", controls, name="console_controls"),
    path("controls/<str:name>/", make_call, name="console_call"),
]
