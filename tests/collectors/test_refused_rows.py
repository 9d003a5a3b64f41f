"""A row that a real database refuses in its own words: Sentry is told, and told nothing of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sentry_sdk
from django.db import DatabaseError, connection
from django.db import transaction as db_transaction

from tests.collectors.canaries import CARD_NUMBER, EMAIL, Payer, found
from tests.collectors.listening import SentryEvents
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import PaymentOrder, WalletAttempt, WalletKey

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

MakeOrder = Callable[..., PaymentOrder]


@sensitive_variables()
def _store_twice(attempt: WalletAttempt) -> None:
    WalletAttempt.objects.create(
        transaction_id=attempt.transaction_id,
        key=WalletKey.objects.all()[0],
        gateway="default",
        given={"email": EMAIL},
    )


@sensitive_variables()
def _store_too_much(attempt: WalletAttempt) -> None:
    with connection.cursor() as cursor:
        statement = "UPDATE wallet_gateway_walletattempt SET results_count = %s WHERE id = %s"
        cursor.execute(statement, [f"{EMAIL} {CARD_NUMBER}", attempt.pk])


@pytest.mark.parametrize("work", [_store_twice, _store_too_much])
def test_a_row_that_the_database_refuses(
    work: Callable[[WalletAttempt], None],
    payer: Payer,
    make_order: MakeOrder,
    sentry: SentryEvents,
) -> None:
    payer.browser.open(make_order())
    attempt = WalletAttempt.objects.get()
    with pytest.raises(DatabaseError) as refusal, db_transaction.atomic():
        work(attempt)
    sentry_sdk.capture_exception(refusal.value)
    shown = f"{sentry.text} {refusal.value!r} {refusal.value.__cause__!r}"
    assert found(shown, (EMAIL, CARD_NUMBER)) == []
    assert "wallet_gateway" in shown
