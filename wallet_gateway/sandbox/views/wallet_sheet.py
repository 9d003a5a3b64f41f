"""What a shop's page gets of the emulated wallet: the script ``pay.js``, and the sheet in its frame.

Both are for pages of any origin. Neither is ever cached: how the wallet behaves may change at any moment.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from wallet_gateway.sandbox.merchants import remembered_stores
from wallet_gateway.sandbox.models import WalletMode
from wallet_gateway.sandbox.pages.headers import NO_STORE
from wallet_gateway.sandbox.pages.languages import browser_language, direction
from wallet_gateway.sandbox.pages.wallet_policy import framed, shared
from wallet_gateway.sandbox.pages.wallet_script import wallet_script
from wallet_gateway.sandbox.state import wallet_mode

_JAVASCRIPT: Final = "text/javascript; charset=utf-8"


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """Send ``pay.js``, or fail to where the wallet is told so."""
    mode = wallet_mode()
    if mode is WalletMode.SCRIPT_FAILS:
        text, status = "// The sandbox is told not to send this script.\n", HTTPStatus.SERVICE_UNAVAILABLE
    else:
        merchants = remembered_stores.get().values()
        text, status = wallet_script(origin=_origin(request), mode=mode, merchants=merchants), HTTPStatus.OK
    response = HttpResponse(text, status=status, content_type=_JAVASCRIPT)
    response["Cache-Control"] = NO_STORE
    response["X-Content-Type-Options"] = "nosniff"
    return shared(response)


@require_safe
def sheet(request: HttpRequest) -> HttpResponse:
    """Show the sheet in the browser's language; what is paid arrives by message from the page around it."""
    language = browser_language(request.headers.get("Accept-Language", ""))
    context = {
        "language": language,
        "direction": direction(language),
        "modes": WalletMode.choices,
        "mode": wallet_mode(),
    }
    with translation.override(language):
        response = render(request, "wallet_sandbox/wallet/sheet.html", context)
    return framed(response, merchants=remembered_stores.get().values())


def _origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"
