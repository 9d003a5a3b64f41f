"""References sort by time, fit the interface and cannot be guessed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.domain.orders import ALPHABET, REFERENCE_LENGTH, new_reference

NOW = datetime(2026, 5, 17, 12, 30, tzinfo=UTC)
RANDOMNESS = st.integers(min_value=0, max_value=(1 << 80) - 1)


def test_a_reference_is_written_as_it_was_the_day_this_test_was() -> None:
    assert new_reference(now=datetime(1970, 1, 1, 0, 0, 0, 1000, tzinfo=UTC), randomness=31) == (
        "0000000001" + "000000000000000Z"
    )


@given(RANDOMNESS)
def test_a_reference_has_only_characters_that_the_interface_and_every_index_take(randomness: int) -> None:
    reference = new_reference(now=NOW, randomness=randomness)
    assert re.fullmatch(r"[A-Za-z0-9-]{1,40}", reference)
    assert len(reference) == REFERENCE_LENGTH
    assert set(reference) <= set(ALPHABET)


@given(RANDOMNESS, RANDOMNESS, st.integers(min_value=1, max_value=10**12))
def test_a_later_reference_sorts_behind_an_earlier_one(first: int, second: int, milliseconds: int) -> None:
    earlier = new_reference(now=NOW, randomness=first)
    later = new_reference(now=NOW + timedelta(milliseconds=milliseconds), randomness=second)
    assert earlier < later
