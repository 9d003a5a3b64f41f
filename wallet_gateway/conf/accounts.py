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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host
from django.utils.module_loading import import_string

from wallet_gateway.client.errors import places
from wallet_gateway.conf.fields import SETTING, Problem, WrongSettings, is_alias, split_address
from wallet_gateway.protocol.text import quote

if TYPE_CHECKING:
    from wallet_gateway.conf.model import GatewaySettings, Settings

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger("wallet_gateway.accounts")

LOOK_AGAIN_SECONDS = 5.0
"""How long a process uses what it has read without asking for the version again."""
_NEVER: Final = float("-inf")
_GONE: Final = Ellipsis
"""What stands for an account that is no longer there; a copy of it is itself."""
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


def _faults(given: object, shop: Settings) -> Iterator[tuple[str, str]]:
    """Yield the place and the right value of each option that an account outside the settings may not have.

    Nothing that it names is imported or opened as long as there is one.
    """
    if not isinstance(given, dict):
        yield "", "a dict"
        return
    name, wallet = given.get("BASE_URL"), given.get("WALLET")
    if not isinstance(name, str) or name not in shop.addresses:
        known = ", ".join(sorted(shop.addresses))
        expected = f"the name of an address in {SETTING}['BASE_URLS'], not a URL; it has: {known}"
        yield "['BASE_URL']", expected
        return
    # An account must not say what only an address may have, and what its address has said.
    entry = _options(shop.addresses[name])
    expected = f"nothing here: it belongs to the address, as a part of {SETTING}['BASE_URLS']"
    for option in given:
        if option in OF_ADDRESS or (option in entry and option not in {"BASE_URL", "WALLET"}):
            yield f"[{option!r}]", expected
    for option in wallet if isinstance(wallet, dict) else ():
        if option in OF_ADDRESS_IN_WALLET or option in (entry.get("WALLET") or {}):
            yield f"['WALLET'][{option!r}]", expected
    # Customers come back to a host of this project, and to no other. `ALLOWED_HOSTS = ["*"]` leaves the hosts
    # to a proxy, which does not see what is in a table of accounts.
    if host := _host_of(given.get("PUBLIC_ORIGIN")):
        allowed = django_settings.ALLOWED_HOSTS or (".localhost", "127.0.0.1", "[::1]")
        own = [*(each for each in allowed if each != "*"), _host_of(shop.public_origin)]
        if not validate_host(host, allowed):
            yield "['PUBLIC_ORIGIN']", "a host of ALLOWED_HOSTS, because customers come back to it"
        elif not validate_host(host, shop.account_hosts or own):
            expected = f"a host of {SETTING}['ACCOUNT_HOSTS'], because customers come back to it"
            yield "['PUBLIC_ORIGIN']", expected


def _host_of(origin: object) -> str:
    """Return the host of an address without its port, as `ALLOWED_HOSTS` has it; empty for no address."""
    url = split_address(origin)
    return re.sub(r":[0-9]*$", "", url.netloc.lower()) if url else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """One account as it was read: its settings, or what is wrong with it."""

    given: Any = field(default=None, repr=False)
    settings: GatewaySettings | None = None
    problems: tuple[Problem, ...] = ()


class AccountsReadThemselves(ImproperlyConfigured):
    """The shop's code, while it reads the accounts, has called a function that needs the accounts."""


class _Unreadable(Exception):
    """The shop's code has raised an error, of which only the class and the place are told."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"it cannot be read: {type(error).__name__} at {places(error, most=3)}")


_NEVER_READ: Final[tuple[object, Mapping[str, _Account]]] = (None, {})


class AccountsElsewhere:
    """The accounts of the mapping that a dotted path leads to, or of the callable that returns a mapping.

    A mapping with a method `version()` is read again when the version has changed, or while an account is
    wrong; any other is read each time, and compared. The version is asked for at most once in
    `LOOK_AGAIN_SECONDS`, and at once for an alias that is not known. While it cannot be read, what was read
    last stays in use.
    """

    def __init__(self, path: str, *, shop: Settings) -> None:
        self._path, self._shop = path, shop
        self._known: tuple[object, Mapping[str, _Account]] = _NEVER_READ
        """The version and the accounts as they were read last, in one value for other threads.

        An account that has not changed keeps its settings, and so its client.
        """
        self._looked_at = _NEVER
        self._look: object = None
        self._fault = ""

    def usable(self) -> Mapping[str, GatewaySettings]:
        """Return the accounts that are right; none while none could be read, which is logged."""
        return {alias: one.settings for alias, one in self._current().items() if one.settings is not None}

    def find(self, alias: str) -> GatewaySettings:
        """Return one account; raises `ImproperlyConfigured` with its alias and the fields that are wrong."""
        found = self._current().get(alias)
        if found is None:
            # It may have been added since, by this process or another one.
            self.forget()
            found = self._current().get(alias)
        if found is None:
            fault = self._fault or f"it has no {alias!r}"
            raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'], {self._path}: {fault}")
        if found.settings is None:
            raise WrongSettings(found.problems)
        return found.settings

    def problems(self) -> Mapping[str, tuple[Problem, ...]]:
        """Return what is wrong with each account; under an empty alias, why the accounts cannot be read."""
        wrong = {alias: one.problems for alias, one in self._current().items() if one.settings is None}
        if self._fault:
            wrong[""] = (Problem(setting=self._path, expected=self._fault),)
        return wrong

    def judge(self, alias: object, given: object) -> _Account:
        """Return an account with its settings, or with what is wrong with it. Reads nothing."""
        where, shop = self._name(alias), self._shop
        problems = tuple(
            Problem(setting=where + path, expected=right) for path, right in _faults(given, shop)
        )
        if problems:
            return _Account(given=given, problems=problems)
        try:
            settings = shop.read_account(where, alias, with_address(given, shop.addresses))
        except WrongSettings as wrong:
            return _Account(given=given, problems=wrong.problems)
        return _Account(given=given, settings=settings)

    def forget(self) -> None:
        """Ask for the version again at the next use."""
        self._looked_at = _NEVER

    def _name(self, alias: object) -> str:
        return f"{self._path}[{quote(alias)}]"

    # What the shop's mapping has now

    def _current(self) -> Mapping[str, _Account]:
        """Return the accounts of the current version; those read last while it cannot be read, if any."""
        if getattr(_of_thread, "is_running", False):
            raise AccountsReadThemselves("the accounts cannot be used by the code that reads them")
        known, fault = self._known, self._fault
        # Not below zero: a test may have frozen the clock at that instant.
        is_recent = 0 <= time.monotonic() - self._looked_at < LOOK_AGAIN_SECONDS
        if is_recent and (known is not _NEVER_READ or fault):
            return known[1]
        self._look_again(known)
        # Not where it was read: a collector records the variables of those that write a log line.
        if self._fault not in {"", fault}:
            logger.error("the accounts of %s are not read: %s", self._path, self._fault)
        accounts = self._known[1]
        for alias, one in accounts.items():
            if one.problems != known[1].get(alias, _Account()).problems:
                for problem in one.problems:
                    logger.error("a gateway is not used: %s", problem)
        return accounts

    def _look_again(self, known: tuple[object, Mapping[str, _Account]]) -> None:
        # Other threads go on with what was read last, while this one runs the shop's code.
        self._looked_at = time.monotonic()
        look = self._look = object()
        before, accounts = known
        try:
            version, mapping = _run(self._found)
            is_same = known is not _NEVER_READ and _run(lambda: bool(before == version))
            accounts = self._read(mapping, accounts, is_same=is_same)
        except _Unreadable as error:
            self._fault = str(error)
            return
        self._fault = ""
        # Not over what a thread finds that began to look later.
        if self._look is look or self._known is _NEVER_READ:
            self._known = version, accounts

    def _found(self) -> tuple[object, Mapping[Any, Any]]:
        """Return the version of the shop's mapping, and the mapping; without a version it is its own."""
        mapping = import_string(self._path)
        if callable(mapping) and not isinstance(mapping, Mapping):
            mapping = mapping()
        if not isinstance(mapping, Mapping):
            raise TypeError(f"{self._path} gives a {type(mapping).__name__}, not a mapping")
        if callable(version := getattr(mapping, "version", None)):
            return version(), mapping
        whole = deepcopy(dict(mapping.items()))
        return whole, whole

    def _read(
        self, mapping: Mapping[Any, Any], before: Mapping[str, _Account], *, is_same: bool
    ) -> Mapping[str, _Account]:
        """Read all accounts at once, or each alone if one of them cannot be read.

        Of the same version only those that are wrong are read: they may have been corrected.
        """
        accounts = dict(before) if is_same else {}
        aliases = tuple(name for name, one in accounts.items() if one.problems and is_alias(name))
        if not is_same:
            with suppress(_Unreadable):
                mapping = _run(lambda: dict(mapping.items()))
            aliases = _run(lambda: tuple(mapping))
        for alias in aliases:
            # A key that is no alias is named by a text that is no alias either, and not empty.
            name = alias if is_alias(alias) else f"key {quote(alias)}"
            try:
                account = _run(self._account, alias, mapping, before.get(name))
            except _Unreadable as error:
                account = _Account(problems=(Problem(setting=self._name(alias), expected=str(error)),))
            if account is not None:
                accounts[name] = account
            else:
                accounts.pop(name, None)
        return accounts

    def _account(self, alias: object, mapping: Mapping[Any, Any], before: _Account | None) -> _Account | None:
        """Judge an account; None if it is gone. One that has not changed keeps its settings."""
        given = deepcopy(mapping.get(alias, _GONE))
        if given is _GONE:
            return None
        if before is not None and before.settings is not None and before.given == given:
            return before
        return self.judge(alias, given)


_of_thread = threading.local()


def _run(code: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run code of the shop; raises `_Unreadable` for any error.

    Neither its text nor its variables are passed on: they may hold credentials.
    """
    _of_thread.is_running = True
    try:
        return code(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - the shop's code may raise any
        failure = _Unreadable(error)
    finally:
        _of_thread.is_running = False
    # Outside of the clause, so that nothing is chained to it.
    raise failure
