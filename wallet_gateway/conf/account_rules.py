"""The rules of `BASE_URLS`, and of an account that the shop keeps outside its settings, such as in a table.

A person who may change the accounts must not be able to send credentials or customers elsewhere, to run code
or to name files. So an account names its address, and all that belongs to the address is in the settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings as django_settings
from django.http.request import validate_host

from wallet_gateway.conf.gateway_settings import (
    KEYS_NEEDED,
    PUBLISHED_KEY,
    GatewaySettings,
    problems_of_alias,
    read_gateway,
    read_origin,
)
from wallet_gateway.conf.published_keys import is_published_fernet_key, published_secret_keys
from wallet_gateway.conf.sections import FERNET_KEYS, LIVE, WrongSettings
from wallet_gateway.conf.values import SETTING, Problem, split_address

if TYPE_CHECKING:
    from wallet_gateway.conf.shop_settings import Settings

OF_ADDRESS = ("AUTH", "CLIENT_CLASS", "CA_FILE", "CLIENT_CERT", "PROXY", "PATHS", "REDIRECT_HOSTS")
"""What an account outside the settings cannot have itself: code, files, and where requests and people go."""
OF_ADDRESS_IN_WALLET = (
    *("THREE_D_SECURE", "PRICING", "BUTTON_OVERRIDES", "PAY_JS_URL", "WALLET_JS", "TRUSTED_TYPES"),
)
"""The same in its `WALLET`: code, and which scripts run on the page where customers pay."""
_ELSEWHERE = f"nothing here: it belongs to the address, as a part of {SETTING}['BASE_URLS']"
_SAMPLE = {"MERCHANT_ID": "M", "STORE_ID": "S", "USER_ID": "U", "PROVIDER": "P"}
_SAMPLE_OF_WALLET = {"COUNTRY": "DE", "MERCHANT_NO": "0" * 12}


def problems_of_address(where: str, given: object, *, debug: bool) -> Sequence[Problem]:
    """Return what is wrong with one of `BASE_URLS`: a URL, or a dict with it and what belongs to it."""
    if not isinstance(given, str | dict):
        expected = "a URL, or a dict with BASE_URL and what belongs to that address"
        return [Problem(setting=where, expected=expected)]
    try:
        read_gateway(where, "", _sample(given), debug=debug, public_origin="")
    except WrongSettings as wrong:
        return wrong.problems
    return ()


def _sample(given: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a whole gateway at an address, so that it can be read as a gateway is."""
    sample = {**_SAMPLE, **_entry(given)}
    if isinstance(sample.get("WALLET"), dict):
        sample["WALLET"] = {**_SAMPLE_OF_WALLET, **sample["WALLET"]}
    return sample


def _entry(given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"BASE_URL": given} if isinstance(given, str) else given


def with_address(given: Any, addresses: object) -> Any:  # noqa: ANN401 - of the shop
    """Return a gateway's settings with those of the address that its `BASE_URL` names; its own go first.

    A `BASE_URL` that is no name of an address stays as it is, and so does what is no dict.
    """
    name = given.get("BASE_URL") if isinstance(given, dict) else None
    entry = addresses.get(name) if isinstance(addresses, dict) and isinstance(name, str) else None
    if not isinstance(entry, str | dict):
        return given
    merged = {**_entry(entry), **given, "BASE_URL": _entry(entry).get("BASE_URL")}
    of_address, own = _entry(entry).get("WALLET"), given.get("WALLET")
    # Whether there is a button is the account's own decision.
    merged["WALLET"] = (
        {**of_address, **own} if isinstance(of_address, dict) and isinstance(own, dict) else own
    )
    return merged


def read_account(where: str, alias: str, given: object, *, shop: Settings) -> GatewaySettings:
    """Return an account outside the settings; raises `WrongSettings` with all that is missing or wrong."""
    problems = problems_of_alias(where, alias)
    if not isinstance(given, dict):
        raise WrongSettings([*problems, Problem(setting=where, expected="a dict")])
    if refused := [*_problems_of_address(where, given, shop.base_urls)]:
        raise WrongSettings([*problems, *refused])
    whole, found = with_address(given, shop.base_urls), None
    debug = django_settings.DEBUG
    try:
        found = read_gateway(where, alias, whole, debug=debug, public_origin=shop.public_origin)
    except WrongSettings as wrong:
        problems += wrong.problems
    problems += _problems_of_host(f"{where}['PUBLIC_ORIGIN']", given.get("PUBLIC_ORIGIN"), shop)
    problems += _problems_of_shop(where, whole, shop)
    if found is None or problems:
        raise WrongSettings(problems)
    return found


def _problems_of_address(
    where: str, given: Mapping[str, Any], addresses: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield what an account must not say: what only an address may have, and what its address has said."""
    name, wallet = given.get("BASE_URL"), given.get("WALLET")
    if not isinstance(name, str) or name not in addresses:
        known = ", ".join(sorted(addresses))
        expected = f"the name of an address in {SETTING}['BASE_URLS'], not a URL; it has: {known}"
        yield Problem(setting=f"{where}['BASE_URL']", expected=expected)
        return
    entry = _entry(addresses[name])
    for option in given:
        if option in OF_ADDRESS or (option in entry and option not in {"BASE_URL", "WALLET"}):
            yield Problem(setting=f"{where}[{option!r}]", expected=_ELSEWHERE)
    for option in wallet if isinstance(wallet, dict) else ():
        if option in OF_ADDRESS_IN_WALLET or option in (entry.get("WALLET") or {}):
            yield Problem(setting=f"{where}['WALLET'][{option!r}]", expected=_ELSEWHERE)


def _problems_of_host(where: str, origin: object, shop: Settings) -> Iterator[Problem]:
    """Check that customers come back to a host of this project, and to no other.

    `ALLOWED_HOSTS = ["*"]` leaves the hosts to a proxy, which does not see what is in a table of accounts.
    """
    url = split_address(origin) if origin else None
    if url is None:
        return
    host, allowed = _host(url.netloc), django_settings.ALLOWED_HOSTS or (".localhost", "127.0.0.1", "[::1]")
    named = shop.account_hosts or [*(each for each in allowed if each != "*"), _host_of(shop.public_origin)]
    if not validate_host(host, allowed):
        yield Problem(setting=where, expected="a host of ALLOWED_HOSTS, because customers come back to it")
    elif not validate_host(host, named):
        expected = f"a host of {SETTING}['ACCOUNT_HOSTS'], because customers come back to it"
        yield Problem(setting=where, expected=expected)


def _host_of(origin: str) -> str:
    url = split_address(origin)
    return "" if url is None else _host(url.netloc)


def _host(netloc: str) -> str:
    host, _, port = netloc.lower().rpartition(":")
    return host if host and port.isdecimal() else netloc.lower()


def _problems_of_shop(where: str, given: Mapping[str, Any], shop: Settings) -> Iterator[Problem]:
    """Check that the shop has what this account needs of it, as for an account in the settings."""
    live, debug = given.get("PROFILE") == LIVE, django_settings.DEBUG
    if live and not given.get("PUBLIC_ORIGIN"):
        try:
            read_origin(shop.public_origin, debug=debug, live=True)
        except ValueError as wrong:
            yield Problem(setting=f"{SETTING}['PUBLIC_ORIGIN']", expected=str(wrong))
    if not given.get(FERNET_KEYS):
        name = f"{SETTING}[{FERNET_KEYS!r}]"
        if not shop.own_keys and given.get("WALLET") is not None and not debug:
            yield Problem(setting=name, expected=KEYS_NEEDED)
        for number, key in enumerate(shop.own_keys if live else ()):
            if is_published_fernet_key(key):
                yield Problem(setting=f"{name}[{number}]", expected=PUBLISHED_KEY)
    for name in published_secret_keys() if live else ():
        yield Problem(setting=name, expected=f"a secret of your own, because {where} has the profile 'prod'")
