"""3-D Secure by its table: which card owes it, and which result is enough."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.tables import every
from wallet_gateway.domain.cards import (
    AuthenticationRequirement,
    CardMismatch,
    card_name,
    duty_of,
    why_not_charge,
)
from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.authorizations import ThreeDSecure

PROOF = {"authentication_value": "QUJDREVGR0hJSktMTU5PUFFSU1Q=", "ds_transaction_id": "ds-1"}


@every(
    ("card_type", "has_cryptogram", "external", "duty"),
    [
        (CardType.TOKEN, True, True, "NOTHING"),
        (CardType.TOKEN, True, False, "NOTHING"),
        (CardType.CARD, False, False, "REDIRECT"),
        (CardType.CARD, False, True, "EXTERNAL"),
        (CardType.TOKEN, False, False, None),
        (CardType.CARD, True, False, None),
    ],
)
def test_a_card_owes_three_d_secure_by_its_kind_and_what_does_not_fit_together_is_never_charged(
    card_type: CardType, has_cryptogram: bool, external: bool, duty: str | None
) -> None:
    if duty:
        owed = duty_of(card_type, has_cryptogram=has_cryptogram, external=external)
        assert owed is AuthenticationRequirement(duty)
        return
    with pytest.raises(CardMismatch):
        duty_of(card_type, has_cryptogram=has_cryptogram, external=external)


MOST = ("VISA", "AMEX", "JCB", "DISCOVER")
MASTERCARD = ("MASTERCARD", "mastercard")
ENOUGH = [
    *((network, "Y", eci) for network in MOST for eci in ("05", "5")),
    *((network, "A", "06") for network in MOST),
    *((name, *said) for name in MASTERCARD for said in (("Y", "02"), ("Y", "2"), ("A", "01"), ("A", "1"))),
    *(("", status, eci) for status, eci in (("Y", "05"), ("Y", "02"), ("A", "06"), ("A", "1"))),
]
FAILED = [
    (network, status, eci)
    for network, eci in (("VISA", "05"), ("VISA", "07"), ("MASTERCARD", "02"))
    for status in "NRC"
]
UNPROVEN = [
    (network, status, eci)
    for network, eci in (("VISA", "07"), ("MASTERCARD", "00"), ("MASTERCARD", "0"))
    for status in "UI"
]
WRONG = [
    *(("VISA", status, eci) for status, eci in (("Y", "06"), ("Y", "02"), ("A", "05"), ("U", "05"))),
    *(("MASTERCARD", s, eci) for s, eci in (("Y", "05"), ("Y", "01"), ("A", "02"), ("U", "02"))),
    *(("", status, eci) for status, eci in (("Y", "06"), ("A", "02"), ("U", "05"))),
]


@every(
    ("row", "without_proof", "with_risk"),
    [
        *((row, None, None) for row in ENOUGH),
        *((row, "3-D Secure", "3-D Secure") for row in FAILED),
        *((row, "gave no proof", None) for row in UNPROVEN),
        *((row, None, "does not fit") for row in WRONG),
    ],
)
def test_a_card_is_charged_after_a_result_that_is_enough_and_whose_indicator_fits(
    row: tuple[str, str, str], without_proof: str | None, with_risk: str | None
) -> None:
    """Without proof the settings decide: the last column is of a shop that takes the risk."""
    network, status, eci = row
    proof: dict[str, Any] = PROOF if status in "YA" else {}
    result = ThreeDSecure.build(version="2.2.0", eci=eci, transaction_status=status, **proof)
    for accepts, expected in ((False, without_proof), (True, with_risk)):
        why = why_not_charge(result, network=network, accept_unauthenticated=accepts)
        if row in WRONG and not accepts:
            assert why
        elif expected is None:
            assert why is None
        else:
            assert expected in (why or "")


@every(
    ("network", "last_four", "name"),
    [
        ("VISA", "1111", "Visa •••• 1111"),
        ("amex", "0005", "American Express •••• 0005"),
        ("UNIONPAY", "1234", "UNIONPAY •••• 1234"),
        ("", "1234", "•••• 1234"),
        ("JCB", "", "JCB"),
        ("", "", ""),
    ],
)
def test_a_card_is_named_as_its_network_writes_itself_with_as_much_as_is_known(
    network: str, last_four: str, name: str
) -> None:
    assert card_name(network, last_four) == name
