"""One order's full history for support, as a zip that is safe to share: no personal data, no secrets.

Only the message fields listed here are kept and all others are blanked; a field that the interface does not
name has a number for a name; people's names and free text are left out.
"""

from __future__ import annotations

import io
import json
import platform
import zipfile
from functools import cache
from typing import Any, Final

import django
from django.db import connection
from django.db.models import BooleanField, DateTimeField, IntegerField, Model

from wallet_gateway import __version__
from wallet_gateway.client.redaction import redact_message
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.models.transactions import BY_PEOPLE
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import fold_name, loads
from wallet_gateway.protocol.wire import WireModel

_KEPT = frozenset(
    fold_name(name)
    for name in [
        "id",
        "type",
        "state",
        "amount",
        "currencyCode",
        "transactionAmount",
        "transactionDateTime",
        "code",
        "clientSystemTransactionId",
        "clientSystemInvoiceId",
        "providerStateCode",
        "redirectUrlTimeout",
        "productQuantity",
        "transactionMethod",
    ]
)
_TEXTS = frozenset(
    [
        *("reference", "gateway", "currency", "record_id", "provider_state", "error_code", "decision"),
        *("kind", "card_type", "card_network", "lifecycle_event", "state_after", "event_id", "last_error"),
        *("reversal", "late_payment"),
    ]
)
"""The texts of rows that are kept."""
_KINDS: Final = (IntegerField, BooleanField, DateTimeField)
"""The types of columns that are kept: personal data, secrets and names of the staff are in texts only."""
_README = """One order's story, made to be sent to support.

It holds references, amounts, states and times. Names, addresses, e-mails, keys, card data and what people
wrote are left out; in messages everything but the fields that support needs is blanked.
"""


@sensitive_variables()
def support_bundle(order: PaymentOrder) -> bytes:
    """Return one order's full history without personal data, to be sent to somebody who helps.

    :param order: any order.
    :returns: the bytes of a zip file.
    """
    payments = Payment.objects.filter(order=order).order_by("number")
    transactions = GatewayTransaction.objects.filter(payment__order=order).order_by("pk")
    events = TransactionEvent.objects.filter(transaction__payment__order=order).select_related("transaction")
    approvals = Approval.objects.filter(payment__order=order).order_by("pk")
    discrepancies = Discrepancy.objects.filter(payment__order=order).order_by("pk")
    contents: dict[str, object] = {
        "versions.json": {
            "wallet_gateway": __version__,
            "django": django.get_version(),
            "python": platform.python_version(),
            "database": connection.vendor,
        },
        "order.json": _facts(order),
        "payments.json": list(map(_facts, payments)),
        "transactions.json": [_facts(row) | {"request": _masked(row.request_body)} for row in transactions],
        "events.json": [
            {
                "transaction": row.transaction.reference,
                "by_person": row.kind in BY_PEOPLE,
                **_facts(row),
                "request": _masked(row.request_body),
                "answer": _masked(row.answer_body),
            }
            for row in events.order_by("pk")
        ],
        "approvals.json": list(map(_facts, approvals)),
        "discrepancies.json": list(map(_facts, discrepancies)),
        "outbox.json": list(map(_facts, OutboxEvent.objects.filter(order=order))),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _README)
        for name, content in contents.items():
            archive.writestr(name, json.dumps(content, indent=2, default=str))
    return buffer.getvalue()


def _facts(row: Model) -> dict[str, Any]:
    """Return the numbers, times, truth values, choices and kept texts of a row, without its key."""
    return {
        field.name: getattr(row, field.name)
        for field in row._meta.concrete_fields
        if field.name in _TEXTS or field.choices or (isinstance(field, _KINDS) and not field.primary_key)
    }


def _masked(body: str) -> object:
    """Return a message with its structure and only the values of the kept fields."""
    if not body:
        return None
    try:
        return _mask(loads(body))
    except UnreadableBody:
        return f"[{len(body)} characters that are no JSON]"


def _mask(value: Any, name: str = "") -> Any:  # noqa: ANN401 - JSON is anything
    if isinstance(value, dict):
        known = _names_of_the_interface()
        return {
            name if fold_name(name) in known else f"[name {position}]": _mask(inner, name)
            for position, (name, inner) in enumerate(value.items(), 1)
        }
    if isinstance(value, list):
        return [_mask(inner, name) for inner in value]
    return redact_message(str(value)) if fold_name(name) in _KEPT else "[left out]"


@cache
def _names_of_the_interface() -> frozenset[str]:
    """Return the folded names of all fields of its messages. Any other name may be a customer's e-mail."""
    models, names = [WireModel], set(_KEPT)
    while models:
        model = models.pop()
        models += model.__subclasses__()
        names.update(map(fold_name, model.wire_names.values()))
    return frozenset(names)
