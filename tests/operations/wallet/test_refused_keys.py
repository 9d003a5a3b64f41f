"""A browser's report about a key is a hint: it fetches no key without bound, and throws no good one away."""

from __future__ import annotations

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import PaymentOrder, WalletAttempt, WalletKey
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.errors import TryAgain, WalletUnavailable
from wallet_gateway.operations.wallet.events import record_event
from wallet_gateway.operations.wallet.keys import REPLACED_ONCE_IN, current_key
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def report(
    customer: Customer, order: PaymentOrder, reference: str, event: WalletEvent = WalletEvent.ERROR
) -> bool:
    """Let the page report that its wallet has failed."""
    return record_event(
        order=order,
        reference=reference,
        session=customer.session,
        event=event,
        message="HTTP 401",
        context=customer.context,
    )


ANSWERS: list[tuple[str | None, int | None]] = [
    (None, None),
    ("error_body", 400),
    ("error_body", 403),
    ("bare_error", 404),
    ("error_body", 422),
    ("status_before", 503),
    ("drop_before", None),
    ("not_json", None),
]
"""What a gateway may answer about an account that nobody has, and that says nothing against the key."""


@pytest.mark.parametrize(("fault", "status"), ANSWERS)
def test_a_key_that_the_gateway_does_not_refuse_is_kept_whatever_browsers_report(
    fault: str | None,
    status: int | None,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    button = customer.open(order)
    if fault:
        wallet_sandbox.fault("get_payment_account", fault, times=100, status=status)
    for _ in range(5):
        assert not report(customer, order, button.reference)
        customer.post(order, {"code": "4401002", "description": "Unauthorized"})
    assert times_sent(wallet_sandbox, "get_payment_account") <= 1, "the gateway is asked once a minute"
    assert customer.open(order).reference == button.reference
    assert times_sent(wallet_sandbox, "public_key") == 1
    assert WalletKey.objects.get().refused_at is None


@pytest.mark.parametrize("event", [event for event in WalletEvent if event != WalletEvent.ERROR])
def test_only_a_failure_is_a_reason_to_ask(
    event: WalletEvent, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    assert not report(customer, order, button.reference, event)
    assert times_sent(wallet_sandbox, "get_payment_account") == 0


def test_where_a_gateway_answers_401_to_everything_browsers_get_one_key_a_minute(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order = make_order()
    wallet_sandbox.fault("get_payment_account", "error_body", status=401, times=500)
    references = [customer.open(order).reference]
    for _ in range(3):
        for _ in range(4):
            for reference in references:
                report(customer, order, reference)
            references.append(customer.open(PaymentOrder.objects.get()).reference)
        clock.advance(seconds=REPLACED_ONCE_IN.total_seconds() + 1)
    assert times_sent(wallet_sandbox, "public_key") == 1 + 3
    assert times_sent(wallet_sandbox, "get_payment_account") <= 2 * 3


def test_a_key_is_tried_again_a_minute_after_it_was_found_good(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order = make_order()
    button = customer.open(order)
    assert not report(customer, order, button.reference)
    wallet_sandbox.reset()
    assert not report(customer, order, button.reference)
    clock.advance(seconds=61)
    assert report(customer, order, button.reference)
    assert report(customer, order, button.reference), "also to the next page that has this key"
    assert customer.open(order).parameters["publicKeyApi"] != button.parameters["publicKeyApi"]


def test_the_rows_say_to_all_machines_that_a_key_is_refused(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    elsewhere = make_context()
    assert current_key(context=elsewhere).api_key == button.parameters["publicKeyApi"]
    wallet_sandbox.reset()
    assert report(customer, order, button.reference)
    assert current_key(context=elsewhere).api_key != button.parameters["publicKeyApi"]


def test_a_sheet_with_a_refused_key_gets_no_reference_for_another_card(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    wallet_sandbox.reset()
    with refuses(TryAgain, ErrorCode.TRY_AGAIN):
        customer.post(order, detail)
    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="has expired"):
        customer.another_card(order)
    assert WalletAttempt.objects.count() == 1


def test_an_attempt_with_a_refused_key_goes_on_with_it(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    detail = customer.approve(button)
    wallet_sandbox.fault("get_payment_account", "error_body", status=401)
    assert report(customer, order, button.reference)
    other = customer.open(order)
    assert other.reference != button.reference
    payment = customer.post(order, detail)
    assert (payment.reference, payment.state) == (button.reference, "PAID")
