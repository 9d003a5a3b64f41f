"""What an HTTP answer is taken for: a table over statuses and bodies, for the answer to a capture."""

from __future__ import annotations

import pickle
import traceback
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.calls import CAPTURE
from tests.client.wires import gateway, wire
from tests.support.tables import every
from wallet_gateway.client.errors import BadAnswer, GatewayError, OutcomeUnknown, Refused, UnknownReason

ERROR = '{"code": "4107940", "details": {"message": "SchemaValidationError: amount"}}'
SUCCESS = '{"state": "Approved", "id": "g-1"}'
MIXED = '{"state": "Approved", "code": "4107940", "details": {"message": "no"}}'


def failure(status: int, body: str, **headers: str) -> GatewayError:
    """Return what a capture becomes that is answered so."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    with pytest.raises(GatewayError) as raised:
        gateway(wire(body.encode(), status=status, **named)).follow_up(CAPTURE)
    return raised.value


def unknown(status: int, body: str, **headers: str) -> OutcomeUnknown:
    error = failure(status, body, **headers)
    assert type(error) is OutcomeUnknown
    return error


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
        refused = failure(status, body)
        assert isinstance(refused, Refused)
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
        error = unknown(status, body, retry_after="120")
        assert (error.reason, error.detail, error.retry_after) == (reason, f"HTTP {status}", 120.0)


CONTRADICTIONS = [
    MIXED,
    *(
        f'{{"code": "4100001", "{name}": "x"{details}}}'
        for name, details in product(
            ["state", "id", "redirectUrl", "STATE", "RedirectURL"], ["", ', "details": {"message": "no"}']
        )
    ),
]
FOREIGN = [
    *("<html>", "", "{}", "[]", SUCCESS, '{"error": "no"}', '{"details": {"message": "x"}}'),
    *('{"code": ""}', '{"code": 4100001}', '{"code": 4100001, "details": {"message": "no"}}'),
    *('{"code": " "}', '{"code": {"a": "b"}}', '{"code": true}', '[{"code": "1"}]'),
    *('{"code": "1", "details": "x"}', '{"code": "1", "details": []}'),
    *('{"code": "1", "details": {"message": {}}}', '{"code": "1", "description": {}}'),
]
UNREADABLE = [
    *('{"apiKey": "hunter2"', "", "<html>", '{"state": "Approved", "amount": NaN}'),
    *('{"state": "Approved", "state": "Errored"}', '{"state": "Approved", "State": "Approved"}'),
    '{"state": "Approved"} {}',
]
WRONG_SHAPES = [
    *("{}", "[]", '"Approved"', "null", '{"code": ""}', '{"state": {"card": "4111111111111111"}}'),
    '{"code": 4100001, "details": {"message": "x"}}',
    '{"code": {"a": "b"}, "details": {"message": "x"}}',
]


@every(
    ("body", "reason"),
    [
        *((body, UnknownReason.CONTRADICTORY) for body in CONTRADICTIONS),
        *((body, UnknownReason.FOREIGN_ANSWER) for body in FOREIGN),
    ],
)
def test_a_4xx_that_is_not_the_gateways_refusal_leaves_the_outcome_unknown(
    body: str, reason: UnknownReason
) -> None:
    for status in (400, 403, 404):
        assert unknown(status, body).reason == reason


@every(
    ("body", "reason"),
    [
        *((body, UnknownReason.UNREADABLE) for body in UNREADABLE),
        *((body, UnknownReason.WRONG_SHAPE) for body in WRONG_SHAPES),
        *((body, UnknownReason.CONTRADICTORY) for body in CONTRADICTIONS),
    ],
)
def test_a_success_that_is_none_is_a_bad_answer_which_carries_nothing_of_it(
    body: str, reason: UnknownReason
) -> None:
    error = failure(200, body)
    assert isinstance(error, BadAnswer)
    assert (error.reason, bool(error.detail)) == (reason, True)
    assert (error.__cause__, error.__context__) == (None, None)
    error.exchange = None
    shown = "".join(traceback.format_exception(error)) + repr(pickle.dumps(error))
    assert "hunter2" not in shown
    assert "4111111111111111" not in shown


NOW = "Thu, 01 Jan 2026 10:00:00 GMT"
LATE = "Fri, 01 Jan 2100 00:00:00 GMT"


@every(
    ("text", "date", "seconds"),
    [
        ("0", NOW, 0.0),
        (" 30 ", NOW, 30.0),
        ("900", NOW, 900.0),
        ("901", NOW, 900.0),
        ("9" * 5_000, NOW, 900.0),
        ("Thu, 01 Jan 2026 10:02:00 GMT", NOW, 120.0),
        ("Thursday, 01-Jan-26 10:02:00 GMT", NOW, 120.0),
        ("Thu Jan  1 10:02:00 2026", NOW, 120.0),
        ("Thu, 01 Jan 2026 11:02:00 +0100", NOW, 120.0),
        ("Thu, 01 Jan 2026 09:00:00 GMT", NOW, 0.0),
        ("Fri, 01 Jan 2027 10:00:00 GMT", NOW, 900.0),
        *((text, NOW, None) for text in ("", "-1", "1.5", "1e3", "soon", "\u0661\u0662")),
        ("Thu, 32 Jan 2026 10:00:00 GMT", NOW, None),
        # From the gateway's clock, or from ours where it tells none
        ("Fri, 01 Jan 2100 00:01:00 GMT", LATE, 60.0),
        *((LATE, none, 900.0) for none in ("", "nonsense")),
        *(("Thu, 01 Jan 1998 00:00:00 GMT", none, 0.0) for none in ("", "nonsense")),
    ],
)
def test_the_time_to_wait_is_read_as_seconds_or_as_a_date(
    text: str, date: str, seconds: float | None
) -> None:
    assert unknown(503, "", retry_after=text, date=date).retry_after == seconds


@given(st.text(max_size=60) | st.from_regex(r"\w{3}, \d{1,4} \w{3} \d{1,6} \d\d:\d\d:\d\d [+-]\d{1,12}"))
def test_no_header_is_too_strange(text: str) -> None:
    wait = unknown(503, "", retry_after=text, date=text).retry_after
    assert wait is None or 0 <= wait <= 900
