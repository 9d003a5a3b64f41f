"""The words of a stop: written and read back, and told from the words of a machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.domain.stops import LONGEST, StopVerb, StopWords, read_stop

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@given(verb=st.sampled_from(StopVerb), author=NAMES, reason=st.text(max_size=200))
def test_what_was_written_is_read_back_but_for_colons_in_a_name(
    verb: StopVerb, author: str, reason: str
) -> None:
    words = StopWords(verb=verb, author=author, reason=reason)
    assert read_stop(str(words)) == StopWords(verb=verb, author=author.replace(":", " "), reason=reason)


@pytest.mark.parametrize("text", ["", "unit mix-up: record g1", "too many unknown outcomes", "stopped by "])
def test_a_machines_words_name_no_author(text: str) -> None:
    assert read_stop(text) is None


def test_long_words_are_cut_to_what_the_row_holds() -> None:
    text = str(StopWords(verb=StopVerb.STOPPED, author="a" * 400, reason="r" * 900))
    assert len(text) == LONGEST
    assert text.startswith("stopped by " + "a" * 150 + ": rrr")
