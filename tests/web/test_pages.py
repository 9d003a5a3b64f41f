"""Which page is shown: our state chooses it, and the URL by which a browser came back only chooses words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from tests.web.conftest import address
from tests.web.rows import PAGE_OF_GATEWAY, an_attempt, an_order
from wallet_gateway import return_tokens
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.models.orders import PAYABLE_STATES
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.web.pages import (
    PageKind,
    ResultPage,
    kind_without_payment,
    latest_token,
    page_for,
    safe_continue_url,
)

pytestmark = pytest.mark.django_db

R = ReturnOutcome
ORIGINS = ("https://shop.example", "https://www.shop.example")
NOT_FINAL = {OrderState.OPEN, OrderState.PENDING}
PAID_PAGES = {PageKind.PAID, PageKind.AUTHORIZED, PageKind.OVERPAID, PageKind.PART_REFUNDED}

# What each state says, whatever the URL was.
SAME_FOR_EVERY_URL = [
    (OrderState.PENDING, PageKind.PENDING),
    (OrderState.AUTHORIZED, PageKind.AUTHORIZED),
    (OrderState.PART_CAPTURED, PageKind.AUTHORIZED),
    (OrderState.PAID, PageKind.PAID),
    (OrderState.PART_REFUNDED, PageKind.PART_REFUNDED),
    (OrderState.REFUNDED, PageKind.REFUNDED),
    (OrderState.REVERSED, PageKind.REVERSED),
    (OrderState.EXPIRED, PageKind.EXPIRED),
    (OrderState.OVERPAID, PageKind.OVERPAID),
    (OrderState.FROZEN, PageKind.CHECKING),
    (OrderState.CANCELLED, PageKind.NO_LONGER_PAYABLE),
]
WORDS_OF_THE_URL = [
    (OrderState.OPEN, R.RETURN, PageKind.UNDECIDED),
    (OrderState.OPEN, R.SUCCESS, PageKind.PENDING),
    (OrderState.OPEN, R.PENDING, PageKind.PENDING),
    (OrderState.OPEN, R.ERROR, PageKind.PENDING),
    (OrderState.OPEN, R.CANCEL, PageKind.PENDING),
    (OrderState.OPEN, R.REFUSED, PageKind.PENDING),
    (OrderState.FAILED, R.RETURN, PageKind.FAILED),
    (OrderState.FAILED, R.SUCCESS, PageKind.FAILED),
    (OrderState.FAILED, R.PENDING, PageKind.FAILED),
    (OrderState.FAILED, R.ERROR, PageKind.FAILED),
    (OrderState.FAILED, R.CANCEL, PageKind.CANCELLED),
    (OrderState.FAILED, R.REFUSED, PageKind.REFUSED),
]


@pytest.mark.parametrize("outcome", list(R))
@pytest.mark.parametrize(("state", "kind"), SAME_FOR_EVERY_URL)
def test_a_state_that_is_known_shows_the_same_page_at_all_six_urls(
    state: OrderState, kind: PageKind, outcome: ReturnOutcome
) -> None:
    order = an_order(state)
    assert page_for(order, an_attempt(order), outcome) is kind


@pytest.mark.parametrize(("state", "outcome", "kind"), WORDS_OF_THE_URL)
def test_the_url_chooses_words_where_nothing_was_paid(
    state: OrderState, outcome: ReturnOutcome, kind: PageKind
) -> None:
    order = an_order(state)
    assert page_for(order, an_attempt(order), outcome) is kind


def test_a_dead_attempt_of_an_order_that_is_open_again_leads_to_the_open_page() -> None:
    order = an_order(OrderState.OPEN)
    dead = an_attempt(order, state=TransactionState.REJECTED)
    an_attempt(order)
    assert page_for(order, dead, R.REFUSED) is PageKind.UNDECIDED


@pytest.mark.parametrize("state", sorted(PAYABLE_STATES))
def test_no_page_of_an_order_whose_time_is_over_offers_payment(state: OrderState) -> None:
    order = an_order(state, payable_until=timezone.now() - timedelta(seconds=1))
    attempt = an_attempt(order, state=TransactionState.REJECTED)
    for outcome in R:
        assert page_for(order, attempt, outcome) is PageKind.NO_LONGER_PAYABLE
    assert kind_without_payment(order) is PageKind.NO_LONGER_PAYABLE


def test_who_comes_back_from_an_open_page_of_a_cancelled_order_waits_for_its_result() -> None:
    order = an_order(OrderState.CANCELLED, released_at=None)
    attempt = an_attempt(order, state=TransactionState.OPEN)
    assert page_for(order, attempt, R.SUCCESS) is PageKind.PENDING
    assert page_for(order, attempt, R.RETURN) is PageKind.NO_LONGER_PAYABLE
    assert not order.is_final


@pytest.mark.parametrize("state", list(OrderState))
@pytest.mark.parametrize("outcome", list(R))
def test_a_page_offers_payment_only_while_the_order_takes_one(
    state: OrderState, outcome: ReturnOutcome
) -> None:
    order = an_order(state)
    page = ResultPage(kind=page_for(order, an_attempt(order), outcome), order=order)
    assert order.is_payable or not page.offers_payment
    assert not (page.kind in PAID_PAGES and page.offers_payment)
    assert not (page.kind is PageKind.PENDING and page.offers_payment)


@pytest.mark.parametrize("state", list(OrderState))
@pytest.mark.parametrize("outcome", list(R))
def test_a_page_waits_exactly_while_the_poll_says_that_news_is_to_come(
    state: OrderState, outcome: ReturnOutcome
) -> None:
    order = an_order(state)
    waits = page_for(order, an_attempt(order), outcome) in {PageKind.PENDING, PageKind.UNDECIDED}
    assert waits is not order.is_final
    assert waits is (state in NOT_FINAL)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (OrderState.PAID, PageKind.ALREADY_PAID),
        (OrderState.AUTHORIZED, PageKind.ALREADY_PAID),
        (OrderState.PART_CAPTURED, PageKind.ALREADY_PAID),
        (OrderState.PENDING, PageKind.PENDING),
        (OrderState.FROZEN, PageKind.CHECKING),
        (OrderState.OVERPAID, PageKind.OVERPAID),
        (OrderState.PART_REFUNDED, PageKind.PART_REFUNDED),
        (OrderState.REFUNDED, PageKind.REFUNDED),
    ],
)
def test_the_pay_button_of_an_order_that_must_not_be_paid_says_why(state: OrderState, kind: PageKind) -> None:
    order = an_order(state)
    page = ResultPage(kind=kind_without_payment(order), order=order)
    assert page.kind is kind
    assert not page.offers_payment


def test_a_waiting_page_polls_the_attempt_that_was_made_and_no_button_that_was_shown_after_it() -> None:
    order = an_order(OrderState.PENDING)
    made = an_attempt(order, state=TransactionState.AWAITING_3DS)
    for state in (PaymentState.EXPIRED, PaymentState.OFFERED):
        Payment.objects.filter(pk=an_attempt(order).pk).update(state=state)
    assert return_tokens.read(latest_token(order)).reference == made.reference


@pytest.mark.parametrize(
    ("state", "outcome", "left", "link"),
    [
        (TransactionState.AWAITING_3DS, R.PENDING, 300, True),
        (TransactionState.AWAITING_3DS, R.RETURN, 900, True),
        (TransactionState.AWAITING_3DS, R.PENDING, 50, False),
        (TransactionState.AWAITING_3DS, R.SUCCESS, 900, False),
        (TransactionState.AWAITING_3DS, R.CANCEL, 900, False),
        (TransactionState.UNKNOWN, R.PENDING, 900, False),
        (TransactionState.PENDING, R.PENDING, 900, False),
    ],
    ids=["left", "left, and back in the shop", "about to end", "done", "cancelled", "unknown", "pending"],
)
def test_who_has_left_the_banks_page_may_go_back_to_it_while_it_is_open(
    state: TransactionState, outcome: ReturnOutcome, left: int, link: bool, client: Client
) -> None:
    order = an_order(OrderState.PENDING)
    attempt = an_attempt(order, state=state)
    ends = timezone.now() + timedelta(seconds=left)
    GatewayTransaction.objects.update(expires_at=ends)

    page = client.get(address("result", attempt, outcome)).content.decode()

    assert "Please do not pay again" in page
    assert (f'href="{PAGE_OF_GATEWAY}" rel="noreferrer"' in page) is link
    assert ("Go back to your bank" in page) is link


@pytest.mark.parametrize(
    "url",
    ["/orders/7/", "/", "/?thanks=1", "https://shop.example/orders/7/", "https://www.shop.example/7"],
)
def test_an_address_within_the_shop_is_where_the_customer_goes_on(url: str) -> None:
    assert safe_continue_url(url, origins=ORIGINS) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "orders/7/",
        "?thanks=1",
        "https://evil.example/",
        "https://www.shop.example.evil.example/",
        "https://[",
        "/ /evil.example",
        "//evil.example/",
        "//shop.example/",
        "///evil.example/",
        r"\\evil.example",
        r"/\evil.example",
        "http:///evil.example",
        "https://shop.example@evil.example/",
        "https://shop.example.evil.example/",
        "http://shop.example/",
        "https://shop.example:444/",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "ftp://shop.example/",
        "\x00javascript:alert(1)",
        "/\t/evil.example",
    ],
)
def test_any_other_address_becomes_the_front_page(url: str) -> None:
    assert safe_continue_url(url, origins=ORIGINS) == "/"


ADDRESS = {"checkoutDetails": {"cardholderEmail": "ada@example.com"}}


@pytest.mark.parametrize(
    ("mails_are_on", "content", "state", "written"),
    [
        (True, ADDRESS, TransactionState.UNKNOWN, True),
        (False, ADDRESS, TransactionState.UNKNOWN, False),
        (True, {}, TransactionState.UNKNOWN, False),
        # The payment page is still open: no mail tells how that ends.
        (True, ADDRESS, TransactionState.OPEN, False),
    ],
)
def test_a_mail_is_promised_where_one_will_come_and_only_there(
    mails_are_on: bool,
    content: dict[str, object],
    state: TransactionState,
    written: bool,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed = apps.is_installed
    monkeypatch.setattr(
        apps, "is_installed", lambda app: mails_are_on if app.endswith(".mails") else installed(app)
    )
    order = an_order(OrderState.PENDING, content=content)
    attempt = an_attempt(order, state=state)
    seen = {"kind": "FAULT", "state_after": state, "occurred_at": order.created_at}
    TransactionEvent.objects.create(transaction=attempt.transactions.get(), **seen)

    page = client.get(address("result", attempt, R.SUCCESS)).content.decode()

    assert "Please do not pay again" in page
    assert ("We also mail you the result" in page) is written
