"""What every operation is given: an amount in the right currency, words that can be stored, and who asks."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.refusals import refuses
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.payments import Actor, Money
from wallet_gateway.payments.errors import ErrorCode, InvalidInput, OperationRefused

pytestmark = pytest.mark.django_db


def refund(amount: Any = Decimal("1.00"), currency: str = "EUR", **given: Any) -> GatewayTransaction:  # noqa: ANN401
    return payments.refund_migrated(f"OLD-{currency}", amount, currency, **given)


@every(
    ("amount", "currency", "minor"),
    [
        (Decimal("20.00"), "EUR", 2000),
        (Decimal("20"), "EUR", 2000),
        (Decimal("0.01"), "EUR", 1),
        (Decimal("2E+1"), "EUR", 2000),
        (Decimal("7"), "JPY", 7),
        (Decimal("1.25"), "KWD", 1250),
        (Decimal("999999999999.99"), "EUR", 99999999999999),
        (Money(Decimal("20.00"), "EUR"), "EUR", 2000),
    ],
)
def test_an_amount_is_counted_in_minor_units(
    amount: Decimal | Money, currency: str, minor: int, shop: Shop
) -> None:
    assert refund(amount, currency).amount_minor == minor


@every(
    ("amount", "words"),
    [
        (Decimal(0), "zero"),
        (Decimal("-1.00"), "is no amount"),
        (Decimal("1.001"), "finer"),
        (Decimal("NaN"), "is no amount"),
        (Decimal("-Infinity"), "is no amount"),
        (Decimal("1e1000000"), "too many digits"),
        (Decimal("9999999999999.99"), "too many digits"),
        (Money(Decimal("1.00"), "USD"), "is in USD, but the payment is in EUR"),
        (1, "must be a Decimal or Money, not int"),
        (1.0, "must be a Decimal or Money, not float"),
        ("1.00", "must be a Decimal or Money, not str"),
        (True, "must be a Decimal or Money, not bool"),
        ((), "must be a Decimal or Money, not tuple"),
    ],
)
def test_what_is_no_amount_is_refused_with_its_reason(amount: object, words: str, shop: Shop) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        refund(amount)
    assert isinstance(refused.value, OperationRefused), "a refusal like others"
    assert shop.gateway.sent == []


NOT_STORABLE = ["\ud800", "a\udfff", "\udc80b", "nul\0"]


@every(
    ("given", "field"),
    [
        *(({name: text}, name) for text in NOT_STORABLE for name in ("comment", "by")),
        ({"by": Actor(name="anna", account="a\0b")}, "account"),
        ({"by": Actor(name="anna", account="k" * 256)}, "account"),
    ],
)
def test_words_that_cannot_be_stored_are_refused_before_anything_is_written(
    given: dict[str, Any], field: str, shop: Shop
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field=field):
        refund(**given)
    assert not GatewayTransaction.objects.exists()


@every("text", ["", "plain", "Zürich \U0001f600", "\u0645\u0631\u062d\u0628\u0627"])
def test_every_text_of_characters_is_kept(text: str, shop: Shop) -> None:
    assert GatewayTransaction.objects.get(pk=refund(comment=text).pk).comment == text


class Member:
    """A user of a model whose keys are texts."""

    def __init__(self, pk: object) -> None:
        self.pk = pk

    def get_username(self) -> str:
        return "anna"


KEY = "8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c"


@every(
    ("by", "name", "account"),
    [
        (Member(KEY), "anna", KEY),
        (" nightly ", "nightly", ""),
        ("", "", ""),
        (Actor(name="anna", account="7"), "anna", "7"),
        ("job of 4111 1111 1111 1111", "job of ***1111", ""),
        (Actor(name="4111111111111111", account="17"), "4111111111111111", "17"),
    ],
)
def test_a_user_is_known_by_key_and_a_text_is_only_a_name_without_a_card_number(
    by: Any,  # noqa: ANN401
    name: str,
    account: str,
    shop: Shop,
) -> None:
    made = refund(by=by)
    assert (made.created_by, made.created_by_account) == (name, account)


def test_who_is_not_saved_has_no_key(shop: Shop) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The name of"):
        refund(by=Member(None))
