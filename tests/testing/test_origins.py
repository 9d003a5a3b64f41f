"""Where customers come back to in tests."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.testing.origins import LOCAL_ORIGIN, origin_for_tests, without_replaced_origin

SHOP, LIVE_SERVER = "https://shop.example", "http://0.0.0.0:8081"
OF_A_TEST = origin_for_tests(SHOP, live_server=LIVE_SERVER)


@every(
    ("given", "used"),
    [
        ("https://shop.example", "https://shop.example"),
        ("http://localhost:9000", "http://localhost:9000"),
        ("http://shop.test", LOCAL_ORIGIN),
        (OF_A_TEST, LIVE_SERVER),
        (LIVE_SERVER, LOCAL_ORIGIN),
        (None, LOCAL_ORIGIN),
        (17, LOCAL_ORIGIN),
    ],
)
def test_an_origin_that_is_valid_with_debug_only_becomes_a_local_one(given: object, used: str) -> None:
    assert origin_for_tests(given) == used


@every(
    ("own", "shop", "stays"),
    [
        ("https://brand.example", SHOP, True),
        ("http://brand.localhost:8000", SHOP, False),
        (17, SHOP, False),
        ("https://brand.example", OF_A_TEST, False),
    ],
)
def test_a_gateways_origin_gives_way_to_a_live_server_and_where_it_is_not_valid(
    own: object, shop: str, stays: bool
) -> None:
    kept = {"MERCHANT_ID": "M"} | ({"PUBLIC_ORIGIN": own} if stays else {})
    assert without_replaced_origin({"MERCHANT_ID": "M", "PUBLIC_ORIGIN": own}, shop_origin=shop) == kept
