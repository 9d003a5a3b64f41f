"""Where a customer may be led: the same table decides when an order is created and when a page is shown."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain.orders import is_continue_url

ORIGINS = ("https://shop.example", "http://127.0.0.1:8000")
OURS = [
    "/",
    "/thanks/7/?a=1#b",
    "/größe/",
    "https://shop.example",
    "https://SHOP.example/x",
    "http://127.0.0.1:8000/x",
]
OTHERS = [
    "",
    "thanks",
    "?x",
    "//shop.example/",
    "/\\evil.example",
    "/\t/evil.example",
    "/ evil",
    "https:/shop.example",
    "https:shop.example",
    "https://shop.example@evil.example/",
    "https://user@shop.example/",
    "https://shop.example:443/",
    "http://shop.example/",
    "https://127.0.0.1:8000/",
    "https://[",
    "javascript:alert(1)",
    "/\u202egnp",
]


@every("url", OURS)
def test_a_path_of_this_site_and_an_origin_of_the_shop_are_allowed(url: str) -> None:
    assert is_continue_url(url, ORIGINS)


@every("url", OTHERS)
def test_everything_else_is_not(url: str) -> None:
    assert not is_continue_url(url, ORIGINS)
    assert url.startswith(("https://shop", "http://")) or not is_continue_url(url, ())
