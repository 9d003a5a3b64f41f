"""The headers of every page: what a browser must refuse, and the one thing it must allow."""

from __future__ import annotations

from django.http import HttpResponse

from tests.tables import every
from wallet_gateway.sandbox.pages.headers import content_security_policy, set_security_headers


def directives(policy: str) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in policy.split("; "))


def test_nothing_is_allowed_but_the_sandboxs_own_files() -> None:
    assert directives(content_security_policy()) == {
        "default-src": "'none'",
        "style-src": "'self'",
        "script-src": "'self'",
        "img-src": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "form-action": "'self'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


@every(
    ("url", "source"),
    [
        ("https://shop.example/pay?x=1#y", "https://shop.example"),
        ("http://127.0.0.1:8000/pay/", "http://127.0.0.1:8000"),
        ("HTTPS://Shop.Example:8443/", "https://shop.example:8443"),
        ("https://münchen.example/", "https://xn--mnchen-3ya.example"),
        ("http://shop_web:8000/", "http://shop_web:8000"),
        ("http://[::1]:8000/", "http:"),
    ],
)
def test_a_form_may_end_at_the_shops_origin(url: str, source: str) -> None:
    assert directives(content_security_policy([url]))["form-action"] == f"'self' {source}"


@every(
    "url",
    [
        "https://a.example;script-src *",
        "https://a.example' 'unsafe-inline'/",
        "https://a,b/",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://a.example:99999/",
        "https://a..example/",
        "//a.example/",
        "",
    ],
)
def test_a_hostile_address_writes_nothing_into_the_policy(url: str) -> None:
    assert content_security_policy([url]) == content_security_policy()


def test_a_secured_response_is_not_stored_not_sniffed_not_framed_and_tells_no_referrer() -> None:
    response = set_security_headers(HttpResponse("x"))
    assert response["Cache-Control"] == "no-store"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Content-Security-Policy"] == content_security_policy()
