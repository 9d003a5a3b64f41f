"""Accounts outside the settings, such as in a table, for tests: as the shop has them, but at the sandbox.

`GATEWAYS` is a dotted path there. In tests it leads to a name of this module, which is the shop's own path
with colons in place of its dots: so whoever reads the settings or an error still finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from wallet_gateway.conf.django_tests import SetByTests

LOCAL_ORIGIN: Final = "http://127.0.0.1:8000"
"""Where a shop is taken to be that has not set a `PUBLIC_ORIGIN`."""
_LOOPBACK: Final = {"127.0.0.1", "::1", "localhost"}
_HERE: Final = f"{__name__}."


def path_for_tests(path: str) -> str:
    """Return the dotted path of the same accounts at the sandbox."""
    return path if path.startswith(_HERE) else _HERE + path.replace(".", ":")


def __getattr__(name: str) -> Callable[[], object]:
    source = import_string(name.replace(":", ".")) if ":" in name else None
    if not callable(source) and not isinstance(source, Mapping):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(_at_sandbox, source)


def _at_sandbox(source: Any) -> object:  # noqa: ANN401 - of the shop
    given = source() if callable(source) and not isinstance(source, Mapping) else source
    if not isinstance(given, Mapping):
        return given
    has_version = callable(getattr(given, "version", None))
    return _AccountsWithVersion(given) if has_version else _Accounts(given)


class _Accounts(Mapping[Any, Any]):
    """The shop's accounts, each with the profile ``test``."""

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - of the shop
        self._source = source

    def __getitem__(self, alias: Any) -> Any:  # noqa: ANN401 - of the shop
        return _for_tests(self._source[alias])

    def items(self) -> Any:  # noqa: ANN401 - what `dict` takes
        """Return all accounts as the shop reads them at once."""
        return [(alias, _for_tests(given)) for alias, given in self._source.items()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


class _AccountsWithVersion(_Accounts):
    """The same of a shop that says when its accounts have changed."""

    def version(self) -> object:
        """Return the shop's version."""
        return self._source.version()


def _for_tests(account: Any) -> Any:  # noqa: ANN401 - of the shop
    if not isinstance(account, dict):
        return account
    shop_origin = settings.WALLET_GATEWAY["PUBLIC_ORIGIN"]
    kept = without_replaced_origin(account, shop_origin=shop_origin)
    return kept | {"PROFILE": "test"} if "PROFILE" in kept else kept


# The origin to which customers come back in tests: the live server's, or the shop's own


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
