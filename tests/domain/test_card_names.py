"""A card is named as its network writes itself, with as much as is known of it."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.domain.card_names import card_name


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
def test_a_card_is_named_by_what_is_known(network: str, last_four: str, name: str) -> None:
    assert card_name(network, last_four) == name
