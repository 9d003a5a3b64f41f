"""The lines of a large cart are redacted field by field, with the same result as each of them alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.client.test_redaction import CARD, OTHER_CARD
from wallet_gateway.client.redaction import MAX_TEXT_LENGTH, redact
from wallet_gateway.protocol.strict_json import JsonValue, NumberText

FIELDS = st.dictionaries(
    st.sampled_from(["productName", "itemAmount", "email", "note", "apiKey", "a " + CARD, "a " + OTHER_CARD]),
    st.one_of(
        st.sampled_from([f"of {CARD}", "Jane@shop.example", "12.50", NumberText("1.0"), "1.0"]), st.none()
    ),
)


@given(st.lists(FIELDS, min_size=1, max_size=4), st.integers(1, 20))
def test_lines_of_a_cart_are_redacted_as_each_of_them_alone(lines: list[JsonValue], times: int) -> None:
    alone = ",".join(map(redact, lines * times))
    assert redact(lines * times) == f"[{alone}]"[:MAX_TEXT_LENGTH]


@given(st.lists(st.sampled_from(["", "Jane", f"of {CARD}", "1.0", NumberText("1.0"), None]), min_size=8))
def test_a_field_that_all_lines_have_is_redacted_as_in_each_alone(values: list[JsonValue]) -> None:
    lines: list[JsonValue] = [{"apiKey": value, "note": value, "email": value} for value in values]
    assert redact(lines) == f"[{','.join(map(redact, lines))}]"[:MAX_TEXT_LENGTH]
