"""The wallet's accounts: each has its own cards and addresses, and nothing of the other's."""

from __future__ import annotations

from wallet_gateway.sandbox.wallet_accounts import ACCOUNTS, account_of


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
