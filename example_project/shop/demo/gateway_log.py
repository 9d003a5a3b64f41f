"""Query the gateway's own records of a transaction over plain HTTP.

An independent check: it shares no code with the client that the shop pays through.
"""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

NO_RECORD = "no record"
SECONDS_TO_ANSWER = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRecord:
    """One transaction as shown by the gateway's status query."""

    state: str
    amount: Decimal | None
    currency: str


class GatewayTruth:
    """Queries one gateway for the records of one merchant."""

    def __init__(self, base_url: str, *, merchant_id: str, store_id: str) -> None:
        self._base_url = base_url
        self._merchant = {"merchantId": merchant_id, "storeId": store_id}

    def record(self, reference: str, kind: str) -> GatewayRecord:
        """Return the one record of this reference and type; `no record` if the gateway has none."""
        found = [record for record in self._records(reference) if record["type"].lower() == kind.lower()]
        if len(found) > 1:
            raise AssertionError(f"The gateway has {len(found)} records of {kind} under {reference}.")
        if not found:
            return GatewayRecord(state=NO_RECORD, amount=None, currency="")
        [record] = found
        return GatewayRecord(
            state=record["state"], amount=record["transactionAmount"], currency=record["currencyCode"]
        )

    def _records(self, reference: str) -> list[dict[str, Any]]:
        query = urlencode(self._merchant | {"clientSystemTransactionId": reference})
        address = f"{self._base_url}/api/v5/apmTransactions?{query}"
        with urllib.request.urlopen(address, timeout=SECONDS_TO_ANSWER) as answer:  # noqa: S310 - our own sandbox
            records: list[dict[str, Any]] = json.load(answer, parse_float=Decimal, parse_int=Decimal)
        return records
