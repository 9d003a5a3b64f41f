"""What the emulated wallet returns once the customer approved: a PaymentData object with a sealed card.

The request is the page's, as it was passed to ``loadPaymentData``; only what it asks for is given.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.sandbox.engine.card_payload import CRYPTOGRAM_3DS
from wallet_gateway.sandbox.token_encryption import milliseconds_text, seal
from wallet_gateway.sandbox.wallet_accounts import ACCOUNTS, Address, WalletAccount, account_of
from wallet_gateway.sandbox.wallet_cards import StoredCard
from wallet_gateway.sandbox.wallet_keys import WalletKeys

MESSAGE_LIFETIME: Final = timedelta(hours=1)
"""How long a token may be used."""

_MINIMAL: Final = ("name", "postalCode", "countryCode")
_PHONE: Final = "phoneNumber"
_WHOLE: Final = tuple(ACCOUNTS[0].addresses[0])
_CRYPTOGRAM_BYTES: Final = 20


def payment_data(
    card: StoredCard,
    request: Mapping[str, Any],
    *,
    gateway: str,
    gateway_merchant_id: str,
    keys: WalletKeys,
    now: datetime,
    choices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the object for a chosen card.

    ``choices`` are the customer's other ones: ``shippingAddress``, ``shippingOptionId`` and
    ``redemptionCodes``; without them the wallet takes what stands first.
    """
    chosen, account = choices or {}, account_of(card)
    token = seal(
        card_payload(card, gateway_merchant_id=gateway_merchant_id, now=now),
        signer=keys.signer,
        recipient_id=f"gateway:{gateway}",
        recipient_key=keys.private_keys[0].public_key(),
    )
    data: dict[str, Any] = {
        "apiVersion": 2,
        "apiVersionMinor": 0,
        "paymentMethodData": {
            "type": "CARD",
            "description": card.description,
            "info": _card_info(card, account, _card_parameters(request)),
            "tokenizationData": {"type": "PAYMENT_GATEWAY", "token": token},
        },
    }
    return data | _asked_for(request, chosen, account)


def card_payload(card: StoredCard, *, gateway_merchant_id: str, now: datetime) -> dict[str, Any]:
    """Give what is sealed; its message id and its cryptogram are new every time."""
    details: dict[str, Any] = {
        "authMethod": card.auth_method,
        "pan": card.number,
        "expirationMonth": card.expiration_month,
        "expirationYear": now.year + card.expires_in_years,
    }
    if card.auth_method == CRYPTOGRAM_3DS:
        details["cryptogram"] = base64.b64encode(secrets.token_bytes(_CRYPTOGRAM_BYTES)).decode()
        if card.eci_indicator:
            details["eciIndicator"] = card.eci_indicator
    return {
        "gatewayMerchantId": gateway_merchant_id,
        "messageExpiration": milliseconds_text(now + MESSAGE_LIFETIME),
        "messageId": f"AH2Ejt{secrets.token_urlsafe(48)}",
        "paymentMethod": "CARD",
        "paymentMethodDetails": details,
    }


def _card_parameters(request: Mapping[str, Any]) -> Mapping[str, Any]:
    methods = request.get("allowedPaymentMethods")
    first = methods[0] if isinstance(methods, list) and methods else None
    return _object(first.get("parameters")) if isinstance(first, Mapping) else {}


def _card_info(card: StoredCard, account: WalletAccount, parameters: Mapping[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {
        "cardNetwork": card.network.value,
        "cardDetails": card.last_four,
        "cardFundingSource": card.funding.value,
    }
    if parameters.get("assuranceDetailsRequired") is True:
        tokenized = card.auth_method == CRYPTOGRAM_3DS
        info["assuranceDetails"] = {"accountVerified": True, "cardHolderAuthenticated": tokenized}
    if parameters.get("billingAddressRequired") is True:
        wishes = _object(parameters.get("billingAddressParameters"))
        whole = str(wishes.get("format", "MIN")).startswith("FULL")
        info["billingAddress"] = _address(account.addresses[0], wishes, whole=whole)
    return info


def _asked_for(
    request: Mapping[str, Any], chosen: Mapping[str, Any], account: WalletAccount
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if request.get("emailRequired") is True:
        data["email"] = account.email
    if request.get("shippingAddressRequired") is True:
        wishes = _object(request.get("shippingAddressParameters"))
        address = _object(chosen.get("shippingAddress")) or shipping_address(account, wishes)
        data["shippingAddress"] = _address(address, wishes, whole=True)
    if request.get("shippingOptionRequired") is True:
        option = chosen.get("shippingOptionId") or _default_option(request)
        data["shippingOptionData"] = {"id": option}
    if chosen.get("redemptionCodes"):
        data["offerData"] = {"redemptionCodes": chosen["redemptionCodes"]}
    return data


def shipping_address(account: WalletAccount, wishes: Mapping[str, Any]) -> Address:
    """Give an account's first address in a country the shop delivers to; home where there is none."""
    allowed = wishes.get("allowedCountryCodes")
    if not isinstance(allowed, list):
        return account.addresses[0]
    fitting = (one for one in account.addresses if one["countryCode"] in allowed)
    return next(fitting, account.addresses[0])


def _address(address: Mapping[str, Any], wishes: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    names = _WHOLE if whole else (*_MINIMAL, _PHONE)
    phone = wishes.get("phoneNumberRequired") is True
    return {name: address.get(name, "") for name in names if name != _PHONE or phone}


def _default_option(request: Mapping[str, Any]) -> str:
    wishes = _object(request.get("shippingOptionParameters"))
    options = wishes.get("shippingOptions")
    first = options[0] if isinstance(options, list) and options else None
    named = wishes.get("defaultSelectedOptionId") or _object(first).get("id")
    return str(named or "shipping_option_unselected")


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
