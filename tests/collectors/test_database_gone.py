"""A database server that ends the connection in the middle of a payment: Sentry is told, and told nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


class Ending:
    """A wrapper of `execute` that has the server end this connection before one statement."""

    def __init__(self, number: int) -> None:
        self.number, self.count = number, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, *others: Any) -> Any:  # noqa: ANN401
        """Execute a statement, or have it fail."""
        self.count += 1
        if self.count == self.number:
            with connection.copy().cursor() as other:
                other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
                other.db.close()
        return execute(sql, params, *others)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only here a connection can be ended by SQL")
@pytest.mark.skipif(
    bool(connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")),
    reason="behind PgBouncer the next transaction gets another connection, and nothing fails",
)
def test_a_server_that_goes_away_at_any_statement(
    payer: Payer, make_order: MakeOrder, sentry: SentryEvents
) -> None:
    ended = 0
    while True:
        order = make_order()
        payer.approve(order)
        ending = Ending(ended + 1)
        with connection.execute_wrapper(ending):
            payer.post(order)
        connection.close()
        assert found(sentry.text, payer.secrets) == []
        assert found(sentry.text_without_calls, payer.asked_for) == []
        if ending.count <= ended:
            break
        ended += 1
    assert ended > 10
    assert len(sentry.events) >= ended - 1


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
