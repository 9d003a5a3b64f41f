"""Who may be one person: the same account, or the same name however it is written."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.actors import NOBODY, Actor, is_same_person

ANNA = Actor(name="anna", account="1")


@pytest.mark.parametrize("other", ["anna", "Anna", " anna ", "ANNA", "\uff41nna"])
@pytest.mark.parametrize("account", ["", "2"])
def test_a_name_written_otherwise_is_the_same_person_whatever_the_account(other: str, account: str) -> None:
    assert is_same_person(ANNA, Actor(name=other, account=account))


@pytest.mark.parametrize("name", ["anna", "bert", ""])
def test_the_same_account_is_the_same_person_whatever_the_name(name: str) -> None:
    assert is_same_person(ANNA, Actor(name=name, account="1"))


@pytest.mark.parametrize("other", [Actor(name="bert", account="2"), Actor(name="bert"), NOBODY])
def test_another_name_and_another_account_are_another_person(other: Actor) -> None:
    assert not is_same_person(ANNA, other)
    assert not is_same_person(other, ANNA)


def test_two_programs_without_a_name_are_nobody() -> None:
    assert not is_same_person(NOBODY, NOBODY)
    assert NOBODY.is_program
    assert not ANNA.is_program
