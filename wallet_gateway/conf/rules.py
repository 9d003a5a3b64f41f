"""The rules of the setting `WALLET_GATEWAY` as a whole. The input is values, the output is problems.

The rules of one gateway are in `gateway_rules`, those of an account outside the settings in `account_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.module_loading import import_string

from wallet_gateway.conf.account_rules import problems_of_addresses, with_address
from wallet_gateway.conf.gateway_rules import (
    LIVE,
    LONGEST_ALIAS,
    LONGEST_DAYS,
    is_alias,
    problems_of_gateway,
    problems_of_origin,
)
from wallet_gateway.conf.values import (
    COLLECTION,
    SETTING,
    Problem,
    Setting,
    dotted_path,
    has_type,
    is_origin,
    problems_of_names,
    problems_of_options,
)
from wallet_gateway.conf.wallet_rules import FERNET_KEYS, is_script_address, problems_of_keys

SHORTEST_TOKEN, FEWEST_DIFFERENT = 20, 8
RETENTION_DAYS = 400
"""How long bodies are kept: a year for disputes, and some days to investigate the last one."""
ACCESS_TOKEN_SECONDS = 3600
LONGEST_ACCESS_TOKEN_SECONDS = 86_400
_ORIGINS = (
    "origins as browsers write them, such as 'https://app.shop.example'; http only on a loopback address"
)
_HOSTS = "hosts as in ALLOWED_HOSTS, such as ['.shops.example'], or ['*'] if a proxy admits known hosts only"
_HOST_PATTERN = re.compile(r"\*|\.?[a-z0-9_\-.]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_IN_HEADERS = re.compile(r"[!#-+\--:<-\[\]-~]*")


def _are_host_patterns(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and bool(_HOST_PATTERN.fullmatch(value)) for value in values)


def _are_origins(values: Iterable[object]) -> bool:
    return all(map(is_origin, values))


OPTIONAL_OF_SHOP: Mapping[str, Setting] = {
    "ORDER_ADMIN_URL": dotted_path(),
    "CONTINUE_ORIGINS": Setting(COLLECTION, (), _are_origins, _ORIGINS),
    "ACCOUNT_HOSTS": Setting(COLLECTION, (), _are_host_patterns, _HOSTS),
    "API_ORIGINS": Setting(COLLECTION, (), _are_origins, _ORIGINS),
    "ACCESS_TOKEN_SECONDS": Setting(
        int,
        ACCESS_TOKEN_SECONDS,
        range(60, LONGEST_ACCESS_TOKEN_SECONDS + 1).__contains__,
        f"60 to {LONGEST_ACCESS_TOKEN_SECONDS} seconds: a token that somebody else has read must end",
    ),
}
SHOP = (
    "PUBLIC_ORIGIN",
    "GATEWAYS",
    "BASE_URLS",
    FERNET_KEYS,
    "HEALTH_TOKEN",
    "RETENTION_DAYS",
    "CSP_REPORT_URL",
    *OPTIONAL_OF_SHOP,
)


def problems_of(raw: Mapping[str, Any], *, debug: bool) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in the setting, without using the network or a database."""
    live = bool(live_aliases(raw.get("GATEWAYS")))
    origin = raw.get("PUBLIC_ORIGIN")
    yield from problems_of_origin(f"{SETTING}['PUBLIC_ORIGIN']", origin, debug=debug, live=live)
    yield from problems_of_names(SETTING, raw, SHOP)
    yield from problems_of_options(SETTING, raw, OPTIONAL_OF_SHOP)
    token = raw.get("HEALTH_TOKEN", "")
    if not isinstance(token, str) or (token and not _is_hard_to_guess(token)):
        expected = f"a random text of {SHORTEST_TOKEN} or more characters, or nothing"
        yield Problem(setting=f"{SETTING}['HEALTH_TOKEN']", expected=expected)
    days = raw.get("RETENTION_DAYS", RETENTION_DAYS)
    if not has_type(days, int) or not 1 <= days <= LONGEST_DAYS:
        expected = f"a whole number of days above zero, at most {LONGEST_DAYS}"
        yield Problem(setting=f"{SETTING}['RETENTION_DAYS']", expected=expected)
    if not _is_report_url(raw.get("CSP_REPORT_URL", "")):
        expected = "an https URL, or nothing; http only on a loopback address"
        yield Problem(setting=f"{SETTING}['CSP_REPORT_URL']", expected=expected)
    gateways, keys = raw.get("GATEWAYS"), raw.get(FERNET_KEYS)
    needed = not debug and needs_shop_keys(gateways)
    yield from problems_of_keys(f"{SETTING}[{FERNET_KEYS!r}]", keys, needed=needed, live=live)
    addresses = raw.get("BASE_URLS", {})
    yield from problems_of_addresses(f"{SETTING}['BASE_URLS']", addresses, debug=debug)
    if not raw:
        expected = (
            "a dict with a gateway under 'default'; only with DEBUG on, an empty setting means the sandbox"
        )
        yield Problem(setting=f"{SETTING}['GATEWAYS']", expected=expected)
    elif isinstance(gateways, str):
        yield from _problems_of_source(f"{SETTING}['GATEWAYS']", gateways, addresses=addresses)
    else:
        yield from _problems_of_gateways(f"{SETTING}['GATEWAYS']", gateways, addresses=addresses, debug=debug)


def _problems_of_source(where: str, path: str, *, addresses: object) -> Iterator[Problem]:
    """Check what a dotted path leads to; not what is in it, which may be in a database."""
    try:
        source = import_string(path)
    except ImportError:
        source = None
    if not callable(source) and not isinstance(source, Mapping):
        expected = "a dict, or the dotted path of a mapping or of a callable that returns one"
        yield Problem(setting=where, expected=expected)
    if not addresses:
        expected = "a dict with an address by name, because accounts outside the settings name one"
        yield Problem(setting=f"{SETTING}['BASE_URLS']", expected=expected)


def _problems_of_gateways(
    where: str, gateways: object, *, addresses: object, debug: bool
) -> Iterator[Problem]:
    if not isinstance(gateways, dict) or not gateways:
        yield Problem(setting=where, expected="a dict with a gateway under 'default'")
        return
    for alias, given in gateways.items():
        name = f"{where}[{alias!r}]"
        if not is_alias(alias):
            yield Problem(setting=name, expected=f"an alias of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -")
        if isinstance(given, dict):
            yield from problems_of_gateway(name, with_address(given, addresses), debug=debug)
        else:
            yield Problem(setting=name, expected="a dict")


def needs_shop_keys(gateways: object) -> bool:
    """Return whether a gateway in these settings has a wallet button and no keys of its own."""
    if not isinstance(gateways, dict):
        return False
    given = [one for one in gateways.values() if isinstance(one, dict)]
    return any(one.get("WALLET") is not None and not one.get(FERNET_KEYS) for one in given)


def live_aliases(gateways: object) -> list[str]:
    """Return the aliases of the gateways in these settings that have the live profile."""
    found = gateways.items() if isinstance(gateways, dict) else ()
    return [str(alias) for alias, given in found if isinstance(given, dict) and given.get("PROFILE") == LIVE]


def _is_hard_to_guess(token: str) -> bool:
    # A repeated letter or a short word several times is a placeholder that was never replaced.
    return len(token) >= SHORTEST_TOKEN and len(set(token)) >= FEWEST_DIFFERENT


def _is_report_url(value: object) -> bool:
    # It becomes a part of two headers: it may have a query, and nothing that ends a directive or a text.
    return isinstance(value, str) and is_script_address(value) and bool(_IN_HEADERS.fullmatch(value))
