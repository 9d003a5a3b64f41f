"""The emulated wallet's one customer: the stored cards, e-mail and addresses. All are made up.

Card numbers are the networks' published test numbers; they leave this module masked or sealed in a token.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.engine.card_payload import CRYPTOGRAM_3DS, PAN_ONLY
from wallet_gateway.sandbox.engine.payer import CUSTOMER

EMAIL: Final = CUSTOMER["cardholderEmail"]


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
"""Every stored card: one with a device token and one without of each network."""

_PERSON: Final = f"{CUSTOMER['cardholderFirstName']} {CUSTOMER['cardholderLastName']}"
ADDRESSES: Final[tuple[dict[str, str], ...]] = (
    {
        "name": _PERSON,
        "address1": "Sample Street 12",
        "address2": "",
        "address3": "",
        "locality": "Sampletown",
        "administrativeArea": "BE",
        "postalCode": "10115",
        "countryCode": "DE",
        "sortingCode": "",
        "phoneNumber": "+49 170 0000000",
    },
    {
        "name": _PERSON,
        "address1": "1600 Example Parkway",
        "address2": "Suite 4",
        "address3": "",
        "locality": "Mountain View",
        "administrativeArea": "CA",
        "postalCode": "94043",
        "countryCode": "US",
        "sortingCode": "",
        "phoneNumber": "+1 650-555-0100",
    },
    {
        "name": _PERSON,
        "address1": "10 rue de l'Exemple",
        "address2": "",
        "address3": "",
        "locality": "Paris",
        "administrativeArea": "",
        "postalCode": "75001",
        "countryCode": "FR",
        "sortingCode": "",
        "phoneNumber": "+33 1 00 00 00 00",
    },
)
"""The customer's addresses in the wallet's words, everything that is ever asked for; the first is home."""


def card_by_id(identifier: str) -> StoredCard | None:
    """Find a stored card; None where there is none of that id."""
    return next((card for card in CARDS if card.id == identifier), None)


def card_of(network: CardNetwork, auth_method: str) -> StoredCard:
    """Find the stored card of a network with that authentication method."""
    return next(card for card in CARDS if card.network is network and card.auth_method == auth_method)
