"""Where customers come back to in tests."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.conf.django_tests import SetByTests
from wallet_gateway.testing.origins import LOCAL_ORIGIN, origin_for_tests, without_replaced_origin

SHOP, LIVE_SERVER = "https://shop.example", "http://0.0.0.0:8081"


@every(
    ("given", "used"),
    [
        ("https://shop.example", "https://shop.example"),
        ("http://localhost:9000", "http://localhost:9000"),
        ("http://shop.test", LOCAL_ORIGIN),
        (SetByTests("http://shop.test"), "http://shop.test"),
        (None, LOCAL_ORIGIN),
        (17, LOCAL_ORIGIN),
    ],
)
def test_an_origin_that_is_valid_with_debug_only_becomes_a_local_one(given: object, used: str) -> None:
    assert origin_for_tests(given) == used


def test_the_origin_of_a_live_server_is_known_as_one() -> None:
    used = origin_for_tests(SHOP, live_server=LIVE_SERVER)
    assert used == LIVE_SERVER
    assert isinstance(used, SetByTests)


@every(
    ("own", "shop", "stays"),
    [
        ("https://brand.example", SHOP, True),
        ("http://brand.localhost:8000", SHOP, False),
        (17, SHOP, False),
        ("https://brand.example", SetByTests(LIVE_SERVER), False),
    ],
)
def test_a_gateways_origin_gives_way_to_a_live_server_and_where_it_is_not_valid(
    own: object, shop: str, stays: bool
) -> None:
    kept = {"MERCHANT_ID": "M"} | ({"PUBLIC_ORIGIN": own} if stays else {})
    assert without_replaced_origin({"MERCHANT_ID": "M", "PUBLIC_ORIGIN": own}, shop_origin=shop) == kept
