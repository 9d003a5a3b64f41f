"""The checkout request of one attempt, made of the order's stored content without checking that again.

The content was checked when the order was created, and its hash is stored with it. Content with another hash
was changed afterwards (erased, or by hand), so it is checked like any other message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from wallet_gateway.client.exchange import MerchantAccount
from wallet_gateway.domain.polling_schedule import LONGEST_PAGE
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutType, RedirectDetails
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.strict_json import canonical
from wallet_gateway.protocol.wire import WrittenMessage, write_down


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for a hosted page, ready to be stored and sent."""

    reference: str
    """Its clientSystemTransactionId."""
    lifetime: timedelta
    """How long the page stays payable."""
    written: WrittenMessage[CheckoutRequest]

    @property
    def body(self) -> bytes:
        """The exact bytes to send."""
        return self.written.body


def texts_of(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the JSON text of each member of an order's content, sorted by name."""
    return {name: canonical(content[name]) for name in sorted(content)}


def content_hash(gateway: str, texts: Mapping[str, str]) -> str:
    """Return the hash of an order's content and gateway, the same however a database sorts the members."""
    return hashlib.sha256(f"{gateway}\n{{{_members(texts)}}}".encode()).hexdigest()


def page_request(
    order: PaymentOrder, account: MerchantAccount, redirect: RedirectDetails, *, reference: str, seconds: int
) -> PageRequest:
    """Return the request for a page that lives so many seconds; raises InvalidMessage if it breaks a rule."""
    content, texts = order.content, texts_of(order.content)
    own = {
        **_of_account(account),
        "clientSystemTransactionId": reference,
        "redirectDetails": redirect.to_wire(),
        "checkoutDetails": {
            **({"skinId": account.skin_id} if account.skin_id else {}),
            **content.get("checkoutDetails", {}),
            "paymentMethod": account.provider,
            "redirectUrlTimeout": seconds,
        },
    }
    if account.provider_merchant_id and "details" not in content:
        own["details"] = {"providerMerchantId": account.provider_merchant_id}
    values = {**content, **own}
    if order.content_hash != content_hash(order.gateway, texts):
        written = write_down(CheckoutRequest.from_canonical(values))
    else:
        _check_account(account)
        members = _members({**texts, **{name: canonical(value) for name, value in own.items()}})
        written = WrittenMessage(model=CheckoutRequest, values=values, body=f"{{{members}}}".encode())
    return PageRequest(reference=reference, lifetime=timedelta(seconds=seconds), written=written)


def stored_request(body: bytes) -> PageRequest | None:
    """Return a stored request, to be sent again with the same bytes, even if the settings have changed.

    Returns None if it cannot be read any more.
    """
    try:
        message = CheckoutRequest.from_json(body)
    except ProtocolError:
        return None
    seconds = message.checkout_details.redirect_url_timeout
    return PageRequest(
        reference=message.client_system_transaction_id,
        lifetime=LONGEST_PAGE if seconds is None else timedelta(seconds=seconds),
        written=WrittenMessage(model=CheckoutRequest, values=message.to_wire(), body=body),
    )


def _members(texts: Mapping[str, str]) -> str:
    return ",".join([f'"{name}":{text}' for name, text in texts.items()])


def _of_account(account: MerchantAccount) -> dict[str, Any]:
    return {"merchantId": account.merchant_id, "storeId": account.store_id, "userId": account.user_id}


@lru_cache(maxsize=64)
def _check_account(account: MerchantAccount) -> None:
    """Check once what an account adds to the request of every order; raises InvalidMessage."""
    url = "https://shop.example/"
    names = ("returnUrl", "successUrl", "pendingUrl", "errorUrl", "cancelUrl", "refusedUrl")
    CheckoutRequest.from_canonical(
        {
            **_of_account(account),
            "type": CheckoutType.SALE.value,
            "amount": "1.00",
            "currencyCode": "EUR",
            "clientSystemTransactionId": "-",
            "checkoutDetails": {
                "skinId": account.skin_id,
                "paymentMethod": account.provider,
                "redirectUrlTimeout": account.redirect_url_timeout,
            },
            "details": {"providerMerchantId": account.provider_merchant_id},
            "redirectDetails": dict.fromkeys(names, url),
        }
    )
