"""3-D Secure by its table: which card owes it, and which result is enough."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tables import every
from wallet_gateway.domain.card_security import (
    AuthenticationRequirement,
    CardMismatch,
    duty_of,
    why_not_charge,
)
from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.authorizations import ThreeDSecure

PROOF = {"authentication_value": "QUJDREVGR0hJSktMTU5PUFFSU1Q=", "ds_transaction_id": "ds-1"}


def result(status: str, eci: str) -> ThreeDSecure:
    proof: dict[str, Any] = PROOF if status in "YA" else {}
    return ThreeDSecure.build(version="2.2.0", eci=eci, transaction_status=status, **proof)


@pytest.mark.parametrize("external", [True, False])
def test_a_token_with_its_cryptogram_owes_nothing(external: bool) -> None:
    assert (
        duty_of(CardType.TOKEN, has_cryptogram=True, external=external) is AuthenticationRequirement.NOTHING
    )


def test_a_card_owes_three_d_secure_where_the_settings_say() -> None:
    assert duty_of(CardType.CARD, has_cryptogram=False, external=False) is AuthenticationRequirement.REDIRECT
    assert duty_of(CardType.CARD, has_cryptogram=False, external=True) is AuthenticationRequirement.EXTERNAL


@pytest.mark.parametrize(("card_type", "has_cryptogram"), [(CardType.TOKEN, False), (CardType.CARD, True)])
def test_what_does_not_fit_together_is_never_charged(card_type: CardType, has_cryptogram: bool) -> None:
    with pytest.raises(CardMismatch):
        duty_of(card_type, has_cryptogram=has_cryptogram, external=False)


MOST = ("VISA", "AMEX", "JCB", "DISCOVER")
ENOUGH = [
    *((network, "Y", eci) for network in MOST for eci in ("05", "5")),
    *((network, "A", "06") for network in MOST),
    *(("MASTERCARD", status, eci) for status, eci in (("Y", "02"), ("Y", "2"), ("A", "01"), ("A", "1"))),
    ("mastercard", "Y", "02"),
    *(("", status, eci) for status, eci in (("Y", "05"), ("Y", "02"), ("A", "06"), ("A", "1"))),
]


@every(("network", "status", "eci"), ENOUGH)
def test_an_authenticated_card_is_charged(network: str, status: str, eci: str) -> None:
    assert not why_not_charge(result(status, eci), network=network, accept_unauthenticated=False)


@every("accept", [True, False])
@every("status", ["N", "R", "C"])
@every(("network", "eci"), [("VISA", "05"), ("VISA", "07"), ("MASTERCARD", "02")])
def test_what_failed_or_is_not_finished_is_never_charged(
    network: str, eci: str, status: str, accept: bool
) -> None:
    assert why_not_charge(result(status, eci), network=network, accept_unauthenticated=accept)


@every(("network", "eci"), [("VISA", "07"), ("MASTERCARD", "00"), ("MASTERCARD", "0")])
@every("status", ["U", "I"])
def test_without_proof_the_settings_decide(status: str, network: str, eci: str) -> None:
    said = result(status, eci)
    why = why_not_charge(said, network=network, accept_unauthenticated=False)
    assert why is not None
    assert "gave no proof" in why
    assert not why_not_charge(said, network=network, accept_unauthenticated=True)


WRONG = [
    ("VISA", "Y", "06"),
    ("VISA", "Y", "02"),
    ("VISA", "A", "05"),
    ("MASTERCARD", "Y", "05"),
    ("MASTERCARD", "Y", "01"),
    ("MASTERCARD", "A", "02"),
    ("VISA", "U", "05"),
    ("MASTERCARD", "U", "02"),
    ("", "Y", "06"),
    ("", "A", "02"),
    ("", "U", "05"),
]


@every(("network", "status", "eci"), WRONG)
def test_an_indicator_that_says_something_else_is_refused(network: str, status: str, eci: str) -> None:
    why = why_not_charge(result(status, eci), network=network, accept_unauthenticated=True)
    assert why is not None
    assert "does not fit" in why
