"""Who may be one person: the same account, or the same name however it is written."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain import people

Actor, NOBODY = people.Actor, people.NOBODY
ANNA = Actor(name="anna", account="1")


@every(
    ("other", "is_same"),
    [
        # Whatever the account, a name that is written otherwise; whatever the name, the same account.
        *(
            (Actor(name=name, account=account), True)
            for name in ("anna", "Anna", " anna ", "ANNA", "\uff41nna", "an\u200bna")
            for account in ("", "2")
        ),
        *((Actor(name=name, account="1"), True) for name in ("anna", "bert", "")),
        *((other, False) for other in (Actor(name="bert", account="2"), Actor(name="bert"), NOBODY)),
    ],
)
def test_the_same_account_or_name_is_the_same_person(other: people.Actor, is_same: bool) -> None:
    assert people.is_same_person(ANNA, other) is is_same
    assert people.is_same_person(other, ANNA) is is_same


def test_two_programs_without_a_name_are_nobody() -> None:
    assert not people.is_same_person(NOBODY, NOBODY)
    assert (NOBODY.is_program, ANNA.is_program) == (True, False)
