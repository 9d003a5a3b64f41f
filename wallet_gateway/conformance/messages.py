"""The requests of the document as JSON objects: the least that its tables demand, and its own examples.

A probe takes one of them and changes one thing.
"""

from __future__ import annotations

import json
from typing import Any

from wallet_gateway.conformance.schemas import example
from wallet_gateway.conformance.target import Account

Body = dict[str, Any]

BILLING_ADDRESS: Body = example("checkout_request")["addressDetails"]["billingAddress"]


def checkout(account: Account, reference: str) -> Body:
    """Return the mandatory fields of a checkout request, of a sale."""
    ends = ("return", "success", "pending", "error", "cancel", "refused")
    return {
        **_ids(account),
        "type": "ecom.sale",
        "amount": account.amount,
        "currencyCode": account.currency,
        "clientSystemTransactionId": reference,
        "checkoutDetails": {"paymentMethod": account.provider},
        "redirectDetails": {f"{end}Url": f"{account.return_url}/{end}" for end in ends},
    }


def full_checkout(account: Account, reference: str) -> Body:
    """Return every field of a checkout request under the names of the tables; it comes to 1.00."""
    body: Body = checkout_example(account, reference)
    del body["checkoutDetails"]["cardholderNationalIdentificationNumber"]
    del body["addressDetails"]["shippingAddress"]["deliveryMethod"]
    cart = body["shoppingCartDetails"]
    cart["totalTaxAmount"] = cart.pop("totaltaxAmount")
    cart["discountDetails"][0]["discountType"] = "storecredit"
    return body


def checkout_example(account: Account, reference: str) -> Body:
    """Return the document's example of a checkout request, with its own spellings."""
    body: Body = example("checkout_request") | _ids(account)
    body |= {"currencyCode": account.currency, "clientSystemTransactionId": reference}
    body["checkoutDetails"]["paymentMethod"] = account.provider
    # What is agreed at set-up cannot be made up: a gateway would look for it.
    del body["details"], body["checkoutDetails"]["skinId"]
    return body


def follow_up(account: Account, type_: str, amount: str, *, reference: str, original: str) -> Body:
    """Return the mandatory fields of a capture, refund or reversal."""
    return {
        **_ids(account),
        "type": type_,
        "amount": amount,
        "currencyCode": account.currency,
        "clientSystemTransactionId": reference,
        "clientSystemInvoiceId": original,
        "apmDetails": {"apmProvider": account.provider},
    }


def detached_refund(account: Account, amount: str, *, reference: str, parent: str) -> Body:
    """Return the mandatory fields of a detached refund."""
    return {
        **_ids(account),
        "type": "detached.refund",
        "amount": amount,
        "currencyCode": account.currency,
        "clientSystemTransactionId": reference,
        "parentTransactionId": parent,
        "apmDetails": {"apmProvider": account.provider},
    }


def as_in_example(name: str, body: Body) -> Body:
    """Return a follow-up or detached refund spelled as the document's example of it.

    The provider is ``apmProviderName`` within ``apmdetails``, the amount is a number, and a cart is written
    in PascalCase.
    """
    shown: Body = example(name)
    named = {"apmdetails": {"apmProviderName": body["apmDetails"]["apmProvider"]}}
    own: Body = {key: value for key, value in body.items() if key != "apmDetails"}
    return shown | own | named | {"amount": number(body["amount"])}


def number(text: str) -> str:
    """Return an amount that ``to_json`` writes as a JSON number with exactly these digits."""
    return f"\0{text}\0"


def to_json(body: object) -> bytes:
    """Write a JSON value as bytes."""
    return json.dumps(body).replace('"\\u0000', "").replace('\\u0000"', "").encode()


def changed(body: Body, path: str, value: object) -> Body:
    """Return a copy with one field set, ``itemDetails.0.taxRate`` of a cart for instance."""
    copy: Body = _rebuilt(body, path.split("."), value)
    return copy


_GONE = object()


def without(body: Body, path: str) -> Body:
    """Return a copy without one field."""
    return changed(body, path, _GONE)


def _rebuilt(part: Any, names: list[str], value: object) -> Any:  # noqa: ANN401  (a JSON value)
    name, *rest = names
    if isinstance(part, list):
        return [_rebuilt(each, rest, value) if str(at) == name else each for at, each in enumerate(part)]
    copy = dict(part)
    if rest:
        copy[name] = _rebuilt(copy.get(name, {}), rest, value)
    elif value is _GONE:
        copy.pop(name, None)
    else:
        copy[name] = value
    return copy


def _ids(account: Account) -> Body:
    return {"merchantId": account.merchant_id, "storeId": account.store_id, "userId": account.user_id}
