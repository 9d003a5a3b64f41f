"""What an HTTP answer is taken for: a table over statuses and bodies, without a socket."""

from __future__ import annotations

import pickle
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.client.errors import BadAnswer, OutcomeUnknown, Refused, UnknownReason
from wallet_gateway.client.responses import DecodedResponse, ResponseSpec, parse_response, retry_after_seconds
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue, loads

ERROR = '{"code": "4107940", "details": {"message": "SchemaValidationError: amount"}}'
OTHER_CASE = '{"Code": "4107940", "Details": {"Message": "SchemaValidationError: amount"}}'
SUCCESS = '{"state": "Approved", "id": "g-1"}'
MIXED = '{"state": "Approved", "code": "4107940", "details": {"message": "no"}}'


def _state(value: JsonValue) -> str:
    if not isinstance(value, dict) or not isinstance(value.get("state"), str):
        raise InvalidMessage([FieldError("state", "is missing; card 4111111111111111")])
    return str(value["state"])


SHAPE = ResponseSpec(read=_state, success_field="state")


def http_answer(status: int, body: str, **headers: str) -> DecodedResponse:
    try:
        value: JsonValue | UnreadableBody = loads(body)
    except UnreadableBody as error:
        value = error
    return DecodedResponse(
        status=status,
        headers={name.replace("_", "-"): text for name, text in headers.items()},
        value=value,
    )


@every("body", [ERROR, OTHER_CASE], ids=["canonical", "another letter case"])
@every("status", [200, 204, 400, 401, 403, 404, 409, 413, 422, 451, 499])
def test_the_gateways_error_body_is_a_refusal(status: int, body: str) -> None:
    with pytest.raises(Refused) as failure:
        parse_response(http_answer(status, body), SHAPE)
    refused = failure.value
    assert (refused.code, refused.http_status) == ("4107940", status)
    assert refused.message == "SchemaValidationError: amount"


@pytest.mark.parametrize("status", [200, 400, 403, 404, 422])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"code": "4100001"}', ""),
        ('{"CODE": "4100001"}', ""),
        ('{"code": "4100001", "description": "NotAllowed"}', "NotAllowed"),
        ('{"code": "4100001", "details": null}', ""),
        ('{"code": "4100001", "details": {}}', ""),
        ('{"code": "4100001", "details": {"message": null}}', ""),
        ('{"code": "4100001", "description": "NotAllowed", "details": {"message": null}}', "NotAllowed"),
        ('{"code": "4100001", "description": "NotAllowed", "details": {"message": "no"}}', "no"),
        ('{"code": "4100001", "state": null, "id": null, "redirectUrl": null}', ""),
    ],
)
def test_a_code_alone_is_a_refusal_whatever_else_is_missing(status: int, body: str, message: str) -> None:
    with pytest.raises(Refused) as failure:
        parse_response(http_answer(status, body), SHAPE)
    refused = failure.value
    assert (refused.code, refused.message, refused.http_status) == ("4100001", message, status)


@pytest.mark.parametrize("name", ["state", "id", "redirectUrl", "STATE", "RedirectURL"])
@pytest.mark.parametrize("details", ["", ', "details": {"message": "no"}'], ids=["code", "code and message"])
@pytest.mark.parametrize("status", [200, 400, 404])
def test_a_code_beside_a_field_of_a_success_is_a_contradiction(status: int, details: str, name: str) -> None:
    body = f'{{"code": "4100001", "{name}": "x"{details}}}'
    with pytest.raises(OutcomeUnknown) as failure:
        parse_response(http_answer(status, body), SHAPE)
    assert failure.value.reason == UnknownReason.CONTRADICTORY


@every("body", [ERROR, SUCCESS, "<html>", ""], ids=["error", "success", "html", "nothing"])
@every(
    ("status", "reason"),
    [
        (100, UnknownReason.OTHER),
        (301, UnknownReason.REDIRECT),
        (302, UnknownReason.REDIRECT),
        (307, UnknownReason.REDIRECT),
        (308, UnknownReason.REDIRECT),
        (408, UnknownReason.TRY_LATER),
        (425, UnknownReason.TRY_LATER),
        (429, UnknownReason.RATE_LIMITED),
        (500, UnknownReason.SERVER_ERROR),
        (502, UnknownReason.SERVER_ERROR),
        (503, UnknownReason.SERVER_ERROR),
        (599, UnknownReason.SERVER_ERROR),
        (600, UnknownReason.OTHER),
        (999, UnknownReason.OTHER),
    ],
)
def test_these_statuses_leave_the_outcome_unknown_whatever_the_body(
    status: int, reason: UnknownReason, body: str
) -> None:
    with pytest.raises(OutcomeUnknown) as failure:
        parse_response(http_answer(status, body), SHAPE)
    assert failure.value.reason == reason
    assert not isinstance(failure.value, BadAnswer)
    assert failure.value.detail == f"HTTP {status}"


@every(
    "body",
    [
        *("<html>", "", "{}", "[]", SUCCESS, '{"error": "no"}', '{"details": {"message": "x"}}'),
        *('{"code": ""}', '{"code": 4100001}', '{"code": 4100001, "details": {"message": "no"}}'),
        *('{"code": " "}', '{"code": {"a": "b"}}', '{"code": true}', '[{"code": "1"}]'),
        *('{"code": "1", "details": "x"}', '{"code": "1", "details": []}'),
        *('{"code": "1", "details": {"message": {}}}', '{"code": "1", "description": {}}'),
    ],
)
def test_a_4xx_without_the_gateways_error_body_leaves_the_outcome_unknown(body: str) -> None:
    with pytest.raises(OutcomeUnknown) as failure:
        parse_response(http_answer(403, body), SHAPE)
    assert failure.value.reason == UnknownReason.FOREIGN_ANSWER


@every(
    ("body", "reason"),
    [
        ('{"state": "Appro', UnknownReason.UNREADABLE),
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
        (MIXED, UnknownReason.CONTRADICTORY),
        ('{"State": "Approved", "CODE": "1"}', UnknownReason.CONTRADICTORY),
    ],
)
def test_a_success_that_is_none_is_a_bad_answer(body: str, reason: UnknownReason) -> None:
    with pytest.raises(BadAnswer) as failure:
        parse_response(http_answer(200, body), SHAPE)
    assert failure.value.reason == reason
    assert failure.value.detail


def test_a_refusal_that_also_says_success_is_no_refusal() -> None:
    with pytest.raises(OutcomeUnknown) as failure:
        parse_response(http_answer(400, MIXED), SHAPE)
    assert failure.value.reason == UnknownReason.CONTRADICTORY
    assert not isinstance(failure.value, BadAnswer)


def test_a_refusals_words_are_redacted() -> None:
    body = '{"code": "1", "details": {"message": "card 4111111111111111 of jane@shop.example \\u0000"}}'
    with pytest.raises(Refused) as failure:
        parse_response(http_answer(400, body), SHAPE)
    assert failure.value.message == "card ***1111 of j***@shop.example \ufffd"


@pytest.mark.parametrize("body", ['{"apiKey": "hunter2"', "{}"], ids=["unreadable", "wrong shape"])
def test_a_bad_answer_carries_nothing_of_the_body(body: str) -> None:
    with pytest.raises(BadAnswer) as failure:
        parse_response(http_answer(200, body), SHAPE)
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    shown = "".join(traceback.format_exception(failure.value)) + repr(pickle.dumps(failure.value))
    assert "hunter2" not in shown
    assert "4111111111111111" not in shown


def test_an_unknown_outcome_says_how_long_to_wait() -> None:
    with pytest.raises(OutcomeUnknown) as failure:
        parse_response(http_answer(503, "", retry_after="120"), SHAPE)
    assert failure.value.retry_after == 120.0


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
