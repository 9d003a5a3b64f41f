"""What a test leaves behind is seen, and taken away from the tests that follow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import override_settings

from tests import leftovers
from wallet_gateway import signals

pytestmark = pytest.mark.django_db(transaction=True)


class _Item:
    """As much of a test as is looked at."""

    def __init__(self) -> None:
        self.stash: dict[Any, Any] = {}


def left_by(item: pytest.Item) -> list[str]:
    return [*leftovers._of_connections(), *leftovers._of_the_process(item)]


@pytest.fixture
def item() -> Iterator[pytest.Item]:
    item = cast("pytest.Item", _Item())
    leftovers.pytest_runtest_setup(item)
    yield item
    assert left_by(item) == [], "it was taken away"


def test_a_test_that_cleans_up_leaves_nothing(item: pytest.Item) -> None:
    with override_settings(DEBUG=True), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert left_by(item) == []


def test_a_connection_without_autocommit_is_left_to_nobody(item: pytest.Item) -> None:
    connection.set_autocommit(False)
    broken = connections["default"]

    assert left_by(item) == ["the connection 'default': autocommit is off"]
    assert connections["default"] is not broken
    assert connections["default"].get_autocommit()


def test_an_open_transaction_is_left_to_nobody(item: pytest.Item) -> None:
    connection.ensure_connection()
    connection.in_atomic_block = True

    assert left_by(item) == ["the connection 'default': in a transaction"]
    assert not connections["default"].in_atomic_block


def test_settings_and_the_working_directory_are_told(item: pytest.Item, tmp_path: os.PathLike[str]) -> None:
    given = leftovers._settings_in_force()
    override = override_settings(DEBUG=True)
    override.enable()
    os.chdir(tmp_path)

    assert left_by(item) == ["settings that are overridden", "another working directory"]
    override.disable()
    assert (leftovers._settings_in_force(), settings.DEBUG) == (given, False)


def test_a_receiver_that_raised_answers_in_no_later_test() -> None:
    heard: list[object] = []

    def fail(**told: object) -> None:
        heard.append(told["order"])
        raise ConnectionRefusedError

    with leftovers.same_receivers():
        signals.order_paid.connect(fail)
        signals.order_paid.send_robust(None, order="within")
    signals.order_paid.send_robust(None, order="after")
    assert heard == ["within"], "though it lives"
