"""A gateway in a process of its own, whose time is not measured: every checkout opens a page and is paid.

``python -m bench.gateway MILLISECONDS`` answers each status query so much later, and prints its address.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Gateway(BaseHTTPRequestHandler):
    """Answers checkouts and status queries, and what Stripe's library asks for."""

    protocol_version = "HTTP/1.1"
    # An answer that waits for the acknowledgement of its head would take 40 ms.
    wbufsize = -1
    seconds = 0.0
    amounts: dict[str, Any] = {}

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/v1/account":
            return self._answer(
                {"id": "acct_1", "object": "account", "livemode": False, "metadata": {}, "settings": {}}
            )
        [reference] = parse_qs(url.query)["clientSystemTransactionId"]
        time.sleep(self.seconds)
        record = {
            "id": f"g-{reference}",
            "state": "Approved",
            "currencyCode": "EUR",
            "transactionAmount": float(self.amounts.get(reference, "10.00")),
            "clientSystemTransactionId": reference,
            "type": "ecom.sale",
            "transactionDateTime": "2026-01-15T10:30:00.0000000",
        }
        return self._answer([record])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        page = f"http://{self.headers['Host']}/checkout/{uuid.uuid4().hex}"
        if self.path == "/v1/checkout/sessions":
            return self._answer(_stripe_session(page))
        sent = json.loads(body)
        self.amounts[sent["clientSystemTransactionId"]] = sent["amount"]
        return self._answer({"redirectUrl": page})

    def _answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


def _stripe_session(page: str) -> dict[str, Any]:
    nothing = ("customer", "payment_intent", "setup_intent", "subscription")
    return {
        "id": f"cs_test_{uuid.uuid4().hex}",
        "object": "checkout.session",
        "amount_total": 8820,
        "created": 1768471800,
        "currency": "eur",
        "livemode": False,
        "metadata": {},
        "mode": "payment",
        "payment_status": "unpaid",
        "status": "open",
        "url": page,
        **dict.fromkeys(nothing),
    }


if __name__ == "__main__":
    Gateway.seconds = int(sys.argv[1]) / 1000
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
