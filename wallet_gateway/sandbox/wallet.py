"""The emulated wallet: its accounts, approval with one of their cards, its scripts and its sheet.

All data is invented; the card numbers are the networks' published test numbers. They leave this module only
masked or encrypted in a token. Approval takes the argument of ``loadPaymentData``; the PaymentData contains
only data that it asks for.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import etag, require_POST, require_safe

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.checkouts import CUSTOMER
from wallet_gateway.sandbox.json_calls import (
    Call,
    Input,
    InvalidInput,
    answer,
    json_response,
    refusal_response,
    with_json,
)
from wallet_gateway.sandbox.merchants import GATEWAY_NAME
from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.pages import (
    NO_STORE,
    browser_language,
    price_text,
    render_in_language,
    set_cross_origin_headers,
    set_sheet_headers,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions, wallet_mode
from wallet_gateway.sandbox.tokens import key_ring, milliseconds_text, seal

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


def _stored_address(
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
            _stored_address(_SAM, "Sample Street 12", "10115 Sampletown", "BE", "DE", "+49 170 0000000"),
            _stored_address(
                _SAM, "1600 Example Parkway", "94043 Mountain View", "CA", "US", "+1 650-555-0100", "Suite 4"
            ),
            _stored_address(_SAM, "10 rue de l'Exemple", "75001 Paris", "", "FR", "+33 1 00 00 00 00"),
        ),
    ),
    WalletAccount(
        email="robin@office.example.com",
        name=_ROBIN,
        cards=OFFICE_CARDS,
        addresses=(
            _stored_address(_ROBIN, "Rua do Exemplo 8", "1100-001 Lisboa", "", "PT", "+351 210 000 000"),
            _stored_address(_ROBIN, "2-1 Rei-cho", "100-0001 Tokyo", "Tokyo", "JP", "+81 3-0000-0000"),
        ),
    ),
)
"""All accounts; the first is signed in when a sheet opens."""


def card_for(network: CardNetwork, auth_method: str) -> StoredCard:
    """Return the stored card of a network with an authentication method."""
    return next(card for card in CARDS if card.network is network and card.auth_method == auth_method)


_MINIMAL: Final = ("name", "postalCode", "countryCode")
_PHONE: Final = "phoneNumber"
_WHOLE: Final = tuple(ACCOUNTS[0].addresses[0])
# As the networks' own cryptograms: Visa's has 20 bytes; the one of a Mastercard device token in Google's test
# environment has 19; processors describe that of American Express as 20 bytes, or 40 in two blocks of 20.
_CRYPTOGRAM_BYTES: Final = {CardNetwork.MASTERCARD: (19,), CardNetwork.AMEX: (20, 40)}
MESSAGE_LIFETIME: Final = timedelta(hours=1)
"""Lifetime of a token."""


def approve(
    card: StoredCard,
    request: Mapping[str, Any],
    *,
    merchant_id: str,
    choices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the PaymentData of a card for a merchant; raises ``UnknownMerchant``.

    ``choices`` are the customer's other choices: ``shippingAddress``, ``shippingOptionId`` and
    ``redemptionCodes``; the default is the first of each.
    """
    merchant = Merchant.objects.filter(merchant_id=merchant_id).order_by("pk").first()
    if merchant is None:
        raise Refusal("UnknownMerchant", f"There is no merchant {quote(merchant_id)}.")
    now = current_conditions().now
    keys = key_ring.at(now)
    account = next(account for account in ACCOUNTS if card in account.cards)
    token = seal(
        _card_payload(card, gateway_merchant_id=merchant_id, now=now),
        signer=keys.signer,
        recipient_id=f"gateway:{merchant.gateway_name}",
        recipient_key=keys.private_keys[0].public_key(),
    )
    data: dict[str, Any] = {
        "apiVersion": 2,
        "apiVersionMinor": 0,
        "paymentMethodData": {
            "type": "CARD",
            "description": card.description,
            "info": _card_info(
                card, account, _object(_first(request.get("allowedPaymentMethods")).get("parameters"))
            ),
            "tokenizationData": {"type": "PAYMENT_GATEWAY", "token": token},
        },
    }
    return data | _requested_data(request, choices or {}, account)


def _card_payload(card: StoredCard, *, gateway_merchant_id: str, now: datetime) -> dict[str, Any]:
    """Return the encrypted content of a token, with a new message id and cryptogram."""
    details: dict[str, Any] = {
        "authMethod": card.auth_method,
        "pan": card.number,
        "expirationMonth": card.expiration_month,
        "expirationYear": now.year + card.expires_in_years,
    }
    if card.auth_method == CRYPTOGRAM_3DS:
        length = secrets.choice(_CRYPTOGRAM_BYTES.get(card.network, (20,)))
        details["cryptogram"] = base64.b64encode(secrets.token_bytes(length)).decode()
        if card.eci_indicator:
            details["eciIndicator"] = card.eci_indicator
    return {
        "gatewayMerchantId": gateway_merchant_id,
        "messageExpiration": milliseconds_text(now + MESSAGE_LIFETIME),
        "messageId": f"AH2Ejt{secrets.token_urlsafe(48)}",
        "paymentMethod": "CARD",
        "paymentMethodDetails": details,
    }


def _card_info(card: StoredCard, account: WalletAccount, parameters: Mapping[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {
        "cardNetwork": card.network.value,
        "cardDetails": card.last_four,
        "cardFundingSource": card.funding,
    }
    if parameters.get("assuranceDetailsRequired") is True:
        tokenized = card.auth_method == CRYPTOGRAM_3DS
        info["assuranceDetails"] = {"accountVerified": True, "cardHolderAuthenticated": tokenized}
    if parameters.get("billingAddressRequired") is True:
        preferences = _object(parameters.get("billingAddressParameters"))
        whole = str(preferences.get("format", "MIN")).startswith("FULL")
        info["billingAddress"] = _address(account.addresses[0], preferences, whole=whole)
    return info


def _requested_data(
    request: Mapping[str, Any], chosen: Mapping[str, Any], account: WalletAccount
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if request.get("emailRequired") is True:
        data["email"] = account.email
    if request.get("shippingAddressRequired") is True:
        preferences = _object(request.get("shippingAddressParameters"))
        allowed = preferences.get("allowedCountryCodes")
        countries = allowed if isinstance(allowed, list) else []
        # The first address in an allowed country; without one, the home address.
        fitting = (one for one in account.addresses if one["countryCode"] in countries)
        address = _object(chosen.get("shippingAddress")) or next(fitting, account.addresses[0])
        data["shippingAddress"] = _address(address, preferences, whole=True)
    if request.get("shippingOptionRequired") is True:
        preferences = _object(request.get("shippingOptionParameters"))
        first = _first(preferences.get("shippingOptions"))
        named = preferences.get("defaultSelectedOptionId") or first.get("id")
        option = chosen.get("shippingOptionId") or str(named or "shipping_option_unselected")
        data["shippingOptionData"] = {"id": option}
    if chosen.get("redemptionCodes"):
        data["offerData"] = {"redemptionCodes": chosen["redemptionCodes"]}
    return data


def _address(address: Mapping[str, Any], preferences: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    names = _WHOLE if whole else (*_MINIMAL, _PHONE)
    phone = preferences.get("phoneNumberRequired") is True
    return {name: address.get(name, "") for name in names if name != _PHONE or phone}


def _first(values: object) -> Mapping[str, Any]:
    return _object(values[0]) if isinstance(values, list) and values else {}


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


# In shops' pages: ``pay.js``, the sheet and its calls, and the service's ``wallet.js``
#
# ``pay.js`` is concatenated from plain files beside the sheet's, in one function scope, with its
# configuration; there is no build step. ``wallet.js`` is the plugin's own, as a gateway would ship it. A page
# names no gateway: its address and the rest stand in front of the script. Its modules are below an address
# that contains a digest of all files, so that browsers may keep them for ever.
#
# Scripts and sheet are for pages of any origin. ``pay.js`` and the sheet are never cached, because the
# wallet's mode may change at any time. The sheet's own calls are refused to other sites' pages, because only
# the customer may approve.


_PAY_JS: Final = Path(__file__).parent / "static" / "wallet_sandbox" / "wallet" / "pay"
# Each part may use the ones before it.
_PAY_JS_PARTS: Final = ("checks.js", "words.js", "button.js", "frame.js", "client.js")
_WALLET_JS: Final = Path(__file__).parents[1] / "static" / "wallet_gateway"

# What a page says on the script's tag goes before it.
_CONFIGURATION: Final = """\
;(({ dataset }) => Object.assign(dataset, %s, { ...dataset }))
  (document.currentScript ?? document.querySelector('script[src*="/wallet.js"]'))
"""


def _wallet_js_modules() -> dict[str, str]:
    """Return the text of each module of ``wallet.js`` by its name."""
    return {
        path.stem: path.read_text(encoding="utf-8") for path in sorted((_WALLET_JS / "wallet").glob("*.js"))
    }


def _wallet_js_version() -> str:
    """Return the digest of ``wallet.js`` and its modules."""
    texts = ((_WALLET_JS / "wallet.js").read_text(encoding="utf-8"), *_wallet_js_modules().values())
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:12]


_JAVASCRIPT: Final = "text/javascript; charset=utf-8"
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """Return ``pay.js``, or an error if the wallet's mode says so."""
    mode = wallet_mode()
    if mode is WalletMode.SCRIPT_FAILS:
        text = "// The sandbox is told not to send this script.\n"
        return _script_response(text, status=HTTPStatus.SERVICE_UNAVAILABLE, cache=NO_STORE)
    facts = {
        "origin": _origin(request),
        "sheet": reverse("wallet_sheet"),
        "mode": mode,
        "gateways": sorted({merchant.gateway_name for merchant in Merchant.objects.all()}),
        "cards": [
            {"network": card.network, "authMethod": card.auth_method, "fundingSource": card.funding}
            for card in CARDS
        ],
    }
    parts = [(_PAY_JS / name).read_text(encoding="utf-8") for name in _PAY_JS_PARTS]
    whole = ['(() => {\n"use strict"', f"const SANDBOX = {json.dumps(facts)}", *parts, "})()", ""]
    return _script_response("\n".join(whole), cache=NO_STORE)


@require_safe
@etag(lambda request: f'"{_wallet_js_version()}-{_origin(request)}"')
def service_script(request: HttpRequest) -> HttpResponse:
    """Return ``wallet.js``: kept for ever under a ``v`` parameter, asked for anew each time without one."""
    facts = {
        "gatewayName": GATEWAY_NAME,
        "gatewayUrl": _origin(request) + reverse("console").rstrip("/"),
        "payJsUrl": _origin(request) + reverse("wallet_script"),
    }
    text = (_WALLET_JS / "wallet.js").read_text(encoding="utf-8")
    text = text.replace("./wallet/main.js", f"./wallet/{_wallet_js_version()}/main.js")
    cache = _FOR_EVER if "v" in request.GET else "no-cache"
    return _script_response(_CONFIGURATION % json.dumps(facts) + text, cache=cache)


@require_safe
def service_script_module(request: HttpRequest, version: str, name: str) -> HttpResponse:  # noqa: ARG001
    """Return a module of ``wallet.js``; 404 for an unknown module or another version."""
    modules = _wallet_js_modules()
    if name not in modules or version != _wallet_js_version():
        raise Http404
    return _script_response(modules[name], cache=_FOR_EVER)


def _script_response(text: str, *, cache: str, status: int = HTTPStatus.OK) -> HttpResponse:
    response = HttpResponse(text, status=status, content_type=_JAVASCRIPT)
    response["Cache-Control"] = cache
    response["X-Content-Type-Options"] = "nosniff"
    # A page may load it with CORS; a module is never loaded without.
    response["Access-Control-Allow-Origin"] = "*"
    return set_cross_origin_headers(response)


@require_safe
def sheet(request: HttpRequest) -> HttpResponse:
    """Show the sheet in the browser's language; the page around it sends the request by message."""
    context = {"modes": WalletMode.choices, "mode": wallet_mode()}
    response = render_in_language(request, "wallet/sheet", context, language=browser_language(request))
    return set_sheet_headers(response, [origin for one in Merchant.objects.all() for origin in one.origins])


@require_safe
def root_keys(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it
    """Return the document of root keys with which tokens are verified."""
    response = json_response(key_ring.at(current_conditions().now).root_document)
    response.headers["Cache-Control"] = "public, max-age=3600"
    # The document is public: a browser may read it from any page.
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """Return for the sheet the wallet's mode, the customer's stored data, and the names of merchants."""
    names = {one.merchant_id: one.display_name for one in Merchant.objects.all() if one.display_name}
    accounts = [
        {
            "email": account.email,
            "name": account.name,
            "cards": [
                {
                    "id": card.id,
                    "name": card.name,
                    "network": card.network,
                    "authMethod": card.auth_method,
                    "fundingSource": card.funding,
                    "lastFour": card.last_four,
                    "description": card.description,
                    "art": card.art,
                }
                for card in account.cards
            ],
            "addresses": list(account.addresses),
        }
        for account in ACCOUNTS
    ]
    facts = {"mode": wallet_mode(), "accounts": accounts, "merchantNames": names}
    return _answer_sheet(request, lambda _request: facts)


# No session authorizes the sheet's calls; the origin is checked instead.
@csrf_exempt
@require_POST
def payment_data(request: HttpRequest) -> HttpResponse:
    """Approve with the card chosen in the sheet and return the PaymentData."""
    return _answer_sheet(request, with_json(_approve))


# No session authorizes the sheet's calls; the origin is checked instead.
@csrf_exempt
@require_POST
def price_texts(request: HttpRequest) -> HttpResponse:
    """Return the prices of a shop's page as amounts in the browser's language, by price."""
    return _answer_sheet(request, with_json(partial(_price_texts, language=browser_language(request))))


def _answer_sheet(request: HttpRequest, call: Call) -> HttpResponse:
    """Make a call of the sheet, unless the page of another site asks; nothing of it is kept."""
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if origin not in (None, _origin(request)) or site not in ("same-origin", "none"):
        text = f"Pages of {quote(origin or 'other sites')} may not use the wallet's own calls."
        return refusal_response(Refusal("ForeignPage", text))
    response = answer(call, request)
    response["Cache-Control"] = NO_STORE
    return response


def _approve(given: Input) -> object:
    card_id = given.text("cardId")
    request = given.object("request")
    choices = given.object("choices")
    given.check_no_unread_fields()
    card = next((card for card in (*CARDS, *OFFICE_CARDS) if card.id == card_id), None)
    if card is None:
        raise InvalidInput(f"cardId must be that of a stored card, not {quote(card_id)}.")
    try:
        method: Any = request["allowedPaymentMethods"]
        merchant_id = str(method[0]["tokenizationSpecification"]["parameters"]["gatewayMerchantId"])
    except (KeyError, IndexError, TypeError) as error:
        raise InvalidInput("request names no gatewayMerchantId in its tokenizationSpecification.") from error
    return approve(card, request, merchant_id=merchant_id, choices=choices)


def _price_texts(given: Input, *, language: str) -> object:
    currency, prices = given.text("currency"), given.text_list("prices") or []
    given.check_no_unread_fields()
    return {price: price_text(price, currency, language) for price in prices}


def _origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"
