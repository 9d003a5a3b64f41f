"""An explanation is a code with bounded, storable parameters, and its identity is its values."""

from __future__ import annotations

import json
import re

from wallet_gateway.domain.discrepancies import (
    MAX_LISTED,
    MAX_PARAM_LENGTH,
    MAX_SAID_LENGTH,
    Explanation,
    ExplanationCode,
    explain,
)


def test_a_code_is_its_name_in_lower_case_and_fits_its_column() -> None:
    assert {code.value for code in ExplanationCode} == {code.name.lower() for code in ExplanationCode}
    assert all(re.fullmatch(r"[a-z][a-z_]{5,31}", code.value) for code in ExplanationCode)


def test_texts_are_cut_and_made_storable() -> None:
    why = explain(ExplanationCode.REFUSED, error_code="c" * 999, http_status=400, said="\0" * 999)
    assert why.params == {"error_code": "c" * MAX_PARAM_LENGTH, "http_status": 400}
    assert why.said == "\ufffd" * MAX_SAID_LENGTH
    assert json.loads(json.dumps(why.stored_params)) == why.stored_params


def test_a_card_number_that_somebody_said_is_left_with_its_last_four_digits() -> None:
    why = explain(ExplanationCode.COMMENT, said="paid by 4111.1111.1111.1111, says the customer")
    assert why.said == "paid by ***1111, says the customer"
    split = explain(ExplanationCode.COMMENT, said="x" * (MAX_SAID_LENGTH - 8) + "4111111111111111")
    assert split.said == "x" * (MAX_SAID_LENGTH - 8) + "***1111"


def test_a_list_is_cut_to_its_first_parts_and_their_texts() -> None:
    parts = [{"code": "no_record", "params": {"x": "y" * 999}}] * 9
    why = explain(ExplanationCode.RECONCILED, count=9, differences=parts)
    assert [len(part["params"]["x"]) for part in why.params["differences"]] == [MAX_PARAM_LENGTH] * MAX_LISTED
    assert len(json.dumps(why.stored_params)) < 1000


def test_values_that_differ_behind_the_cut_are_told_apart() -> None:
    def of(last: str) -> Explanation:
        return explain(ExplanationCode.EXECUTED_TWICE, ids="g" * 500 + last)

    assert of("1").params == of("2").params
    assert of("1").fingerprint != of("2").fingerprint
    assert of("1") == of("1")
