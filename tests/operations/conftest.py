"""What the tests of operations share: a virtual clock, contexts that speak to the real sandbox, ready orders.

After every test the books are looked through: see `invariants`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.client.certificates import Certificate, make_certificate
from tests.operations.far_ends import Far
from tests.operations.subjects import OPERATIONS, Button, Subject, make_subject
from tests.operations.wallet_customer import Customer
from wallet_gateway import conf, gateways, signals
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.checkout import orders
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import end_leases
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.sending import circuit_breaker
from wallet_gateway.operations.wallet.hooks import Authenticator, Pricer
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books
from wallet_gateway.testing.sandbox import SandboxServer

MakeContext = Callable[..., GatewayContext]
MakeOrder = Callable[..., PaymentOrder]
Pay = Callable[..., Payment]
Resolve = Callable[..., GatewayTransaction]
Start = Callable[..., Payment]
Sender = Callable[[Far], GatewayContext]

PATIENT: dict[str, Any] = {"connect_timeout": 60.0, "read_timeout": 60.0, "total_timeout": 60.0}
IMPATIENT: dict[str, Any] = {"connect_timeout": 0.3, "read_timeout": 0.3, "total_timeout": 0.6}
"""For tests in which time runs out; the others have more than a loaded machine needs."""

MUG = Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal("10.00"), quantity=2)


@dataclass
class VirtualClock:
    """A clock that moves only when told, and moves the sandbox's with it."""

    instant: datetime = field(default_factory=lambda: datetime.now(UTC))
    sandbox: SandboxControl | None = None

    def now(self) -> datetime:
        return self.instant

    def advance(self, **delta: float) -> None:
        step = timedelta(**delta)
        self.instant += step
        if self.sandbox is not None:
            self.sandbox.advance_clock(round(step.total_seconds(), 6))

    def advance_to(self, instant: datetime | None) -> None:
        """Move to just after an instant that a row has written down."""
        assert instant is not None
        self.advance(seconds=max((instant - self.instant).total_seconds(), 0) + 0.001)


@pytest.fixture(autouse=True)
def books_stay_true(db: None) -> Iterator[None]:
    """Look through the books after every test; see `invariants`."""
    yield
    check_books()


@pytest.fixture(autouse=True)
def _pauses_are_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", -1.0)


@pytest.fixture
def clock(wallet_sandbox: SandboxControl) -> VirtualClock:
    return VirtualClock(sandbox=wallet_sandbox)


@pytest.fixture
def make_context(wallet_sandbox_server: SandboxServer, clock: VirtualClock) -> Iterator[MakeContext]:
    """Make contexts with their own transports; nothing sleeps."""
    transports: list[HttpTransport] = []

    def make(
        base_url: str = wallet_sandbox_server.base_url,
        *,
        alias: str = "default",
        ca_file: str | None = None,
        patience: dict[str, Any] = PATIENT,
        price: Pricer | None = None,
        authenticate: Authenticator | None = None,
        **policy: Any,
    ) -> GatewayContext:
        given = conf.gateway_settings("default")
        transport = HttpTransport(base_url=base_url, ca_file=ca_file, **patience)
        transports.append(transport)
        fields = {name: getattr(given.policy, name) for name in given.policy.__slots__}
        return GatewayContext(
            alias=alias,
            gateway=Gateway(account=given.account, transport=transport),
            policy=type(given.policy)(**(fields | policy)),
            clock=clock,
            sleep=lambda seconds: None,
            wallet=given.wallet,
            cipher=gateways.cipher(),
            price=price,
            authenticate=authenticate,
        )

    yield make
    for transport in transports:
        transport.close()


@pytest.fixture
def context(make_context: MakeContext) -> GatewayContext:
    return make_context()


@pytest.fixture
def impatient(make_context: MakeContext) -> GatewayContext:
    """A context whose patience ends after 0.3 seconds."""
    return make_context(patience=IMPATIENT)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate for this machine's loopback address, signed by itself."""
    return make_certificate(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def sender(make_context: MakeContext, certificate: Certificate) -> Sender:
    """Make a context that speaks to a far end and trusts its certificate.

    Only a far end that stays silent is waited for shortly: an answer may take its time on a busy machine.
    """

    def make(far: Far) -> GatewayContext:
        patience = IMPATIENT if far.is_silent else PATIENT
        return make_context(far.base_url, ca_file=str(certificate.file), patience=patience)

    return make


@pytest.fixture
def make_order(clock: VirtualClock, db: None) -> MakeOrder:
    numbers = iter(range(1, 1000))

    def make(
        type: str = "sale",  # noqa: A002 - the interface's own word
        currency: str = "EUR",
        payable_until: datetime | None = None,
        **details: Any,
    ) -> PaymentOrder:
        given = {"items": (MUG,)} | details
        return orders.create_order(
            reference=f"ORDER-{next(numbers)}",
            details=OrderDetails(currency=currency, type=type, **given),
            gateway="default",
            policy=GatewayPolicy(),
            clock=clock,
            payable_until=payable_until,
        )

    return make


@pytest.fixture
def start(context: GatewayContext) -> Start:
    """Start a checkout of an order."""

    def begin(order: PaymentOrder, context: GatewayContext = context) -> Payment:
        return start_checkout(order=order, context=context, return_urls=gateways.return_urls)

    return begin


@pytest.fixture
def open_page(start: Start, make_order: MakeOrder) -> Pay:
    """Start a checkout of a new order; the page is open and undecided."""

    def begin(**details: Any) -> Payment:
        return start(make_order(**details))

    return begin


@pytest.fixture
def pay(open_page: Pay, wallet_sandbox: SandboxControl, context: GatewayContext) -> Pay:
    """Let a customer pay a new order of 20.00 on the hosted page and come back."""

    def complete(outcome: str = "success", **details: Any) -> Payment:
        attempt = open_page(**details)
        wallet_sandbox.complete_checkout(attempt.reference, outcome)
        return reconciliation.reconcile_attempt(reference=attempt.reference, context=context)

    return complete


@pytest.fixture
def heard() -> Iterator[list[dict[str, Any]]]:
    """What was said to the shop's receivers about pauses, in order."""
    said: list[dict[str, Any]] = []

    def hear(**given: Any) -> None:
        said.append(given)

    both = (signals.sending_paused, signals.sending_resumed)
    for signal in both:
        signal.connect(hear, weak=False, dispatch_uid="heard")
    yield said
    for signal in both:
        signal.disconnect(dispatch_uid="heard")


@pytest.fixture
def authorized(pay: Pay) -> Payment:
    return pay(type="preauthorization")


@pytest.fixture
def paid(pay: Pay) -> Payment:
    return pay(order_number="A-1001")


@pytest.fixture(params=OPERATIONS)
def subject(
    request: pytest.FixtureRequest, wallet_sandbox: SandboxControl, context: GatewayContext, pay: Pay
) -> Subject:
    """Each of the four operations that move money, ready to be carried out."""
    return make_subject(request.param, control=wallet_sandbox, context=context, pay=pay)


@pytest.fixture(params=[*OPERATIONS, "authorization"])
def mover(
    request: pytest.FixtureRequest,
    wallet_sandbox: SandboxControl,
    context: GatewayContext,
    pay: Pay,
    make_order: MakeOrder,
) -> Subject:
    """Everything that moves money: the four operations, and the card of the wallet's button."""
    if request.param == "authorization":
        return Button("authorization", wallet_sandbox, context, order=make_order())
    return make_subject(request.param, control=wallet_sandbox, context=context, pay=pay)


@pytest.fixture
def customer(wallet_sandbox: SandboxControl, context: GatewayContext) -> Customer:
    """Somebody with a wallet."""
    return Customer(wallet_sandbox, context)


@pytest.fixture
def resolve(context: GatewayContext) -> Resolve:
    """Decide on a transaction as anna, with a reason."""

    def decide(transaction: GatewayTransaction, decision: Decision, **given: Any) -> GatewayTransaction:
        words = {"reason": "provider's support, ticket 4711", "by": "anna"} | given
        asked: dict[str, Any] = {"context": context} | words
        return resolutions.resolve(transaction, decision=decision, **asked)

    return decide


_MOST_QUESTIONS = 400


def sweep_until(
    transaction: GatewayTransaction,
    done: Callable[[GatewayTransaction], bool],
    *,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    """Go from one question to the next until a transaction is as wanted; nothing else of a sweep is done."""
    for _ in range(_MOST_QUESTIONS):
        if done(transaction):
            return
        clock.advance_to(transaction.next_query_at)
        end_leases(context=context)
        reconcile_due(context=context)
        transaction.refresh_from_db()
    raise AssertionError(f"{transaction} is still {transaction.state} after {_MOST_QUESTIONS} questions")


@pytest.fixture
def real(context: GatewayContext) -> GatewayContext:
    """A context that really sleeps."""
    return replace(context, sleep=time.sleep)
