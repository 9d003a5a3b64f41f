"""The orders and attempts of the customer's door serve the JSON door's tests, too; no try waits for one."""

from __future__ import annotations

import pytest

from tests.web.conftest import make_order, nobody_sleeps, open_attempt

__all__ = ["make_order", "nobody_sleeps", "open_attempt"]


@pytest.fixture(autouse=True)
def _in_a_hurry(nobody_sleeps: None) -> None:
    """Each of these tests."""
