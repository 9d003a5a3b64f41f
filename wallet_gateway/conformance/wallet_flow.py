"""The wallet button's server side: keys, payment account, authorization.

The document names these operations without methods, paths and shapes. Those of this project's sandbox are
used; the account file may give other paths. Where there is nothing at a path, the probes are skipped.
"""

from __future__ import annotations

from typing import Any

from wallet_gateway.conformance.answers import Answer, member
from wallet_gateway.conformance.gateway import SALE, Gateway, Payment
from wallet_gateway.conformance.messages import Body
from wallet_gateway.conformance.results import Skipped, text_of

TOKENIZED = "CRYPTOGRAM_3DS"
PLAIN = "PAN_ONLY"


class WalletFlow:
    """The steps of one wallet payment, each as the document orders them."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.account = gateway.account

    # Keys

    def keys(self) -> Answer:
        """Ask the public key service, once for all probes; raises Skipped where there is none."""
        return self.gateway.once("keys", self._ask_for_keys)

    def _ask_for_keys(self) -> Answer:
        answer = self.gateway.send("public_key", body=self.account.ids)
        if answer.status in (404, 405) or not answer.is_json:
            raise Skipped(f"the document does not show the path; name yours as paths.public_key: {answer}")
        return answer

    def header(self) -> dict[str, str]:
        """Return the header that authenticates the calls: ``PublicApiKey <API_KEY>``."""
        return {"Authorization": f"PublicApiKey {text_of(self.keys().value, 'apiKey')}"}

    # Accounts

    def payment_data(self, method: str = TOKENIZED, network: str = "VISA", **request: Any) -> Body:
        """Return what a wallet gives after approval; raises Skipped without a sandbox."""
        return self.gateway.controls().payment_data(method, network, **request)

    def create(self, data: object, *, headers: dict[str, str] | None = None, reference: str = "") -> Answer:
        """Create a payment account; raises Skipped where there is no such path."""
        given = self.header() if headers is None else headers
        reference = reference or self.gateway.reference()
        body = {**self.account.store, "clientSystemTransactionId": reference, "paymentData": data}
        answer = self.gateway.send("create_payment_account", body=body, headers=given)
        if answer.status in (404, 405):
            raise Skipped(f"the document does not show the path; name yours as paths: {answer}")
        return answer

    def result(self, method: str = TOKENIZED) -> tuple[str, Answer]:
        """Return a reference and the result that a new account brought, the same for all probes."""
        return self.gateway.once(f"result {method}", lambda: self._new_result(method))

    def _new_result(self, method: str) -> tuple[str, Answer]:
        reference = self.gateway.reference()
        answer = self.create(self.payment_data(method), reference=reference)
        if not answer.is_success:
            raise Skipped(f"no payment account was created: {answer}")
        return reference, answer

    def look_up(
        self, method: str = TOKENIZED, *, headers: dict[str, str] | None = None, leave_out: str = ""
    ) -> Answer:
        """Ask for the card of an account."""
        _, result = self.result(method)
        query = self.account.store | {"encryptionKeyId": text_of(self.keys().value, "encryptionKey")}
        query.pop(leave_out, None)
        given = self.header() if headers is None else headers
        account_id = text_of(result.value, "transactionAccountId")
        return self.gateway.send("get_payment_account", query=query, headers=given, account_id=account_id)

    # Authorizations

    def authorize(
        self,
        method: str = TOKENIZED,
        *,
        type_: str = SALE,
        headers: dict[str, str] | None = None,
        with_proof: bool = True,
    ) -> Answer:
        """Pay with a new account; with its cryptogram and indicator, if it has them."""
        _, result = self._new_result(method)
        reference = self.gateway.reference()
        body = self.account.ids | {
            "type": type_,
            "amount": self.account.amount,
            "currencyCode": self.account.currency,
            "clientSystemTransactionId": reference,
            "transactionAccountId": text_of(result.value, "transactionAccountId"),
            "transactionMethod": "WalletPay",
        }
        for name in ("cryptogram", "eciIndicator") if with_proof else ():
            if isinstance(proof := member(result.value, name), str):
                body[name] = proof
        self.gateway.spend(self.account.amount, f"an authorization ({type_})")
        given = self.header() if headers is None else headers
        answer = self.gateway.send("authorization", body=body, headers=given)
        if answer.is_success:
            self.gateway.payments.append(Payment(reference, type_))
        return answer
