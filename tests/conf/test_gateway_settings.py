"""One gateway's dict becomes typed values, with the shop's origin where it has none."""

from __future__ import annotations

from wallet_gateway.conf.gateway_settings import read_gateway

GIVEN = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M-7",
    "STORE_ID": "S-7",
    "USER_ID": "user-canary",
    "PROVIDER": "ExampleWalletV2",
}


def test_its_text_shows_no_secret() -> None:
    secrets = {"AUTH_SECRETS": {"token": "canary-1"}, "FERNET_KEYS": ["canary-2"]}
    read = read_gateway("a", GIVEN | secrets, public_origin="https://shop.example")
    assert (read.auth_secrets, read.fernet_keys) == ({"token": "canary-1"}, ("canary-2",))
    assert "canary" not in repr(read)
