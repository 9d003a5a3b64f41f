"""The plan of a chaos run: the same seed draws the same, and everything that can happen does."""

from __future__ import annotations

import hashlib
from collections import Counter

from proof.chaos.plan import (
    DIES_AFTER,
    DIES_BEFORE,
    FAULTS,
    UNREACHABLE,
    Kind,
    make_plan,
    stories_of,
)
from proof.chaos.steps import PERFORMED_BY

ENOUGH = 5000


def test_a_seed_draws_the_same_plan_each_time_and_another_seed_another() -> None:
    assert make_plan(42, 300) == make_plan(42, 300)
    assert make_plan(42, 300).steps != make_plan(43, 300).steps


def test_a_longer_plan_begins_as_a_shorter_one() -> None:
    assert make_plan(7, 300).steps[:100] == make_plan(7, 100).steps


def test_a_seed_means_what_it_meant_when_this_version_of_plans_was_made() -> None:
    """Where this fails, raise FORMAT: a seed printed before would repeat something else."""
    plan = make_plan(42, 1000, kill=True)
    meaning = repr((plan.stories, plan.steps)).encode()
    assert hashlib.sha256(meaning).hexdigest()[:16] == "1fe5cd6c70b8a284"


def test_everything_that_can_happen_does() -> None:
    steps = make_plan(1, ENOUGH, kill=True).steps
    assert {step.kind for step in steps} == set(Kind) == set(PERFORMED_BY)
    faults = {step.fault.name for step in steps if step.fault}
    assert faults == {*FAULTS, UNREACHABLE, DIES_BEFORE, DIES_AFTER}


def test_nobody_is_planned_to_die_where_nobody_is_killed() -> None:
    faults = {step.fault.name for step in make_plan(1, ENOUGH).steps if step.fault}
    assert not faults & {DIES_BEFORE, DIES_AFTER}


def test_an_order_is_created_once_and_before_anything_else_is_done_with_it() -> None:
    plan, created = make_plan(3, 500), set()
    for step in plan.steps:
        if step.kind is Kind.CREATE_ORDER:
            created.add(step.story)
        assert not step.story or step.story in created
    assert (
        Counter(step.story for step in plan.steps if step.kind is Kind.CREATE_ORDER).most_common(1)[0][1] == 1
    )
    assert len(created) == len(plan.stories) == len(list(stories_of(plan.steps)))


def test_every_step_can_be_read() -> None:
    for step in make_plan(3, 500, kill=True).steps:
        assert str(step).split()[0] == str(step.number)
        assert step.kind.value in str(step)
