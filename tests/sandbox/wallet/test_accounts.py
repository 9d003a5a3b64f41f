"""The wallet's accounts: valid test cards of each kind and network, and no data of another account."""

from __future__ import annotations

from collections import Counter

import pytest

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.api.journal import mask
from wallet_gateway.sandbox.wallet.accounts import (
    ACCOUNTS,
    CARDS,
    CRYPTOGRAM_3DS,
    OFFICE_CARDS,
    PAN_ONLY,
    StoredCard,
)
from wallet_gateway.sandbox.wallet.card_payload import network_of

each_card = pytest.mark.parametrize("card", CARDS + OFFICE_CARDS, ids=lambda card: card.id)


def test_there_is_one_of_each_kind_of_each_network() -> None:
    kinds = Counter((card.network, card.auth_method) for card in CARDS)
    assert kinds == {(network, method): 1 for network in CardNetwork for method in (PAN_ONLY, CRYPTOGRAM_3DS)}


@each_card
def test_a_number_checks_out_and_is_of_its_network(card: StoredCard) -> None:
    number = card.number
    assert mask(number) != number
    assert network_of(number) is card.network


def test_every_address_has_everything_that_is_ever_asked_for() -> None:
    addresses = [address for account in ACCOUNTS for address in account.addresses]
    assert len({frozenset(address) for address in addresses}) == 1
    for address in addresses:
        assert all(address[name] for name in ("name", "locality", "postalCode", "countryCode"))
