"""The origin to which customers come back in tests: the live server's, or the shop's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from wallet_gateway.conf.django_tests import SetByTests

LOCAL_ORIGIN: Final = "http://127.0.0.1:8000"
"""Where a shop is taken to be that has not set a `PUBLIC_ORIGIN`."""
_LOOPBACK: Final = {"127.0.0.1", "::1", "localhost"}


def origin_for_tests(given: object, *, live_server: str = "") -> str:
    """Return the shop's origin: that of a live server, its own, or a local one if tests cannot have that."""
    if live_server:
        return SetByTests(live_server)
    return given if isinstance(given, str) and _is_valid(given) else LOCAL_ORIGIN


def without_replaced_origin(gateway: Mapping[str, Any], *, shop_origin: object) -> dict[str, Any]:
    """Return a gateway's options without an origin that gives way to the shop's.

    Beside a live server that is every one: a customer would come back to a host that is not there.
    """
    origin = gateway.get("PUBLIC_ORIGIN")
    stays = isinstance(origin, str) and _is_valid(origin) and not isinstance(shop_origin, SetByTests)
    return {name: value for name, value in gateway.items() if stays or name != "PUBLIC_ORIGIN"}


def _is_valid(origin: str) -> bool:
    """Return whether an origin is valid with `DEBUG` off, as it is in tests."""
    url = urlsplit(origin)
    return isinstance(origin, SetByTests) or url.scheme == "https" or url.hostname in _LOOPBACK
