"""The control interface of a sandbox: it plays the customer, the wallet and the provider."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wallet_gateway.conformance.answers import Answer, member
from wallet_gateway.conformance.results import Skipped
from wallet_gateway.conformance.target import Account, Deposit
from wallet_gateway.conformance.wire import Unreachable, Wire

_HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Calls under ``/_sandbox/``; each raises Skipped if the sandbox does not do it."""

    wire: Wire
    account: Account
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def complete_checkout(self, reference: str, outcome: str = "success") -> None:
        """Decide a checkout as its customer would."""
        self._post(
            "checkouts/complete",
            {"clientSystemTransactionId": reference, "outcome": outcome, **self._store()},
        )

    def portal(self, reference: str, type_: str, amount: str) -> None:
        """Make a follow-up as an operator would in the provider's portal."""
        body = {"clientSystemTransactionId": reference, "type": type_, "amount": amount, **self._store()}
        self._post("portal", body)

    def payment_data(self, auth_method: str, network: str = "VISA", **request: Any) -> dict[str, Any]:
        """Approve in the wallet as its customer would; return the PaymentData."""
        body = {"merchantId": self.account.merchant_id, "authMethod": auth_method, "cardNetwork": network}
        answer = self._post("wallet/payment-data", body | {"request": request})
        if not isinstance(answer.value, dict):
            raise Skipped("the sandbox gave no PaymentData")
        return answer.value

    def migrate(self, deposit: Deposit) -> None:
        """Hand in a migration file with one deposit."""
        row = (
            f"{deposit.parent_transaction_id},2024-03-01T09:30:00,{deposit.amount},{self.account.currency},"
            f"{deposit.refunded},PROVIDER-1"
        )
        body = f"{_HEADER}\n{row}\n".encode()
        query = {"merchantId": self.account.merchant_id}
        self._send("POST", "migration-file", body, content_type="text/csv", query=query)

    def fault(self, operation: str, fault: str) -> None:
        """Let the next request of an operation end in another way."""
        self._post("faults", {"operation": operation, "fault": fault, "times": 1})

    def _store(self) -> dict[str, str]:
        return {"merchantId": self.account.merchant_id, "storeId": self.account.store_id}

    def _post(self, name: str, body: dict[str, Any]) -> Answer:
        return self._send("POST", name, json.dumps(body).encode())

    def _send(
        self,
        method: str,
        name: str,
        body: bytes,
        *,
        content_type: str = "application/json",
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        headers = {"Content-Type": content_type, **self.headers}
        answer = self.wire.send(method, f"/_sandbox/{name}", query=query, body=body, headers=headers)
        if answer.status != 200:
            raise Skipped(f"the sandbox's control interface answered {answer}")
        return answer


def find_control(wire: Wire, account: Account, *, key: str = "") -> Control | None:
    """Return the control interface of the gateway, or None if it is no sandbox."""
    headers: dict[str, str] = {}
    try:
        answer = wire.send("GET", "/_sandbox/wallet")
        # The key is for nobody but a sandbox that asks for it.
        if key and answer.status == 401 and answer.message.startswith("KeyMissing"):
            headers = {"Authorization": f"Bearer {key}"}
            answer = wire.send("GET", "/_sandbox/wallet", headers=headers)
    except Unreachable:
        return None
    if not isinstance(member(answer.value, "mode"), str):
        return None
    return Control(wire=wire, account=account, headers=headers)
