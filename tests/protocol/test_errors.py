"""The tree of errors, paths, and quoting that is safe to log."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from tests.tables import every
from wallet_gateway.protocol.errors import (
    FieldError,
    InvalidAmount,
    InvalidMessage,
    InvalidTime,
    ProtocolError,
    UnknownCode,
    UnreadableBody,
    join_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("error", [InvalidAmount, InvalidTime, UnknownCode, UnreadableBody])
def test_one_except_catches_every_error_of_the_language(error: type[ProtocolError]) -> None:
    with pytest.raises(ProtocolError, match="why"):
        raise error("why")


def test_an_invalid_message_lists_every_fault_on_a_line_of_its_own() -> None:
    error = InvalidMessage([FieldError("amount", "is missing"), FieldError("", "is strange")])
    assert str(error) == "amount: is missing\nis strange"
    assert error.errors == (FieldError("amount", "is missing"), FieldError("", "is strange"))


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
def test_an_invalid_message_survives_copying_between_processes(
    duplicate: Callable[[InvalidMessage], InvalidMessage],
) -> None:
    error = InvalidMessage([FieldError("amount", "is missing")])
    assert duplicate(error).errors == error.errors
    assert str(duplicate(error)) == str(error)


@every(
    ("prefix", "path", "joined"),
    [
        ("a", "b", "a.b"),
        ("", "b", "b"),
        ("a", "", "a"),
        ("", "", ""),
        ("a", "[0].b", "a[0].b"),
        ("[2]", "amount", "[2].amount"),
        ("a.b", "c[1]", "a.b.c[1]"),
    ],
)
def test_paths_join_as_one_would_write_them(prefix: str, path: str, joined: str) -> None:
    assert join_path(prefix, path) == joined
    assert FieldError(path, "x").under(prefix) == FieldError(joined, "x")
