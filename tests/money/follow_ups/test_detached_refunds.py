"""Detached refunds: less may be approved than asked, the limit may be known to the gateway alone."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command

from tests.support.database_faults import WRITING, meddling
from tests.support.gateway import answering, losing
from tests.support.refusals import refuses
from tests.support.shop import Shop, euros, kinds, of, reloaded
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, MigratedDeposit, OutboxEvent
from wallet_gateway.payments.errors import InvalidInput, InvalidState, OperationOutstanding
from wallet_gateway.protocol.card_numbers import has_card_number

pytestmark = pytest.mark.django_db
PARENT = "OLD-1"


def give(amount: str, parent: str = PARENT, currency: str = "EUR", **given: Any) -> GatewayTransaction:
    return payments.refund_migrated(parent, Decimal(amount), currency, **given)


def deposit() -> MigratedDeposit:
    return MigratedDeposit.objects.get(parent_transaction_id=PARENT)


def totals() -> tuple[int, int]:
    return deposit().refunded, deposit().refund_reserved


def test_a_refund_names_the_migrations_reference_and_belongs_to_no_order(shop: Shop) -> None:
    shop.deposit()
    account = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    transaction = give("12.50", order_number="A-1001")
    (sent,) = shop.gateway.sent
    assert dict(sent) | {"userId": ""} == {
        "merchantId": account["MERCHANT_ID"],
        "storeId": account["STORE_ID"],
        "userId": "",
        "type": "detached.refund",
        "amount": "12.50",
        "currencyCode": "EUR",
        "clientSystemTransactionId": transaction.reference,
        "parentTransactionId": PARENT,
        "providerDiscretionaryData": "A-1001",
        "apmDetails": {"apmProvider": account["PROVIDER"]},
    }
    assert (totals(), OutboxEvent.objects.exists()) == ((1250, 0), False)
    assert f"{PARENT}," in "".join(payments.maintenance.export_migration_file())
    assert "12.50" in "".join(payments.maintenance.export_migration_file())


def test_the_answers_amount_is_booked_and_the_rest_is_a_task_for_a_person(shop: Shop) -> None:
    shop.deposit()
    said = {"providerResponseMessage": "actual refund 5.00 EUR", "responseMessage": "actual refund 5.00 EUR"}
    shop.gateway.answers.append(answering(amount="5.00", **said))
    transaction = give("10.00")
    assert (transaction.state, transaction.approved_amount) == ("APPROVED", euros("5.00"))
    assert "actual refund 5.00 EUR" in transaction.explanation
    assert totals() == (500, 0)
    task = Discrepancy.objects.get()
    assert (task.kind, task.transaction, task.deposit) == ("REFUND_SHORT", transaction, deposit())
    assert task.explanation.startswith("5.00 of 10.00 EUR refunded: ")
    assert not deposit().is_frozen
    shop.report(transaction, of(transaction, transactionAmount=5.00))
    shop.sweep_when_due(transaction)
    assert (Discrepancy.objects.count(), transaction.record_id is not None) == (1, True)


def test_a_part_whose_answer_was_lost_is_learned_from_its_record(shop: Shop) -> None:
    shop.deposit()
    shop.gateway.answers.append(losing)
    transaction = give("10.00")
    assert (transaction.state, totals()) == ("UNKNOWN", (0, 1000))
    shop.report(transaction, of(transaction, transactionAmount=5.00))
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.approved_minor, totals()) == ("APPROVED", 500, (500, 0))


def test_a_record_of_another_amount_than_was_answered_is_an_anomaly(shop: Shop) -> None:
    shop.deposit()
    transaction = give("10.00")
    shop.report(transaction, of(transaction, transactionAmount=7.50))
    shop.sweep_when_due(transaction)
    assert (transaction.state, kinds()) == ("ANOMALY", {"AMOUNT_DIFFERS"})
    assert (deposit().refunded, deposit().is_frozen) == (1000, True)


@pytest.mark.parametrize(
    ("amount", "kind"), [("10.01", "APPROVED_ABOVE_REQUEST"), ("1000.00", "UNIT_MIX_UP")]
)
def test_an_answer_above_the_request_is_an_anomaly_and_a_factor_stops_everything(
    amount: str, kind: str, shop: Shop
) -> None:
    shop.deposit()
    shop.gateway.answers.append(answering(amount=amount))
    transaction = give("10.00")
    assert (transaction.state, kinds(), totals()) == ("ANOMALY", {kind}, (0, 1000))
    assert GatewayPause.objects.exists() is (kind == "UNIT_MIX_UP")
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN, says="The deposit"):
        give("1.00")


# Limits


@pytest.mark.every_database
def test_more_than_a_known_deposit_has_left_is_refused_here(shop: Shop) -> None:
    shop.deposit()
    for amount, left in (
        ("50.01", "50.00"),
        ("30.00", ""),
        ("20.01", "20.00"),
        ("20.00", ""),
        ("0.01", "0.00"),
    ):
        if not left:
            assert give(amount).state == "APPROVED"
            continue
        with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=euros(left)):
            give(amount)
    assert len(shop.gateway.sent) == 2
    with refuses(InvalidState, ErrorCode.WRONG_STATE, currency="EUR", given="USD"):
        give("1.00", currency="USD")


def test_of_an_unknown_deposit_the_gateway_knows_the_limit(shop: Shop) -> None:
    assert give("30.00").state == "APPROVED"
    row = deposit()
    assert (row.is_known, row.amount_minor, row.refundable, totals()) == (False, None, None, (3000, 0))


def test_what_is_outstanding_counts_as_refunded_until_the_gateway_refuses_it(shop: Shop) -> None:
    shop.deposit()
    shop.gateway.answers.append(losing)
    transaction = give("45.00")
    with refuses(OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        give("5.01")
    shop.report(transaction, of(transaction, state="Errored"))
    shop.sweep_when_due(transaction)
    assert give("50.00").state == "APPROVED"


# What is refused before anything is stored


@pytest.mark.parametrize("parent", ["4111111111111111", "4111.1111/1111-1111", "No4111111111111111x"])
def test_a_card_number_is_no_reference_of_a_migration(parent: str, shop: Shop) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="form of a card number") as refused:
        give("1.00", parent)
    assert not has_card_number(repr(refused.value) + str(refused.value))
    assert (MigratedDeposit.objects.exists(), shop.gateway.sent) == (False, [])


@pytest.mark.parametrize("number", ["n" * 128, "a\0b"])
def test_an_order_number_that_its_column_cannot_hold_is_refused_before_anything_is_sent(
    number: str, shop: Shop
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="at most 127 characters"):
        payments.refund_migrated("OLD-1", Decimal("5.00"), "EUR", order_number=number)
    assert not shop.gateway.sent


@pytest.mark.every_database
def test_two_that_meet_a_deposit_for_the_first_time_share_its_row(shop: Shop) -> None:
    with meddling(WRITING, act=lambda: give("1.00")):
        assert give("1.00").deposit == deposit()
    assert (totals(), len(shop.gateway.sent)) == ((200, 0), 2)


# What the provider says


PROVIDER = {"providerAuthorizationID": "PA-77", "providerResponseCode": "00-A"}


def answered(shop: Shop, **answer: Any) -> GatewayTransaction:
    shop.gateway.answers.append(answering(**answer))
    return give("10.00")


def test_the_providers_id_and_code_are_stored_and_exported(shop: Shop) -> None:
    given = reloaded(answered(shop, **PROVIDER))
    assert (given.state, given.provider_transaction_id, given.provider_state) == ("APPROVED", "PA-77", "00-A")
    out = io.StringIO()
    call_command("wallet_export", "transactions", stdout=out)
    (row,) = csv.DictReader(io.StringIO(out.getvalue()))
    assert row["providerTransactionId"] == "PA-77"


@pytest.mark.parametrize(
    ("said", "recorded", "stored"),
    [("PA-77", "PROV-9", "PA-77"), ("PA-77", None, "PA-77"), ("", "PROV-9", "PROV-9"), ("", None, "")],
)
def test_a_record_gives_a_refund_its_providers_id_and_does_not_rename_it(
    said: str, recorded: str | None, stored: str, shop: Shop
) -> None:
    given = answered(shop, providerAuthorizationID=said)
    shop.report(given, of(given, apmDetails={"apmProviderTransactionId": recorded}))
    shop.sweep_when_due(given)
    assert (given.confirmed_at is not None, given.provider_transaction_id) == (True, stored)


@pytest.mark.parametrize(("own", "shown"), [("", "issuer says no"), ("refused", "refused")])
@pytest.mark.parametrize("state", ["Errored", "Approved"])
def test_the_providers_words_are_shown(state: str, own: str, shown: str, shop: Shop) -> None:
    words = {"providerResponseMessage": "issuer says no", "responseMessage": own}
    assert shown in reloaded(answered(shop, state=state, **words)).explanation
