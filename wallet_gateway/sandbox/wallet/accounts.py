"""The cards stored in the emulated wallet.

Their numbers are the networks' published test numbers; they leave this module masked or sealed in a token.

Whose emulated wallet it is: two accounts with their cards and addresses. All are made up.
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
    """Where a card's money comes from, in the wallet's words."""

    CREDIT = "CREDIT"
    DEBIT = "DEBIT"
    PREPAID = "PREPAID"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """A card in the wallet; ``eci_indicator`` is empty where its network gives none."""

    id: str
    name: str
    """The network as people know it."""
    network: CardNetwork
    auth_method: str
    funding: Funding
    number: str = field(repr=False)
    expiration_month: int
    expires_in_years: int
    eci_indicator: str = ""
    art: str
    """The colour scheme of its picture, a name the sheet's style sheet knows."""

    @property
    def last_four(self) -> str:
        """The only digits anybody sees."""
        return self.number[-4:]

    @property
    def description(self) -> str:
        """The card as the wallet names it to the shop: ``Visa ••••1111`` without the dots."""
        return f"{self.name} {self.last_four}"


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
"""The cards of the account that is signed in at first: each network with a device token and without."""

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
"""The cards of the customer's other account: few, so that a shop's request may fit none of them."""


def card_by_id(identifier: str) -> StoredCard | None:
    """Find a stored card; None where there is none of that id."""
    return next((card for card in (*CARDS, *OFFICE_CARDS) if card.id == identifier), None)


def card_for(network: CardNetwork, auth_method: str) -> StoredCard:
    """Find the stored card of a network with that authentication method."""
    return next(card for card in CARDS if card.network is network and card.auth_method == auth_method)


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
