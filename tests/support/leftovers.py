"""Each test gives back what it was given: what it leaves behind is its own fault, not that of the next test.

A connection that is still in a transaction, without autocommit, or wrapped would break every later test of
the same process; rows that were committed after the flush, settings and the working directory as well.
Receivers of the plugin's signals are taken away in silence: Django forgets most of them by itself.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connections
from django.dispatch import Signal
from pytest_django.plugin import blocking_manager_key

from wallet_gateway import signals

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from django.db.backends.base.base import BaseDatabaseWrapper

WATCHED_APPS = ("wallet_gateway", "shop", "auth", "sessions")
FILLED_BY_DJANGO = ("Permission",)
"""Tables that Django itself fills after a migration."""
_GIVEN = pytest.StashKey[tuple[object, str]]()
_RAN = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_GIVEN] = (_settings_in_force(), os.getcwd())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    item.stash[_RAN] = True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    yield
    left = [*_of_connections(), *_of_the_process(item)]
    # Before the first test that is not skipped there are no tables, and after the last test they are gone.
    if nextitem is not None and item.stash.get(_RAN, False) and _commits(item):
        left += _of_tables(item.config)
    if left:
        pytest.fail(f"{item.nodeid} left behind: {'; '.join(left)}", pytrace=False)


@pytest.fixture(autouse=True)
def _same_receivers() -> Iterator[None]:
    with same_receivers():
        yield


@contextmanager
def same_receivers() -> Iterator[None]:
    """Let only those hear afterwards who heard before.

    A receiver that raised is held by its own traceback until garbage is collected: until then, Django's weak
    reference alone would let it answer in a later test.
    """
    ours = [signal for signal in vars(signals).values() if isinstance(signal, Signal)]
    before = [[*signal.receivers] for signal in ours]
    try:
        yield
    finally:
        for signal, known in zip(ours, before, strict=True):
            signal.receivers = known
            signal.sender_receivers_cache.clear()


def _of_connections() -> Iterator[str]:
    for connection in connections.all(initialized_only=True):
        if faults := list(_faults_of(connection)):
            # Closed beneath Django, which refuses that in a transaction; the next test opens one of its own.
            if connection.connection is not None:
                connection.connection.close()
            del connections[connection.alias]
            yield f"the connection {connection.alias!r}: {', '.join(faults)}"


def _faults_of(connection: BaseDatabaseWrapper) -> Iterator[str]:
    if connection.in_atomic_block:
        yield "in a transaction"
    elif connection.connection is not None and not connection.autocommit:
        yield "autocommit is off"
    if connection.execute_wrappers:
        yield "wrapped"
    if connection.run_on_commit:
        yield "something waits for its commit"


def _of_the_process(item: pytest.Item) -> Iterator[str]:
    given, folder = item.stash[_GIVEN]
    if _settings_in_force() is not given:
        yield "settings that are overridden"
    if os.getcwd() != folder:
        os.chdir(folder)
        yield "another working directory"


def _settings_in_force() -> object:
    """What `settings` stands for: an override is another object in its place."""
    return vars(settings)["_wrapped"]


def _commits(item: pytest.Item) -> bool:
    """Whether a test commits, so that its tables are emptied by a flush."""
    marker = item.get_closest_marker("django_db")
    asked = {"transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    return bool(asked) or (marker is not None and bool(marker.kwargs.get("transaction")))


def _of_tables(config: pytest.Config) -> list[str]:
    """Rows that were committed after the flush, by a thread or a process that outlived its test."""
    with config.stash[blocking_manager_key].unblock():
        return [
            f"rows of {model.__name__}"
            for label in WATCHED_APPS
            for model in apps.get_app_config(label).get_models()
            if model.__name__ not in FILLED_BY_DJANGO and model._base_manager.exists()
        ]
