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
    Funding,
    StoredCard,
    account_of,
    card_by_id,
    card_for,
)
from wallet_gateway.sandbox.wallet.card_payload import network_of

each_card = pytest.mark.parametrize("card", CARDS + OFFICE_CARDS, ids=lambda card: card.id)


def test_there_is_one_of_each_kind_of_each_network() -> None:
    kinds = Counter((card.network, card.auth_method) for card in CARDS)
    assert kinds == {(network, method): 1 for network in CardNetwork for method in (PAN_ONLY, CRYPTOGRAM_3DS)}


def test_there_is_one_of_each_funding() -> None:
    assert {card.funding for card in CARDS} == set(Funding)


@each_card
def test_a_number_checks_out_and_is_of_its_network(card: StoredCard) -> None:
    number = card.number
    assert mask(number) != number
    assert network_of(number) is card.network


@each_card
def test_a_number_is_not_shown(card: StoredCard) -> None:
    assert card.number not in repr(card)


def test_cards_are_found_by_id_and_by_kind() -> None:
    card = card_for(CardNetwork.AMEX, PAN_ONLY)
    assert card_by_id(card.id) is card
    assert card_by_id(OFFICE_CARDS[0].id) is OFFICE_CARDS[0]
    assert card_by_id("nobody") is None
    assert (card.last_four, card.description) == ("8431", "Amex 8431")


def test_nothing_belongs_to_two_accounts() -> None:
    ids = [card.id for account in ACCOUNTS for card in account.cards]
    numbers = [card.number for account in ACCOUNTS for card in account.cards]
    streets = [address["address1"] for account in ACCOUNTS for address in account.addresses]
    for things in (ids, numbers, streets, [account.email for account in ACCOUNTS]):
        assert len(set(things)) == len(things)


def test_a_card_knows_its_account() -> None:
    assert all(account_of(card) is account for account in ACCOUNTS for card in account.cards)


def test_every_address_has_everything_that_is_ever_asked_for() -> None:
    addresses = [address for account in ACCOUNTS for address in account.addresses]
    assert len({frozenset(address) for address in addresses}) == 1
    for address in addresses:
        assert all(address[name] for name in ("name", "locality", "postalCode", "countryCode"))
