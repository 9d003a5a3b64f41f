"""Answers that the document does not allow: none of them pays, none is believed, and none is the last word.

Once the gateway answers as it should again, everything comes out as it was at the gateway all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tests.money.any_gateway.conftest import Shop, every_habit, sums
from tests.stub_gateway.answers import Kind
from tests.stub_gateway.habits import Habit, having, sent, without, written
from tests.stub_gateway.wrong import BROKEN, WRONG
from tests.support.shop import reloaded
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import (
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    OutboxEvent,
    PaymentOrder,
    WalletAttempt,
    WalletKey,
)

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

OF_STATUS = tuple(habit for habit in WRONG if habit.concerns(Kind.STATUS))
OF_ANSWERS = tuple(habit for habit in WRONG if habit.concerns(Kind.FOLLOW_UP))
# Readable, and no word about this payment, or none that is final: the gateway is asked again.
OPEN = {
    *(f"status: state {state!r}" for state in ("Pending", "approved?", "CapturedByProvider", 1)),
    "status: nothing found",
    "status: another reference",
    "status: one record without its list",
}
# The name under which a person hears of a wrong record that can be read.
OTHER_AMOUNT = {
    "status: another currency": "CURRENCY_DIFFERS",
    "status: more than asked": "AMOUNT_DIFFERS",
    "status: less than asked": "AMOUNT_DIFFERS",
    "status: minor units": "UNIT_MIX_UP",
}
CALLED = OTHER_AMOUNT | {
    "status: approved twice": "EXECUTED_TWICE",
    "status: a type of a follow-up": "MADE_ELSEWHERE",
    "status: an unknown type only": "UNKNOWN_TYPE",
    "the state named twice": "RECORD_UNREADABLE",
}


def _noticed(order: PaymentOrder) -> set[str]:
    return set(Discrepancy.objects.filter(payment__order=order).values_list("kind", flat=True))


def _called(habit: Habit) -> set[str]:
    """Return the name under which a person hears of a wrong record; empty where the whole answer is wrong."""
    if habit.name in CALLED:
        return {CALLED[habit.name]}
    return set() if habit in BROKEN or habit.name in OPEN else {"RECORD_UNREADABLE"}


def _let_a_person_decide(order: PaymentOrder) -> None:
    """Decide what was noticed as the portal shows it: paid once, as asked for."""
    for transaction in GatewayTransaction.objects.filter(payment__order=order, state="ANOMALY"):
        payments.approvals.resolve(
            transaction, decision="DID_HAPPEN", by="anna", reason="the portal shows it"
        )
    for difference in Discrepancy.objects.filter(payment__order=order, closed_at=None):
        payments.approvals.close_discrepancy(difference, by="anna", reason="the portal shows it once")


@every_habit(*(habit for habit in OF_STATUS if habit.name not in OTHER_AMOUNT))
def test_a_wrong_status_answer_pays_nothing_and_is_not_the_last_word(habit: Habit, shop: Shop) -> None:
    order, page = shop.at_the_page()
    shop.gateway.pay(page)
    with shop.gateway.having(habit):
        for _ in range(2):
            assert shop.told(order).state != "PAID"
    assert sums(order) == ("0.00", "0.00", "0.00")
    assert not OutboxEvent.objects.filter(order=order, kind="PAID").exists()
    assert _noticed(order) == _called(habit)
    _let_a_person_decide(order)
    assert shop.told(order).state == "PAID"
    assert sums(order) == ("20.00", "20.00", "0.00")


@pytest.mark.parametrize("habit", [h for h in OF_STATUS if h.name in OTHER_AMOUNT], ids=lambda h: h.name)
def test_another_amount_is_never_accepted_not_even_by_a_person(habit: Habit, shop: Shop) -> None:
    order, page = shop.at_the_page()
    shop.gateway.pay(page)
    with shop.gateway.having(habit):
        assert shop.told(order).state == "FROZEN"
    assert _noticed(order) == _called(habit)
    with pytest.raises(payments.errors.InvalidState):
        _let_a_person_decide(order)
    assert shop.told(order).state == "FROZEN"
    assert sums(order) == ("0.00", "0.00", "0.00")


# The others go the same way as a refund; one wrong answer of each table is enough.
REQUESTS = [
    *(("refund", habit) for habit in OF_ANSWERS),
    *((name, habit) for name in ("capture", "reverse", "detached", "button") for habit in OF_ANSWERS[::8]),
]


@every(("operation", "habit"), REQUESTS, ids=[f"{name}, {habit.name}" for name, habit in REQUESTS])
def test_a_wrong_answer_to_a_request_leaves_it_open_until_it_is_known(
    operation: str, habit: Habit, shop: Shop
) -> None:
    order = shop.order()
    if operation in {"refund", "capture", "reverse"}:
        order = shop.paid(type="sale" if operation == "refund" else "preauthorization")
    before = sums(order)
    parent = shop.deposit("5.00")
    begin: dict[str, Callable[[], GatewayTransaction]] = {
        "detached": lambda: payments.refund_migrated(parent, Decimal("5.00"), "EUR"),
        "button": lambda: shop.press(order).opening,
    }
    ask = begin.get(operation) or (lambda: getattr(payments, operation)(order))
    with shop.gateway.having(habit):
        transaction = ask()
        assert transaction.state in {"UNKNOWN", "PENDING"}
        assert sums(order) == before
        with pytest.raises((payments.errors.OperationOutstanding, payments.errors.OrderNotPayable)):
            ask()
    if transaction.deposit is not None:
        payments.maintenance.query_status(transaction.deposit)
    shop.told(order)
    assert reloaded(transaction).state == "APPROVED"
    sent = {"refund": 2, "capture": 2, "reverse": 2, "button": 1, "detached": 0}[operation]
    assert sum(len(shop.gateway.book.of(one.reference)) for one in order.payments.all()) == sent, "sent once"
    assert not _noticed(order)


PAGES = (
    written("no address", without("redirectUrl"), Kind.CHECKOUT),
    *(
        written(f"the address {url!r}", having("redirectUrl", url), Kind.CHECKOUT)
        for url in (None, "", 7, "pay", "//evil.example/p", "https://evil.example/p", "javascript:alert(1)")
    ),
    written("an error beside it", having("code", "9"), Kind.CHECKOUT),
    written("in a list", lambda found: [found], Kind.CHECKOUT),
    sent("with HTTP 500", Kind.CHECKOUT, status=500),
)


@every_habit(*PAGES)
def test_a_customer_is_sent_to_no_page_that_is_none(habit: Habit, shop: Shop) -> None:
    order = shop.order()
    with shop.gateway.having(habit), pytest.raises(payments.errors.OperationError):
        payments.start_checkout(order)
    assert sums(order) == ("0.00", "0.00", "0.00")
    GatewayTransaction.objects.filter(state="UNKNOWN").update(state_changed_at=LONG_AGO)


_NO_KEYS: tuple[object, ...] = (None, "", {}, True)
KEYS = (
    *(written(f"no {name}", without(name), Kind.KEYS) for name in ("apiKey", "encryptionKey")),
    *(written(f"apiKey {value!r}", having("apiKey", value), Kind.KEYS) for value in _NO_KEYS),
    written("encryptionKey null", having("encryptionKey", None), Kind.KEYS),
    written("an end that has passed", having("expiresAt", "2020-01-01T00:00:00Z"), Kind.KEYS),
    written("an error beside it", having("code", "9"), Kind.KEYS),
    sent("with HTTP 403", Kind.KEYS, status=403),
)
_TYPES = (None, "", "Cash", True, ["Token"])
CARDS = (
    written("no cardType", without("cardType"), Kind.ACCOUNT),
    *(written(f"cardType {value!r}", having("cardType", value), Kind.ACCOUNT) for value in _TYPES),
    written("another account", having("transactionAccountId", "somebody-elses"), Kind.ACCOUNT),
    written("an error beside it", having("code", "9"), Kind.ACCOUNT),
    written("in a list", lambda found: [found], Kind.ACCOUNT),
    sent("with HTTP 403", Kind.ACCOUNT, status=403),
)


@every_habit(*KEYS, *CARDS)
def test_without_a_key_or_a_card_that_is_known_nothing_is_charged(habit: Habit, shop: Shop) -> None:
    order = shop.order()
    WalletKey.objects.all().delete()
    GatewayPause.objects.all().delete()
    with shop.gateway.having(habit), pytest.raises(payments.errors.OperationError):
        shop.press(order)
    assert not shop.gateway.transactions("ecom.sale")
    assert payments.get_order(order.reference).is_payable
    WalletAttempt.objects.all().delete()
