"""A page's token: signed, for one person, payment and operation, for an hour."""

from __future__ import annotations

import pytest
from django.core import signing

from tests.models.rows import a_payment
from wallet_gateway.admin import tickets
from wallet_gateway.admin.operating import CAPTURE, REFUND
from wallet_gateway.models import Payment

pytestmark = pytest.mark.django_db


@pytest.fixture
def payment() -> Payment:
    return a_payment(authorised=2000, captured=500)


def test_a_token_says_the_key_and_what_was_left(payment: Payment) -> None:
    ticket = tickets.read(tickets.issue(CAPTURE, payment, person="7"), CAPTURE, payment, person="7")

    assert ticket.available == 1500
    assert ticket.key.startswith("page-")
    assert len(ticket.key) <= 64


def test_every_page_has_a_key_of_its_own(payment: Payment) -> None:
    keys = {
        tickets.read(tickets.issue(CAPTURE, payment, person="7"), CAPTURE, payment, person="7").key
        for _ in range(50)
    }
    assert len(keys) == 50


def test_a_token_is_for_one_person_one_payment_and_one_operation(payment: Payment) -> None:
    token = tickets.issue(CAPTURE, payment, person="7")

    for given in ((CAPTURE, payment, "8"), (REFUND, payment, "7"), (CAPTURE, a_payment(), "7")):
        with pytest.raises(tickets.StalePage, match="somebody or something else"):
            tickets.read(token, given[0], given[1], person=given[2])


@pytest.mark.parametrize("token", ["", "x", "a:b:c"])
def test_a_forged_token_is_refused(payment: Payment, token: str) -> None:
    with pytest.raises(tickets.StalePage, match="too old or was changed"):
        tickets.read(token, CAPTURE, payment, person="7")


@pytest.mark.parametrize("content", [[], "text", ["key", "7"], 7])
def test_a_signed_text_of_another_shape_is_refused(payment: Payment, content: object) -> None:
    with pytest.raises(tickets.StalePage):
        tickets.read(signing.dumps(content, salt=tickets._SALT), CAPTURE, payment, person="7")


def test_a_token_ends_after_an_hour(payment: Payment, monkeypatch: pytest.MonkeyPatch) -> None:
    token = tickets.issue(CAPTURE, payment, person="7")
    monkeypatch.setattr(tickets, "LIVES_SECONDS", -1)

    with pytest.raises(tickets.StalePage, match="too old"):
        tickets.read(token, CAPTURE, payment, person="7")
