"""The rules of one gateway's settings. The input is values, the output is problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from django.utils.module_loading import import_string

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.proxy import FROM_ENVIRONMENT, is_proxy
from wallet_gateway.conf.django_tests import is_set_by_tests
from wallet_gateway.conf.values import (
    COLLECTION,
    COLLECTION_OR_NONE,
    NUMBER,
    PATH,
    PATHS_OF_CERTIFICATE,
    SEQUENCE,
    TEXT_OR_NONE,
    Problem,
    Setting,
    dotted_path,
    has_dot_segment,
    holds_certificates,
    import_fault,
    is_client_certificate,
    is_local,
    is_loopback,
    one_of,
    problem_of_text,
    problems_of_names,
    problems_of_options,
    split_address,
    unreadable_file,
)
from wallet_gateway.conf.wallet_rules import (
    FERNET_KEYS,
    problems_of_keys,
    problems_of_wallet,
)
from wallet_gateway.domain.capture_deadline import CapturePolicy
from wallet_gateway.domain.policy import BookElsewhere, LatePaymentPolicy
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.domain.unknown_types import KNOWN_TYPES
from wallet_gateway.protocol.codes import check_currency
from wallet_gateway.protocol.endpoints import ENDPOINTS
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money

LIVE = "prod"
"""The value of `PROFILE` with which real money moves."""
SANDBOX_MERCHANT = "SANDBOX-MERCHANT"
"""The sandbox's built-in merchant; no provider allocates that id."""
LONGEST_IDENTIFIER = 255
"""The longest that the interface takes, and the length of the columns."""
LONGEST_TIMEOUT = int(LEASE.total_seconds())
LONGEST_IDLE = 3600
SLOWEST_QUERY_RATE, FASTEST_QUERY_RATE = 0.1, 1_000_000
MOST_QUERY_WORKERS = 64
LONGEST_QUERY_AGAIN_DAYS = 3650
LONGEST_DAYS = 36_500
"""A hundred years: the limit for safe calculations with any date."""
LONGEST_ALIAS = 32
"""The length of the column in which rows name their gateway."""
_ALIAS = re.compile(rf"[a-z0-9_-]{{1,{LONGEST_ALIAS}}}")


def _is_numbering(name: str) -> bool:
    return not name or is_alias(name)


def _is_timeout(seconds: float) -> bool:
    return 0 < seconds <= LONGEST_TIMEOUT


def _is_idle_time(seconds: float) -> bool:
    return 0 <= seconds <= LONGEST_IDLE


def _is_query_rate(per_second: float) -> bool:
    return SLOWEST_QUERY_RATE <= per_second <= FASTEST_QUERY_RATE


def _is_line(text: str) -> bool:
    return len(text) <= LONGEST_IDENTIFIER and text.isprintable()


def _is_period(days: float) -> bool:
    return 0 < days <= LONGEST_DAYS


def _are_hosts(values: Iterable[object]) -> bool:
    return all(map(_is_host, values))


def _is_host(value: object) -> bool:
    return isinstance(value, str) and value != "" and not set(value) & set("/@?#\\ ")


def _are_currencies(values: Iterable[object] | None) -> bool:
    return values is None or (bool(values) and all(map(_is_currency, values)))


def _is_currency(value: object) -> bool:
    try:
        return isinstance(value, str) and check_currency(value) == value
    except ProtocolError:
        return False


def _is_client_class(path: str) -> bool:
    if not path:
        return True
    try:
        given = import_string(path)
    except ImportError:
        return False
    return isinstance(given, type) and issubclass(given, Gateway)


def _are_secrets(values: Mapping[object, object]) -> bool:
    return all(isinstance(name, str) and isinstance(value, str) for name, value in values.items())


def _are_unknown_types(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and value and value.lower() not in KNOWN_TYPES for value in values)


def _identifier() -> Setting:
    return Setting(str, "", _is_line, f"one line of at most {LONGEST_IDENTIFIER} characters")


def _timeout(default: float) -> Setting:
    expected = f"seconds above zero, at most {LONGEST_TIMEOUT}: a sender that takes longer counts as dead"
    return Setting(NUMBER, default, _is_timeout, expected)


def _days(default: int) -> Setting:
    return Setting(NUMBER, default, _is_period, f"a number of days above zero, at most {LONGEST_DAYS}")


REQUIRED = ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
OPTIONAL: Mapping[str, Setting] = {
    "PROFILE": one_of("test", "prod"),
    "SKIN_ID": _identifier(),
    "PROVIDER_MERCHANT_ID": _identifier(),
    "REDIRECT_URL_TIMEOUT": Setting(
        int,
        900,
        lambda seconds: 60 <= seconds <= 900,
        "60 to 900 seconds: an order must not stay payable for ever",
    ),
    "REDIRECT_HOSTS": Setting(
        COLLECTION,
        (),
        _are_hosts,
        "hosts without scheme and path, such as 'pay.example' or 'pay.example:8443'",
    ),
    "PUBLIC_ORIGIN": Setting(str, ""),
    "AUTH": dotted_path(),
    "AUTH_SECRETS": Setting(dict, {}, _are_secrets, "a dict with a text under each name"),
    FERNET_KEYS: Setting(SEQUENCE, ()),
    "CLIENT_CLASS": Setting(
        str,
        "",
        _is_client_class,
        "the dotted path of a subclass of wallet_gateway.client.gateway.Gateway",
        import_fault,
    ),
    "CA_FILE": Setting(PATH, ""),
    "CLIENT_CERT": Setting(PATHS_OF_CERTIFICATE, ""),
    "PROXY": Setting(
        TEXT_OR_NONE,
        FROM_ENVIRONMENT,
        lambda proxy: not proxy or is_proxy(proxy),
        "the address of a proxy such as 'http://user:password@proxy.example:3128', None for no proxy, or '' "
        "for that of the environment",
    ),
    "PATHS": Setting(dict, {}),
    "CONNECT_TIMEOUT": _timeout(3.0),
    "READ_TIMEOUT": _timeout(20.0),
    "TOTAL_TIMEOUT": _timeout(30.0),
    "KEEPALIVE_IDLE": Setting(NUMBER, 5.0, _is_idle_time, f"0 to {LONGEST_IDLE} seconds"),
    "QUERY_RATE": Setting(
        NUMBER,
        5.0,
        _is_query_rate,
        f"{SLOWEST_QUERY_RATE} to {FASTEST_QUERY_RATE} queries a second: "
        "a slower gateway would hold up the sweep of all others",
    ),
    "QUERY_WORKERS": Setting(
        int, 1, range(1, MOST_QUERY_WORKERS + 1).__contains__, f"1 to {MOST_QUERY_WORKERS} threads"
    ),
    "BILLING_ADDRESS_REQUIRED": Setting(bool, default=False),
    "CURRENCIES": Setting(
        COLLECTION_OR_NONE, None, _are_currencies, "ISO 4217 codes such as ['EUR'], or None for all"
    ),
    "QUERY_AGAIN_DAYS": Setting(
        int, 180, range(LONGEST_QUERY_AGAIN_DAYS + 1).__contains__, f"0 to {LONGEST_QUERY_AGAIN_DAYS} days"
    ),
    "NUMBERING": Setting(
        str, "", _is_numbering, f"a name of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -, or nothing"
    ),
    "SHARES_REFERENCES": Setting(bool, default=False),
    "BOOK_ELSEWHERE": one_of(*(policy.value for policy in BookElsewhere)),
    "LATE_PAYMENT": one_of(*(policy.value for policy in LatePaymentPolicy)),
    "IGNORED_RECORD_TYPES": Setting(
        COLLECTION, (), _are_unknown_types, "types of status records, none of which the interface names"
    ),
    "SENDING_ENABLED": Setting(bool, default=True),
    "CAPTURE_WINDOW_DAYS": _days(7),
    "CAPTURE_WARNING_DAYS": _days(2),
    "CAPTURE_POLICY": one_of(*(policy.value for policy in CapturePolicy)),
    "APPROVAL_LIMITS": Setting(dict, {}),
    "APPROVAL_DAY_LIMITS": Setting(dict, {}),
    "APPROVAL_DAYS": _days(7),
    "GO_LIVE_MAX_AMOUNT": Setting(dict, {}),
}

_AMOUNTS_BY_CURRENCY = (
    "APPROVAL_LIMITS",
    "APPROVAL_DAY_LIMITS",
    "GO_LIVE_MAX_AMOUNT",
)


def is_alias(value: object) -> bool:
    """Return whether a value may name a gateway.

    Lower case only, because a database that folds case would treat two aliases as one.
    """
    return isinstance(value, str) and bool(_ALIAS.fullmatch(value))


def problems_of_origin(where: str, origin: object, *, debug: bool, live: bool) -> Iterator[Problem]:
    """Yield what is wrong with the scheme and host by which customers reach the shop.

    That of a live server in tests may have any host over http, such as for a browser in a container.
    """
    url = split_address(origin)
    if url is None or url.path.strip("/"):
        yield Problem(setting=where, expected="scheme and host of the shop, such as 'https://shop.example'")
    elif live and (url.scheme != "https" or is_local(url.hostname)):
        expected = "https and a host that customers reach, because a gateway has the profile 'prod'"
        yield Problem(setting=where, expected=expected)
    elif url.scheme != "https" and not (debug or is_loopback(url.hostname) or is_set_by_tests(origin)):
        yield Problem(setting=where, expected="https, because payment results come back to it")


def problems_of_gateway(where: str, given: Mapping[str, Any], *, debug: bool) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in one gateway's settings, without using the network."""
    for name in REQUIRED:
        yield from problem_of_text(where, given, name)
        text = given.get(name)
        if isinstance(text, str) and text.strip() and not _is_line(text):
            expected = f"one line of 1 to {LONGEST_IDENTIFIER} characters"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
    yield from problems_of_names(where, given, (*REQUIRED, *OPTIONAL, "WALLET"))
    yield from problems_of_options(where, given, OPTIONAL)
    yield from _problems_of_base_url(where, given)
    yield from _problems_of_own_origin_and_keys(where, given, debug=debug)
    if given.get("PROFILE") == LIVE:
        yield from _problems_in_production(where, given)
    yield from _problems_of_certificates(where, given)
    yield from _problems_of_paths(where, given.get("PATHS"))
    for name in _AMOUNTS_BY_CURRENCY:
        yield from _problems_of_limits(f"{where}[{name!r}]", given.get(name))
    if given.get("WALLET") is not None:
        yield from problems_of_wallet(
            f"{where}['WALLET']",
            given["WALLET"],
            base_url=given.get("BASE_URL"),
            profile=given.get("PROFILE", "test"),
        )


def _problems_of_own_origin_and_keys(
    where: str, given: Mapping[str, Any], *, debug: bool
) -> Iterator[Problem]:
    live, origin, keys = given.get("PROFILE") == LIVE, given.get("PUBLIC_ORIGIN"), given.get(FERNET_KEYS)
    if origin and isinstance(origin, str):
        yield from problems_of_origin(f"{where}['PUBLIC_ORIGIN']", origin, debug=debug, live=live)
    if keys and isinstance(keys, list | tuple):
        yield from problems_of_keys(f"{where}[{FERNET_KEYS!r}]", keys, needed=False, live=live)


def _problems_of_certificates(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    ca_file, client_cert = given.get("CA_FILE", ""), given.get("CLIENT_CERT", "")
    if ca_file and isinstance(ca_file, PATH) and (wrong := _wrong_ca_file(ca_file)):
        expected = f"a PEM file of the authorities to trust; {wrong}"
        yield Problem(setting=f"{where}['CA_FILE']", expected=expected)
    if client_cert and isinstance(client_cert, PATHS_OF_CERTIFICATE) and (wrong := _wrong_cert(client_cert)):
        expected = f"a PEM file with certificate and key, or a pair of files; {wrong}"
        yield Problem(setting=f"{where}['CLIENT_CERT']", expected=expected)


def _wrong_ca_file(path: str | PurePath) -> str:
    unreadable = unreadable_file(path)
    return unreadable or ("" if holds_certificates(path) else f"{path} holds no certificate")


def _wrong_cert(given: str | PurePath | Sequence[object]) -> str:
    paths = (
        [given] if isinstance(given, PATH) else [path for path in given if path and isinstance(path, PATH)]
    )
    if not isinstance(given, PATH) and not len(given) == len(paths) == 2:
        return "a pair is the path of the certificate and the path of its key"
    for path in paths:
        if unreadable := unreadable_file(path):
            return unreadable
    if is_client_certificate(*paths):
        return ""
    return "the certificate and its key do not fit, one of them is missing, or the key is encrypted"


def _problems_of_limits(where: str, limits: object) -> Iterator[Problem]:
    """Check that limits are currencies with decimal strings: a number's minor units would be a guess."""
    for currency, amount in limits.items() if isinstance(limits, dict) else ():
        if not _is_limit(currency, amount):
            expected = "a currency's code and an amount of it as text, such as 'EUR': '500.00'"
            yield Problem(setting=f"{where}[{currency!r}]", expected=expected)


def _is_limit(currency: object, amount: object) -> bool:
    if not (isinstance(currency, str) and isinstance(amount, str)):
        return False
    try:
        return Money.parse(amount, currency, allow_zero=True).currency == currency
    except ProtocolError:
        return False


def _problems_of_paths(where: str, paths: object) -> Iterator[Problem]:
    if not isinstance(paths, dict):
        return
    known = {endpoint.name for endpoint in ENDPOINTS}
    for name, path in paths.items():
        if name not in known:
            expected = f"unknown name; known: {', '.join(sorted(known))}"
            yield Problem(setting=f"{where}['PATHS'][{name!r}]", expected=expected)
        elif not isinstance(path, str) or not path.startswith("/") or has_dot_segment(path):
            expected = "a path that begins with / and has no step . or .."
            yield Problem(setting=f"{where}['PATHS'][{name!r}]", expected=expected)


def _problems_of_base_url(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    url = split_address(given.get("BASE_URL"))
    name = f"{where}['BASE_URL']"
    if url is None:
        yield Problem(setting=name, expected="an absolute https URL")
        return
    if has_dot_segment(url.path):
        yield Problem(setting=name, expected="an https URL whose path has no step . or ..")
    plain_is_fine = is_loopback(url.hostname) and given.get("PROFILE", "test") == "test"
    if url.scheme != "https" and not plain_is_fine:
        yield Problem(
            setting=name, expected="https; plain http only for a loopback address in profile 'test'"
        )


def _problems_in_production(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what belongs to a developer's machine and must not move real money."""
    url = split_address(given.get("BASE_URL"))
    if url is not None and is_local(url.hostname):
        expected = "the provider's address in profile 'prod', not this machine or its own network link"
        yield Problem(setting=f"{where}['BASE_URL']", expected=expected)
    if given.get("MERCHANT_ID") == SANDBOX_MERCHANT:
        expected = "the provider's own in profile 'prod', not that of the sandbox's merchant"
        yield Problem(setting=f"{where}['MERCHANT_ID']", expected=expected)
    hosts = given.get("REDIRECT_HOSTS", ())
    if isinstance(hosts, COLLECTION) and any(is_local(urlsplit(f"//{host}").hostname) for host in hosts):
        expected = "hosts that customers reach in profile 'prod'"
        yield Problem(setting=f"{where}['REDIRECT_HOSTS']", expected=expected)
