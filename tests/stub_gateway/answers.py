"""One answer of the stub before it is sent, and the plain bodies that the document's tables give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

Json = Any


class Kind(StrEnum):
    """The answers the document names, by the table that describes them."""

    CHECKOUT = "checkout"
    FOLLOW_UP = "follow-up"
    DETACHED_REFUND = "detached refund"
    STATUS = "status"
    KEYS = "keys"
    ACCOUNT = "account"
    AUTHORIZATION = "authorization"
    ERROR = "error"


@dataclass(frozen=True)
class Answer:
    """`body` is what `json.dumps` writes, unless `text` says otherwise; `status` is the HTTP status."""

    kind: Kind
    body: Json
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    text: bytes | None = None
    is_chunked: bool = False
    closes: bool = False

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode() if self.text is None else self.text


def checkout(url: str) -> Answer:
    return Answer(Kind.CHECKOUT, {"redirectUrl": url})


def error(code: str, message: str, status: int = 400) -> Answer:
    return Answer(Kind.ERROR, {"code": code, "details": {"message": message}}, status)


def keys(api_key: str, encryption_key: str) -> Answer:
    """The document names the two keys, and nothing else."""
    return Answer(Kind.KEYS, {"apiKey": api_key, "encryptionKey": encryption_key})


def account(card_type: str) -> Answer:
    """The document: fields of the record are not shown beyond cardType."""
    return Answer(Kind.ACCOUNT, {"cardType": card_type})


def created_account(account_id: str) -> Answer:
    return Answer(Kind.ACCOUNT, {"transactionAccountId": account_id})


def detached_refund(reference: str, amount: Decimal, currency: str) -> Answer:
    message = f"Requested refund amount {amount}, actual refunded amount {amount}"
    said = {
        "state": "Approved",
        "providerResponseCode": "",
        "providerAuthorizationID": "",
        "providerResponseMessage": message,
        "currencyCode": currency,
        "clientSystemTransactionId": reference,
        "responseMessage": message,
        "amount": str(amount),
        "apmDetails": {"apmProviderName": "Example Wallet"},
    }
    return Answer(Kind.DETACHED_REFUND, said)
