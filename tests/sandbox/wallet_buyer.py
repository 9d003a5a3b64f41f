"""A shop that is paid with the wallet button, over the wire: keys, account, authorization, 3-D Secure.

Written by hand from the interface document and the list of open points, like ``merchant``.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from tests.sandbox.merchant import IDS, JSON, SHOP, Answer, Merchant, checkout_body, new_reference
from wallet_gateway.testing.control import SandboxControl

KEYS = "/api/v5/publicKeys"
ACCOUNTS = "/api/v5/paymentAccounts"
AUTHORIZATIONS = "/api/v5/transactions"
REDIRECTS = checkout_body("-")["redirectDetails"]
PROOF = {
    "version": "2.2.0",
    "eci": "05",
    "authenticationValue": "AAECAwQFBgcICQoLDA0ODxAREhM=",
    "dsTransactionId": "5a0b51c8-8c4e-4d6a-9d7c-0c3d3c1b9f11",
    "transactionStatus": "Y",
}


class Buyer:
    """One wallet session: keys are asked for when it begins."""

    def __init__(self, merchant: Merchant, control: SandboxControl) -> None:
        self.merchant = merchant
        self.control = control
        self.ids = IDS | merchant.ids
        self.keys: dict[str, str] = merchant.post(KEYS, self.ids).json

    @property
    def headers(self) -> dict[str, str]:
        return JSON | {"Authorization": f"PublicApiKey {self.keys['apiKey']}"}

    def data(
        self, auth_method: str = "CRYPTOGRAM_3DS", network: str = "VISA", **request: Any
    ) -> dict[str, Any]:
        """What the wallet gives after an approval."""
        return self.control.wallet_payment_data(
            merchant_id=self.ids["merchantId"],
            auth_method=auth_method,
            card_network=network,
            request=request,
        )

    def account_body(self, data: Any, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
        body = {name: self.ids[name] for name in ("merchantId", "storeId")}
        return body | {"clientSystemTransactionId": "BUTTON-1", "paymentData": data} | changes

    def create(self, data: Any, *, headers: dict[str, str] | None = None, **changes: Any) -> Answer:  # noqa: ANN401
        body = json.dumps(self.account_body(data, **changes)).encode()
        return self.merchant.send("POST", ACCOUNTS, body, self.headers | (headers or {}))

    def account(self, auth_method: str = "CRYPTOGRAM_3DS", network: str = "VISA") -> dict[str, Any]:
        """The result of a card that was approved just now."""
        answer = self.create(self.data(auth_method, network))
        assert answer.status == 200, answer.body
        result: dict[str, Any] = answer.json
        return result

    def look_up(self, account_id: str, **changes: str) -> Answer:
        query = {
            "merchantId": self.ids["merchantId"],
            "storeId": self.ids["storeId"],
            "encryptionKeyId": self.keys["encryptionKey"],
        }
        return self.merchant.send(
            "GET", f"{ACCOUNTS}/{account_id}?{urlencode(query | changes)}", headers=self.headers
        )

    def authorize(self, result: dict[str, Any], **changes: Any) -> Answer:
        """Pay with an account; what the result says of cryptogram and indicator is passed on."""
        proof = {name: result[name] for name in ("cryptogram", "eciIndicator") if name in result}
        body = self.ids | {
            "type": "ecom.sale",
            "amount": "10.00",
            "currencyCode": "EUR",
            "clientSystemTransactionId": new_reference(),
            "transactionAccountId": result["transactionAccountId"],
            "transactionMethod": "WalletPay",
        }
        body |= proof | changes
        given = {name: value for name, value in body.items() if value is not None}
        return self.merchant.send("POST", AUTHORIZATIONS, json.dumps(given).encode(), self.headers)

    def pending(self, reference: str, **changes: Any) -> Answer:
        """An authorization whose customer is sent to 3-D Secure."""
        answer = self.authorize(
            self.account("PAN_ONLY"),
            clientSystemTransactionId=reference,
            redirectDetails=REDIRECTS,
            **changes,
        )
        assert answer.status == 200, answer.body
        return answer


def back_at(word: str) -> str:
    """The shop's URL for one end of a payment."""
    return f"{SHOP}?to={word}"
