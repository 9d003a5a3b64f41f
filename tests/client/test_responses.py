"""What an HTTP answer is taken for: a table over statuses and bodies, without a socket."""

from __future__ import annotations

import pickle
import traceback
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.client.errors import BadAnswer, OutcomeUnknown, Refused, UnknownReason
from wallet_gateway.client.responses import DecodedResponse, ResponseSpec, parse_response, retry_after_seconds
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue, loads

ERROR = '{"code": "4107940", "details": {"message": "SchemaValidationError: amount"}}'
SUCCESS = '{"state": "Approved", "id": "g-1"}'
MIXED = '{"state": "Approved", "code": "4107940", "details": {"message": "no"}}'


def _state(value: JsonValue) -> str:
    if not isinstance(value, dict) or not isinstance(value.get("state"), str):
        raise InvalidMessage([FieldError("state", "is missing; card 4111111111111111")])
    return str(value["state"])


SHAPE = ResponseSpec(read=_state, success_field="state")


def parsed(status: int, body: str, **headers: str) -> str:
    try:
        value: JsonValue | UnreadableBody = loads(body)
    except UnreadableBody as error:
        value = error
    given = {name.replace("_", "-"): text for name, text in headers.items()}
    return parse_response(DecodedResponse(status=status, headers=given, value=value), SHAPE)


@every(
    ("body", "code", "message"),
    [
        (ERROR, "4107940", "SchemaValidationError: amount"),
        ('{"Code": "1", "Details": {"Message": "in another letter case"}}', "1", "in another letter case"),
        ('{"code": "4100001"}', "4100001", ""),
        ('{"CODE": "4100001"}', "4100001", ""),
        ('{"code": "1", "description": "NotAllowed"}', "1", "NotAllowed"),
        ('{"code": "1", "details": null}', "1", ""),
        ('{"code": "1", "details": {}}', "1", ""),
        ('{"code": "1", "details": {"message": null}}', "1", ""),
        ('{"code": "1", "description": "NotAllowed", "details": {"message": null}}', "1", "NotAllowed"),
        ('{"code": "1", "description": "NotAllowed", "details": {"message": "no"}}', "1", "no"),
        ('{"code": "1", "state": null, "id": null, "redirectUrl": null}', "1", ""),
        (
            '{"code": "1", "details": {"message": "card 4111111111111111 of jane@shop.example \\u0000"}}',
            "1",
            "card ***1111 of j***@shop.example \ufffd",
        ),
    ],
)
def test_the_gateways_error_body_is_a_refusal_and_its_words_are_redacted(
    body: str, code: str, message: str
) -> None:
    for status in (200, 204, 400, 401, 403, 404, 409, 413, 422, 451, 499):
        with pytest.raises(Refused) as failure:
            parsed(status, body)
        refused = failure.value
        assert (refused.code, refused.message, refused.http_status) == (code, message, status)


@every(
    ("status", "reason"),
    [
        (100, UnknownReason.OTHER),
        *((status, UnknownReason.REDIRECT) for status in (301, 302, 307, 308)),
        *((status, UnknownReason.TRY_LATER) for status in (408, 425)),
        (429, UnknownReason.RATE_LIMITED),
        *((status, UnknownReason.SERVER_ERROR) for status in (500, 502, 503, 599)),
        *((status, UnknownReason.OTHER) for status in (600, 999)),
    ],
)
def test_these_statuses_leave_the_outcome_unknown_whatever_the_body(
    status: int, reason: UnknownReason
) -> None:
    for body in (ERROR, SUCCESS, "<html>", ""):
        with pytest.raises(OutcomeUnknown) as failure:
            parsed(status, body, retry_after="120")
        unknown = failure.value
        assert (type(unknown), unknown.reason) == (OutcomeUnknown, reason)
        assert (unknown.detail, unknown.retry_after) == (f"HTTP {status}", 120.0)


CONTRADICTIONS = [
    f'{{"code": "4100001", "{name}": "x"{details}}}'
    for name, details in product(
        ["state", "id", "redirectUrl", "STATE", "RedirectURL"], ["", ', "details": {"message": "no"}']
    )
]
FOREIGN = [
    *("<html>", "", "{}", "[]", SUCCESS, '{"error": "no"}', '{"details": {"message": "x"}}'),
    *('{"code": ""}', '{"code": 4100001}', '{"code": 4100001, "details": {"message": "no"}}'),
    *('{"code": " "}', '{"code": {"a": "b"}}', '{"code": true}', '[{"code": "1"}]'),
    *('{"code": "1", "details": "x"}', '{"code": "1", "details": []}'),
    *('{"code": "1", "details": {"message": {}}}', '{"code": "1", "description": {}}'),
]


@every(
    ("body", "reason"),
    [
        *((body, UnknownReason.CONTRADICTORY) for body in (MIXED, *CONTRADICTIONS)),
        *((body, UnknownReason.FOREIGN_ANSWER) for body in FOREIGN),
    ],
)
def test_a_4xx_that_is_not_the_gateways_refusal_leaves_the_outcome_unknown(
    body: str, reason: UnknownReason
) -> None:
    for status in (400, 403, 404):
        with pytest.raises(OutcomeUnknown) as failure:
            parsed(status, body)
        assert (type(failure.value), failure.value.reason) == (OutcomeUnknown, reason)


@every(
    ("body", "reason"),
    [
        ('{"apiKey": "hunter2"', UnknownReason.UNREADABLE),
        ("", UnknownReason.UNREADABLE),
        ("<html>", UnknownReason.UNREADABLE),
        ('{"state": "Approved", "amount": NaN}', UnknownReason.UNREADABLE),
        ('{"state": "Approved", "state": "Errored"}', UnknownReason.UNREADABLE),
        ('{"state": "Approved", "State": "Approved"}', UnknownReason.UNREADABLE),
        ('{"state": "Approved"} {}', UnknownReason.UNREADABLE),
        ("{}", UnknownReason.WRONG_SHAPE),
        ("[]", UnknownReason.WRONG_SHAPE),
        ('"Approved"', UnknownReason.WRONG_SHAPE),
        ("null", UnknownReason.WRONG_SHAPE),
        ('{"code": ""}', UnknownReason.WRONG_SHAPE),
        ('{"code": 4100001, "details": {"message": "x"}}', UnknownReason.WRONG_SHAPE),
        ('{"code": {"a": "b"}, "details": {"message": "x"}}', UnknownReason.WRONG_SHAPE),
        *((body, UnknownReason.CONTRADICTORY) for body in (MIXED, *CONTRADICTIONS)),
    ],
)
def test_a_success_that_is_none_is_a_bad_answer_which_carries_nothing_of_it(
    body: str, reason: UnknownReason
) -> None:
    with pytest.raises(BadAnswer) as failure:
        parsed(200, body)
    assert failure.value.reason == reason
    assert failure.value.detail
    assert (failure.value.__cause__, failure.value.__context__) == (None, None)
    shown = "".join(traceback.format_exception(failure.value)) + repr(pickle.dumps(failure.value))
    assert "hunter2" not in shown
    assert "4111111111111111" not in shown


NOW = "Thu, 01 Jan 2026 10:00:00 GMT"


@every(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("1", 1.0),
        (" 30 ", 30.0),
        ("900", 900.0),
        ("901", 900.0),
        ("9" * 5_000, 900.0),
        ("Thu, 01 Jan 2026 10:02:00 GMT", 120.0),
        ("Thursday, 01-Jan-26 10:02:00 GMT", 120.0),
        ("Thu Jan  1 10:02:00 2026", 120.0),
        ("Thu, 01 Jan 2026 11:02:00 +0100", 120.0),
        ("Thu, 01 Jan 2026 09:00:00 GMT", 0.0),
        ("Fri, 01 Jan 2027 10:00:00 GMT", 900.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1e3", None),
        ("soon", None),
        ("\u0661\u0662", None),
        ("Thu, 32 Jan 2026 10:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(text: str, seconds: float | None) -> None:
    assert retry_after_seconds({"retry-after": text, "date": NOW}) == seconds


def test_a_date_counts_from_the_gateways_clock_not_from_ours() -> None:
    headers = {"retry-after": "Tue, 01 Jan 2030 00:01:00 GMT", "date": "Tue, 01 Jan 2030 00:00:00 GMT"}
    assert retry_after_seconds(headers) == 60.0


@pytest.mark.parametrize("date", ["", "nonsense"])
def test_a_date_counts_from_our_clock_where_the_gateway_tells_none(date: str) -> None:
    past, future = "Thu, 01 Jan 1998 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
    assert retry_after_seconds({"retry-after": past, "date": date}) == 0.0
    assert retry_after_seconds({"retry-after": future, "date": date}) == 900.0


@given(st.text(max_size=60) | st.from_regex(r"\w{3}, \d{1,4} \w{3} \d{1,6} \d\d:\d\d:\d\d [+-]\d{1,12}"))
def test_no_header_is_too_strange(text: str) -> None:
    wait = retry_after_seconds({"retry-after": text, "date": text})
    assert wait is None or 0 <= wait <= 900
