"""The limits of metadata, at the edge on both sides; all faults are named at once."""

from __future__ import annotations

from typing import Any

from tests.tables import every
from wallet_gateway.domain.metadata import metadata_errors

RIGHT: list[Any] = [
    None,
    {},
    {"k" * 40: "v" * 500, "empty": ""},
    {f"key-{number}": "x" for number in range(50)},
    {"umläut": "größer\nzwei"},
]


@every("metadata", RIGHT)
def test_metadata_within_the_limits_has_no_fault(metadata: Any) -> None:  # noqa: ANN401 - right or wrong
    assert list(metadata_errors(metadata)) == []


def test_each_wrong_entry_is_named_and_no_card_number_is_repeated() -> None:
    wrong = {"": "x", "long": "v" * 501, "number": 7, "card": "4111 1111 1111 1111", "right": "x"}
    faults = list(metadata_errors(wrong))
    assert [fault.path for fault in faults] == [
        "metadata",
        "metadata.long",
        "metadata.number",
        "metadata.card",
    ]
    assert "4111" not in "".join(map(str, faults))


def test_more_than_fifty_entries_are_one_fault() -> None:
    (fault,) = metadata_errors({str(number): 7 for number in range(51)})
    assert str(fault) == "metadata: has 51 entries; at most 50 are stored"
