"""A merchant that talks to the running sandbox with nothing but sockets and JSON.

Its messages are written by hand from the interface document, not with the package's own wire language, so
that a misreading in the language shows.
"""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

CHECKOUT = "/api/v5/checkout"
TRANSACTIONS = "/api/v5/apmTransactions"
IDS = {"merchantId": "SANDBOX-MERCHANT", "storeId": "SANDBOX-STORE", "userId": "sandbox-user"}
PROVIDER = "ExampleWalletV2"
SHOP = "https://shop.example/back"
JSON = {"Content-Type": "application/json"}

_numbers = itertools.count(1)


def new_reference() -> str:
    return f"ORDER-{next(_numbers):06}"


def checkout_body(reference: str, **changes: Any) -> dict[str, Any]:
    """The smallest checkout request of the interface, section Checkout request."""
    body = {
        **IDS,
        "type": "ecom.sale",
        "amount": "10.00",
        "currencyCode": "EUR",
        "clientSystemTransactionId": reference,
        "checkoutDetails": {"paymentMethod": PROVIDER},
        "redirectDetails": {
            "returnUrl": f"{SHOP}?to=return",
            "successUrl": f"{SHOP}?to=success",
            "pendingUrl": f"{SHOP}?to=pending",
            "errorUrl": f"{SHOP}?to=error",
            "cancelUrl": f"{SHOP}?to=cancel",
            "refusedUrl": f"{SHOP}?to=refused",
        },
    }
    return body | changes


def follow_up_body(reference: str, original: str, **changes: Any) -> dict[str, Any]:
    """The smallest follow-up request of the interface, section Follow-up request."""
    body = {
        **IDS,
        "type": "ecom.refund",
        "amount": "10.00",
        "currencyCode": "EUR",
        "clientSystemTransactionId": reference,
        "clientSystemInvoiceId": original,
        "apmDetails": {"apmProvider": PROVIDER},
    }
    return body | changes


def detached_body(reference: str, parent: str, **changes: Any) -> dict[str, Any]:
    """The smallest detached refund of the interface, section Detached refund request."""
    body = {
        **IDS,
        "type": "detached.refund",
        "amount": "10.00",
        "currencyCode": "EUR",
        "clientSystemTransactionId": reference,
        "parentTransactionId": parent,
        "apmDetails": {"apmProvider": PROVIDER},
    }
    return body | changes


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, headers by lower-case name, and the raw body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["code"])

    @property
    def message(self) -> str:
        return str(self.json["details"]["message"])


class Wire:
    """One keep-alive connection to the sandbox."""

    def __init__(self, base_url: str, *, timeout: float = 15) -> None:
        parts = urlsplit(base_url)
        self.base_url = base_url
        self.host, self.port = parts.hostname or "", parts.port or 0
        self._connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a request; a body in parts is sent as chunks."""
        try:
            self._connection.request(method, path, body, headers or {})
            with self._connection.getresponse() as response:
                fields = {name.lower(): value for name, value in response.getheaders()}
                return Answer(response.status, fields, response.read())
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise

    def post(self, path: str, body: object, headers: dict[str, str] | None = None) -> Answer:
        return self.send("POST", path, json.dumps(body).encode(), JSON | (headers or {}))


class Merchant(Wire):
    """The built-in merchant, or another one by its ids."""

    def __init__(self, base_url: str, *, ids: dict[str, str] | None = None, timeout: float = 15) -> None:
        super().__init__(base_url, timeout=timeout)
        self.ids = ids or {}

    def checkout(self, reference: str, **changes: Any) -> Answer:
        return self.post(CHECKOUT, checkout_body(reference, **self.ids | changes))

    def press(self, link: str, outcome: str) -> str:
        """Press a button of the customer's page; return where it leads."""
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self.send("POST", urlsplit(link).path, f"outcome={outcome}".encode(), form)
        assert answer.status == 303, answer.body
        return answer.headers["location"]

    def follow_up(self, reference: str, original: str, **changes: Any) -> Answer:
        return self.post(TRANSACTIONS, follow_up_body(reference, original, **self.ids | changes))

    def capture(self, reference: str, original: str, amount: str = "10.00", **changes: Any) -> Answer:
        return self.follow_up(reference, original, **{"type": "ecom.capture", "amount": amount} | changes)

    def refund(self, reference: str, original: str, amount: str = "10.00", **changes: Any) -> Answer:
        return self.follow_up(reference, original, **{"type": "ecom.refund", "amount": amount} | changes)

    def reverse(self, reference: str, original: str, amount: str = "10.00", **changes: Any) -> Answer:
        type_ = "ecom.reversalPreauthorization"
        return self.follow_up(reference, original, **{"type": type_, "amount": amount} | changes)

    def detached(self, reference: str, parent: str, amount: str = "10.00", **changes: Any) -> Answer:
        return self.post(TRANSACTIONS, detached_body(reference, parent, amount=amount, **self.ids | changes))

    def status(self, reference: str) -> Answer:
        ids = IDS | self.ids
        query = {
            "merchantId": ids["merchantId"],
            "storeId": ids["storeId"],
            "clientSystemTransactionId": reference,
        }
        return self.send("GET", f"{TRANSACTIONS}?{urlencode(query)}")

    def records(self, reference: str) -> list[dict[str, Any]]:
        answer = self.status(reference)
        assert answer.status == 200, answer.body
        records: list[dict[str, Any]] = answer.json
        return records

    def record(self, reference: str) -> dict[str, Any]:
        (record,) = self.records(reference)
        return record
