"""How a failing history is made short: by a question to a function, without a shop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from proof.chaos.plan import DIES_AFTER, Kind, Step, make_plan
from proof.chaos.shrink import first_suspects, shrink, with_their_times
from proof.chaos.verdict import Failure
from proof.chaos.worker import Result

FOREVER = float("inf")
STEPS = make_plan(5, 200).steps


def has_all(*wanted: Step) -> Callable[[Sequence[Step]], bool]:
    """A failure that needs these steps and no others."""
    return lambda steps: set(wanted) <= set(steps)


def test_what_is_left_is_what_the_failure_needs() -> None:
    wanted = (STEPS[3], STEPS[77], STEPS[150])
    assert shrink([STEPS], has_all(*wanted), deadline=FOREVER) == wanted


def test_one_step_alone_is_found() -> None:
    assert shrink([STEPS], has_all(STEPS[199]), deadline=FOREVER) == (STEPS[199],)


def test_what_fails_with_no_suspect_is_not_made_short() -> None:
    assert shrink([STEPS], lambda steps: False, deadline=FOREVER) is None


def test_the_smallest_suspect_that_fails_is_the_beginning() -> None:
    asked: list[int] = []

    def fails(steps: Sequence[Step]) -> bool:
        asked.append(len(steps))
        return STEPS[9] in steps

    shrink([STEPS[:5], STEPS[:10], STEPS], fails, deadline=FOREVER)
    assert asked[:2] == [5, 10]
    assert max(asked) == 10


def test_it_takes_few_questions() -> None:
    asked = 0

    def fails(steps: Sequence[Step]) -> bool:
        nonlocal asked
        asked += 1
        return {STEPS[20], STEPS[21]} <= set(steps)

    assert shrink([STEPS], fails, deadline=FOREVER) == (STEPS[20], STEPS[21])
    assert asked < len(STEPS)


def test_when_the_time_is_over_the_shortest_found_so_far_is_kept() -> None:
    wanted = has_all(STEPS[3], STEPS[150])
    deadline = time.monotonic() + 3600
    over = iter([False] * 4 + [True] * 10_000)

    def fails(steps: Sequence[Step]) -> bool:
        return not next(over) and wanted(steps)

    found = shrink([STEPS], fails, deadline=deadline)
    assert found is not None
    assert {STEPS[3], STEPS[150]} <= set(found)
    assert shrink([STEPS], wanted, deadline=time.monotonic() - 1) is None


def test_the_orders_involved_are_suspected_first() -> None:
    failure = Failure(claim="sums agree", subject="a payment", story=2)
    first, second, last = first_suspects(STEPS, [failure], [], [])
    assert {step.story for step in first} == {2}
    assert {step.story for step in second} == {0, 2}
    assert last == STEPS


def test_the_order_of_a_step_that_broke_is_suspected() -> None:
    step = next(step for step in STEPS if step.story == 3)
    broken = Result(step=step.number, outcome="broke", trace="ValueError: x")
    assert {one.story for one in first_suspects(STEPS, [], [broken], [])[0]} == {3}


def test_where_a_worker_was_killed_the_history_has_a_death() -> None:
    sends = next(step for step in STEPS if step.kind is Kind.CAPTURE and step.fault is None)
    (history,) = first_suspects(STEPS, [], [], [sends.number])
    died = history[sends.number - 1]
    assert died.fault is not None
    assert (died.fault.name, died.fault.operation) == (DIES_AFTER, "capture")


def test_steps_keep_their_instants_whatever_is_left_out_before_them() -> None:
    kept = with_their_times([STEPS[10], STEPS[50]], STEPS)
    assert kept[0].seconds == sum(step.seconds for step in STEPS[:11])
    assert kept[1].seconds == sum(step.seconds for step in STEPS[11:51])
    assert with_their_times(STEPS, STEPS) == STEPS
    assert with_their_times((), STEPS) == ()
