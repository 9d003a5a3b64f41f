"""Erasing from a shell: a dry run first, everybody's name asked for, and what cannot be erased is said."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.models.rows import a_payment, a_transaction, a_wallet_attempt
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def erase(*references: str, **options: Any) -> str:
    out = StringIO()
    call_command("wallet_erase", *references, stdout=out, **options)
    return out.getvalue()


def an_order(reference: str, email: str = "ada@example.com") -> PaymentOrder:
    return payments.create_order(
        reference=reference, currency="EUR", amount=Decimal("10.00"), cardholder_email=email
    )


def remembers(order: PaymentOrder) -> bool:
    order.refresh_from_db()
    return "checkoutDetails" in order.content


def test_a_dry_run_erases_nothing() -> None:
    order = an_order("E-1")
    assert erase("E-1") == "E-1: would be erased\n1 order. Nothing was erased; add --yes to do it.\n"
    assert remembers(order)


def test_an_address_stands_for_all_its_orders() -> None:
    first, second, other = an_order("E-1"), an_order("E-2"), an_order("E-3", "bob@example.com")
    erase(email="ada@example.com", yes=True, by="anna", reason="asked")
    assert [remembers(order) for order in (first, second, other)] == [False, False, True]


def test_an_address_is_found_in_any_letter_case_and_where_only_the_wallet_gave_it() -> None:
    written, by_wallet, other = (
        an_order("E-1", "Ada@Example.com"),
        an_order("E-2", "x@y.z"),
        an_order("E-3", "x@y.z"),
    )
    transaction = a_transaction(a_payment(by_wallet), state="EXPIRED")
    a_wallet_attempt(transaction, given={"email": "ADA@example.com"})
    said = erase(email="ada@example.com", yes=True, by="anna", reason="asked")
    assert said == "E-1: erased\nE-2: erased\n2 orders. Erased.\n"
    assert [remembers(order) for order in (written, by_wallet, other)] == [False, False, True]


def test_an_order_that_does_not_exist_stops_it_before_anything_is_erased() -> None:
    order = an_order("E-1")
    with pytest.raises(CommandError, match="no such order: NONE"):
        erase("E-1", "NONE", yes=True, by="anna", reason="asked")
    assert remembers(order)


def test_what_has_not_ended_is_refused_by_name_and_the_others_are_done(
    wallet_sandbox: SandboxControl,
) -> None:
    busy, other = an_order("E-1"), an_order("E-2")
    payments.start_checkout(busy)
    with pytest.raises(CommandError, match=r"E-1: Transaction .* has the state “Open”"):
        erase("E-1", "E-2", yes=True, by="anna", reason="asked")
    assert (remembers(busy), remembers(other)) == (True, False)


def test_who_asks_for_nothing_is_told_what_to_ask_for() -> None:
    an_order("E-1", "")
    with pytest.raises(CommandError, match="by their references, or by --email ADDRESS"):
        erase(yes=True, by="anna", reason="asked")
    for empty in ("", " "):
        with pytest.raises(CommandError, match="--email is empty"):
            erase("E-1", email=empty, yes=True, by="anna", reason="asked")
    with pytest.raises(CommandError, match="no order has this e-mail address"):
        erase("E-1", email="\u200b\u00ad", yes=True, by="anna", reason="asked")


def test_a_gateway_that_nobody_knows_is_refused_with_those_that_are_known() -> None:
    order = an_order("E-1")
    for asked in ({"email": "ada@example.com"}, {}):
        references = () if asked else ("E-1",)
        with pytest.raises(CommandError, match=r"--gateway: .* has no 'brnad'; it has: default"):
            erase(*references, gateway="brnad", yes=True, by="anna", reason="asked", **asked)
    assert remembers(order)


def test_orders_of_a_gateway_that_the_settings_have_no_more_are_erased() -> None:
    order = an_order("E-1")
    PaymentOrder.objects.update(gateway="former")
    erase("E-1", gateway="former", yes=True, by="anna", reason="asked")
    assert not remembers(order)
    with pytest.raises(CommandError, match="no such order: E-2"):
        erase("E-2", gateway="former", yes=True, by="anna", reason="asked")


def test_only_what_was_erased_is_counted(wallet_sandbox: SandboxControl) -> None:
    payments.start_checkout(an_order("E-1"))
    an_order("E-2")
    out = StringIO()
    with pytest.raises(CommandError, match="E-1"):
        call_command("wallet_erase", "E-1", "E-2", yes=True, by="anna", reason="asked", stdout=out)
    assert out.getvalue() == "E-2: erased\n1 order. Erased.\n"
