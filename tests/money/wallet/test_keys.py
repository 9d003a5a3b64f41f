"""The gateway's keys: one for all processes, renewed in time, replaced when refused; none, no button."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.money.wallet.customers import Customer, detail_for, refused
from tests.support.gateway import Answer, Killed, Sent, answering, killing, losing, refusing
from wallet_gateway import payments
from wallet_gateway.models import GatewayPause, PaymentOrder, WalletAttempt, WalletKey

pytestmark = pytest.mark.django_db


def key(customer: Customer, order: PaymentOrder | None = None) -> str:
    """Return the key of the next button, of an order of its own if none is given."""
    api_key: str = customer.open(order or customer.shop.order()).parameters["publicKeyApi"]
    return api_key


def no_key(customer: Customer, says: str = "gives no key") -> None:
    with refused("wallet_unavailable", says=says):
        key(customer)


def fail(_: Sent) -> tuple[int, object]:
    return 503, {"code": "1", "details": {"message": "away"}}


# Renewal


@pytest.mark.parametrize("seconds", [10, 119, 300, 601, None])
def test_a_key_serves_the_first_half_of_its_life_and_is_then_renewed(
    seconds: int | None, customer: Customer
) -> None:
    """A key without an end lives for half an hour, and is renewed after twenty minutes."""
    customer.gateway.key_lives = timedelta(seconds=seconds) if seconds else None
    shown = []
    for share in (0, 0.45, 0.1):
        customer.shop.clock.by += timedelta(seconds=share * (seconds or 2400))
        shown.append(key(customer))
    assert shown == ["api-key-1", "api-key-1", "api-key-2"]


@pytest.mark.parametrize(("seconds", "last"), [(80, 59), (3600, 3600 - 121)])
def test_while_the_key_service_fails_a_key_is_good_enough_until_shortly_before_its_end(
    seconds: int, last: int, customer: Customer
) -> None:
    customer.gateway.key_lives = timedelta(seconds=seconds)
    key(customer)
    began = customer.shop.clock.now()
    customer.gateway.keys = [fail] * 50
    customer.shop.until(began + timedelta(seconds=last - 4))
    assert key(customer) == "api-key-1"
    customer.shop.until(began + timedelta(seconds=last + 2))
    no_key(customer)


def test_a_key_that_ended_before_it_came_is_none_and_the_clock_is_named(
    customer: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    customer.gateway.key_lives = timedelta(seconds=-1)
    for _ in range(2):
        no_key(customer)
    assert customer.gateway.keys_asked == 1
    assert "or our clock is off" in caplog.text


def test_what_is_stored_of_a_key_is_ciphertext_and_is_erased_a_day_after_its_end(customer: Customer) -> None:
    api_key = key(customer)
    row = WalletKey.objects.get()
    for stored in map(bytes, (row.api_key, row.encryption_key)):
        assert stored
        assert api_key.encode() not in stored
    for hours, erased in ((24, False), (2, True)):
        customer.shop.clock.by += timedelta(hours=hours)
        payments.sweep()
        row.refresh_from_db()
        assert (bytes(row.api_key) == bytes(row.encryption_key) == b"") is erased


@pytest.mark.every_database
def test_a_key_is_renewed_before_it_ends_by_one_process(customer: Customer) -> None:
    key(customer)
    customer.shop.clock.by += timedelta(minutes=51)

    def meanwhile(_: Sent) -> tuple[int, object]:
        assert key(customer.elsewhere("another browser")) == "api-key-1"
        return fail(_)

    customer.gateway.keys = [meanwhile]
    assert key(customer) != "api-key-1"
    assert customer.gateway.keys_asked == 3, "asked once, renewed by one, and once more after a failure"


# A key service that fails


def test_for_half_a_minute_after_a_failure_nobody_waits_for_the_key_service_and_then_it_is_asked_again(
    customer: Customer,
) -> None:
    customer.gateway.keys = [fail] * 4
    for browser in (customer, customer, customer.elsewhere("another browser")):
        no_key(browser)
    assert customer.gateway.keys_asked == 4, "the first page waits through all tries, the others not at all"
    customer.shop.clock.by += timedelta(seconds=31)
    assert key(customer)
    assert (GatewayPause.objects.get().keys_until, customer.gateway.keys_asked) == (None, 5)


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        (fail, 4),
        (losing, 4),
        # The next answer would be the same.
        (lambda _: (200, {"apiKey": 7}), 1),
        (refusing(400), 1),
    ],
)
def test_a_read_is_tried_again_unless_the_next_answer_would_be_the_same(
    answer: Answer, times: int, customer: Customer
) -> None:
    customer.gateway.keys = [answer] * 5
    no_key(customer)
    assert customer.gateway.keys_asked == times


@pytest.fixture
def failed_before(customer: Customer) -> Customer:
    """A customer of a shop that waited its half minute after the key service had failed."""
    customer.gateway.keys = [refusing(400)]
    no_key(customer)
    customer.shop.clock.by += timedelta(seconds=31)
    return customer


@pytest.mark.every_database
def test_a_key_service_that_has_failed_is_tried_by_one_process_while_the_others_go_on(
    failed_before: Customer,
) -> None:
    def meanwhile(sent: Sent) -> tuple[int, object]:
        no_key(failed_before.elsewhere("another browser"))
        return losing(sent)

    failed_before.gateway.keys = [meanwhile, meanwhile]
    assert key(failed_before)
    assert failed_before.gateway.keys_asked == 1 + 3, "each of these is the one process's own try"


def test_a_process_that_dies_at_the_key_service_keeps_the_others_from_it_for_a_minute(
    failed_before: Customer,
) -> None:
    failed_before.gateway.keys = [killing]
    with pytest.raises(Killed):
        key(failed_before)
    no_key(failed_before)
    failed_before.shop.clock.by += timedelta(seconds=61)
    assert key(failed_before)


def test_the_pause_of_another_gateways_key_service_is_none_of_this_one(customer: Customer) -> None:
    GatewayPause.row_of("another").update(keys_until=customer.shop.clock.now() + timedelta(minutes=1))
    assert key(customer)


# A key is its account's


@pytest.mark.parametrize(
    "changed", [{"MERCHANT_ID": "NEW"}, {"STORE_ID": "NEW"}, {"BASE_URL": "https://new.example"}], ids=str
)
def test_after_a_change_of_the_account_its_former_key_is_used_by_nobody(
    changed: dict[str, str], customer: Customer
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    before = customer.shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    customer.shop.configure(**changed)
    for use in (lambda: customer.post(order, detail), lambda: customer.another_card(order)):
        with refused("wallet_unavailable", says="has expired"):
            use()
    assert (key(customer, order), customer.gateway.sent) == ("api-key-2", [])
    # A process that still has the former settings goes on with its own.
    customer.shop.configure(**{name: before[name] for name in changed})
    assert (key(customer, order), customer.gateway.keys_asked) == ("api-key-1", 2)


def test_another_card_of_an_open_sheet_has_its_key_although_a_button_with_a_newer_one_was_shown(
    customer: Customer,
) -> None:
    order = customer.order()
    first = customer.open(order).reference
    customer.gateway.answers.append(answering(state="Errored"))
    customer.post(order, detail_for(first))
    customer.shop.clock.by += timedelta(minutes=55)
    assert key(customer, order) == "api-key-2"
    another = customer.another_card(order, first)
    keys = dict(WalletAttempt.objects.values_list("transaction__reference", "key"))
    assert keys[another] == keys[first]
    customer.shop.clock.by += timedelta(minutes=6)
    with refused("wallet_unavailable", says="has expired"):
        customer.another_card(order, first)


# Keys that the gateway refuses: a browser's report is a reason to ask, and no proof


@pytest.mark.parametrize(
    "answer",
    [None, refusing(400), refusing(403), refusing(404), fail, losing, lambda _: (200, b"no JSON")],
)
def test_a_key_that_the_gateway_does_not_refuse_is_kept_whatever_browsers_report(
    answer: Answer | None, customer: Customer
) -> None:
    order = customer.order()
    button = customer.open(order)
    customer.gateway.cards = [answer] * 9 if answer else []
    for _ in range(5):
        assert not customer.report(order, button.reference)
        customer.post(order, {"code": "4401002", "description": "Unauthorized"})
    assert len(customer.gateway.looked_up) == 1, "the gateway is asked once a minute"
    assert (customer.open(order).reference, customer.gateway.keys_asked) == (button.reference, 1)
    assert WalletKey.objects.get().refused_at is None


def test_where_a_gateway_answers_401_to_everything_browsers_get_one_key_a_minute(customer: Customer) -> None:
    order = customer.order()
    customer.gateway.refused = {f"api-key-{number}" for number in range(100)}
    references = [customer.open(order).reference]
    for _ in range(2):
        for _ in range(3):
            for reference in references:
                customer.report(order, reference)
            references.append(customer.open(order).reference)
        customer.shop.clock.by += timedelta(seconds=61)
    assert customer.gateway.keys_asked == 1 + 2
    assert len(customer.gateway.looked_up) <= 2 * 2


def test_a_key_is_tried_again_a_minute_after_it_was_found_good(customer: Customer) -> None:
    order, other = customer.order(), customer.order()
    button = customer.open(order)
    beside = customer.elsewhere("another browser")
    assert key(beside, other) == "api-key-1"
    assert not customer.report(order, button.reference)
    customer.gateway.refused = {"api-key-1"}
    assert not customer.report(order, button.reference)
    customer.shop.clock.by += timedelta(seconds=61)
    assert not customer.report(order, button.reference, "CLOSED", ""), "only a failure is a reason to ask"
    assert customer.report(order, button.reference)
    assert customer.report(order, button.reference), "also to the next page that has this key"
    for browser, payable in ((customer, order), (beside, other), (beside, customer.order())):
        assert key(browser, payable) == "api-key-2"


def reported(customer: Customer, order: PaymentOrder, reference: str) -> None:
    assert customer.report(order, reference, message="The gateway could not be reached")


def failed(customer: Customer, order: PaymentOrder, reference: str) -> None:
    assert payments.wallet.outcome(customer.post(order, {"code": "E-17"})) == "TRY_AGAIN"


def posted(customer: Customer, order: PaymentOrder, reference: str) -> None:
    for _ in range(2):
        with refused("try_again", says="Nothing was charged"):
            customer.post(order, detail_for(reference))


@pytest.mark.parametrize("found_out", [reported, failed, posted])
def test_after_a_key_was_refused_the_next_session_pays_with_another_key_and_once(
    found_out: Callable[[Customer, PaymentOrder, str], None], customer: Customer
) -> None:
    order = customer.order()
    button = customer.open(order)
    customer.gateway.refused = {"api-key-1"}
    found_out(customer, order, button.reference)
    assert key(customer, order) == "api-key-2"
    assert customer.pay(order).order.state == "PAID"
    assert len(customer.gateway.sent) == 1
    first, second = WalletAttempt.objects.order_by("pk")
    assert (first.key, second.key) == tuple(WalletKey.objects.order_by("pk")), "each keeps its own"


@pytest.mark.parametrize(
    ("answer", "outcome", "is_refused"),
    [
        (refusing(401), "DECLINED", True),
        (lambda _: (401, b""), "CHECKING", True),
        (refusing(503), "CHECKING", False),
    ],
)
def test_a_key_that_is_refused_with_the_authorization_is_not_given_again_and_nothing_is_sent_twice(
    answer: Answer, outcome: str, is_refused: bool, customer: Customer
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    customer.gateway.answers.append(answer)
    assert [payments.wallet.outcome(customer.post(order, detail)) for _ in range(2)] == [outcome] * 2
    assert len(customer.gateway.sent) == 1
    assert (WalletKey.objects.get().refused_at is not None) is is_refused
