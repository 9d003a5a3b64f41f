"""The confirm page: what it shows, what it refuses and where it says so, and that a page is one operation."""

from __future__ import annotations

import time
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import signing
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder, payment_of
from tests.admin.pages import Page, look, operation_url, order_url, send
from tests.models.rows import a_payment
from tests.support.gateway import Answer, losing, refusing
from tests.support.shop import Shop
from tests.support.tables import every
from tests.support.threads import surprises, together
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

pytestmark = pytest.mark.django_db


def follow_ups() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.exclude(kind="CHECKOUT"))


def submitted(
    client: Client, url: str, *, page: Page | None = None, amount: str = "5.00", **given: Any
) -> Page:
    """Submit a page by the button that names its amount; return what is read next."""
    shown = {"amount": amount, "reason": "shipped", "confirm": amount}
    return send(client, url, page=page, **shown | given)


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    """Reserved, 20.00 EUR."""
    return paid_order()


# What is shown


def test_what_is_left_is_filled_in_and_the_request_is_shown_for_what_was_typed(
    operator: Client, order: PaymentOrder
) -> None:
    payments.capture(order, Decimal("7.50"))
    url = operation_url(order, "capture")

    page = look(operator, url)
    assert page.facts["Left to capture"] == "€12.50"
    assert 'value="12.50"' in page
    assert page.text.count("(optional)") == 2, "a reason may be left out, and a note"
    page = send(operator, url, amount="3.00", preview="1")

    page.says('"amount": "3.00"', '"ecom.capture"')
    assert payment_of(order).reference in page
    page.says("<details", " open>")
    assert len(follow_ups()) == 1


@every(
    ("columns", "slug", "why"),
    [
        ({"captured": 2000}, "capture", "Nothing is left to capture."),
        ({}, "refund", "Nothing is captured."),
        (
            {"is_frozen": True},
            "capture",
            "The payment is frozen because of a difference. Decide on the difference first.",
        ),
    ],
)
def test_why_nothing_is_left_is_said_in_place_of_a_form(
    superuser: Client, columns: dict[str, Any], slug: str, why: str
) -> None:
    order = a_payment(authorized=2000, **columns).order
    page = look(superuser, operation_url(order, slug))
    assert why in page
    assert page.buttons == ["Back to the order"]


def test_a_refund_above_the_limit_is_told_to_ask_a_second_person(
    operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    order = paid_order(type="sale")
    url = operation_url(order, "refund")
    asks = "sends nothing yet: it asks for a second person."
    assert (
        "An amount above €5.00 needs a second person: nothing is sent before somebody else has agreed."
        in look(operator, url)
    )
    assert asks not in send(operator, url, amount="5.00", preview="1")
    page = send(operator, url, amount="5.01", preview="1")
    assert f"“Ask for €5.01” {asks}" in page
    assert page.primary == ["Ask for €5.01"]
    payments.refund(order, Decimal("1.50"))
    assert "An amount above €3.50 needs a second person" in look(operator, url), "what was given back counts"


# What it does


@every(
    ("answers", "state", "colour"),
    [
        ([], "Approved.", "success"),
        ([refusing(402)], "Rejected.", "error"),
        ([losing], "Unknown.", "warning"),
    ],
)
def test_an_outcome_is_told_in_its_colour_and_kept_in_djangos_log(
    operator: Client, paid_order: PaidOrder, shop: Shop, answers: list[Answer], state: str, colour: str
) -> None:
    order = paid_order()
    shop.gateway.answers += answers

    page = submitted(operator, operation_url(order, "capture"), comment="first parcel")

    page.says(f"Capture of €5.00: {state}", f'class="{colour}"')
    assert ("stays reserved" in page) == (answers == [losing])
    entry, capture = LogEntry.objects.latest("pk"), order.payments.get().transactions.get(kind="CAPTURE")
    assert (entry.user.get_username(), entry.object_id) == ("anna", str(order.pk))
    assert f"Capture of 5.00 EUR: {state}" in entry.change_message
    assert entry.change_message.endswith(f"({capture.reference}; Goods shipped: first parcel)")


def test_a_gateway_that_is_away_or_gone_is_said_and_nothing_stays_reserved(
    superuser: Client, order: PaymentOrder, shop: Shop
) -> None:
    with shop.cut_off():
        (fault,) = submitted(superuser, operation_url(order, "capture")).faults
    assert fault.startswith("The gateway cannot be reached. Nothing was sent")
    assert [transaction.state for transaction in follow_ups()] == ["ABANDONED"]
    assert payment_of(order).capture_reserved == 0

    PaymentOrder.objects.update(gateway="elsewhere")
    page = submitted(superuser, operation_url(order, "capture"), language="de")
    assert "elsewhere" in page.faults[0]
    assert "WALLET_GATEWAY has no" not in page
    assert len(follow_ups()) == 1


def test_money_moves_only_by_a_button_that_names_the_amount(operator: Client, order: PaymentOrder) -> None:
    url = operation_url(order, "capture")
    page = look(operator, url)
    assert page.primary == ["Capture €20.00"]
    assert 'name="confirm" value="20.00"' in page

    page = submitted(operator, url, amount="5,00", confirm="20.00")

    assert 'name="confirm" value="5.00"' in page
    assert 'value="5,00"' in page, "what was typed stays"
    assert page.faults == [
        "Nothing was sent yet. Check the amount: the button below now says “Capture €5.00” (5.00 EUR)."
    ]
    assert not follow_ups()
    assert "Capture of €5.00: Approved." in submitted(operator, url, amount="5,00", confirm="5.00")


def test_a_reason_may_be_left_out_and_another_reason_needs_a_note_that_can_be_kept(
    operator: Client, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    assert submitted(operator, url, reason="other").faults == ["Say here what the reason is."]
    for comment in ("x" * 401, "a\x00b"):
        assert submitted(operator, url, comment=comment).faults
    assert not follow_ups()
    submitted(operator, url, reason="")
    assert [row.reason_code for row in follow_ups()] == [""]


@pytest.mark.parametrize("taken", ["20.00", "12.00"])
def test_while_a_refund_has_no_outcome_the_pages_say_so_and_offer_no_other(
    operator: Client, paid_order: PaidOrder, shop: Shop, taken: str
) -> None:
    order = paid_order(type="sale")
    url = operation_url(order, "refund")
    before = look(operator, url)
    shop.lose_answer(payments.refund, order, Decimal(taken))
    why = "Another operation on this payment has no outcome yet."

    page = look(operator, url)
    assert why in page
    assert 'name="amount"' not in page
    page = look(operator, order_url(order))
    assert page.text.count(why) == 1
    assert url not in page
    assert why in submitted(operator, url, page=before, amount="9.00")
    assert len(follow_ups()) == 1
    assert "Ein anderer Vorgang zu dieser Zahlung hat noch keinen Ausgang." in look(
        operator, url, language="de"
    )


# What is refused: beside the field, nothing reserved, nothing sent

EXAMPLE = "Write an amount in EUR with at most 2 decimals, like this: 1234.05."


@every(
    ("amount", "fault"),
    [
        ("20.01", "This is more than there is. Left to capture: €20.00."),
        ("0.00", "The amount must be above zero."),
        ("-5.00", EXAMPLE),
        ("", EXAMPLE),
        ("<script>alert(1)</script>", EXAMPLE),
    ],
)
def test_a_bad_amount_is_refused_beside_its_field(
    operator: Client, order: PaymentOrder, shop: Shop, amount: str, fault: str
) -> None:
    page = submitted(operator, operation_url(order, "capture"), amount=amount)

    assert f'id="id_amount_error" role="alert">{fault}</p>' in page
    assert "<script>alert" not in page.html
    assert not follow_ups()
    assert payment_of(order).capture_reserved == 0
    assert shop.gateway.sent == []


def test_a_page_that_something_overtook_says_so_and_can_then_be_confirmed(
    operator: Client, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    before = look(operator, url)
    payments.capture(order, Decimal("15.00"))

    page = submitted(operator, url, page=before, amount="4.00")

    assert page.faults == ["Meanwhile something has changed: there are now €5.00. Look at it again."]
    assert len(follow_ups()) == 1
    assert "Approved" in submitted(operator, url, page=page, amount="4.00")


def test_a_page_is_of_one_person_one_operation_and_one_payment_for_an_hour(
    operator: Client, make_person: MakePerson, paid_order: PaidOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = paid_order()
    payments.capture(order, Decimal("10.00"))
    url, others = operation_url(order, "capture"), "made for somebody or something else"
    theirs = look(make_person("capture_payment"), url)
    for_refund = look(operator, operation_url(order, "refund"))
    of_another = look(operator, operation_url(paid_order(), "capture"))
    for foreign in (theirs, for_refund, of_another):
        assert others in submitted(operator, url, page=foreign).faults[0]

    own, old = look(operator, url), "too old or was changed"
    # Another content than these pages write, signed by the same key.
    other = signing.dumps(["key", "7"])
    for ticket in ("", "forged", "WyJhIl0:1:x", other):
        assert old in submitted(operator, url, ticket=ticket).faults[0]
    for seconds, is_old in ((3590, False), (3610, True)):
        with monkeypatch.context() as patch:
            later = time.time() + seconds
            patch.setattr("django.core.signing.time", SimpleNamespace(time=lambda later=later: later))
            page = submitted(operator, url, page=own, amount="99.00")
            assert (old in page.faults[0]) == is_old
    assert len(follow_ups()) == 1


# Once is once


def test_a_double_click_is_one_operation_and_another_amount_on_a_used_page_is_none(
    operator: Client, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    page = look(operator, url)

    for _click in range(2):
        done = submitted(operator, url, page=page, amount="4.00")
        assert done.url == order_url(order)
        assert "Capture of €4.00: Approved." in done
        assert "nothing new was done" not in done
    assert "nothing new was done" in submitted(operator, url, page=page, amount="6.00")
    assert [transaction.amount_minor for transaction in follow_ups()] == [400]


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_never_take_more_than_there_is(
    make_person: MakePerson, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    people = [make_person("capture_payment") for _ in range(2)]
    confirmations = [
        partial(submitted, person, url, page=look(person, url), amount="15.00") for person in people
    ]

    assert surprises(together(*confirmations, times=1)) == []
    assert Payment.objects.get().captured == 1500
