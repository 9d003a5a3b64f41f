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
        **account.ids,
        "type": "ecom.sale",
        "amount": account.amount,
        "currencyCode": account.currency,
        "clientSystemTransactionId": reference,
        "checkoutDetails": {"paymentMethod": account.provider},
        "redirectDetails": {f"{end}Url": f"{account.return_url}/{end}" for end in ends},
    }


def full_checkout(account: Account, reference: str) -> Body:
    """Return every field of a checkout request under the names of the tables; it comes to 1.00."""
    body = checkout_example(account, reference)
    del body["checkoutDetails"]["cardholderNationalIdentificationNumber"]
    del body["addressDetails"]["shippingAddress"]["deliveryMethod"]
    cart = body["shoppingCartDetails"]
    cart["totalTaxAmount"] = cart.pop("totaltaxAmount")
    cart["discountDetails"][0]["discountType"] = "storecredit"
    return body


def checkout_example(account: Account, reference: str) -> Body:
    """Return the document's example of a checkout request, with its own spellings."""
    body: Body = example("checkout_request") | account.ids
    body |= {"currencyCode": account.currency, "clientSystemTransactionId": reference}
    body["checkoutDetails"]["paymentMethod"] = account.provider
    # What is agreed at set-up cannot be made up: a gateway would look for it.
    del body["details"], body["checkoutDetails"]["skinId"]
    return body


def transaction(account: Account, type_: str, amount: str, *, reference: str, **original: str) -> Body:
    """Return the mandatory fields of a capture, refund, reversal or detached refund.

    The original is named by ``clientSystemInvoiceId``, of a detached refund by ``parentTransactionId``.
    """
    return {
        **account.ids,
        "type": type_,
        "amount": amount,
        "currencyCode": account.currency,
        "clientSystemTransactionId": reference,
        **original,
        "apmDetails": {"apmProvider": account.provider},
    }


def as_in_example(name: str, body: Body) -> Body:
    """Return a follow-up or detached refund spelled as the document's example of it.

    The provider is ``apmProviderName`` within ``apmdetails``, the amount is a number, and a cart is written
    in PascalCase.
    """
    shown: Body = example(name) | without(body, "apmDetails")
    provider = {"apmProviderName": body["apmDetails"]["apmProvider"]}
    return shown | {"apmdetails": provider, "amount": number(body["amount"])}


def number(text: str) -> str:
    """Return an amount that ``to_json`` writes as a JSON number with exactly these digits."""
    return f"\0{text}\0"


def to_json(body: object) -> bytes:
    """Write a JSON value as bytes."""
    return json.dumps(body).replace('"\\u0000', "").replace('\\u0000"', "").encode()


_GONE = object()


def changed(body: Body, path: str, value: object) -> Body:
    """Return a copy with one field set, ``itemDetails.0.taxRate`` of a cart for instance."""
    name, _, rest = path.partition(".")
    if rest and isinstance(elements := body.get(name), list):
        number, _, rest = rest.partition(".")
        value = [changed(one, rest, value) if str(at) == number else one for at, one in enumerate(elements)]
    elif rest:
        value = changed(body.get(name, {}), rest, value)
    return {key: part for key, part in {**body, name: value}.items() if part is not _GONE}


def without(body: Body, path: str) -> Body:
    """Return a copy without one field."""
    return changed(body, path, _GONE)
