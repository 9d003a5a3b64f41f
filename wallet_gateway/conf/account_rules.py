"""The rules of `BASE_URLS`, and of an account that the shop keeps outside its settings, such as in a table.

A person who may change the accounts must not be able to send credentials or customers elsewhere, to run code
or to name files. So an account names its address, and all that belongs to the address is in the settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http.request import validate_host

from wallet_gateway.conf.gateway_rules import (
    LIVE,
    LONGEST_ALIAS,
    is_alias,
    problems_of_gateway,
    problems_of_origin,
)
from wallet_gateway.conf.values import SETTING, Problem, split_address
from wallet_gateway.conf.wallet_rules import FERNET_KEYS, problems_of_keys

OF_ADDRESS = ("AUTH", "CLIENT_CLASS", "CA_FILE", "CLIENT_CERT", "PROXY", "PATHS", "REDIRECT_HOSTS")
"""What an account outside the settings cannot have itself: code, files, and where requests and people go."""
OF_ADDRESS_IN_WALLET = (
    *("THREE_D_SECURE", "PRICING", "BUTTON_OVERRIDES", "PAY_JS_URL", "WALLET_JS_URL"),
    *("WALLET_JS_INTEGRITY", "WALLET_JS_CORS", "TRUSTED_TYPES"),
)
"""The same in its `WALLET`: code, and which scripts run on the page where customers pay."""
_ELSEWHERE = f"nothing here: it belongs to the address, as a part of {SETTING}['BASE_URLS']"
_SAMPLE = {"MERCHANT_ID": "M", "STORE_ID": "S", "USER_ID": "U", "PROVIDER": "P"}
_SAMPLE_OF_WALLET = {"COUNTRY": "DE", "MERCHANT_NO": "0" * 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """The settings of the shop and of Django by which an account is judged."""

    public_origin: str
    addresses: Mapping[str, Any] = field(repr=False)
    """The setting `BASE_URLS`, which may hold secrets."""
    fernet_keys: tuple[str, ...] = field(repr=False)
    debug: bool
    allowed_hosts: Collection[str]
    published_secret_keys: tuple[str, ...]
    """The names of Django's settings with a key that everybody knows."""
    account_hosts: Collection[str] = ()
    """The setting `ACCOUNT_HOSTS`: the allowed hosts to which an account may lead."""


def problems_of_addresses(where: str, addresses: object, *, debug: bool) -> Iterator[Problem]:
    """Yield what is wrong with `BASE_URLS`: each is a URL, or a dict with the URL and what belongs to it."""
    if not isinstance(addresses, dict):
        yield Problem(setting=where, expected="a dict with an address by name")
        return
    for name, given in addresses.items():
        if not is_alias(name):
            expected = f"a name of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
        if isinstance(given, str | dict):
            yield from problems_of_gateway(f"{where}[{name!r}]", _sample(given), debug=debug)
        else:
            expected = "a URL, or a dict with BASE_URL and what belongs to that address"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)


def _sample(given: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a whole gateway at an address, so that the rules of a gateway can judge it."""
    sample = {**_SAMPLE, **_entry(given)}
    if isinstance(sample.get("WALLET"), dict):
        sample["WALLET"] = {**_SAMPLE_OF_WALLET, **sample["WALLET"]}
    return sample


def _entry(given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"BASE_URL": given} if isinstance(given, str) else given


def with_address(given: Mapping[str, Any], addresses: object) -> Mapping[str, Any]:
    """Return a gateway's settings with those of the address that its `BASE_URL` names; its own go first.

    A `BASE_URL` that is no name of an address stays as it is.
    """
    name = given.get("BASE_URL")
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


def problems_of_account(where: str, alias: object, given: object, *, shop: Shop) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in an account outside the settings; never a secret."""
    if not is_alias(alias):
        yield Problem(setting=where, expected=f"an alias of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -")
    if not isinstance(given, dict):
        yield Problem(setting=where, expected="a dict")
        return
    refused = [*_problems_of_address(where, given, shop.addresses)]
    yield from refused
    if not refused:
        whole = with_address(given, shop.addresses)
        yield from problems_of_gateway(where, whole, debug=shop.debug)
        yield from _problems_of_host(f"{where}['PUBLIC_ORIGIN']", given.get("PUBLIC_ORIGIN"), shop)
        yield from _problems_of_shop(where, whole, shop)


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


def _problems_of_host(where: str, origin: object, shop: Shop) -> Iterator[Problem]:
    """Check that customers come back to a host of this project, and to no other.

    `ALLOWED_HOSTS = ["*"]` leaves the hosts to a proxy, which does not see what is in a table of accounts.
    """
    url = split_address(origin) if origin else None
    if url is None:
        return
    host, allowed = _host(url.netloc), shop.allowed_hosts or (".localhost", "127.0.0.1", "[::1]")
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


def _problems_of_shop(where: str, given: Mapping[str, Any], shop: Shop) -> Iterator[Problem]:
    """Check that the shop has what this account needs of it, as for an account in the settings."""
    live = given.get("PROFILE") == LIVE
    if not given.get("PUBLIC_ORIGIN"):
        name, origin = f"{SETTING}['PUBLIC_ORIGIN']", shop.public_origin
        yield from problems_of_origin(name, origin, debug=shop.debug, live=live)
    if not given.get(FERNET_KEYS):
        needed, name = given.get("WALLET") is not None and not shop.debug, f"{SETTING}[{FERNET_KEYS!r}]"
        yield from problems_of_keys(name, shop.fernet_keys, needed=needed, live=live)
    for name in shop.published_secret_keys if live else ():
        yield Problem(setting=name, expected=f"a secret of your own, because {where} has the profile 'prod'")
