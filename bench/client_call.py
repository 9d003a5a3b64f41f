"""What one call costs on a kept connection, in processor time of the caller, against bare http.client."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.cart import ACCOUNT, RETURN_URLS
from bench.measure import compare
from bench.stub_servers import stub_gateway
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest, CheckoutType, RedirectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Finding


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

        found = compare(lambda: gateway.checkout(message), send_bytes)
        bare.close()
    yield found.finding("client call, to http.client", at_most=3)
