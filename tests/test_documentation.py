"""The one place where the address of the documentation is filled in."""

from __future__ import annotations

import pytest

from wallet_gateway import documentation
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.errors import InvalidState


def test_an_address_names_page_and_code() -> None:
    assert (
        documentation.address_of("reference/errors", "nothing_sent")
        == "docs/reference/errors.md#nothing_sent"
    )


def test_an_owner_who_publishes_the_pages_fills_in_one_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "ADDRESS", "https://docs.example/{page}.html#{anchor}")
    error = InvalidState(ErrorCode.NOTHING_CAPTURED)
    assert error.docs == "https://docs.example/reference/errors.html#nothing_captured"
