"""What the stub remembers: hosted pages, transactions, earlier deposits, keys and payment accounts."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, auto
from itertools import count
from typing import Any

APPROVED, ERRORED = "Approved", "Errored"
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"
DETACHED_REFUND = "detached.refund"
SALE = "ecom.sale"
PROVIDER = "EXAMPLEWALLET"


class Filing(Enum):
    """Under which reference a follow-up's record is found; the document's words fit each of them."""

    OWN = auto()
    ORIGINAL = auto()
    BOTH = auto()


@dataclass
class Page:
    """A hosted page: the checkout it was made for, as the merchant sent it."""

    request: dict[str, Any]


@dataclass
class Transaction:
    """`original` is the reference of the transaction that a follow-up follows, else blank."""

    id: str
    reference: str
    type: str
    amount: Decimal
    currency: str
    state: str = APPROVED
    original: str = ""
    made_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def is_approved(self) -> bool:
        return self.state == APPROVED

    def is_filed_under(self, reference: str, filing: Filing) -> bool:
        if not self.original:
            return self.reference == reference
        own, original = self.reference == reference, self.original == reference
        return {Filing.OWN: own, Filing.ORIGINAL: original, Filing.BOTH: own or original}[filing]

    def record(self, reference: str) -> dict[str, Any]:
        """A transaction status record, found under a reference, which the record then carries."""
        return {
            "id": self.id,
            "state": self.state,
            "currencyCode": self.currency,
            "transactionAmount": float(self.amount),
            "clientSystemTransactionId": reference,
            "type": self.type,
            "transactionDateTime": self.made_at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "0",
            "apmDetails": {
                "apmName": PROVIDER,
                "apmPayerAccountNumber": "4829" if self.is_approved else None,
                "apmPayerEmailAddress": "payer@example.com" if self.is_approved else None,
                "apmProviderTransactionId": f"W-{self.id}" if self.is_approved else None,
            },
        }

    def follow_up_answer(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "state": self.state,
            "providerStateCode": "CapturedByProvider",
            "currencyCode": self.currency,
            "clientSystemTransactionId": self.reference,
            "apmDetails": {"apmProviderName": PROVIDER, "apmPaymentMethod": "WALLET"},
        }


class Book:
    """All of it, for one merchant; every method may be called by several threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pages: dict[str, Page] = {}
        self.transactions: list[Transaction] = []
        self.deposits: dict[str, Decimal] = {}
        self.api_keys: set[str] = set()
        self.encryption_keys: set[str] = set()
        self.accounts: dict[str, str] = {}
        self._numbers = count(1)

    def number(self, kind: str) -> str:
        with self.lock:
            return f"{kind}-{next(self._numbers):06d}"

    def file(self, reference: str, kind: str, amount: Decimal, currency: str, **more: Any) -> Transaction:
        """Write a transaction down; see `Transaction` for what else may be said of it."""
        with self.lock:
            made = Transaction(self.number("T"), reference, kind, amount, currency, **more)
            self.transactions.append(made)
            return made

    def find(self, reference: str) -> Transaction | None:
        with self.lock:
            return next((one for one in self.transactions if one.reference == reference), None)

    def of(self, reference: str) -> list[Transaction]:
        """Return a transaction and those that follow it."""
        with self.lock:
            return [one for one in self.transactions if reference in {one.reference, one.original}]

    def records(self, reference: str, filing: Filing) -> list[dict[str, Any]]:
        with self.lock:
            return [
                one.record(reference) for one in self.transactions if one.is_filed_under(reference, filing)
            ]

    def total(self, original: str, kind: str) -> Decimal:
        """What was approved of one kind of follow-up of a transaction."""
        with self.lock:
            of_kind = [one for one in self.transactions if one.original == original and one.type == kind]
            return sum((one.amount for one in of_kind if one.is_approved), Decimal())

    def is_possible(self, kind: str, original: Transaction, amount: Decimal) -> bool:
        """Whether a follow-up of this amount is left of the original."""
        captured, reversed_ = (
            self.total(original.reference, CAPTURE),
            self.total(original.reference, REVERSAL),
        )
        if kind == REFUND:
            paid = original.amount if original.type == SALE else captured
            return amount <= paid - self.total(original.reference, REFUND)
        return original.type != SALE and amount <= original.amount - captured - reversed_
