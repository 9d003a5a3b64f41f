"""Everything that keeps or shows something, read as text: rows, logs, mails, metrics, files and pages."""

from __future__ import annotations

import io
import logging
import re
import traceback
import zipfile
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.request import urlopen

from django.core import mail
from django.test import Client
from django.urls import reverse
from prometheus_client import REGISTRY

from tests.security.access_table import ADDRESSES, TOKEN, Address
from tests.support.stored import stored
from wallet_gateway import payments, return_tokens
from wallet_gateway.contrib.prometheus.rows import register
from wallet_gateway.gateways import is_test
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.reports.exports import EXPORTS, as_csv, as_json, export_rows
from wallet_gateway.return_tokens import ReturnOutcome

Places = dict[str, str]
MODELS = (PaymentOrder, GatewayTransaction, TransactionEvent, Discrepancy, MigratedDeposit, Approval)


def rows() -> Places:
    """Return every column of every table of the database, of all apps."""
    return {f"column {name}": text for name, text in stored().items()}


def logs(records: Iterable[logging.LogRecord]) -> Places:
    """Return what each logger wrote: the message, its arguments, and the traceback."""
    found: dict[str, list[str]] = {}
    for record in records:
        parts = [record.getMessage(), repr(record.args), record.exc_text or ""]
        if record.exc_info and record.exc_info[1]:
            parts += traceback.format_exception(record.exc_info[1])
        found.setdefault(f"log {record.name}", []).extend(parts)
    return {place: "\n".join(lines) for place, lines in found.items()}


def mails() -> Places:
    sent = [message.message().as_string() + message.subject + str(message.body) for message in mail.outbox]
    return {"mail": "\n".join(sent)}


def monitors(token: str) -> Places:
    """Return what monitors read: the health view, and all metrics there are."""
    collector = register()
    try:
        client = Client(headers={"authorization": f"Bearer {token}"})
        answers = {name: client.get(reverse(name)) for name in ("wallet_gateway:health", "metrics")}
    finally:
        REGISTRY.unregister(collector)
        register.cache_clear()
    return {"health view": str(answers["wallet_gateway:health"].content), "metrics": answers["metrics"].text}


def exports(orders: Iterable[PaymentOrder]) -> Places:
    """Return all that leaves as a file: exports and support bundles."""
    found = {
        f"export {what}": "".join(
            line for write in (as_csv, as_json) for line in write(*export_rows(what, is_test=is_test))
        )
        for what in EXPORTS
    }
    return found | {"support bundle": "\n".join(map(_bundle, orders))}


def _bundle(order: PaymentOrder) -> str:
    with zipfile.ZipFile(io.BytesIO(payments.maintenance.support_bundle(order))) as bundle:
        return "\n".join(bundle.read(name).decode() for name in bundle.namelist())


def admin_pages(client: Client, who: str, *, most: int) -> Places:
    """Return what each page of the admin shows to somebody, of some rows of every kind."""
    found: dict[str, list[str]] = {}
    arguments = _arguments(most)
    for address in ADDRESSES:
        if address.name.startswith("admin:"):
            assert arguments[address.row], f"there is no row for {address.name}"
            place = f"admin {address.name.rpartition('wallet_gateway_')[2]} to {who}"
            for given in arguments[address.row]:
                answer = client.get(reverse(address.name, args=given), _query(address))
                assert answer.status_code != HTTPStatus.NOT_FOUND, f"{address.name} {given}"
                found.setdefault(place, []).append(shown(answer))
    return {place: "\n".join(pages) for place, pages in found.items()}


def _query(address: Address) -> dict[str, str]:
    if not address.name.endswith("_migrateddeposit_refund"):
        return {}
    return {"ids": ",".join(str(row.pk) for row in _some(MigratedDeposit.objects.all(), 3))}


def _arguments(most: int) -> dict[str, list[list[Any]]]:
    """Return for each kind of address what it may be about: some rows from the first to the last."""
    kinds = ("capture", "refund", "reversal")
    some = {
        str(model._meta.model_name): [[row.pk] for row in _some(model.objects.all(), most)]
        for model in MODELS
    }
    drafts = OperationBatch.objects.filter(state=BatchState.DRAFT)
    batches = OperationBatch.objects.exclude(kind=BatchKind.STATUS_QUERY)
    paid = _some(Payment.objects.filter(authorized__gt=0), most)
    return some | {
        "": [[]],
        "gateway": [["default"]],
        "stop": [["default", "stop"], ["default", "resume"]],
        "queries": [[row.pk] for row in OperationBatch.objects.filter(kind=BatchKind.STATUS_QUERY)],
        "draft": [[row.pk] for row in drafts],
        "operationbatch": [[row.pk] for row in _some(batches, most)],
        "unsent": [[row.pk] for row in _some(GatewayTransaction.objects.filter(state="NOT_SENT"), most)],
        **{kind: [[payment.order_id, payment.pk, kind] for payment in paid[:3]] for kind in kinds},
    }


def _some(rows: Any, most: int) -> list[Any]:  # noqa: ANN401 - a query of any model
    every = list(rows.order_by("pk"))
    return every[:: max(-(-len(every) // most), 1)]


def customers_pages(client: Client, payment: Payment) -> Places:
    """Return the pages and answers about one attempt to pay, to anyone who has its addresses."""
    returns = return_tokens.sign(payment.reference, ReturnOutcome.SUCCESS)
    tokens = {"order token": payment.order.token, "return token": returns}
    return {
        f"page {address.name.rpartition(':')[2]}": shown(
            client.get(reverse(address.name, args=[tokens[address.row]]))
        )
        for address in ADDRESSES
        if address.row in tokens and address.get == TOKEN
    }


def shown(answer: Any) -> str:  # noqa: ANN401 - an answer of Django's test client
    """Return an answer with its headers and cookies, as text."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{content.decode()}\n{answer.headers}\n{answer.cookies}"


def sandbox(base_url: str, journal: object) -> Places:
    """Return the journal of the sandbox and the pages of its console."""
    lists = [_read(base_url, page) for page in ("", "checkouts/", "accounts/", "transactions/", "requests/")]
    rows = sorted(set(re.findall(r'href="/((?:requests|transactions)/[^/"?]+/)"', "".join(lists))))
    pages = [*lists, *(_read(base_url, page) for page in rows)]
    return {"sandbox journal": str(journal), "sandbox console": "\n".join(pages)}


def _read(base_url: str, page: str) -> str:
    with urlopen(f"{base_url}/{page}") as answer:
        text: str = answer.read().decode()
        return text
