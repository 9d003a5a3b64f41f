"""What one call costs on a kept connection, in processor time of the caller, against bare http.client."""

from __future__ import annotations

import http.client
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.cart import RETURN_URLS
from bench.measure import Finding, ratio
from bench.processes import stub_gateway
from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest, CheckoutType, RedirectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCOUNT = MerchantAccount(
    merchant_id="SANDBOX-MERCHANT",
    store_id="SANDBOX-STORE",
    user_id="sandbox-user",
    provider="ExampleWalletV2",
)


def request() -> CheckoutRequest:
    """Make a small checkout, once: the message itself is measured elsewhere."""
    return CheckoutRequest.build(
        merchant_id=ACCOUNT.merchant_id,
        store_id=ACCOUNT.store_id,
        user_id=ACCOUNT.user_id,
        type=CheckoutType.SALE,
        amount="10.00",
        currency_code="EUR",
        client_system_transaction_id="BENCH-1",
        checkout_details=CheckoutDetails.build(payment_method=ACCOUNT.provider),
        redirect_details=RedirectDetails.build(**RETURN_URLS),
    )


def measure() -> Iterator[Finding]:
    """Compare the gateway client's checkout with sending and receiving the same bytes."""
    message = request()
    body = message.to_json()
    with stub_gateway() as base_url:
        bare = http.client.HTTPConnection(urlsplit(base_url).netloc)
        gateway = Gateway(account=ACCOUNT, transport=HttpTransport(base_url=base_url))

        def send_bytes() -> bytes:
            bare.request("POST", "/api/v5/checkout", body, {"Content-Type": "application/json"})
            return bare.getresponse().read()

        value = ratio(lambda: gateway.checkout(message), send_bytes, clock=time.thread_time)
        bare.close()
    yield Finding(what="client call, processor time to http.client", value=value, target=2.8, unit="x")
