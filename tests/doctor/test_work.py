"""The sweep's mark, what waits for people, and the payment that a person has compared."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from pytest_django import Settings

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import gateways, payments
from wallet_gateway.doctor import work
from wallet_gateway.findings import Code, Level
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_sweep_that_never_ran_is_an_error_and_one_sweep_mends_it() -> None:
    (before,) = work.look_at_work(go_live=True)
    assert (before.level, before.code) == (Level.ERROR, Code.NEVER_SWEPT)
    assert before.text == "default was never swept"
    payments.sweep()
    (after,) = work.look_at_work()
    assert (after.level, after.text) == (Level.OK, "every gateway was swept within 5 minutes")


@pytest.mark.parametrize(
    ("gateway", "due", "level"),
    [
        ("default", None, Level.WARNING),
        ("default", timedelta(days=1), Level.WARNING),
        ("default", -timedelta(minutes=4), Level.WARNING),
        ("default", -timedelta(minutes=6), Level.ERROR),
        ("another", -timedelta(minutes=6), Level.WARNING),
    ],
)
def test_in_a_new_shop_a_sweep_that_never_ran_is_a_warning_until_a_payment_waits_for_one(
    gateway: str, due: timedelta | None, level: Level
) -> None:
    due_at = None if due is None else gateways.clock().now() + due
    a_transaction(gateway=gateway, state="APPROVED", next_query_at=due_at)
    (found,) = [one for one in work.look_at_work() if one.code is Code.NEVER_SWEPT]
    assert found.level is level


def test_what_waits_for_a_person_is_a_warning_with_the_way_to_the_runbook() -> None:
    payments.sweep()
    payments.maintenance.stop_sending("default", by="anna", reason="x")
    warning, _ = work.look_at_work()
    assert (warning.level, warning.text) == (Level.WARNING, "nothing is sent to default")
    assert (warning.code, warning.params) == (Code.SENDING_PAUSED, {"gateway": "default"})
    assert "runbook" in str(warning.advice)


def test_going_live_wants_the_live_profile_and_a_payment_that_a_person_has_compared(
    wallet_sandbox: SandboxControl,
) -> None:
    profile, unchecked = work.look_before_going_live()
    assert (profile.level, unchecked.level) == (Level.ERROR, Level.ERROR)
    order = payments.create_order(reference="LIVE-1", currency="EUR", amount=Decimal("1.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    payments.reconcile(order)

    with pytest.raises(work.UnableToRecord, match="paid in a test"):
        work.record_payment("LIVE-1", by="anna")
    _, tests, unchecked = work.look_before_going_live()
    assert (tests.level, tests.code, tests.params) == (Level.WARNING, Code.TESTS_STORED, {"count": 1})
    assert unchecked.level == Level.ERROR

    Payment.objects.update(is_test=False)
    work.record_payment("LIVE-1", by="anna")
    _, checked = work.look_before_going_live()
    assert (checked.level, checked.text) == (Level.OK, "1.00 EUR, order LIVE-1, compared by anna")


def test_in_the_live_profile_nothing_is_said_of_it(settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"BASE_URL": "https://gateway.example", "PROFILE": "prod"}
    default |= {"MERCHANT_ID": "M-100", "WALLET": {**default["WALLET"], "MERCHANT_NO": "123456789012"}}
    origin = "https://shop.example"
    settings.WALLET_GATEWAY = {**given, "PUBLIC_ORIGIN": origin, "GATEWAYS": {"default": default}}
    assert [finding.text[:15] for finding in work.look_before_going_live()] == ["no real payment"]


@pytest.mark.parametrize(
    ("currency", "low", "high"), [("EUR", 500, 501), ("JPY", 500, 501), ("KWD", 5000, 5001)]
)
def test_a_payment_that_is_not_low_is_not_recorded(currency: str, low: int, high: int) -> None:
    for reference, minor in (("LOW", low), ("HIGH", high)):
        money = {"currency": currency, "amount_minor": minor}
        a_payment(an_order(reference=reference, **money), captured=minor, authorized=minor, is_test=False)

    assert work.record_payment("LOW", by="anna").reference == "LOW"
    with pytest.raises(work.UnableToRecord, match=r"not a low amount.* at most 5.*GO_LIVE_MAX_AMOUNT"):
        work.record_payment("HIGH", by="anna")


def test_a_shop_says_what_a_low_amount_of_its_currency_is(settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"GO_LIVE_MAX_AMOUNT": {"EUR": "20.00"}}
    settings.WALLET_GATEWAY = {**given, "GATEWAYS": {"default": default}}
    a_payment(an_order(reference="TWENTY", amount_minor=2000), captured=2000, authorized=2000, is_test=None)

    assert work.record_payment("TWENTY", by="anna").reference == "TWENTY"


def test_an_order_without_money_stands_for_nothing() -> None:
    order = an_order(reference="LIVE-2")
    a_payment(order)
    with pytest.raises(work.UnableToRecord, match="no money"):
        work.record_payment("LIVE-2", by="anna")
    with pytest.raises(work.UnableToRecord, match="name of whoever"):
        work.record_payment("LIVE-2", by=" ")
    a_payment(an_order(reference="ELSEWHERE", gateway="former"), captured=100, authorized=100)
    with pytest.raises(work.UnableToRecord, match="paid elsewhere"):
        work.record_payment("ELSEWHERE", by="anna")
    with pytest.raises(PaymentOrder.DoesNotExist):
        work.record_payment("NONE", by="anna")
