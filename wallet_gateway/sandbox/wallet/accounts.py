"""The accounts of the emulated wallet with their stored cards and addresses; all data is invented.

The card numbers are the networks' published test numbers. They leave this package only masked or encrypted in
a token.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.payments.payer import CUSTOMER

PAN_ONLY: Final = "PAN_ONLY"
CRYPTOGRAM_3DS: Final = "CRYPTOGRAM_3DS"


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A stored card; ``eci_indicator`` is empty if the network gives none."""

    id: str
    name: str
    """The network's display name."""
    auth_method: str
    funding: str
    """``CREDIT``, ``DEBIT`` or ``PREPAID``."""
    number: str = field(repr=False)
    expiration_month: int
    expires_in_years: int
    eci_indicator: str
    art: str
    """The colour scheme of its image, a class name of the sheet's style sheet."""

    @property
    def network(self) -> CardNetwork:
        """The network."""
        return CardNetwork(self.name.upper())

    @property
    def last_four(self) -> str:
        """The last four digits of the number."""
        return self.number[-4:]

    @property
    def description(self) -> str:
        """The card's name as passed to the shop, for example ``Visa 1111``."""
        return f"{self.name} {self.last_four}"


Address = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletAccount:
    """A wallet account; data of different accounts is never mixed."""

    email: str
    name: str
    cards: tuple[StoredCard, ...]
    addresses: tuple[Address, ...]
    """Addresses with all of the wallet's fields; the first is the home and billing address."""


# Id, name, kind, funding, number, month and years until it expires, indicator, colours.
CARDS: Final = (
    StoredCard("visa-token", "Visa", CRYPTOGRAM_3DS, "CREDIT", "4111111111111111", 12, 4, "05", "indigo"),
    StoredCard("visa-plain", "Visa", PAN_ONLY, "DEBIT", "4012888888881881", 9, 3, "", "slate"),
    StoredCard(
        "mastercard-token", "Mastercard", CRYPTOGRAM_3DS, "DEBIT", "5555555555554444", 6, 3, "02", "ember"
    ),
    StoredCard("mastercard-plain", "Mastercard", PAN_ONLY, "PREPAID", "5105105105105100", 3, 2, "", "coral"),
    StoredCard("amex-token", "Amex", CRYPTOGRAM_3DS, "CREDIT", "378282246310005", 1, 5, "5", "teal"),
    StoredCard("amex-plain", "Amex", PAN_ONLY, "CREDIT", "371449635398431", 8, 2, "", "steel"),
    StoredCard(
        "discover-token", "Discover", CRYPTOGRAM_3DS, "CREDIT", "6011111111111117", 11, 3, "", "amber"
    ),
    StoredCard("discover-plain", "Discover", PAN_ONLY, "CREDIT", "6011000990139424", 5, 4, "", "sand"),
    StoredCard("jcb-token", "JCB", CRYPTOGRAM_3DS, "CREDIT", "3530111333300000", 10, 3, "05", "forest"),
    StoredCard("jcb-plain", "JCB", PAN_ONLY, "CREDIT", "3566002020360505", 7, 2, "", "plum"),
)
"""Cards of the account that is signed in at first: each network with and without a device token."""

OFFICE_CARDS: Final = (
    StoredCard("office-visa-token", "Visa", CRYPTOGRAM_3DS, "DEBIT", "4000056655665556", 4, 3, "05", "plum"),
    StoredCard(
        "office-mastercard-plain", "Mastercard", PAN_ONLY, "CREDIT", "5200828282828210", 2, 4, "", "forest"
    ),
)
"""Cards of the second account; few, so that a shop's request may match none of them."""


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
"""All accounts; the first is signed in when a sheet opens."""


def card_by_id(identifier: str) -> StoredCard | None:
    """Return the stored card with an id, or None."""
    return next((card for card in (*CARDS, *OFFICE_CARDS) if card.id == identifier), None)


def card_for(network: CardNetwork, auth_method: str) -> StoredCard:
    """Return the stored card of a network with an authentication method."""
    return next(card for card in CARDS if card.network is network and card.auth_method == auth_method)


def account_of(card: StoredCard) -> WalletAccount:
    """Return the account of a stored card."""
    return next(account for account in ACCOUNTS if card in account.cards)
