"""The emulated wallet in shops' pages: ``pay.js``, the sheet and its calls, and the service's ``wallet.js``.

``pay.js`` is concatenated from plain files beside the sheet's, in one function scope, with its
configuration; there is no build step. ``wallet.js`` is the plugin's own, as a gateway would ship it. A page
names no gateway: its address and the rest stand in front of the script. Its modules are below an address
that contains a digest of all files, so that browsers may keep them for ever.

Scripts and sheet are for pages of any origin. ``pay.js`` and the sheet are never cached, because the
wallet's mode may change at any time. The sheet's own calls are refused to other sites' pages, because only
the customer may approve.
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import etag, require_POST, require_safe

from wallet_gateway.protocol.text import quote
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
from wallet_gateway.sandbox.tokens import key_ring
from wallet_gateway.sandbox.wallet import ACCOUNTS, CARDS, WalletAccount, approve, card_by_id

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
    accounts = [_describe(account) for account in ACCOUNTS]
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


def _describe(account: WalletAccount) -> dict[str, Any]:
    """Return an account in the form that the sheet reads."""
    cards = [
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
    ]
    return {
        "email": account.email,
        "name": account.name,
        "cards": cards,
        "addresses": list(account.addresses),
    }


def _approve(given: Input) -> object:
    card_id = given.text("cardId")
    request = given.object("request")
    choices = given.object("choices")
    given.check_no_unread_fields()
    card = card_by_id(card_id)
    if card is None:
        raise InvalidInput(f"cardId must be that of a stored card, not {quote(card_id)}.")
    return approve(card, request, merchant_id=_gateway_merchant_id(request), choices=choices)


def _price_texts(given: Input, *, language: str) -> object:
    currency, prices = given.text("currency"), given.text_list("prices") or []
    given.check_no_unread_fields()
    return {price: price_text(price, currency, language) for price in prices}


def _origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _gateway_merchant_id(request: dict[str, Any]) -> str:
    """Return the ``gatewayMerchantId`` of the page's ``loadPaymentData`` request."""
    try:
        method = request["allowedPaymentMethods"][0]
        found = method["tokenizationSpecification"]["parameters"]["gatewayMerchantId"]
    except (KeyError, IndexError, TypeError) as error:
        raise InvalidInput("request names no gatewayMerchantId in its tokenizationSpecification.") from error
    return str(found)
