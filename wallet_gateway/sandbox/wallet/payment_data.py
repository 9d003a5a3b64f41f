"""Approval in the emulated wallet: the PaymentData object with an encrypted card.

The request is the argument of ``loadPaymentData``; the answer contains only data that it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.wallet.accounts import (
    ACCOUNTS,
    CRYPTOGRAM_3DS,
    Address,
    StoredCard,
    WalletAccount,
    account_of,
)
from wallet_gateway.sandbox.wallet.card_payload import build_card_payload
from wallet_gateway.sandbox.wallet.keys import key_ring
from wallet_gateway.sandbox.wallet.tokens import seal

_MINIMAL: Final = ("name", "postalCode", "countryCode")
_PHONE: Final = "phoneNumber"
_WHOLE: Final = tuple(ACCOUNTS[0].addresses[0])


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
    keys, account = key_ring.at(now), account_of(card)
    token = seal(
        build_card_payload(card, gateway_merchant_id=merchant_id, now=now),
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
            "info": _card_info(card, account, _card_parameters(request)),
            "tokenizationData": {"type": "PAYMENT_GATEWAY", "token": token},
        },
    }
    return data | _requested_data(request, choices or {}, account)


def _card_parameters(request: Mapping[str, Any]) -> Mapping[str, Any]:
    methods = request.get("allowedPaymentMethods")
    first = methods[0] if isinstance(methods, list) and methods else None
    return _object(first.get("parameters")) if isinstance(first, Mapping) else {}


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
        address = _object(chosen.get("shippingAddress")) or _shipping_address(account, preferences)
        data["shippingAddress"] = _address(address, preferences, whole=True)
    if request.get("shippingOptionRequired") is True:
        option = chosen.get("shippingOptionId") or _default_option(request)
        data["shippingOptionData"] = {"id": option}
    if chosen.get("redemptionCodes"):
        data["offerData"] = {"redemptionCodes": chosen["redemptionCodes"]}
    return data


def _shipping_address(account: WalletAccount, preferences: Mapping[str, Any]) -> Address:
    """Return the first address in an allowed country, or the home address if there is none."""
    allowed = preferences.get("allowedCountryCodes")
    if not isinstance(allowed, list):
        return account.addresses[0]
    fitting = (one for one in account.addresses if one["countryCode"] in allowed)
    return next(fitting, account.addresses[0])


def _address(address: Mapping[str, Any], preferences: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    names = _WHOLE if whole else (*_MINIMAL, _PHONE)
    phone = preferences.get("phoneNumberRequired") is True
    return {name: address.get(name, "") for name in names if name != _PHONE or phone}


def _default_option(request: Mapping[str, Any]) -> str:
    preferences = _object(request.get("shippingOptionParameters"))
    options = preferences.get("shippingOptions")
    first = options[0] if isinstance(options, list) and options else None
    named = preferences.get("defaultSelectedOptionId") or _object(first).get("id")
    return str(named or "shipping_option_unselected")


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
