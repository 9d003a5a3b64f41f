"""Texts that cannot be stored: refused by name, before anything is stored or sent."""

from __future__ import annotations

from decimal import Decimal

import pytest

from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.inputs import UnstorableText, check_storable, is_storable

NO_CHARACTERS = ["\ud800", "a\udfff", "\udc80b", "nul\0"]


@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
def test_what_is_no_character_is_not_storable(text: str) -> None:
    assert not is_storable(text)
    with pytest.raises(UnstorableText, match="note: must be text"):
        check_storable(author="anna", note=text)


@pytest.mark.parametrize(
    "text", ["", "plain", "Zürich \U0001f600", "\u0645\u0631\u062d\u0628\u0627"], ids=ascii
)
def test_every_text_of_characters_is_storable(text: str) -> None:
    assert is_storable(text)
    check_storable(note=text)


@pytest.mark.parametrize("value", [None, 5, b"text"], ids=repr)
def test_what_is_no_text_is_refused_by_name(value: object) -> None:
    with pytest.raises(UnstorableText, match="author: must be text"):
        check_storable(author=value)


@pytest.mark.django_db
@pytest.mark.usefixtures("wallet_sandbox")
@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
@pytest.mark.parametrize("name", ["note", "author"])
def test_a_refund_whose_note_cannot_be_stored_is_refused_before_anything_is_written(
    name: str, text: str
) -> None:
    with pytest.raises(OperationRefused, match=f"{name}: must be text"):
        payments.refund_migrated("OLD-1", Decimal(1), "EUR", **{name: text})
    assert not GatewayTransaction.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("text", NO_CHARACTERS, ids=ascii)
def test_no_attempt_has_a_reference_that_cannot_be_stored(text: str) -> None:
    with pytest.raises(Payment.DoesNotExist):
        payments.attempt_for(text)
