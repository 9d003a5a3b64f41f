"""Frames are emptied of what is thrown, of all that it is chained to, and of nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from traceback import walk_tb

import pytest

from wallet_gateway.tracebacks import forget_locals, places, without_locals

SECRET = "hunter2-and-more"


def variables(error: BaseException | None) -> list[object]:
    """Return the values of all frames but the first, which is the caller's."""
    frames = [] if error is None else [frame for frame, _ in walk_tb(error.__traceback__)]
    return [value for frame in frames[1:] for value in frame.f_locals.values() if isinstance(value, str)]


def fail(secret: str) -> None:
    copy = secret + secret
    raise LookupError(len(copy))


@without_locals()
def chained(secret: str, *, because: bool) -> None:
    try:
        fail(secret)
    except LookupError as error:
        if because:
            raise ValueError("because") from error
        raise ValueError("meanwhile")  # noqa: B904 - that is the case


@pytest.mark.parametrize("because", [True, False])
def test_a_chain_is_emptied_to_its_end(because: bool) -> None:
    with pytest.raises(ValueError, match=r"because|meanwhile") as failure:
        chained(SECRET, because=because)
    before = failure.value.__context__
    assert variables(failure.value) == variables(before) == []
    assert places(failure.value).count("test_tracebacks.py") == 2
    assert before is not None
    assert [frame.f_locals for frame, _ in walk_tb(before.__traceback__)] == [{}, {}]


def test_what_the_caller_was_handling_keeps_its_variables() -> None:
    def handle() -> None:
        try:
            fail(SECRET)
        except LookupError:
            chained(SECRET, because=True)

    with pytest.raises(ValueError, match="because") as failure:
        handle()
    outer = failure.value.__cause__
    assert outer is not None
    assert variables(outer.__context__) == [SECRET, SECRET * 2]


@without_locals()
def numbers(secret: str) -> Iterator[int]:
    yield len(secret)
    fail(secret)


def test_a_generator_is_emptied_when_it_fails_later() -> None:
    given = numbers(SECRET)
    assert next(given) == len(SECRET)
    with pytest.raises(LookupError) as failure:
        next(given)
    assert variables(failure.value) == []


@without_locals()
def groups(secret: str) -> None:
    failures: list[Exception] = []
    for _ in range(2):
        try:
            fail(secret)
        except LookupError as error:
            failures.append(error)
    raise ExceptionGroup("both", failures)


def test_each_member_of_a_group_is_emptied() -> None:
    with pytest.raises(ExceptionGroup) as group:
        groups(SECRET)
    for member in group.value.exceptions:
        assert [frame.f_locals for frame, _ in walk_tb(member.__traceback__)] == [{}, {}]


def test_a_request_to_stop_is_emptied_and_goes_on() -> None:
    @without_locals()
    def stopped(secret: str) -> None:
        raise SystemExit(len(secret))

    with pytest.raises(SystemExit) as stop:
        stopped(SECRET)
    assert variables(stop.value) == []


def test_each_exception_is_cleaned_once_even_if_the_chain_bites_its_tail() -> None:
    first, second = KeyError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    cleaned: list[BaseException] = []
    forget_locals(first, clean=cleaned.append)
    assert cleaned == [first, second]


def test_a_coroutine_that_waits_in_a_handler_goes_on() -> None:
    caught: list[LookupError] = []

    async def wait() -> str:
        try:
            fail(SECRET)
        except LookupError as error:
            caught.append(error)
            await asyncio.sleep(0)
        return "done"

    @without_locals()
    def leave() -> None:
        raise ValueError("later") from caught[0]

    waiting = wait()
    waiting.send(None)
    with pytest.raises(ValueError, match="later"):
        leave()
    with pytest.raises(StopIteration, match="done"):
        waiting.send(None)
