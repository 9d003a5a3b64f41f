"""Whose page has sent a request, as far as the browser says."""

from __future__ import annotations

from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway.fetch_metadata import is_from_another_origin, is_from_another_site


def request(site: str | None, origin: str = "") -> HttpRequest:
    given = {} if site is None else {"Sec-Fetch-Site": site}
    return RequestFactory().post("/", headers=given | ({"Origin": origin} if origin else {}))


@every(
    ("site", "another_origin", "another_site"),
    [
        (None, False, False),
        ("none", False, False),
        ("same-origin", False, False),
        ("same-site", True, False),
        ("cross-site", True, True),
        ("whatever-comes", False, False),
    ],
)
def test_a_request_is_of_another_origin_or_site_if_the_browser_says_so(
    site: str | None, another_origin: bool, another_site: bool
) -> None:
    assert is_from_another_origin(request(site)) is another_origin
    assert is_from_another_site(request(site)) is another_site


@every(
    ("origin", "trusted"),
    [
        ("https://www.shop.example", True),
        ("https://a.pay.example", True),
        ("https://a.b.pay.example", True),
        ("http://www.shop.example", False),
        ("https://shop.example", False),
        ("https://www.shop.example.evil.example", False),
        ("https://evilpay.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_an_origin_that_the_project_trusts_is_none_of_others(
    settings: Settings, origin: str, trusted: bool
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://www.shop.example", "https://*.pay.example"]
    assert is_from_another_origin(request("same-site", origin)) is not trusted
    assert is_from_another_site(request("cross-site", origin)) is not trusted
