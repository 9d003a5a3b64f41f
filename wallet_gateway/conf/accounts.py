"""Accounts that a shop keeps outside its settings, such as in a table.

They are read when they are used and kept while their version stays the same, so that no process needs a
restart. Each account is judged alone, by the settings' own model: a wrong one is refused whole and does not
affect the others.

A person who may change the accounts must not be able to send credentials or customers elsewhere, to run code
or to name files. So an account names its address, and all that belongs to the address is in the settings.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host
from django.utils.module_loading import import_string

from wallet_gateway.client.errors import places
from wallet_gateway.conf.fields import SETTING, Problem, WrongSettings, is_alias, split_address
from wallet_gateway.protocol.text import quote

if TYPE_CHECKING:
    from wallet_gateway.conf.model import GatewaySettings, Settings

T = TypeVar("T")

logger = logging.getLogger("wallet_gateway.accounts")

LOOK_AGAIN_SECONDS = 5.0
"""How long a process uses what it has read without asking for the version again."""
_NEVER: Final = float("-inf")
OF_ADDRESS: Final = frozenset(
    {"AUTH", "CLIENT_CLASS", "CA_FILE", "CLIENT_CERT", "PROXY", "PATHS", "REDIRECT_HOSTS"}
)
"""What an account cannot have itself: code, files, and where requests and people go."""
OF_ADDRESS_IN_WALLET: Final = frozenset(
    {"THREE_D_SECURE", "PRICING", "BUTTON_OVERRIDES", "PAY_JS_URL", "WALLET_JS", "TRUSTED_TYPES"}
)
"""The same in its `WALLET`: code, and which scripts run on the page where customers pay."""


def with_address(given: Any, addresses: object) -> Any:  # noqa: ANN401 - of the shop
    """Return a gateway's settings with those of the address that its `BASE_URL` names; its own go first.

    A `BASE_URL` that is no name of an address stays as it is, and so does what is no dict.
    """
    name = given.get("BASE_URL") if isinstance(given, dict) else None
    entry = addresses.get(name) if isinstance(addresses, dict) and isinstance(name, str) else None
    if not isinstance(entry, str | dict):
        return given
    options = _options(entry)
    merged = {**options, **given, "BASE_URL": options.get("BASE_URL")}
    of_address, own = options.get("WALLET"), given.get("WALLET")
    # Whether there is a button is the account's own decision.
    merged["WALLET"] = (
        {**of_address, **own} if isinstance(of_address, dict) and isinstance(own, dict) else own
    )
    return merged


def _options(address: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"BASE_URL": address} if isinstance(address, str) else address


def read_account(where: str, alias: str, given: object, *, shop: Settings) -> GatewaySettings:
    """Return an account; raises `WrongSettings` with all that is missing or wrong."""
    if not isinstance(given, dict):
        raise WrongSettings([Problem(setting=where, expected="a dict")])
    name, wallet = given.get("BASE_URL"), given.get("WALLET")
    if not isinstance(name, str) or name not in shop.addresses:
        known = ", ".join(sorted(shop.addresses))
        expected = f"the name of an address in {SETTING}['BASE_URLS'], not a URL; it has: {known}"
        raise WrongSettings([Problem(setting=f"{where}['BASE_URL']", expected=expected)])
    # An account must not say what only an address may have, and what its address has said.
    entry, problems = _options(shop.addresses[name]), list[Problem]()
    expected = f"nothing here: it belongs to the address, as a part of {SETTING}['BASE_URLS']"
    for option in given:
        if option in OF_ADDRESS or (option in entry and option not in {"BASE_URL", "WALLET"}):
            problems.append(Problem(setting=f"{where}[{option!r}]", expected=expected))
    for option in wallet if isinstance(wallet, dict) else ():
        if option in OF_ADDRESS_IN_WALLET or option in (entry.get("WALLET") or {}):
            problems.append(Problem(setting=f"{where}['WALLET'][{option!r}]", expected=expected))
    if problems:
        raise WrongSettings(problems)
    # Customers come back to a host of this project, and to no other. `ALLOWED_HOSTS = ["*"]` leaves the hosts
    # to a proxy, which does not see what is in a table of accounts.
    if host := _host_of(given.get("PUBLIC_ORIGIN")):
        allowed = django_settings.ALLOWED_HOSTS or (".localhost", "127.0.0.1", "[::1]")
        own = [*(each for each in allowed if each != "*"), _host_of(shop.public_origin)]
        expected = ""
        if not validate_host(host, allowed):
            expected = "a host of ALLOWED_HOSTS, because customers come back to it"
        elif not validate_host(host, shop.account_hosts or own):
            expected = f"a host of {SETTING}['ACCOUNT_HOSTS'], because customers come back to it"
        if expected:
            problems.append(Problem(setting=f"{where}['PUBLIC_ORIGIN']", expected=expected))
    found = None
    try:
        found = shop.read_account(where, alias, with_address(given, shop.addresses))
    except WrongSettings as wrong:
        problems += wrong.problems
    if found is None or problems:
        raise WrongSettings(problems)
    return found


def _host_of(origin: object) -> str:
    """Return the host of an address without its port, as `ALLOWED_HOSTS` has it; empty for no address."""
    url = split_address(origin)
    return re.sub(r":[0-9]*$", "", url.netloc.lower()) if url else ""


@dataclass(slots=True, kw_only=True)
class _Source:
    """The shop's mapping as one look has found it, under one version."""

    version: object
    mapping: Mapping[Any, Any]
    aliases: tuple[Any, ...] | None = None
    """All aliases; None while only single accounts were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """One account as it was read: its settings, or what is wrong with it."""

    given: Any = field(repr=False)
    settings: GatewaySettings | None
    problems: tuple[Problem, ...]
    source: _Source = field(repr=False)
    read_at: float


class AccountsReadThemselves(ImproperlyConfigured):
    """The shop's code, while it reads the accounts, has called a function that needs the accounts."""


class _Unreadable(Exception):
    """The shop's code has raised an error, of which only the class and the place are told."""

    def __init__(self, error: Exception) -> None:
        self.is_missing = isinstance(error, KeyError)
        fault = f"{type(error).__name__} at {places(error, most=3)}"
        said = "an account is listed, and not there" if self.is_missing else f"it cannot be read: {fault}"
        super().__init__(said)


class AccountsElsewhere:
    """The accounts of the mapping that a dotted path leads to, or of the callable that returns a mapping.

    A mapping with a method `version()` is read again when the version has changed; any other is read whole
    each time, and compared. The version is asked for at most once in `LOOK_AGAIN_SECONDS`, and at once for an
    alias that is not known. While it cannot be read, what was read last stays in use.
    """

    def __init__(self, path: str, *, shop: Settings) -> None:
        self._path, self._shop = path, shop
        self._source: _Source | None = None
        self._accounts: dict[Any, _Account] = {}
        """As they were read last. One that has not changed keeps its settings, and so its client."""
        self._told: dict[Any, tuple[Problem, ...]] = {}
        self._looked_at = _NEVER
        self._look: object = None
        self._fault = ""

    def usable(self) -> Mapping[str, GatewaySettings]:
        """Return the accounts that are right; none while none could be read, which is logged."""
        return {alias: one.settings for alias, one in self._all().items() if one.settings is not None}

    def find(self, alias: str) -> GatewaySettings:
        """Return one account; raises `ImproperlyConfigured` with its alias and the fields that are wrong."""
        found = self._find(alias)
        if found is None:
            # It may have been added since, by this process or another one.
            self.forget()
            found = self._find(alias)
        if found is None:
            fault = self._fault or f"it has no {alias!r}"
            raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'], {self._path}: {fault}")
        if found.settings is None:
            raise WrongSettings(found.problems)
        return found.settings

    def problems(self) -> Mapping[str, tuple[Problem, ...]]:
        """Return what is wrong with each account; under an empty alias, why the accounts cannot be read."""
        wrong = {alias: one.problems for alias, one in self._all().items() if one.settings is None}
        if self._fault:
            wrong[""] = (Problem(setting=self._path, expected=self._fault),)
        return wrong

    def judge(self, alias: str, given: object) -> tuple[Problem, ...]:
        """Return what would be wrong with an account, before it is stored. Reads nothing."""
        return self._settings_or_problems(alias, given)[1]

    def forget(self) -> None:
        """Ask for the version again at the next use."""
        self._looked_at = _NEVER

    def _name(self, alias: object) -> str:
        return f"{self._path}[{quote(alias)}]"

    def _settings_or_problems(
        self, alias: str, given: object
    ) -> tuple[GatewaySettings | None, tuple[Problem, ...]]:
        try:
            return read_account(self._name(alias), alias, given, shop=self._shop), ()
        except WrongSettings as wrong:
            return None, wrong.problems

    # What the shop's mapping has now

    def _find(self, alias: str) -> _Account | None:
        source = self._current()
        if source is None or not is_alias(alias):
            return None
        # One that was added since is found by the next look, together with the list of all.
        is_listed = source.aliases is None or alias in source.aliases
        return self._account(source, alias) if is_listed else None

    def _all(self) -> Mapping[str, _Account]:
        source = self._current()
        if source is None:
            return {}
        if source.aliases is None:
            source.aliases = self._read_all(source)
        # A key that is no alias is named by a text that is no alias either, and not empty.
        return {
            alias if is_alias(alias) else f"key {quote(alias)}": account
            for alias in source.aliases or ()
            if (account := self._account(source, alias)) is not None
        }

    def _current(self) -> _Source | None:
        """Return the mapping under its current version; the last one while it cannot be read, if any."""
        if getattr(_of_thread, "is_running", False):
            raise AccountsReadThemselves("the accounts cannot be used by the code that reads them")
        if _is_recent(self._looked_at) and (self._source is not None or self._fault):
            return self._source
        # Other threads go on with what was read last, while this one runs the shop's code.
        self._looked_at = time.monotonic()
        look = self._look = object()
        known = self._source
        try:
            found = _run(self._found)
            is_same = known is not None and _run(lambda: bool(known.version == found.version))
        except _Unreadable as error:
            self._note(str(error))
            return known
        self._fault = ""
        # Not over what a thread finds that began to look later.
        if not is_same and (self._look is look or self._source is None):
            self._source = found
        return self._source

    def _found(self) -> _Source:
        mapping = import_string(self._path)
        if callable(mapping) and not isinstance(mapping, Mapping):
            mapping = mapping()
        if not isinstance(mapping, Mapping):
            raise TypeError(f"{self._path} gives a {type(mapping).__name__}, not a mapping")
        if callable(version := getattr(mapping, "version", None)):
            return _Source(version=version(), mapping=mapping)
        whole = deepcopy(dict(mapping.items()))
        return _Source(version=whole, mapping=whole)

    def _read_all(self, source: _Source) -> tuple[Any, ...] | None:
        """Read all accounts at once, or only their aliases if one of them cannot be read; None if neither."""
        try:
            whole = _run(lambda: dict(source.mapping.items()))
        except _Unreadable:
            try:
                return _run(lambda: tuple(source.mapping))
            except _Unreadable as error:
                self._note(str(error))
                return None
        # Nothing is kept of those that were removed.
        self._accounts = {alias: one for alias, one in self._accounts.items() if alias in whole}
        for alias in whole:
            self._read(source, alias, whole)
        return tuple(whole)

    def _account(self, source: _Source, alias: Any) -> _Account | None:  # noqa: ANN401 - of the shop
        """Return an account of this version, or read it; a wrong one is read again after a while."""
        found = self._accounts.get(alias)
        if found is None or found.source is not source or not (found.settings or _is_recent(found.read_at)):
            found = self._read(source, alias, source.mapping)
        # Not where it was read: a collector records the variables of those that write a log line.
        if found is not None and self._told.get(alias, ()) != found.problems:
            self._told[alias] = found.problems
            for problem in found.problems:
                logger.error("a gateway is not used: %s", problem)
        return found

    def _read(
        self,
        source: _Source,
        alias: Any,  # noqa: ANN401 - of the shop
        mapping: Mapping[Any, Any],
    ) -> _Account | None:
        """Read and judge an account; None if it is not there. One that has not changed keeps its settings."""
        before = self._accounts.get(alias)
        given, problems = None, tuple[Problem, ...]()
        settings = before.settings if before else None
        try:
            given = _run(lambda: deepcopy(mapping[alias]))
            if before is None or settings is None or not _run(lambda: bool(before.given == given)):
                settings, problems = _run(lambda: self._settings_or_problems(alias, given))
        except _Unreadable as error:
            if error.is_missing and given is None:
                return None
            settings, problems = None, (Problem(setting=self._name(alias), expected=str(error)),)
        account = _Account(
            given=given, settings=settings, problems=problems, source=source, read_at=time.monotonic()
        )
        self._accounts[alias] = account
        return account

    def _note(self, fault: str) -> None:
        if fault != self._fault:
            logger.error("the accounts of %s are not read: %s", self._path, fault)
        self._fault = fault


def _is_recent(instant: float) -> bool:
    # Not below zero: a test may have frozen the clock at that instant.
    return 0 <= time.monotonic() - instant < LOOK_AGAIN_SECONDS


_of_thread = threading.local()


def _run(code: Callable[[], T]) -> T:
    """Run code of the shop; raises `_Unreadable` for any error.

    Neither its text nor its variables are passed on: they may hold credentials.
    """
    _of_thread.is_running = True
    try:
        return code()
    except Exception as error:  # noqa: BLE001 - the shop's code may raise any
        failure = _Unreadable(error)
    finally:
        _of_thread.is_running = False
    # Outside of the clause, so that nothing is chained to it.
    raise failure
