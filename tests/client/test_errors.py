"""The tree of errors: what callers catch, what it says, and that it survives being sent elsewhere."""

from __future__ import annotations

import pickle

import pytest

from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import Exchange

EXCHANGE = Exchange(
    method="POST",
    url_path="/pay",
    http_status=None,
    request_body="{}",
    answer_body="",
    elapsed_seconds=0.5,
    sent=True,
)
ERRORS = [
    pytest.param(
        NotSent(NotSentReason.DNS, detail="connecting: no such name"),
        "nothing was sent (dns): connecting: no such name",
        id="NotSent",
    ),
    pytest.param(NotSent(NotSentReason.OTHER), "nothing was sent (other)", id="NotSent without detail"),
    pytest.param(
        Refused("4107940", "SchemaValidationError: amount", 400),
        "the gateway refused (code 4107940, HTTP 400): SchemaValidationError: amount",
        id="Refused",
    ),
    pytest.param(
        OutcomeUnknown(UnknownReason.RATE_LIMITED, 30.0, detail="HTTP 429"),
        "the outcome is unknown (rate_limited): HTTP 429",
        id="OutcomeUnknown",
    ),
    pytest.param(
        BadAnswer(UnknownReason.CONTRADICTORY), "the outcome is unknown (contradictory)", id="BadAnswer"
    ),
]


@pytest.mark.parametrize(("error", "text"), ERRORS)
def test_an_error_says_what_is_known_and_why(error: GatewayError, text: str) -> None:
    assert str(error) == text


@pytest.mark.parametrize(("error", "text"), ERRORS)
def test_an_error_can_be_pickled_with_all_it_knows(error: GatewayError, text: str) -> None:
    error.exchange = EXCHANGE
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == text
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("error", "may_have_happened"),
    [
        (NotSent(NotSentReason.TLS), False),
        (Refused("1", "no", 400), False),
        (OutcomeUnknown(UnknownReason.TIMEOUT), True),
        (BadAnswer(UnknownReason.UNREADABLE), True),
    ],
    ids=["NotSent", "Refused", "OutcomeUnknown", "BadAnswer"],
)
def test_the_type_says_whether_it_may_have_happened(error: GatewayError, may_have_happened: bool) -> None:
    assert error.may_have_happened is may_have_happened
