"""The kit against the stub gateway: two readings of the interface that share no code, nor with the sandbox.

The stub answers as the document says and refuses hardly anything, so the kit may miss refusals, and no
answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from tests.stub_gateway.server import StubGateway
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.payer import Limit, Payment
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import run
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire

NOT_BUILT = {
    "checkout.page",  # it has none
    "status.identification.merchantId",  # it has one merchant, and asks nobody who they are
    "status.identification.storeId",
    "status.pre-authorization.shipping",  # a habit, which a plain stub has not
}
"""What the stub leaves out, other than refusals."""


@dataclass(frozen=True)
class Customer:
    """Pays on the stub's page."""

    stub: StubGateway

    def pay(self, payment: Payment, **_: object) -> None:
        self.stub.pay(payment.page)


def test_of_a_gateway_written_from_the_document_alone_the_kit_misses_refusals_only() -> None:
    with StubGateway().running() as stub:
        gateway = Gateway(
            wire=HttpWire(stub.url),
            host=urlsplit(stub.url).netloc,
            account=SANDBOX_ACCOUNT,
            payer=Customer(stub),
            limit=Limit(Decimal(1000), currency=SANDBOX_ACCOUNT.currency, say=lambda _: None),
            control=None,
            is_patient=False,
        )
        results = run(PROBES, gateway)

    failed = {result.probe.name: result.text for result in results if result.outcome is Outcome.FAILED}
    assert {name for name, text in failed.items() if not text.startswith("it is not refused")} == NOT_BUILT
    passed = {result.probe.name for result in results if result.outcome is Outcome.PASSED}
    assert {"checkout.full", "status.record.transactionAmount", "follow-ups.response.id"} <= passed
