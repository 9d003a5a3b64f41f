"""Accounts that a shop keeps outside its settings, such as in a table.

They are read when they are used and kept while their version stays the same, so that no process
needs a restart. Each account is judged alone: a wrong one is refused whole and does not affect the others.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from wallet_gateway.client.exception_map import places
from wallet_gateway.conf.account_rules import Shop, problems_of_account, with_address
from wallet_gateway.conf.gateway_rules import is_alias
from wallet_gateway.conf.gateway_settings import GatewaySettings, read_gateway
from wallet_gateway.conf.values import SETTING, Problem
from wallet_gateway.protocol.text import quote

T = TypeVar("T")

logger = logging.getLogger("wallet_gateway.accounts")

LOOK_AGAIN_SECONDS = 5.0
"""How long a process uses what it has read without asking for the version again."""
_NEVER: Final = float("-inf")


class Gateways(Protocol):
    """All gateways of the shop."""

    def usable(self) -> Mapping[str, GatewaySettings]:
        """Return the gateways that can be used now."""
        ...

    def find(self, alias: str) -> GatewaySettings:
        """Return one gateway; raises `ImproperlyConfigured` if it is unknown or wrong."""
        ...

    def problems(self) -> Mapping[str, tuple[Problem, ...]]:
        """Return what is wrong with each account, by alias; under an empty alias, with all of them."""
        ...

    def forget(self) -> None:
        """Ask for the version again at the next use."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """One account as it was read: its settings, or what is wrong with it."""

    given: Any = field(repr=False)
    settings: GatewaySettings | None
    problems: tuple[Problem, ...] = ()
    read_at: float = _NEVER


@dataclass(slots=True, kw_only=True)
class _Edition:
    """What was read under one version."""

    number: int
    """That of the look which has found it."""
    version: object = field(repr=False)
    source: Mapping[Any, Any] = field(repr=False)
    earlier: dict[str, _Account] = field(default_factory=dict)
    """What was read before: an account that has not changed stays the same object, and so does its client."""
    accounts: dict[str, _Account] = field(default_factory=dict)
    aliases: Mapping[str, None] | None = None
    """All aliases; None while only single accounts were read."""


class AccountsReadThemselves(ImproperlyConfigured):
    """The shop's code, while it reads the accounts, has called a function that needs the accounts."""


class _Unreadable(Exception):
    """The shop's code has raised an error, of which only the class and the place are told."""


class AccountsElsewhere:
    """The accounts of the mapping that a dotted path leads to, or of the callable that returns a mapping.

    A mapping with a method `version()` is read again when the version has changed; any other is read whole
    each time, and compared. The version is asked for at most once in `LOOK_AGAIN_SECONDS`, and at once for an
    alias that is not known. While it cannot be read, what was read last stays in use.
    """

    def __init__(self, path: str, *, shop: Shop) -> None:
        self._path, self._shop = path, shop
        self._edition: _Edition | None = None
        self._looked_at = _NEVER
        self._looks = 0
        self._fault = ""
        self._lock = threading.Lock()

    def usable(self) -> Mapping[str, GatewaySettings]:
        """Return the accounts that are right; none while none could be read, which is logged."""
        return {alias: one.settings for alias, one in self._all() if one.settings is not None}

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
            raise ImproperlyConfigured("; ".join(f"{one.setting}: {one.expected}" for one in found.problems))
        return found.settings

    def problems(self) -> Mapping[str, tuple[Problem, ...]]:
        """Return what is wrong with each account; under an empty alias, why the accounts cannot be read."""
        wrong = {alias: one.problems for alias, one in self._all() if one.settings is None}
        if self._fault:
            wrong[""] = (Problem(setting=self._path, expected=self._fault),)
        return wrong

    def judge(self, alias: str, given: object) -> tuple[Problem, ...]:
        """Return what would be wrong with an account, before it is stored. Reads nothing."""
        return tuple(problems_of_account(self._name(alias), alias, given, shop=self._shop))

    def forget(self) -> None:
        """Ask for the version again at the next use."""
        self._looked_at = _NEVER

    def _find(self, alias: str) -> _Account | None:
        edition = self._current()
        if edition is None or not is_alias(alias):
            return None
        # All that was read of an edition is of the same version.
        is_known = edition.aliases is None or alias in edition.aliases
        return self._account(edition, alias) if is_known else None

    def _all(self) -> Sequence[tuple[str, _Account]]:
        edition = self._current()
        if edition is None:
            return ()
        if edition.aliases is None:
            edition.aliases = self._read_whole(edition)
        # A key that is no alias is named by a text that is no alias either, and not empty.
        found = [
            (alias if is_alias(alias) else f"key {quote(alias)}", self._account(edition, alias))
            for alias in edition.aliases or ()
        ]
        if edition.aliases is not None:
            # Whoever is not among them was removed.
            edition.earlier = {}
        return [(alias, one) for alias, one in found if one is not None]

    def _read_whole(self, edition: _Edition) -> Mapping[str, None] | None:
        """Read all accounts at once, or only their aliases if one of them cannot be read; None if neither."""
        try:
            found = self._judged_at_once(edition)
        except (KeyError, _Unreadable):
            return self._read_aliases(edition)
        for alias, account in found.items():
            _keep(edition, alias, account)
        return dict.fromkeys(found)

    def _judged_at_once(self, edition: _Edition) -> Mapping[str, _Account]:
        # In a function of its own: a collector may record the variables of those that write a log line.
        whole = _run(lambda: deepcopy(dict(edition.source.items())))
        return {alias: self._judged(edition, alias, given) for alias, given in whole.items()}

    def _read_aliases(self, edition: _Edition) -> Mapping[str, None] | None:
        try:
            return _run(lambda: dict.fromkeys(edition.source))
        except (KeyError, _Unreadable) as error:
            self._note(str(error))
            return None

    def _account(self, edition: _Edition, alias: str) -> _Account | None:
        """Return an account as it was read, or read it; a wrong one is read again after a while."""
        known = edition.accounts.get(alias)
        if known is not None and (known.settings or _is_recent(known.read_at)):
            return known
        try:
            found = self._read_one(edition, alias)
        except KeyError:
            return None
        _keep(edition, alias, found)
        return found

    def _read_one(self, edition: _Edition, alias: str) -> _Account:
        try:
            given = _run(lambda: deepcopy(edition.source[alias]))
        except _Unreadable as error:
            return self._refused(alias, str(error))
        return self._judged(edition, alias, given)

    def _judged(self, edition: _Edition, alias: str, given: Any) -> _Account:  # noqa: ANN401 - of the shop
        earlier = edition.accounts.get(alias) or edition.earlier.get(alias)
        try:
            if earlier is not None and earlier.settings is not None and _run(lambda: earlier.given == given):
                return earlier
            return _run(lambda: self._judge(alias, given))
        except (KeyError, _Unreadable) as error:
            return self._refused(alias, str(error))

    def _judge(self, alias: str, given: Any) -> _Account:  # noqa: ANN401 - of the shop
        now = time.monotonic()
        if problems := self.judge(alias, given):
            return _Account(given=given, settings=None, problems=problems, read_at=now)
        whole = with_address(given, self._shop.addresses)
        settings = read_gateway(alias, whole, public_origin=self._shop.public_origin)
        return _Account(given=given, settings=settings, read_at=now)

    def _refused(self, alias: str, why: str) -> _Account:
        problem = Problem(setting=self._name(alias), expected=why)
        return _Account(given=None, settings=None, problems=(problem,), read_at=time.monotonic())

    def _name(self, alias: object) -> str:
        return f"{self._path}[{quote(alias)}]"

    def _current(self) -> _Edition | None:
        """Return the accounts of the current version; those read last while it cannot be read, if any."""
        if _is_running_code():
            raise AccountsReadThemselves("the accounts cannot be used by the code that reads them")
        with self._lock:
            known = self._edition
            if _is_recent(self._looked_at) and (known is not None or self._fault):
                return known
            # Other threads go on with what was read last, while this one runs the shop's code unlocked.
            self._looked_at = time.monotonic()
            self._looks += 1
            number = self._looks
        try:
            version, source = _run(self._look)
            if known is not None and _run(partial(_is_same, known.version, version)):
                self._fault = ""
                return known
        except (KeyError, _Unreadable) as error:
            self._note(str(error))
            return known
        self._fault = ""
        earlier = known.earlier | known.accounts if known is not None else {}
        return self._newest(_Edition(number=number, version=version, source=source, earlier=earlier))

    def _newest(self, found: _Edition) -> _Edition:
        """Use this edition from now on, unless a thread that began to look later has been quicker."""
        with self._lock:
            if self._edition is None or self._edition.number < found.number:
                self._edition = found
            return self._edition

    def _look(self) -> tuple[object, Mapping[Any, Any]]:
        source = import_string(self._path)
        if callable(source) and not isinstance(source, Mapping):
            source = source()
        if not isinstance(source, Mapping):
            raise TypeError(f"{self._path} gives a {type(source).__name__}, not a mapping")
        if callable(version := getattr(source, "version", None)):
            return version(), source
        whole = deepcopy(dict(source.items()))
        return whole, whole

    def _note(self, fault: str) -> None:
        if fault != self._fault:
            logger.error("the accounts of %s are not read: %s", self._path, fault)
        self._fault = fault


def _keep(edition: _Edition, alias: str, found: _Account) -> None:
    """Keep an account as it was read, and log what is wrong with it unless that is known."""
    before = edition.accounts.get(alias) or edition.earlier.get(alias)
    edition.accounts[alias] = found
    if before is None or before.problems != found.problems:
        for problem in found.problems:
            logger.error("a gateway is not used: %s: %s", problem.setting, problem.expected)


def _is_recent(instant: float) -> bool:
    # Not below zero: a test may have frozen the clock at that instant.
    return 0 <= time.monotonic() - instant < LOOK_AGAIN_SECONDS


def _is_same(known: object, found: object) -> bool:
    return bool(known == found)


_of_thread = threading.local()


def _is_running_code() -> bool:
    return getattr(_of_thread, "is_running", False)


def _run(code: Callable[[], T]) -> T:
    """Run code of the shop; raises `KeyError` without a key, and `_Unreadable` for any other error.

    Neither its text nor its variables are passed on: they may hold credentials.
    """
    _of_thread.is_running = True
    try:
        return code()
    except KeyError:
        failure: Exception = KeyError("an account is listed, and not there")
    except Exception as error:  # noqa: BLE001 - the shop's code may raise any
        failure = _Unreadable(f"it cannot be read: {type(error).__name__} at {places(error, most=3)}")
    finally:
        _of_thread.is_running = False
    # Outside of the clause, so that nothing is chained to it.
    raise failure
