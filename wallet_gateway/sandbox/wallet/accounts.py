"""The accounts of the emulated wallet with their stored cards and addresses; all data is invented.

The card numbers are the networks' published test numbers. They leave this package only masked or encrypted in
a token.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.payments.payer import CUSTOMER

PAN_ONLY: Final = "PAN_ONLY"
CRYPTOGRAM_3DS: Final = "CRYPTOGRAM_3DS"


class Funding(StrEnum):
    """The kind of card, in the wallet's words."""

    CREDIT = "CREDIT"
    DEBIT = "DEBIT"
    PREPAID = "PREPAID"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """A stored card; ``eci_indicator`` is empty if the network gives none."""

    id: str
    name: str
    """The network's display name."""
    network: CardNetwork
    auth_method: str
    funding: Funding
    number: str = field(repr=False)
    expiration_month: int
    expires_in_years: int
    eci_indicator: str = ""
    art: str
    """The colour scheme of its image, a class name of the sheet's style sheet."""

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


CARDS: Final = (
    StoredCard(
        id="visa-token",
        name="Visa",
        network=CardNetwork.VISA,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.CREDIT,
        number="4111111111111111",
        expiration_month=12,
        expires_in_years=4,
        eci_indicator="05",
        art="indigo",
    ),
    StoredCard(
        id="visa-plain",
        name="Visa",
        network=CardNetwork.VISA,
        auth_method=PAN_ONLY,
        funding=Funding.DEBIT,
        number="4012888888881881",
        expiration_month=9,
        expires_in_years=3,
        art="slate",
    ),
    StoredCard(
        id="mastercard-token",
        name="Mastercard",
        network=CardNetwork.MASTERCARD,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.DEBIT,
        number="5555555555554444",
        expiration_month=6,
        expires_in_years=3,
        eci_indicator="02",
        art="ember",
    ),
    StoredCard(
        id="mastercard-plain",
        name="Mastercard",
        network=CardNetwork.MASTERCARD,
        auth_method=PAN_ONLY,
        funding=Funding.PREPAID,
        number="5105105105105100",
        expiration_month=3,
        expires_in_years=2,
        art="coral",
    ),
    StoredCard(
        id="amex-token",
        name="Amex",
        network=CardNetwork.AMEX,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.CREDIT,
        number="378282246310005",
        expiration_month=1,
        expires_in_years=5,
        eci_indicator="5",
        art="teal",
    ),
    StoredCard(
        id="amex-plain",
        name="Amex",
        network=CardNetwork.AMEX,
        auth_method=PAN_ONLY,
        funding=Funding.CREDIT,
        number="371449635398431",
        expiration_month=8,
        expires_in_years=2,
        art="steel",
    ),
    StoredCard(
        id="discover-token",
        name="Discover",
        network=CardNetwork.DISCOVER,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.CREDIT,
        number="6011111111111117",
        expiration_month=11,
        expires_in_years=3,
        art="amber",
    ),
    StoredCard(
        id="discover-plain",
        name="Discover",
        network=CardNetwork.DISCOVER,
        auth_method=PAN_ONLY,
        funding=Funding.CREDIT,
        number="6011000990139424",
        expiration_month=5,
        expires_in_years=4,
        art="sand",
    ),
    StoredCard(
        id="jcb-token",
        name="JCB",
        network=CardNetwork.JCB,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.CREDIT,
        number="3530111333300000",
        expiration_month=10,
        expires_in_years=3,
        eci_indicator="05",
        art="forest",
    ),
    StoredCard(
        id="jcb-plain",
        name="JCB",
        network=CardNetwork.JCB,
        auth_method=PAN_ONLY,
        funding=Funding.CREDIT,
        number="3566002020360505",
        expiration_month=7,
        expires_in_years=2,
        art="plum",
    ),
)
"""Cards of the account that is signed in at first: each network with and without a device token."""

OFFICE_CARDS: Final = (
    StoredCard(
        id="office-visa-token",
        name="Visa",
        network=CardNetwork.VISA,
        auth_method=CRYPTOGRAM_3DS,
        funding=Funding.DEBIT,
        number="4000056655665556",
        expiration_month=4,
        expires_in_years=3,
        eci_indicator="05",
        art="plum",
    ),
    StoredCard(
        id="office-mastercard-plain",
        name="Mastercard",
        network=CardNetwork.MASTERCARD,
        auth_method=PAN_ONLY,
        funding=Funding.CREDIT,
        number="5200828282828210",
        expiration_month=2,
        expires_in_years=4,
        art="forest",
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
