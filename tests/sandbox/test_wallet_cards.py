"""The stored cards: one of each kind of each network, all of them test cards that check out."""

from __future__ import annotations

from collections import Counter

import pytest

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.engine.card_payload import CRYPTOGRAM_3DS, PAN_ONLY, network_of
from wallet_gateway.sandbox.masking import mask
from wallet_gateway.sandbox.wallet_cards import CARDS, OFFICE_CARDS, Funding, StoredCard, card_by_id, card_of

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
    card = card_of(CardNetwork.AMEX, PAN_ONLY)
    assert card_by_id(card.id) is card
    assert card_by_id(OFFICE_CARDS[0].id) is OFFICE_CARDS[0]
    assert card_by_id("nobody") is None
    assert (card.last_four, card.description) == ("8431", "Amex 8431")
