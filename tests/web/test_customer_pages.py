"""The pages that a customer comes to: what each says and offers, and what none of them shows."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.web.conftest import address, result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db

R = ReturnOutcome
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7|add:7 }}{% load x %}",
    "</title><svg onload=alert(1)>",
    "&lt;b&gt; &amp; <b>",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "-->]]><!--",
]


@pytest.mark.parametrize("outcome", list(R))
@pytest.mark.parametrize("state", list(OrderState))
def test_every_page_is_private_well_formed_and_plain(
    client: Client, state: OrderState, outcome: ReturnOutcome
) -> None:
    response = result_page(client, an_order(state), outcome)
    page = Page(response.content.decode())
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert_nothing_inline(page)
    assert page.one("html").attributes["dir"] == "ltr"
    assert page.one("h1").attributes["id"] == page.one("section").attributes["aria-labelledby"]
    assert page.links()[-1] == "/"
    assert "A-1001" in page.text
    assert "€24.90" in page.text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (OrderState.AUTHORIZED, "The amount is reserved for your order"),
        (OrderState.PART_CAPTURED, "A part of the amount was charged, the rest is reserved"),
    ],
)
def test_an_approved_payment_says_how_much_of_it_was_taken(
    client: Client, state: OrderState, words: str
) -> None:
    page = Page(result_page(client, an_order(state)).content.decode())
    assert words in page.text
    assert "Your payment is approved" in page.text


@pytest.mark.parametrize("state", list(OrderState))
def test_no_page_shows_who_paid(client: Client, state: OrderState) -> None:
    html = result_page(client, an_order(state)).content.decode()
    assert "ada@example.com" not in html
    assert "Lovelace" not in html


@pytest.mark.parametrize("state", list(OrderState))
def test_a_page_names_its_address_to_nobody_unless_it_has_a_form(client: Client, state: OrderState) -> None:
    response = result_page(client, an_order(state), R.RETURN)
    has_form = bool(Page(response.content.decode()).all("form"))
    assert response["Referrer-Policy"] == ("same-origin" if has_form else "no-referrer")
    assert ("http://127.0.0.1:8001" in response["Content-Security-Policy"]) is has_form


def test_the_waiting_page_polls_and_reloads_itself_without_javascript(client: Client) -> None:
    attempt = an_attempt(an_order(OrderState.PENDING))
    path = address("result", attempt, R.PENDING)
    page = Page(client.get(path).content.decode())
    card = page.one("section").attributes
    assert client.get(card["data-wallet-poll"]).json()["final"] is False
    assert client.get(card["data-wallet-result"]).status_code == 200
    refresh = next(meta for meta in page.all("meta") if meta.attributes.get("http-equiv") == "refresh")
    assert refresh.attributes["content"] == "5"
    assert refresh.inside == ("html", "head", "noscript")
    assert page.one("script").attributes["src"].startswith("/static/wallet_gateway/pending.js?v=")
    assert any(element.attributes.get("role") == "status" for element in page.elements)


@pytest.mark.parametrize(
    ("outcome", "heading"),
    [(R.REFUSED, "Your payment was refused"), (R.CANCEL, "You cancelled the payment")],
)
def test_a_dead_attempt_can_be_followed_by_another(
    client: Client, outcome: ReturnOutcome, heading: str
) -> None:
    order = an_order(OrderState.FAILED)
    response = result_page(client, order, outcome)
    page = Page(response.content.decode())
    assert_nothing_inline(page)
    assert page.forms() == [reverse("wallet_gateway:checkout", args=[order.token])]
    assert heading in page.text
    # Beside the form stands the wallet's button, which the policy admits.
    assert page.having("data-wallet-session")
    assert "Pay in another way" in page.text
    assert "frame-src http://127.0.0.1:8001" in response["Content-Security-Policy"]
    assert response["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"


@pytest.mark.parametrize("state", [OrderState.OPEN, OrderState.PENDING, OrderState.FROZEN])
@pytest.mark.parametrize("outcome", list(R))
def test_no_button_stands_on_a_page_whose_outcome_is_unknown(
    client: Client, state: OrderState, outcome: ReturnOutcome
) -> None:
    page = Page(result_page(client, an_order(state), outcome).content.decode())
    assert not page.having("data-wallet-session")


@pytest.mark.parametrize(
    "url", ["https://evil.example/", "//evil.example", "javascript:alert(1)", HOSTILE[1]]
)
def test_back_to_the_shop_never_leads_elsewhere(client: Client, url: str) -> None:
    page = Page(result_page(client, an_order(OrderState.PAID, continue_url=url)).content.decode())
    assert "evil.example" not in "".join(page.links())
    assert_nothing_inline(page)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("state", [OrderState.PAID, OrderState.PENDING, OrderState.FAILED, OrderState.OPEN])
def test_hostile_text_is_shown_and_never_obeyed(client: Client, text: str, state: OrderState) -> None:
    page = Page(result_page(client, an_order(state, order_number=text)).content.decode())
    assert_nothing_inline(page)
    assert text in page.text
    assert not page.all("img")
    assert not page.all("b")
