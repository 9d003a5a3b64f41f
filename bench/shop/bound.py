"""The bound of a checkout: the cheapest way known to write down durably what the plugin writes down.

The same three rows, column by column, the first two committed before the first byte leaves. On PostgreSQL
each commit is one statement: the first reads the order, makes the request of its stored text, which Python
never sees parsed, and writes two rows. Both are prepared, and go past Django to the driver.

Left out is all that a commit does not need: nothing is checked, signed, redacted or retried, no limit is
looked at, no model object is made, and an order that cannot be paid is an error. Whoever finds a cheaper way
writes it here.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.db import connection
from django.db import transaction as db_transaction
from django.http import HttpResponseRedirect
from django.views.decorators.csrf import csrf_exempt

from bench.cart import WORDS
from bench.shop import bound_rows as sql
from bench.shop.views import CHECKOUT_URL, JSON, order_reference

if TYPE_CHECKING:
    import psycopg
    from django.http import HttpRequest

THREAD = threading.local()
LIFETIME = timedelta(seconds=900)


@csrf_exempt
def durable(request: HttpRequest, series: str, number: int) -> HttpResponseRedirect:
    """Commit the payment and its request, send it, commit what came back, redirect."""
    begin, opened = (_begin_at_once, _open_at_once) if connection.vendor == "postgresql" else (_begin, _open)
    key, body = begin(_parameters(order_reference(series, number)))
    status, answer = _post(body)
    url = str(json.loads(answer)["redirectUrl"])
    now = datetime.now(tz=UTC)
    row = {"id": key, "url": url, "body": body, "answer": answer.decode(), "elapsed_ms": 1, "now": now}
    opened(_for_database({**row, "next_query_at": now + timedelta(seconds=30)}))
    assert status == 200
    return HttpResponseRedirect(url)


def _parameters(order: str) -> dict[str, Any]:
    now, reference = datetime.now(tz=UTC), uuid.uuid4().hex
    return _for_database(
        {
            "order": order,
            "reference": reference,
            "head": _head(reference),
            "now": now,
            "leased_until": now + timedelta(seconds=60),
            "expires_at": now + LIFETIME,
        }
    )


def _for_database(values: dict[str, Any]) -> dict[str, Any]:
    if connection.vendor == "postgresql":
        return values
    return {
        name: f"{value:%Y-%m-%d %H:%M:%S.%f}" if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def _head(reference: str) -> str:
    """Return what an attempt adds to the order's content, as the beginning of the request."""
    urls = ",".join(
        f'"{word}Url":"http://127.0.0.1:8000/wallet/return/{reference}/{word}/"' for word in WORDS
    )
    return (
        '{"merchantId":"SANDBOX-MERCHANT","storeId":"SANDBOX-STORE","userId":"sandbox-user",'
        f'"clientSystemTransactionId":"{reference}","redirectDetails":{{{urls}}},'
        '"checkoutDetails":{"paymentMethod":"ExampleWalletV2","redirectUrlTimeout":900},'
    )


def _begin_at_once(values: dict[str, Any]) -> tuple[int, str]:
    with _preparing() as cursor:
        cursor.execute(sql.BEGIN_AT_ONCE, values)
        row = cursor.fetchone()
        assert row is not None
        key, body = row
    return key, body


def _open_at_once(values: dict[str, Any]) -> None:
    with _preparing() as cursor:
        cursor.execute(sql.OPEN_AT_ONCE, values)
        assert cursor.rowcount == 1


def _preparing() -> psycopg.Cursor[Any]:
    """Return the driver's own cursor on this thread's connection: PostgreSQL plans a repeated text once."""
    from psycopg import Cursor

    connection.ensure_connection()
    driver = connection.connection
    # psycopg's own default, which Django switches off. Django's cursors are never prepared all the same.
    driver.prepare_threshold = 5
    return Cursor(driver)


def _begin(values: dict[str, Any]) -> tuple[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(sql.CONTENT, values)
        body = values["head"] + cursor.fetchone()[0][1:]
        values |= {"body": body, "body_hash": hashlib.sha256(body.encode()).hexdigest()}
        with db_transaction.atomic():
            cursor.execute(sql.PAY, values)
            (payment,) = cursor.fetchone()
            cursor.execute(sql.SEND, {**values, "payment": payment})
            (key,) = cursor.fetchone()
    return key, body


def _open(values: dict[str, Any]) -> None:
    with db_transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.OPEN, values)
        assert cursor.rowcount == 1
        cursor.execute(sql.RECORD, values)


def _post(body: str) -> tuple[int, bytes]:
    if not hasattr(THREAD, "connection"):
        THREAD.connection = http.client.HTTPConnection(urlsplit(CHECKOUT_URL).netloc, timeout=30)
    kept: http.client.HTTPConnection = THREAD.connection
    kept.request("POST", urlsplit(CHECKOUT_URL).path, body.encode(), JSON)
    answer = kept.getresponse()
    return answer.status, answer.read()
