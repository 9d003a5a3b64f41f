"""A customer with a wallet: sees the button, approves in the sheet, and the page posts what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

from wallet_gateway import payments
from wallet_gateway.context import GatewayContext
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.payments.wallet import WalletSession
from wallet_gateway.testing.control import SandboxControl

TOKEN, CARD = "CRYPTOGRAM_3DS", "PAN_ONLY"


@dataclass
class Customer:
    """One browser session of a customer; the browser speaks to the gateway by itself."""

    control: SandboxControl
    context: GatewayContext
    session: str = "session-key-of-ada"

    @property
    def gateway_url(self) -> str:
        """The gateway's base URL, as the settings give it to the page."""
        assert self.context.wallet is not None
        return self.context.wallet.gateway_url

    def open(self, order: PaymentOrder) -> WalletSession:
        """Load the page with the button."""
        return payments.wallet.open_session(order, session=self.session)

    def approve(
        self, button: WalletSession, method: str = TOKEN, *, reference: str = "", network: str = "VISA"
    ) -> dict[str, Any]:
        """Choose a card and approve: what `handlePaymentResult` is given."""
        given = button.parameters
        data = self.control.wallet_payment_data(auth_method=method, card_network=network)
        body = {
            "merchantId": given["mid"],
            "storeId": given["sid"],
            "clientSystemTransactionId": reference or button.reference,
            "paymentData": data,
        }
        request = Request(
            f"{self.gateway_url}/api/v5/paymentAccounts",
            data=json.dumps(body).encode(),
            headers={
                "Authorization": f"PublicApiKey {given['publicKeyApi']}",
                "Content-Type": "application/json",
            },
        )
        with urlopen(request) as answer:
            result: dict[str, Any] = json.load(answer)
        return result

    def post(self, order: PaymentOrder, detail: dict[str, Any]) -> Payment:
        """Let the page post a result to the shop."""
        fresh = PaymentOrder.objects.get(pk=order.pk)
        return payments.wallet.pay(fresh, session=self.session, detail=detail)

    def pay(self, order: PaymentOrder, method: str = TOKEN, **given: Any) -> Payment:
        """See the button, approve, and have the result posted."""
        return self.post(order, self.approve(self.open(order), method, **given))
