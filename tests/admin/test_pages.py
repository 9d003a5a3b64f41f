"""What the pages with a form share: staff only, outside any transaction, and how an outcome is told."""

from __future__ import annotations

import pytest
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.test import Client

from tests.admin.conftest import PaidOrder, operation_url
from tests.explanations import commented
from tests.models.rows import a_transaction
from wallet_gateway.admin.pages import sentence_of, show_status, staff_view

pytestmark = pytest.mark.django_db


def test_a_view_that_acts_is_for_staff_and_outside_the_requests_transaction(client: Client) -> None:
    view = staff_view(admin.site, lambda request: HttpResponse("in"))

    assert view._non_atomic_requests == {"default"}  # type: ignore[attr-defined]


def test_somebody_who_is_not_logged_in_is_sent_to_the_login(client: Client, paid_order: PaidOrder) -> None:
    answer = client.get(operation_url(paid_order(), "capture"))
    assert answer["Location"].startswith("/admin/login/")


def test_a_post_without_the_csrf_token_is_refused(operator: Client, paid_order: PaidOrder) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies

    assert strict.post(operation_url(paid_order(), "capture"), {"amount": "1.00"}).status_code == 403


@pytest.mark.parametrize(
    ("state", "level"),
    [("APPROVED", "success"), ("REJECTED", "error"), ("ANOMALY", "error"), ("UNKNOWN", "warning")],
)
def test_an_outcome_has_the_colour_that_goes_with_it(
    state: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr(messages, "add_message", lambda request, number, text: told.append(number))

    show_status(HttpRequest(), a_transaction(state=state))

    assert told == [getattr(messages, level.upper())]


def test_an_outcome_says_what_was_approved_and_shows_hostile_words_as_text() -> None:
    transaction = a_transaction(
        kind="REFUND", amount_minor=1000, approved_minor=750, state="APPROVED", **commented("a\u202eb")
    )

    assert sentence_of(transaction) == "Refund of €7.50: Approved. Details: a\\u202eb"
