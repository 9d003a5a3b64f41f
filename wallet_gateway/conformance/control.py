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
            {"clientSystemTransactionId": reference, "outcome": outcome, **self.account.store},
        )

    def portal(self, reference: str, type_: str, amount: str) -> None:
        """Make a follow-up as an operator would in the provider's portal."""
        body = {"clientSystemTransactionId": reference, "type": type_, "amount": amount}
        self._post("portal", body | self.account.store)

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
        query = {"merchantId": self.account.merchant_id}
        self._send("migration-file", f"{_HEADER}\n{row}\n", content_type="text/csv", query=query)

    def fault(self, operation: str, fault: str) -> None:
        """Let the next request of an operation end in another way."""
        self._post("faults", {"operation": operation, "fault": fault, "times": 1})

    def _post(self, name: str, body: dict[str, Any]) -> Answer:
        return self._send(name, json.dumps(body), content_type="application/json")

    def _send(
        self, name: str, body: str, *, content_type: str, query: Mapping[str, str] | None = None
    ) -> Answer:
        headers = {"Content-Type": content_type, **self.headers}
        path = f"/_sandbox/{name}"
        answer = self.wire.send("POST", path, query=query, body=body.encode(), headers=headers)
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
    is_sandbox = isinstance(member(answer.value, "mode"), str)
    return Control(wire=wire, account=account, headers=headers) if is_sandbox else None
