"""The amount of an operation: a Decimal or Money in the right currency, or none at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.refusals import refuses
from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.actors import NOBODY, Actor
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.errors import InvalidInput, OperationRefused
from wallet_gateway.operations.inputs import actor_of, check_storable, minor_units_of
from wallet_gateway.protocol.money import Money


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
def test_an_amount_is_counted_in_minor_units(amount: Decimal | Money, currency: str, minor: int) -> None:
    assert minor_units_of(amount, currency=currency) == minor


def test_no_amount_is_none() -> None:
    assert minor_units_of(None, currency="EUR") is None


@every(
    ("amount", "words"),
    [
        (Decimal(0), "zero"),
        (Decimal("-1.00"), "sign"),
        (Decimal("1.001"), "finer"),
        (Decimal("NaN"), "no finite number"),
        (Decimal("-Infinity"), "no finite number"),
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
def test_what_is_no_amount_is_refused_with_its_reason(amount: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        minor_units_of(amount, currency="EUR")  # type: ignore[call-overload]


def test_a_bad_amount_is_a_refusal_like_others() -> None:
    assert issubclass(InvalidInput, OperationRefused)


NO_CHARACTERS = ["\ud800", "a\udfff", "\udc80b", "nul\0"]


@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
def test_what_is_no_character_is_not_storable(text: str) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="comment"):
        check_storable(by="anna", comment=text)


@pytest.mark.parametrize(
    "text", ["", "plain", "Zürich \U0001f600", "\u0645\u0631\u062d\u0628\u0627"], ids=ascii
)
def test_every_text_of_characters_is_storable(text: str) -> None:
    check_storable(comment=text)


@pytest.mark.parametrize("value", [None, 5, b"text"], ids=repr)
def test_what_is_no_text_is_refused_by_name(value: object) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="by"):
        check_storable(by=value)


@pytest.mark.django_db
@pytest.mark.usefixtures("wallet_sandbox")
@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
@pytest.mark.parametrize("name", ["comment", "by"])
def test_a_refund_whose_comment_cannot_be_stored_is_refused_before_anything_is_written(
    name: str, text: str
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field=name):
        payments.refund_migrated("OLD-1", Decimal(1), "EUR", **{name: text})
    assert not GatewayTransaction.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
def test_no_attempt_has_a_reference_that_cannot_be_stored(text: str) -> None:
    with pytest.raises(Payment.DoesNotExist):
        payments.orders.attempt_for(text)


# Who acts


class Member:
    """A user of a model whose keys are texts."""

    pk: object = "8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c"

    def get_username(self) -> str:
        return "anna"


def test_a_user_is_known_by_key_and_a_text_is_only_a_name() -> None:
    assert actor_of(Member()) == Actor(name="anna", account="8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c")
    assert actor_of(" nightly ") == Actor(name="nightly")
    assert actor_of("") == NOBODY
    assert actor_of(Actor(name="anna", account="7")) == Actor(name="anna", account="7")


def test_a_programs_name_is_kept_without_a_card_number_and_an_accounts_as_it_is() -> None:
    assert actor_of("job of 4111 1111 1111 1111") == Actor(name="job of ***1111")
    known = Actor(name="4111111111111111", account="17")
    assert actor_of(known) == known


def test_who_is_not_saved_has_no_key() -> None:
    stranger = Member()
    stranger.pk = None
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The name of"):
        actor_of(stranger)


@pytest.mark.parametrize(
    ("by", "field"),
    [
        ("a\0b", "by"),
        (Actor(name="anna", account="a\0b"), "account"),
        (Actor(name="anna", account="k" * 256), "account"),
    ],
)
def test_who_cannot_be_stored_is_refused(by: Any, field: str) -> None:  # noqa: ANN401
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field=field):
        actor_of(by)
