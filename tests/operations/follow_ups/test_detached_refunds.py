"""Detached refunds: less may be approved than asked, the limit may be known to the gateway alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import DEPOSIT, MIGRATION_FILE
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, MigratedDeposit, OutboxEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    InvalidInput,
    InvalidState,
    OperationOutstanding,
)
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.migration.import_export import import_migration_file
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
Give = Callable[..., GatewayTransaction]


@pytest.fixture
def at_gateway(wallet_sandbox: SandboxControl) -> None:
    """The gateway knows a deposit of 50.00 EUR, of which 10.00 were refunded before."""
    wallet_sandbox.migration_file(MIGRATION_FILE)


@pytest.fixture
def known(at_gateway: None, clock: VirtualClock) -> None:
    """We know it, too."""
    import_migration_file(MIGRATION_FILE.splitlines(), gateway="default", clock=clock)


@pytest.fixture
def give(context: GatewayContext) -> Give:
    def refund(amount: str, context: GatewayContext = context, **given: object) -> GatewayTransaction:
        fields = {"parent_transaction_id": DEPOSIT, "currency": "EUR"} | given
        return refund_migrated(amount=Decimal(amount), context=context, **fields)  # type: ignore[arg-type]

    return refund


def deposit() -> MigratedDeposit:
    return MigratedDeposit.objects.get(parent_transaction_id=DEPOSIT)


def posts(control: SandboxControl) -> list[dict[str, object]]:
    return [entry["body"] for entry in control.journal() if entry["operation"] == "detached_refund"]


# What is sent, what is booked


def test_a_refund_names_the_migrations_reference(
    known: None, give: Give, wallet_sandbox: SandboxControl
) -> None:
    transaction = give("12.50", order_number="A-1001")

    assert transaction.state == S.APPROVED
    assert posts(wallet_sandbox)[0] | {"userId": ""} == {
        "merchantId": "SANDBOX-MERCHANT",
        "storeId": "SANDBOX-STORE",
        "userId": "",
        "type": "detached.refund",
        "amount": "12.50",
        "currencyCode": "EUR",
        "clientSystemTransactionId": transaction.reference,
        "parentTransactionId": DEPOSIT,
        "providerDiscretionaryData": "A-1001",
        "apmDetails": {"apmProvider": "ExampleWalletV2"},
    }
    assert (deposit().refunded, deposit().refund_reserved) == (1250, 0)
    assert not OutboxEvent.objects.exists(), "it belongs to no order"


def test_the_answers_amount_is_booked_and_the_rest_is_free_again(
    known: None, give: Give, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("detached_refund", "partial")
    transaction = give("10.00")

    assert transaction.state == S.APPROVED
    assert transaction.approved_amount == Money(Decimal("5.00"), "EUR")
    assert "requested refund 10.00 EUR, actual refund 5.00 EUR" in transaction.explanation
    assert (deposit().refunded, deposit().refund_reserved) == (500, 0)
    assert len(posts(wallet_sandbox)) == 1


def test_what_was_not_given_back_is_a_task_for_a_person_and_freezes_nothing(
    known: None, give: Give, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.fault("detached_refund", "partial")
    transaction = give("10.00")

    task = Discrepancy.objects.get()
    assert (task.kind, task.transaction, task.deposit) == ("REFUND_SHORT", transaction, deposit())
    assert task.explanation.startswith("5.00 of 10.00 EUR refunded: ")
    assert not deposit().is_frozen

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    assert Discrepancy.objects.count() == 1, "its record says the same again"


def test_a_part_whose_answer_was_lost_is_learned_from_its_record(
    known: None, give: Give, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = give("10.00", scripted(context, b"no answer"))
    assert (transaction.state, deposit().refund_reserved) == (S.UNKNOWN, 1000)

    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "5.00"))))

    transaction.refresh_from_db()
    assert (transaction.state, transaction.approved_minor) == (S.APPROVED, 500)
    assert (deposit().refunded, deposit().refund_reserved) == (500, 0)


def test_the_confirming_query_learns_the_record_that_the_answer_does_not_name(
    known: None, give: Give, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = give("10.00")
    assert (transaction.record_id, transaction.confirmed_at) == (None, None)

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.record_id
    assert transaction.confirmed_at == clock.now()
    assert transaction.next_query_at == transaction.state_changed_at + timedelta(days=1), "for a double"


def test_a_record_of_another_amount_than_was_answered_is_an_anomaly(
    known: None, give: Give, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = give("10.00")
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "7.50"))))

    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    assert Discrepancy.objects.get().kind == "AMOUNT_DIFFERS"
    assert (deposit().refunded, deposit().is_frozen) == (1000, True)


@pytest.mark.parametrize(
    ("amount", "kind"), [("10.01", "APPROVED_ABOVE_REQUEST"), ("1000.00", "UNIT_MIX_UP")]
)
def test_an_answer_above_the_request_is_an_anomaly_and_a_factor_stops_everything(
    amount: str, kind: str, known: None, give: Give, context: GatewayContext
) -> None:
    def too_much(body: bytes) -> bytes:
        reference = body.split(b'"clientSystemTransactionId":"')[1].split(b'"')[0]
        said = b'{"state":"Approved","currencyCode":"EUR","clientSystemTransactionId":"%s","amount":"%s"}'
        return said % (reference, amount.encode())

    transaction = give("10.00", scripted(context, too_much))

    assert transaction.state == S.ANOMALY
    assert Discrepancy.objects.get().kind == kind
    assert (deposit().refund_reserved, deposit().is_frozen) == (1000, True)
    assert GatewayPause.objects.exists() is (kind == "UNIT_MIX_UP")
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN, says="The deposit"):
        give("1.00")


# Limits


def test_more_than_a_known_deposit_has_left_is_refused_here(
    known: None, give: Give, wallet_sandbox: SandboxControl
) -> None:
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=Money(Decimal("40.00"), "EUR")):
        give("40.01")
    give("30.00")
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=Money(Decimal("10.00"), "EUR")):
        give("10.01")
    assert give("10.00").state == S.APPROVED
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=Money(Decimal("0.00"), "EUR")):
        give("0.01")
    assert len(posts(wallet_sandbox)) == 2


def test_of_an_unknown_deposit_the_gateway_knows_the_limit(
    at_gateway: None, give: Give, wallet_sandbox: SandboxControl
) -> None:
    assert give("30.00").state == S.APPROVED
    refused = give("10.01")

    assert refused.state == S.REJECTED
    assert refused.explanation_code == ExplanationCode.REFUND_AMOUNT_EXCEEDED
    assert refused.explanation_params["maximum"] == "10.00"
    row = deposit()
    assert (row.is_known, row.amount_minor, row.refunded, row.refund_reserved) == (False, None, 3000, 0)
    assert row.refundable is None
    assert len(posts(wallet_sandbox)) == 2


def test_a_deposit_that_the_gateway_does_not_know_is_refused_by_it(give: Give) -> None:
    transaction = give("1.00", parent_transaction_id="NEVER-HEARD")
    assert transaction.state == S.REJECTED
    assert "NEVER-HEARD" in transaction.explanation


def test_what_is_outstanding_counts_as_refunded(
    known: None, give: Give, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.fault("detached_refund", "drop_before")
    transaction = give("35.00")
    with refuses(OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        give("5.01")

    # What the gateway refuses in the end is free again.
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "35.00", state="Errored"))))
    assert give("40.00").state == S.APPROVED


def test_a_deposit_has_one_currency(known: None, give: Give) -> None:
    with refuses(InvalidState, ErrorCode.WRONG_STATE, currency="EUR", given="USD"):
        give("1.00", currency="USD")


# What is refused before anything is stored


@pytest.mark.parametrize("parent", ["4111111111111111", "4111.1111/1111-1111", "No4111111111111111x"])
def test_a_card_number_is_no_reference_of_a_migration(
    parent: str, give: Give, wallet_sandbox: SandboxControl
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="form of a card number") as refused:
        give("1.00", parent_transaction_id=parent)
    assert not has_card_number(repr(refused.value) + str(refused.value))
    assert not MigratedDeposit.objects.exists()
    assert wallet_sandbox.journal() == []


# Keys


def test_two_that_meet_a_deposit_for_the_first_time_share_its_row(
    at_gateway: None, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    give("1.00")
    rows = MigratedDeposit.objects.all()
    with monkeypatch.context() as patch:
        # What the second saw before the first had committed.
        patch.setattr(type(rows), "first", lambda _: None)
        assert give("1.00").deposit == deposit()
    assert deposit().refunded == 200
