"""JSON laid out for reading says what it said before."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.processor_time import BIG, LARGE, grows_too_fast
from wallet_gateway.sandbox.console.formatting import MAX_INDENT, indent_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(VALUES) | st.dictionaries(st.text(), VALUES))
def test_the_layout_is_that_of_the_standard_library(value: object) -> None:
    compact = json.dumps(value, separators=(",", ":"))
    assert indent_json(compact) == json.dumps(value, indent=2)


@pytest.mark.parametrize("block", ['\\"', '"', '"\\', '{"', "[", ",", "x", '"x":'])
def test_no_body_takes_more_than_linear_time(block: str) -> None:
    def broken(size: int) -> str:
        return '{"' + block * (size // len(block))

    assert not grows_too_fast(indent_json, broken, LARGE, BIG)


def test_a_bottomless_body_is_laid_out_in_time_and_without_growing() -> None:
    text = "[" * 50_000
    started = time.thread_time()
    laid_out = indent_json(text)
    assert time.thread_time() - started < 5
    assert len(laid_out) < len(text) * (MAX_INDENT * 2 + 3)
