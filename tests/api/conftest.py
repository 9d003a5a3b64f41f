"""The orders and attempts of the customer's door serve the JSON door's tests, too."""

from __future__ import annotations

from tests.web.conftest import make_order, open_attempt

__all__ = ["make_order", "open_attempt"]
