"""Which page is shown and what it offers: our state chooses, and the URL of the return only chooses words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from tests.support.tables import every
from tests.web.conftest import address, kind_of, result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import PAGE_OF_GATEWAY, an_attempt, an_order
from wallet_gateway import return_tokens
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db

R, S, T = ReturnOutcome, OrderState, TransactionState
PAYABLE = {S.OPEN, S.FAILED, S.EXPIRED, S.REVERSED}
WAITING = {"pending", "undecided"}
OFFERING = {"undecided", "failed", "refused", "cancelled", "expired", "reversed"}

# What each state says, whatever the URL was, and what its pay button leads to.
BY_STATE = {
    S.PENDING: ("pending", "pending"),
    S.AUTHORIZED: ("authorized", "already_paid"),
    S.PART_CAPTURED: ("authorized", "already_paid"),
    S.PAID: ("paid", "already_paid"),
    S.PART_REFUNDED: ("part_refunded", "part_refunded"),
    S.REFUNDED: ("refunded", "refunded"),
    S.REVERSED: ("reversed", ""),
    S.EXPIRED: ("expired", ""),
    S.OVERPAID: ("overpaid", "overpaid"),
    S.FROZEN: ("checking", "checking"),
    S.CANCELLED: ("no_longer_payable", "no_longer_payable"),
}
# Where nothing was paid the URL chooses words.
BY_URL = {
    (S.OPEN, R.RETURN): "undecided",
    (S.FAILED, R.CANCEL): "cancelled",
    (S.FAILED, R.REFUSED): "refused",
}
OTHERWISE = {S.OPEN: "pending", S.FAILED: "failed"}


@every("state", list(S))
def test_a_state_that_is_known_shows_the_same_page_at_all_six_urls(client: Client, state: OrderState) -> None:
    order = an_order(state)
    attempt = an_attempt(order)
    for outcome in R:
        response = client.get(address("result", attempt, outcome))
        kind, page = kind_of(response), Page(response.content.decode())
        assert response.status_code == 200
        assert kind == (BY_URL.get((state, outcome)) or OTHERWISE.get(state) or BY_STATE[state][0]), outcome
        # A page waits exactly while the poll says that news is to come, and offers what may be paid.
        status = client.get(address("status", attempt, outcome)).json()
        assert status["final"] is not (kind in WAITING)
        assert bool(page.having("data-wallet-poll")) is (kind in WAITING)
        checkout = [reverse("wallet_gateway:checkout", args=[order.token])]
        assert page.forms() == (checkout if kind in OFFERING else [])
        # A second button beside an attempt whose outcome is unknown could take the money twice.
        assert bool(page.having("data-wallet-session")) is (kind in OFFERING - {"undecided"})
        # Under no-referrer the form would be posted with "Origin: null" and refused.
        assert response["Referrer-Policy"] == ("same-origin" if page.forms() else "no-referrer")
        assert ("http://127.0.0.1:8001" in response["Content-Security-Policy"]) is bool(page.forms())
        assert response["Cache-Control"] == "no-store"
        assert_nothing_inline(page)
        assert page.one("h1").attributes["id"] == page.one("section").attributes["aria-labelledby"]
        assert page.links()[-1] == "/"
        assert "A-1001" in page.text
        assert "€24.90" in page.text
        # Nobody by name: the address may have been passed on.
        assert not [word for word in ("ada@example.com", "Lovelace") if word in page.html]


@every("state", [state for state in S if state not in PAYABLE])
def test_the_pay_button_and_the_pay_page_of_an_order_that_must_not_be_paid_say_why(
    client: Client, state: OrderState
) -> None:
    order = an_order(state)
    an_attempt(order)
    response = client.post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert (response.status_code, kind_of(response)) == (409, BY_STATE[state][1])
    assert not Page(response.content.decode()).forms()
    assert order.payments.count() == 1
    response = client.get(reverse("wallet_gateway:pay", args=[order.token]), follow=True)
    assert (response.redirect_chain[0][1], kind_of(response)) == (303, BY_STATE[state][0])


@every("state", sorted(PAYABLE))
def test_no_page_of_an_order_whose_time_is_over_offers_payment(client: Client, state: OrderState) -> None:
    order = an_order(state, payable_until=timezone.now() - timedelta(seconds=1))
    attempt = an_attempt(order, state=T.REJECTED)
    for url in (address("result", attempt, R.SUCCESS), reverse("wallet_gateway:opening", args=[order.token])):
        response = client.get(url)
        assert kind_of(response) == "no_longer_payable"
        assert not Page(response.content.decode()).forms()


def test_what_is_shown_of_an_older_attempt_and_of_a_withdrawn_order(client: Client) -> None:
    order = an_order()
    dead = an_attempt(order, state=T.REJECTED)
    an_attempt(order)
    assert kind_of(client.get(address("result", dead, R.REFUSED))) == "undecided"

    attempt = an_attempt(an_order(S.CANCELLED, released_at=None), state=T.OPEN)
    # Who comes back from its open page waits for the result of that.
    assert kind_of(client.get(address("result", attempt, R.SUCCESS))) == "pending"
    assert kind_of(client.get(address("result", attempt, R.RETURN))) == "no_longer_payable"


@every(
    ("state", "outcome", "left", "has_link"),
    [
        (T.AWAITING_3DS, R.PENDING, 300, True),
        (T.AWAITING_3DS, R.RETURN, 900, True),
        (T.AWAITING_3DS, R.PENDING, 50, False),
        (T.AWAITING_3DS, R.SUCCESS, 900, False),
        (T.UNKNOWN, R.PENDING, 900, False),
    ],
    ids=["left", "left, and back in the shop", "about to end", "done", "unknown"],
)
def test_who_has_left_the_banks_page_may_go_back_to_it_while_it_is_open(
    state: TransactionState, outcome: ReturnOutcome, left: int, has_link: bool, client: Client
) -> None:
    attempt = an_attempt(an_order(S.PENDING), state=state)
    GatewayTransaction.objects.update(expires_at=timezone.now() + timedelta(seconds=left))
    page = client.get(address("result", attempt, outcome)).content.decode()
    assert "Please do not pay again" in page
    assert (f'href="{PAGE_OF_GATEWAY}" rel="noreferrer"' in page) is has_link


def test_a_waiting_page_polls_the_attempt_that_was_made_and_no_button_that_was_shown_after_it(
    client: Client,
) -> None:
    order = an_order(S.PENDING)
    made = an_attempt(order, state=T.AWAITING_3DS)
    for state in ("EXPIRED", "OFFERED"):
        Payment.objects.filter(pk=an_attempt(order).pk).update(state=state)
    page = Page(client.get(reverse("wallet_gateway:pay", args=[order.token]), follow=True).content.decode())
    card = page.one("section").attributes
    token = card["data-wallet-poll"].split("/")[-2]
    assert return_tokens.read(token).reference == made.reference
    assert client.get(card["data-wallet-result"]).status_code == 200
    # Without JavaScript it reloads itself.
    refresh = next(meta for meta in page.all("meta") if meta.attributes.get("http-equiv") == "refresh")
    assert (refresh.attributes["content"], refresh.inside) == ("5", ("html", "head", "noscript"))
    assert page.one("script").attributes["src"].startswith("/static/wallet_gateway/pending.js?v=")
    assert any(element.attributes.get("role") == "status" for element in page.elements)


ADDRESS = {"checkoutDetails": {"cardholderEmail": "ada@example.com"}}


@pytest.mark.parametrize(
    ("mails_are_on", "content", "seen", "is_told"),
    [
        (True, ADDRESS, T.UNKNOWN, True),
        (False, ADDRESS, T.UNKNOWN, False),
        (True, {}, T.UNKNOWN, False),
        # The payment page is still open: no mail tells how that ends.
        (True, ADDRESS, T.OPEN, False),
    ],
)
def test_a_mail_is_promised_where_one_will_come_and_only_there(
    client: Client,
    settings: Settings,
    mails_are_on: bool,
    content: dict[str, object],
    seen: TransactionState,
    is_told: bool,
) -> None:
    if mails_are_on:
        settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "wallet_gateway.contrib.mails"]
    order = an_order(S.PENDING, content=content)
    attempt = an_attempt(order, state=seen)
    event = {"kind": "FAULT", "state_after": seen, "occurred_at": order.created_at}
    TransactionEvent.objects.create(transaction=attempt.transactions.get(), **event)
    page = client.get(address("result", attempt, R.SUCCESS)).content.decode()
    assert ("We also mail you the result" in page) is is_told
    order.state = S.PAID
    order.save()
    page = client.get(address("result", attempt, R.SUCCESS)).content.decode()
    assert ("We mail you a confirmation." in page) is is_told


LEADS_ON = ["/orders/7/", "/", "/?thanks=1", "http://127.0.0.1:8000/orders/7/"]
# As domain/test_continue_url.py has them, and what was stored by a shop of other settings.
LEADS_AWAY = [
    "",
    "https://evil.example/",
    "//evil.example/",
    r"/\evil.example",
    "JaVaScRiPt:alert(1)",
    '"><img src=x>',
]


@every(("url", "leads_to"), [*zip(LEADS_ON, LEADS_ON, strict=True), *((url, "/") for url in LEADS_AWAY)])
def test_back_to_the_shop_never_leads_elsewhere(client: Client, url: str, leads_to: str) -> None:
    page = Page(result_page(client, an_order(S.PAID, continue_url=url)).content.decode())
    assert page.links()[-1] == leads_to
    assert_nothing_inline(page)
