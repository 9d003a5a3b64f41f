"""The search finds each fault it is looking for: one that finds nothing proves nothing."""

from __future__ import annotations

import pytest
from django.core.exceptions import TooManyFieldsSent
from pytest_django import Settings

from tests.fuzzing.addresses import Address
from tests.fuzzing.faults import faults_of
from tests.fuzzing.hostile import CANARY
from tests.fuzzing.requests import Request, Sample
from tests.fuzzing.verdicts import Outcome, carry_out
from tests.models.rows import NOW
from tests.support.tables import every
from wallet_gateway.models import Job, JobPosition

SPACED = " ".join(CANARY[at : at + 4] for at in range(0, 16, 4))
ROW = ("wallet_gateway_payment", "('4 EUR',)")
PROBLEM = {"content-type": "application/problem+json"}
ITS_CODE = b'{"code": "unknown_link"}'


EVENT = "wallet/api/orders/x/event/"
SAMPLE = Sample(address=Address(EVENT, EVENT), headers={"Cookie": "sessionid=x"})
POST = Request(method="POST", path=f"/{EVENT}")


@every(
    ("outcome", "words"),
    [
        (Outcome(status=500), "answered 500"),
        (Outcome(status=200, faults=[ValueError()]), "raised"),
        (Outcome(status=200, seconds=1.5), "took 1.5 s"),
        (Outcome(status=404, sent=1, headers=PROBLEM, body=ITS_CODE), "asked the gateway"),
        (Outcome(status=404, values=[ROW], headers=PROBLEM, body=ITS_CODE), "wrote to"),
        (Outcome(status=200, logged=[f"refused {SPACED}"]), "logged a card number"),
        (Outcome(status=200, values=[(ROW[0], CANARY)]), "stored a card number"),
        (Outcome(status=404, headers=PROBLEM, body=b'{"code": "another"}'), "without a code"),
        (Outcome(status=404, headers={"content-type": "text/html"}), "without a code"),
    ],
)
def test_a_fault_is_named(outcome: Outcome, words: str) -> None:
    assert words in " ".join(faults_of(SAMPLE, POST, outcome))


@every(
    "outcome",
    [
        Outcome(status=200, values=[ROW], sent=1),
        Outcome(status=409, values=[ROW], sent=1, headers=PROBLEM, body=b'{"code": "card_refused"}'),
        Outcome(status=404, headers=PROBLEM, body=ITS_CODE, values=[("django_session", "x")]),
        Outcome(status=400, headers=PROBLEM, body=ITS_CODE, faults=[TooManyFieldsSent()]),
    ],
)
def test_what_is_as_it_should_be_is_no_fault(outcome: Outcome) -> None:
    assert not list(faults_of(SAMPLE, POST, outcome))


def test_a_strangers_look_may_change_nothing_but_what_the_gateway_says() -> None:
    outcome = Outcome(status=200, values=[ROW])
    stranger = Sample(address=Address("wallet/pay/<str:token>/", ""))
    assert list(faults_of(stranger, Request(path="/wallet/pay/x/"), outcome))
    back = Sample(address=Address("wallet/return/<str:token>/", ""))
    assert not list(faults_of(back, Request(path="/wallet/return/x/"), outcome))


@pytest.mark.django_db
def test_what_a_view_does_is_seen_and_taken_back(
    catalogue: int, example_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(*_: object) -> None:
        JobPosition.move(Job.SWEEP, gateway="another", now=NOW)
        raise RuntimeError("nobody foresaw it")

    monkeypatch.setattr("example_project.shop.views.catalogue.current_currency", careless)
    outcome = carry_out(Request(path="/"))
    assert (outcome.status, [str(fault) for fault in outcome.faults]) == (500, ["nobody foresaw it"])
    assert outcome.written == {"wallet_gateway_jobposition"}
    assert not JobPosition.objects.exists()
