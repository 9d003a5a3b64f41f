"""A customer with a wallet: sees the button, approves in the sheet, and the page posts what came of it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.request import Request, urlopen

from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.wallet import attempts as wallet_attempts
from wallet_gateway.operations.wallet.pay import pay_with_wallet
from wallet_gateway.operations.wallet.session import WalletSession, next_reference, open_session
from wallet_gateway.testing.control import SandboxControl

TOKEN, CARD = "CRYPTOGRAM_3DS", "PAN_ONLY"


def authorizing_through(other: GatewayContext, *, context: GatewayContext) -> GatewayContext:
    """Return a context whose authorizations alone go another way, so that a fault meets no other call."""
    return diverted("authorize", other, context=context)


def diverted(call: str, other: GatewayContext, *, context: GatewayContext) -> GatewayContext:
    """Return a context one of whose calls goes another way."""
    half = copy.copy(context.gateway)
    setattr(half, call, getattr(other.gateway, call))
    return replace(context, gateway=half)


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
        return open_session(order=order, session=self.session, context=self.context)

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

    def post(self, order: PaymentOrder, detail: object, context: GatewayContext | None = None) -> Payment:
        """Let the page post a result to the shop."""
        return pay_with_wallet(
            tried=wallet_attempts.load(PaymentOrder.objects.get(pk=order.pk)),
            session=self.session,
            detail=detail,
            context=context or self.context,
            return_urls=return_urls,
        )

    def pay(self, order: PaymentOrder, method: str = TOKEN, **given: Any) -> Payment:
        """See the button, approve, and have the result posted."""
        return self.post(order, self.approve(self.open(order), method, **given))

    def another_card(self, order: PaymentOrder) -> str:
        """Ask for a reference after a decline, in the same sheet."""
        return next_reference(order=order, session=self.session, context=self.context)
