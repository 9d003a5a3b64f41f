"""A customer with a wallet: sees the button, approves in the sheet, and the page posts what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

from wallet_gateway import payments
from wallet_gateway.context import GatewayContext
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.payments.wallet import WalletSession
from wallet_gateway.testing.control import SandboxControl

TOKEN, CARD = "CRYPTOGRAM_3DS", "PAN_ONLY"


def approve_in_sheet(
    control: SandboxControl,
    parameters: Mapping[str, Any],
    reference: str,
    method: str,
    *,
    network: str = "VISA",
) -> dict[str, Any]:
    """Choose a card and approve, in a browser that speaks to the gateway by itself."""
    data = control.wallet_payment_data(
        merchant_id=parameters["mid"], auth_method=method, card_network=network
    )
    body = {
        "merchantId": parameters["mid"],
        "storeId": parameters["sid"],
        "clientSystemTransactionId": reference,
        "paymentData": data,
    }
    request = Request(
        f"{control.base_url}/api/v5/paymentAccounts",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"PublicApiKey {parameters['publicKeyApi']}",
            "Content-Type": "application/json",
        },
    )
    with urlopen(request) as answer:
        result: dict[str, Any] = json.load(answer)
    return result


@dataclass
class Customer:
    """One browser session of a customer; the browser speaks to the gateway by itself."""

    control: SandboxControl
    context: GatewayContext
    session: str = "session-key-of-ada"

    def open(self, order: PaymentOrder) -> WalletSession:
        """Load the page with the button."""
        return payments.wallet.open_session(order, session=self.session)

    def approve(
        self, button: WalletSession, method: str = TOKEN, *, reference: str = "", network: str = "VISA"
    ) -> dict[str, Any]:
        """Choose a card and approve: what `handlePaymentResult` is given."""
        given = button.parameters
        return approve_in_sheet(self.control, given, reference or button.reference, method, network=network)

    def post(self, order: PaymentOrder, detail: dict[str, Any]) -> Payment:
        """Let the page post a result to the shop."""
        fresh = PaymentOrder.objects.get(pk=order.pk)
        return payments.wallet.pay(fresh, session=self.session, detail=detail)

    def pay(self, order: PaymentOrder, method: str = TOKEN, **given: Any) -> Payment:
        """See the button, approve, and have the result posted."""
        return self.post(order, self.approve(self.open(order), method, **given))
