"""Whose emulated wallet it is: two accounts with their cards and addresses. All are made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wallet_gateway.sandbox.engine.payer import CUSTOMER
from wallet_gateway.sandbox.wallet_cards import CARDS, OFFICE_CARDS, StoredCard

Address = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletAccount:
    """What one sign-in at the wallet gives: nothing of another account is ever mixed with it."""

    email: str
    name: str
    cards: tuple[StoredCard, ...]
    addresses: tuple[Address, ...]
    """In the wallet's words, with all that is ever asked for; the first is home, and where bills go."""


def _address(
    name: str, street: str, place: str, region: str, country: str, phone: str, more: str = ""
) -> Address:
    code, _, locality = place.partition(" ")
    return {
        "name": name,
        "address1": street,
        "address2": more,
        "address3": "",
        "locality": locality,
        "administrativeArea": region,
        "postalCode": code,
        "countryCode": country,
        "sortingCode": "",
        "phoneNumber": phone,
    }


_SAM: Final = f"{CUSTOMER['cardholderFirstName']} {CUSTOMER['cardholderLastName']}"
_ROBIN: Final = "Robin Sample"

ACCOUNTS: Final = (
    WalletAccount(
        email=CUSTOMER["cardholderEmail"],
        name=_SAM,
        cards=CARDS,
        addresses=(
            _address(_SAM, "Sample Street 12", "10115 Sampletown", "BE", "DE", "+49 170 0000000"),
            _address(
                _SAM, "1600 Example Parkway", "94043 Mountain View", "CA", "US", "+1 650-555-0100", "Suite 4"
            ),
            _address(_SAM, "10 rue de l'Exemple", "75001 Paris", "", "FR", "+33 1 00 00 00 00"),
        ),
    ),
    WalletAccount(
        email="robin@office.example.com",
        name=_ROBIN,
        cards=OFFICE_CARDS,
        addresses=(
            _address(_ROBIN, "Rua do Exemplo 8", "1100-001 Lisboa", "", "PT", "+351 210 000 000"),
            _address(_ROBIN, "2-1 Rei-cho", "100-0001 Tokyo", "Tokyo", "JP", "+81 3-0000-0000"),
        ),
    ),
)
"""The customer's accounts; the first is signed in when a sheet opens."""


def account_of(card: StoredCard) -> WalletAccount:
    """Give the account that a stored card belongs to."""
    return next(account for account in ACCOUNTS if card in account.cards)
