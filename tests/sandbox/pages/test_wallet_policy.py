"""The headers of the sheet: strict inside, and framed by registered shops alone."""

from __future__ import annotations

from django.http import HttpResponse

from tests.tables import every
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.pages.wallet_policy import framed, sheet_policy


def policy(*origins: str) -> dict[str, str]:
    parts = sheet_policy([Merchant(origins=list(origins))]).split("; ")
    return dict(part.split(" ", 1) for part in parts)


def test_nothing_inline_and_nothing_foreign_runs() -> None:
    assert policy("https://shop.example") == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "https://shop.example",
    }


@every(
    ("origin", "source"),
    [
        ("https://shop.example/", "https://shop.example"),
        ("http://127.0.0.1:*", "http://127.0.0.1:*"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:*", "http:"),
        ("https://shop.example; script-src *", "https:"),
        ("https://shop.example *", "https:"),
    ],
)
def test_an_origin_is_named_as_a_policy_can_and_cannot_write_more_of_it(origin: str, source: str) -> None:
    assert policy(origin)["frame-ancestors"] == source


def test_without_an_origin_nobody_may_frame_it() -> None:
    assert policy()["frame-ancestors"] == "'none'"


def test_the_origins_of_all_merchants_are_named_once() -> None:
    merchants = [
        Merchant(origins=["https://b.example", "https://a.example"]),
        Merchant(origins=["https://a.example"]),
    ]
    assert sheet_policy(merchants).endswith("frame-ancestors https://a.example https://b.example")


def test_the_header_that_cannot_name_origins_is_left_out() -> None:
    response = framed(HttpResponse(), merchants=[])
    assert "X-Frame-Options" not in response
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response["Cache-Control"] == "no-store"
    assert response["X-Content-Type-Options"] == "nosniff"
