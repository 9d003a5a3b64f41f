"""The door of the emulated wallet: its root keys for everybody, and what its own sheet asks for.

The sheet is a page of the sandbox; other sites' pages are refused, for an approval is the customer's.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.control_input import Input, InvalidInput
from wallet_gateway.sandbox.engine.refusals import ForeignPage, Refusal
from wallet_gateway.sandbox.responses import json_response, refusal_response
from wallet_gateway.sandbox.state import current_conditions, wallet_mode
from wallet_gateway.sandbox.views.control_calls import answer, with_input
from wallet_gateway.sandbox.wallet_accounts import ACCOUNTS, WalletAccount
from wallet_gateway.sandbox.wallet_approval import approve
from wallet_gateway.sandbox.wallet_cards import StoredCard, card_by_id
from wallet_gateway.sandbox.wallet_keys import key_ring


@require_safe
def root_keys(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it
    """Serve the document of root keys that tokens are verified with."""
    response = json_response(key_ring.at(current_conditions().now).root_document)
    response.headers["Cache-Control"] = "public, max-age=3600"
    # The document is public, and whoever verifies in a browser may read it.
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """Tell the wallet's own pages how to behave, and what the customer has stored."""
    if refusal := _foreign(request):
        return refusal_response(refusal)
    accounts = [describe_account(account) for account in ACCOUNTS]
    return _not_stored(json_response({"mode": wallet_mode(), "accounts": accounts}))


# No cookie and no log-in stands behind the sheet; the origin is what is checked.
@csrf_exempt
@require_POST
def payment_data(request: HttpRequest) -> HttpResponse:
    """Approve with the card chosen in the sheet and answer with the PaymentData."""
    if refusal := _foreign(request):
        return refusal_response(refusal)
    return _not_stored(answer(with_input(_approve), request))


def describe_account(account: WalletAccount) -> dict[str, Any]:
    """Write an account as the sheet may see it."""
    return {
        "email": account.email,
        "name": account.name,
        "cards": [describe_card(card) for card in account.cards],
        "addresses": list(account.addresses),
    }


def describe_card(card: StoredCard) -> dict[str, Any]:
    """Write a stored card as the sheet may see it."""
    return {
        "id": card.id,
        "name": card.name,
        "network": card.network,
        "authMethod": card.auth_method,
        "fundingSource": card.funding,
        "lastFour": card.last_four,
        "description": card.description,
        "art": card.art,
    }


def _approve(given: Input) -> object:
    card_id = given.text("cardId")
    request = given.object("request")
    choices = given.object("choices")
    given.check_nothing_else()
    card = card_by_id(card_id)
    if card is None:
        raise InvalidInput(f"cardId must be that of a stored card, not {quote(card_id)}.")
    return approve(card, request, merchant_id=_gateway_merchant_id(request), choices=choices)


def _gateway_merchant_id(request: dict[str, Any]) -> str:
    """Find whom the page wants the card sealed for, where ``loadPaymentData`` has it."""
    try:
        method = request["allowedPaymentMethods"][0]
        found = method["tokenizationSpecification"]["parameters"]["gatewayMerchantId"]
    except (KeyError, IndexError, TypeError) as error:
        raise InvalidInput("request names no gatewayMerchantId in its tokenizationSpecification.") from error
    return str(found)


def _foreign(request: HttpRequest) -> Refusal | None:
    origin = request.headers.get("Origin")
    own_origin = f"{request.scheme}://{request.get_host()}"
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if origin not in (None, own_origin) or site not in ("same-origin", "none"):
        return ForeignPage(f"Pages of {quote(origin or 'other sites')} may not use the wallet's own calls.")
    return None


def _not_stored(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    return response
