"""Long answers, of which 500 elements are read and nothing negative concluded, and other odd ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from tests.support.gateway import Sent, StubGateway, record, refusing
from tests.support.shop import OPERATIONS, Shop, news, of, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.testing.plugin import WalletApplication

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

pytestmark = pytest.mark.django_db

MOST = 500
Filler = Callable[[Payment, int], list[Any]]


def _others(number: int) -> list[dict[str, Any]]:
    return [record(f"X{n}", id=str(n), apmDetails=None) for n in range(number)]


def _errored(payment: Payment, number: int) -> list[dict[str, Any]]:
    return [record(payment.reference, id=f"E{n}", state="Errored") for n in range(number)]


def _numbers(_: Payment, number: int) -> list[Any]:
    return [1] * number


def _objects(_: Payment, number: int) -> list[Any]:
    return [{}] * number


def _is_held(shop: Shop, payment: Payment) -> None:
    assert not state(payment)[1], "not payable again"
    opening = GatewayTransaction.objects.get(pk=payment.opening.pk)
    assert opening.state not in {"REJECTED", "EXPIRED", "APPROVED", "ABANDONED"}
    assert opening.next_query_at is not None
    assert news(), "a person is told"
    with pytest.raises(payments.errors.OrderNotPayable):
        payments.start_checkout(order_of(payment))
    assert not shop.gateway.sent


@pytest.mark.parametrize("filler", [_numbers, lambda _, number: _others(number), _errored])
def test_nothing_negative_is_concluded_where_more_came(filler: Filler, shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, *filler(payment, MOST + 1))
    _is_held(shop, payment)
    shop.days(1)
    _is_held(shop, payment)


def test_exactly_as_many_as_are_read_are_read_whole(shop: Shop) -> None:
    payment, declined, absent = shop.begin(), shop.begin(), shop.begin()
    shop.report(payment, *_others(MOST - 1), record(payment.reference))
    shop.report(declined, *_errored(declined, MOST))
    shop.report(absent, *_others(MOST))
    for one in (payment, declined):
        shop.ask(one)
    shop.hours(2)
    assert state(payment) == ("PAID", False)
    assert state(declined) == ("FAILED", True)
    assert state(absent) == ("EXPIRED", True)
    assert not news()


@pytest.mark.parametrize(("filler", "place"), [(_numbers, 0), (_errored, MOST - 1)])
def test_an_approval_among_the_first_500_is_paid_and_a_person_told_of_the_rest(
    filler: Filler, place: int, shop: Shop
) -> None:
    payment = shop.begin()
    elements = filler(payment, MOST + 100)
    elements[place] = record(payment.reference)
    shop.report_and_ask(payment, *elements)
    assert state(payment) == ("PAID", False)
    assert news()


@pytest.mark.parametrize(("filler", "number"), [(_numbers, MOST), (_objects, 10_000)])
def test_an_approval_behind_them_is_not_called_paid_and_not_payable_again(
    filler: Filler, number: int, shop: Shop
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, *filler(payment, number), record(payment.reference))
    _is_held(shop, payment)

    shop.report(payment, record(payment.reference))
    shop.days(1)
    assert state(payment) == ("PAID", False), "what was held is judged at the next query"


def test_two_approvals_among_the_first_500_are_two_executions(shop: Shop) -> None:
    payment = shop.begin()
    both = record(payment.reference), record(payment.reference, id="R-2")
    shop.report_and_ask(payment, *both, *_others(MOST))
    assert state(payment) == ("FROZEN", False)


@pytest.mark.parametrize("number", [0, MOST + 1])
def test_a_refused_refund_is_unknown_where_not_all_was_read(number: int, shop: Shop) -> None:
    payment = shop.pay()

    def refuse(sent: Sent) -> tuple[int, object]:
        shop.gateway.records[sent["clientSystemTransactionId"]] = _others(number)
        return refusing(400)(sent)

    shop.gateway.answers.append(refuse)
    refund = payments.refund(order_of(payment), Decimal("10.00"))
    assert refund.state in ({"REJECTED"} if number == 0 else {"UNKNOWN", "PENDING"})


@pytest.mark.parametrize("kind", ["REFUND", "REVERSAL"])
def test_a_follow_up_whose_answer_was_lost_is_neither_absent_nor_refused(kind: str, shop: Shop) -> None:
    payment = shop.pay_for(kind)
    operate = OPERATIONS[kind]
    lost = shop.lose_answer(operate, order_of(payment))
    errored = [of(lost, id=f"E{n}", state="Errored") for n in range(MOST + 1)]
    shop.report(lost, *errored)
    shop.ask(payment)
    assert reloaded(lost).state in {"UNKNOWN", "PENDING"}
    assert lost.next_query_at is not None
    assert news()
    with pytest.raises(payments.errors.OperationRefused):
        operate(order_of(payment))


# A byte order mark, and long addresses of pages

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def marked(wallet_application: WalletApplication, gateway: StubGateway, shop: Shop) -> Shop:
    """A shop whose gateway begins each answer with a byte order mark."""

    def application(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        return [MARK + b"".join(gateway(environ, start))]

    wallet_application(application)
    return shop


def test_payment_refund_and_button_read_answers_with_a_byte_order_mark(marked: Shop) -> None:
    marked.pay()
    assert payments.get_order("S-1").is_paid
    refund = payments.refund(payments.get_order("S-1"), Decimal("10.00"), by="anna")
    assert refund.state == "APPROVED"
    marked.press_button(marked.order())
    assert payments.get_order("S-2").is_paid


def page_of(length: int) -> str:
    start = "http://127.0.0.1:8001/pay/1?state="
    return start + "s" * (length - len(start))


@pytest.mark.every_database
@pytest.mark.parametrize("length", [2_049, 8_192])
def test_the_customer_is_sent_to_a_long_address(shop: Shop, client: Client, length: int) -> None:
    shop.gateway.pages.append(lambda _: (200, {"redirectUrl": page_of(length)}))
    order = shop.order()
    sent = client.post(f"/wallet/checkout/{order.token}/")
    assert (sent.status_code, sent["Location"]) == (303, page_of(length))
    assert payments.start_checkout(order).redirect_url == page_of(length)


def test_a_longer_address_is_no_page(shop: Shop) -> None:
    shop.gateway.pages.append(lambda _: (200, {"redirectUrl": page_of(8_193)}))
    with pytest.raises(payments.errors.OperationError):
        payments.start_checkout(shop.order())
    assert "at most 8192 characters" in payments.get_order("S-1").payments.get().opening.explanation
