"""What all pages share: languages and formats, security headers, static files, and answers no view gives.

Amounts, numbers and rates are written as Unicode's CLDR writes them in a language: Babel holds its data,
and the texts are in ``locale``. The number of decimals of an amount is ISO 4217's, which differs from
CLDR's for some currencies. The shop formats its own amounts in the same way, with its own code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from babel import Locale, numbers
from django.contrib.staticfiles.views import serve
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount, UnknownCode
from wallet_gateway.protocol.faults import error_body
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.json_calls import json_response

# Security headers

NO_STORE: Final = "no-store"

_POLICY: Final[Mapping[str, str]] = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}

# A redirect URL is the shop's input, and a ";" in it could add policy directives: allow plain hosts only.
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:[0-9]{1,5}|\*))?")


def set_security_headers(
    response: HttpResponse, *, form_targets: Iterable[str] = (), referrer_policy: str = "no-referrer"
) -> HttpResponse:
    """Set all security headers; forms may submit to the sandbox and redirect to the given targets."""
    # Browsers apply `form-action` to the whole redirect chain, including the redirect to the shop.
    sources = sorted({source for url in form_targets if (source := _form_source(url))})
    response["Content-Security-Policy"] = _policy({"form-action": " ".join(["'self'", *sources])})
    response["Cache-Control"] = NO_STORE
    response["Cross-Origin-Opener-Policy"] = "same-origin"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Referrer-Policy"] = referrer_policy
    response["X-Content-Type-Options"] = "nosniff"
    response["X-Frame-Options"] = "DENY"
    return response


def set_sheet_headers(response: HttpResponse, shops: Iterable[str]) -> HttpResponse:
    """Set the headers of the wallet's sheet: it may call the sandbox, and shops of these origins frame it."""
    set_security_headers(response)
    plain = {origin.rstrip("/").lower() for origin in shops}
    # A policy cannot name an IPv6 address, and white space or punctuation could add directives: then the
    # scheme alone stands for the origin.
    sources = {one if _PLAIN_ORIGIN.fullmatch(one) else f"{one.partition(':')[0]}:" for one in plain}
    named = " ".join(sorted(sources)) or "'none'"
    policy = {"connect-src": "'self'", "form-action": "'none'", "frame-ancestors": named}
    response["Content-Security-Policy"] = _policy(policy)
    # X-Frame-Options cannot name origins and would override the policy in old browsers.
    del response["X-Frame-Options"]
    return set_cross_origin_headers(response)


def _policy(directives: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in {**_POLICY, **directives}.items())


def set_cross_origin_headers(response: HttpResponse) -> HttpResponse:
    """Allow pages of other origins to load this, also those that require embedding consent (COEP)."""
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    # A page with COEP requires the same header of its frames.
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    return response


def _form_source(url: str) -> str | None:
    """Return the source expression of a URL's origin, or its scheme if a policy cannot name the host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    if _HOST.fullmatch(host):
        return f"{parts.scheme}://{host}{port}"
    # A policy cannot name an IPv6 address.
    return f"{parts.scheme}:" if ":" in host else None


# Languages and formats

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
DEFAULT_LANGUAGE: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar"})
# A language tag starts with its primary subtag; shops separate the rest with a hyphen or an underscore.
_PRIMARY_SUBTAG = re.compile(r"\A\s*([A-Za-z]{2,8})(?:[-_.@].*)?\s*", re.DOTALL)
_LETTER_BESIDE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def page_language(requested: str | None) -> str:
    """Return the page's language for a checkout's ``language``: ``de`` for ``de-DE``; English if unknown."""
    match = _PRIMARY_SUBTAG.fullmatch(requested or "")
    primary = match[1].lower() if match else ""
    return primary if primary in LANGUAGES else DEFAULT_LANGUAGE


def browser_language(request: HttpRequest) -> str:
    """Return the first supported language of a browser; English without one."""
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    primary = (tag.split("-")[0] for tag, _quality in accepted)
    return next((language for language in primary if language in LANGUAGES), DEFAULT_LANGUAGE)


def render_in_language(
    request: HttpRequest,
    name: str,
    context: Mapping[str, Any],
    *,
    language: str,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Render a page of the customer in its language and direction of writing."""
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    context = {**context, "language": language, "direction": direction}
    with translation.override(language):
        return render(request, f"wallet_sandbox/{name}.html", context, status=status)


def amount_text(money: Money, language: str, *, negative: bool = False) -> str:
    """Return an amount with all decimals of its currency; the text has no breakable space."""
    amount = money.amount.copy_negate() if negative else money.amount
    pattern = copy(Locale(language).currency_formats["standard"])
    pattern.frac_prec = (currency_exponent(money.currency),) * 2
    text = numbers.format_currency(amount, money.currency, pattern, language, currency_digits=False)
    # In Arabic, the minus carries a mark of direction.
    minus = numbers.get_minus_sign_symbol(language).replace("-", "\N{MINUS SIGN}")
    # Letters such as CHF do not touch a digit; a sign such as € or US$ may.
    return _LETTER_BESIDE_DIGIT.sub("\N{NO-BREAK SPACE}", text.replace("-", minus))


def price_text(price: str, currency: str, language: str) -> str:
    """Return a price as a shop's page gave it, also a negative one; unchanged if it is no amount."""
    try:
        money = Money.parse(price.removeprefix("-"), currency, allow_zero=True)
    except (InvalidAmount, UnknownCode):
        return f"{price} {currency}"
    return amount_text(money, language, negative=price.startswith("-"))


# Views


def static_file(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve a file with a header against content type sniffing."""
    # Without `insecure`, Django serves static files in DEBUG mode only.
    response = serve(request, path, insecure=True)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 400 to a request that Django rejects, such as one for another host name."""
    return _fail(request, 400, "The request names another host than this machine, or a path that is none.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 404 to a request for an unknown path."""
    return _fail(request, 404, f"There is nothing at {quote(request.path)}.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 after an unexpected error; the traceback is in the sandbox's output."""
    return _fail(request, 500, "The sandbox itself failed; see its output.")


def _fail(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path_info.startswith(("/api/", "/_sandbox/")):
        body = error_body(f"4{status}000", message).to_wire()
        return json_response(body, status=status)
    return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")
