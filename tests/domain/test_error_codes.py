"""Codes are what shops compare and logs carry: short, plain and stable."""

from __future__ import annotations

import re

from wallet_gateway.domain.error_codes import ErrorCode


def test_a_code_is_its_name_in_lower_case() -> None:
    assert {code.value for code in ErrorCode} == {code.name.lower() for code in ErrorCode}


def test_a_code_is_a_short_plain_word() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{3,31}", code.value) for code in ErrorCode)
