"""The JSON of a call and its curl line, made of the same fields."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from tests.tables import every
from wallet_gateway.protocol import strict_json
from wallet_gateway.sandbox.console.control_calls import call_body, curl_line

HERE = "http://127.0.0.1:8001"


@pytest.fixture(autouse=True)
def _no_control_key(settings: Settings) -> None:
    settings.WALLET_SANDBOX_CONTROL_KEY = ""


@every(
    ("fields", "body"),
    [
        ({"advanceSeconds": "900"}, '{"advanceSeconds": 900}'),
        ({"seconds": "0.5", "times": "0"}, '{"seconds": 0.5, "times": 0}'),
        ({"advanceSeconds": "-1"}, '{"advanceSeconds": -1}'),
        ({"seconds": "1e3"}, '{"seconds": "1e3"}'),
        ({"seconds": "007"}, '{"seconds": "007"}'),
        (
            {"numericAmounts": "true", "anotherCard": "false"},
            '{"numericAmounts": true, "anotherCard": false}',
        ),
        ({"numericAmounts": "yes"}, '{"numericAmounts": "yes"}'),
        ({"amount": "10.00", "code": "4107940"}, '{"amount": "10.00", "code": "4107940"}'),
        ({"skip": "", "message": "  "}, "{}"),
        ({"newestFirst": "true", "erroredAmount": "0"}, '{"newestFirst": true, "erroredAmount": "0"}'),
        (
            {"stateWords.Approved": " Settled ", "erroredAmount": "null", "stateWords.Errored": ""},
            '{"erroredAmount": "null", "stateWords": {"Approved": "Settled"}}',
        ),
        ({"stateWords.Approved": "", "stateWords.Errored": " "}, '{"stateWords": {}}'),
    ],
)
def test_a_field_becomes_the_json_that_its_call_reads(fields: dict[str, str], body: str) -> None:
    assert strict_json.dumps(call_body(fields)) == strict_json.dumps(strict_json.loads(body))


@every(
    ("name", "fields", "line"),
    [
        (
            "advance-clock",
            {"advanceSeconds": "900"},
            """curl --json '{"advanceSeconds":900}' http://127.0.0.1:8001/_sandbox/clock""",
        ),
        (
            "set-clock",
            {"now": "2030-01-31T09:30"},
            """curl -X PUT --json '{"now":"2030-01-31T09:30"}' http://127.0.0.1:8001/_sandbox/clock""",
        ),
        ("clear-faults", {}, "curl -X DELETE http://127.0.0.1:8001/_sandbox/faults"),
        ("reset", {}, "curl -X POST http://127.0.0.1:8001/_sandbox/reset"),
    ],
)
def test_a_curl_line_is_as_short_as_it_can_be(name: str, fields: dict[str, str], line: str) -> None:
    assert curl_line(name, fields, HERE) == line
