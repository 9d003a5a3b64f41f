"""Right requests to every address of a sandbox, sent through a socket, and what it keeps in its database."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.fuzzing.addresses import Address, addresses_of
from tests.fuzzing.requests import Request, Sample
from tests.sandbox.merchant import IDS, Merchant, checkout_body, detached_body, follow_up_body, new_reference
from tests.sandbox.wallet_buyer import ACCOUNTS, AUTHORIZATIONS, KEYS, Buyer
from wallet_gateway.testing.sandbox import SandboxServer

URLCONF = "wallet_gateway.sandbox.urls"
PATIENCE = 60.0
KEPT = ("wallet_sandbox_journalentry", "sqlite_sequence")
"""The journal keeps what was refused, too; that is what it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back; no status where the connection was closed without a word."""

    status: int = 0
    media: str = ""
    body: bytes = b""
    seconds: float = 0.0
    """Of the sandbox's processor time, where the system tells it."""


class Sandbox:
    """A running sandbox in which one payment of each kind has been made."""

    def __init__(self, server: SandboxServer, database: Path) -> None:
        self.server, self.database = server, database
        self.host = urlsplit(server.base_url).netloc
        self.begin()

    def begin(self) -> None:
        """Forget everything, and make the payments anew."""
        server = self.server
        server.control.reset()
        with Merchant(server.base_url) as merchant:
            buyer = Buyer(merchant, server.control)
            self.paid, self.open, self.challenged = new_reference(), new_reference(), new_reference()
            merchant.checkout(self.paid)
            server.control.complete_checkout(self.paid, "success")
            self.page = self._token(merchant.checkout(self.open).json["redirectUrl"])
            self.challenge = self._token(buyer.pending(self.challenged).json["redirectUrl"])
            self.account = buyer.account()
            self.authorization = buyer.headers["Authorization"]
            self.encryption_key = buyer.keys["encryptionKey"]
            self.payment_data = buyer.data()
            self.record = merchant.record(self.paid)["id"]
            self.pending = new_reference()
            merchant.checkout(self.pending)
            server.control.complete_checkout(self.pending, "pending")
            self.card = merchant.send("GET", "/wallet/api/state").json["accounts"][0]["cards"][0]["id"]

    def _token(self, url: str) -> str:
        return urlsplit(url).path.rstrip("/").rpartition("/")[2]

    def samples(self) -> Iterator[Sample]:
        """Give a right request to each address, and one for each message of the service's interface."""
        for address in addresses_of(URLCONF):
            if address.route == "^api/":
                yield from self._messages()
            else:
                yield Sample(
                    address=address,
                    parts=self._parts(address),
                    kind="json" if address.route.startswith(("_sandbox/", "wallet/api/")) else "form",
                    fields=self._fields(address),
                    parameters=("language", "skinId", "page", "v", "merchantId", "keepGood"),
                )

    def _messages(self) -> Iterator[Sample]:
        account = {name: IDS[name] for name in ("merchantId", "storeId")}
        query = {**account, "encryptionKeyId": self.encryption_key}
        known = {**account, "clientSystemTransactionId": self.paid}
        charge = {**checkout_body("A-1"), "transactionMethod": "WalletPay", **self.account}
        charge.pop("checkoutDetails")
        messages: Sequence[tuple[str, Mapping[str, Any]]] = (
            ("/api/v5/checkout", checkout_body("A-1")),
            ("/api/v5/apmTransactions", follow_up_body("A-2", self.paid)),
            ("/api/v5/apmTransactions", detached_body("A-3", "OLD-1")),
            (f"/api/v5/apmTransactions?{urlencode(known)}", {}),
            (KEYS, IDS),
            (ACCOUNTS, {**account, "clientSystemTransactionId": "A-4", "paymentData": self.payment_data}),
            (f"{ACCOUNTS}/{self.account['transactionAccountId']}?{urlencode(query)}", {}),
            (AUTHORIZATIONS, {**charge, "clientSystemTransactionId": "A-5"}),
            ("/api/v5/{more}", {}),
        )
        for path, message in messages:
            yield Sample(
                address=Address(f"api: {path}", path.removeprefix("/")),
                parts=({"more": "nothing"},),
                kind="json",
                fields=message,
                parameters=("merchantId", "storeId", "clientSystemTransactionId", "encryptionKeyId"),
                headers={"Authorization": self.authorization},
            )

    def _parts(self, address: Address) -> Sequence[Mapping[str, str]]:
        tokens = {"checkout/": self.page, "three-d-secure/": self.challenge}
        token = next((one for start, one in tokens.items() if address.route.startswith(start)), "x")
        name = "set-fault" if address.route.startswith("controls/") else "main"
        known = {"token": token, "record_id": self.record, "number": "1", "version": "0" * 12, "name": name}
        return [known | {"path": "wallet_sandbox/base.css"}]

    def _fields(self, address: Address) -> Mapping[str, Any]:
        reference = {"clientSystemTransactionId": self.open}
        known: Mapping[str, Mapping[str, Any]] = {
            "_sandbox/merchants": {**IDS, "provider": "x", "origins": ["https://shop.example"]},
            "_sandbox/checkouts/complete": {**reference, "outcome": "success"},
            "_sandbox/three-d-secure/complete": {
                "clientSystemTransactionId": self.challenged,
                "outcome": "success",
            },
            "_sandbox/wallet": {"mode": "ready"},
            "_sandbox/wallet/payment-data": {
                "merchantId": IDS["merchantId"],
                "authMethod": "PAN_ONLY",
                "cardNetwork": "VISA",
                "request": {"emailRequired": True, "allowedPaymentMethods": [{"parameters": {}}]},
            },
            "_sandbox/pending/settle": {
                "clientSystemTransactionId": self.pending,
                "outcome": "success",
            },
            "_sandbox/portal": {
                "clientSystemTransactionId": self.paid,
                "type": "ecom.refund",
                "amount": "1.00",
            },
            "_sandbox/clock": {"advanceSeconds": 1},
            "_sandbox/behaviour": {"duplicates": "reject", "statusLagSeconds": 0, "letterCase": "canonical"},
            "controls/<str:name>/": {"operation": "capture", "fault": "errored", "times": "1", "skip": "0"},
            "_sandbox/faults": {"operation": "capture", "fault": "errored", "times": 1, "skip": 0},
            "wallet/api/payment-data": {
                "cardId": self.card,
                "request": {
                    "allowedPaymentMethods": [
                        {
                            "tokenizationSpecification": {
                                "parameters": {"gatewayMerchantId": IDS["merchantId"]}
                            },
                            "parameters": {"billingAddressRequired": True, "billingAddressParameters": {}},
                        }
                    ],
                    "shippingOptionRequired": True,
                    "shippingOptionParameters": {"shippingOptions": [{"id": "letter"}]},
                    "shippingAddressRequired": True,
                    "shippingAddressParameters": {"allowedCountryCodes": ["DE"]},
                },
                "choices": {"shippingAddress": {"countryCode": "DE"}, "redemptionCodes": ["X"]},
            },
        }
        return known.get(address.route, {"outcome": "success"})

    def ask(self, request: Request) -> Reply:
        """Send one request on a connection of its own and read the answer."""
        begun = self.processor_seconds()
        with contextlib.closing(self._connect()) as connection:
            answer = HTTPResponse(connection, method=request.method)
            try:
                connection.sendall(self._wire(request))
                # A body shorter than announced is one that was cut off.
                connection.shutdown(socket.SHUT_WR)
                answer.begin()
                body = answer.read()
            except (HTTPException, OSError):
                return Reply()
            media = answer.getheader("Content-Type", "")
            return Reply(
                status=answer.status, media=media, body=body, seconds=self.processor_seconds() - begun
            )

    def _connect(self) -> socket.socket:
        host, _, port = self.host.rpartition(":")
        return socket.create_connection((host, int(port)), timeout=PATIENCE)

    def _wire(self, request: Request) -> bytes:
        # What cannot stand in a request line is no request; the server's own tests have those.
        joint = b"&" if "?" in request.path else b"?"
        target = request.path.encode("ascii") + (joint + request.query if request.query else b"")
        length = {"Content-Length": str(len(request.body))} if request.body else {}
        headers = {"Host": self.host, "Connection": "close", **length, **request.headers}
        lines = [f"{name}: {value}".encode("latin-1") for name, value in headers.items()]
        return b"\r\n".join(
            [request.method.encode() + b" " + target + b" HTTP/1.1", *lines, b"", request.body]
        )

    def processor_seconds(self) -> float:
        """How long the sandbox has kept a processor busy; zero where the system does not tell."""
        stat = Path(f"/proc/{self.server.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rows(self) -> Mapping[str, list[tuple[Any, ...]]]:
        """Everything that is stored, by table."""
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as rows:
            names = [name for (name,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: rows.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}

    def changed_since(self, before: Mapping[str, list[tuple[Any, ...]]]) -> set[str]:
        """The tables that have changed, but for those that keep what was received."""
        return {name for name, rows in self.rows().items() if rows != before[name]} - set(KEPT)
