"""What is recorded of each outcome of a request: the state, the next instant, the words and the pauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.settlement.rows import a_follow_up, a_page, a_reservation
from tests.tables import every
from wallet_gateway.client.errors import (
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import Answer, Exchange
from wallet_gateway.domain.explanations import ExplanationCode
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import Verdict
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending import answers
from wallet_gateway.protocol.authorizations import AuthorizationResponse

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind
EXCHANGE = Exchange(
    method="POST",
    url_path="/apmTransactions",
    http_status=200,
    request_body="{}",
    answer_body="{}",
    elapsed_seconds=0.5,
    sent=True,
)
Sent = Callable[..., GatewayTransaction]


@pytest.fixture
def reserved(context: GatewayContext) -> GatewayTransaction:
    return a_reservation(context)


@pytest.fixture
def sent(reserved: GatewayTransaction) -> Sent:
    """A capture of 5.00 that is being sent, by its first claim unless another is meant."""

    def make(attempt_no: int = 1) -> GatewayTransaction:
        return a_follow_up(reserved, K.CAPTURE, S.SENDING, attempt_no=attempt_no)

    return make


def last_event(transaction: GatewayTransaction) -> tuple[str, str, str, dict[str, Any]]:
    event = transaction.events.latest("pk")
    return event.kind, event.lifecycle_event, event.explanation_code, event.explanation_params


def pauses() -> list[tuple[Any, str]]:
    return list(GatewayPause.objects.values_list("sending_until", "pause_code"))


def others_unknown(transaction: GatewayTransaction, count: int, **columns: Any) -> None:
    """Let other outcomes have become unknown just now."""
    for _ in range(count):
        page = a_page()
        known = {"state": S.UNKNOWN, "state_changed_at": transaction.created_at} | columns
        GatewayTransaction.objects.filter(pk=page.pk).update(**known)


# Nothing left


@pytest.mark.parametrize(
    ("reason", "attempt_no", "wait"),
    [
        (NotSentReason.DNS, 1, timedelta(seconds=1)),
        (NotSentReason.DNS, 2, timedelta(seconds=4)),
        (NotSentReason.DNS, 3, timedelta(seconds=16)),
        (NotSentReason.DNS, 4, None),
        (NotSentReason.TLS, 1, timedelta(seconds=1)),
        (NotSentReason.TLS, 2, None),
    ],
)
def test_what_never_left_is_sent_again_after_a_while_or_left_to_a_person(
    reason: NotSentReason,
    attempt_no: int,
    wait: timedelta | None,
    sent: Sent,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    error = NotSent(reason, detail="no route")
    error.exchange = replace(EXCHANGE, http_status=None, sent=False)
    unsent = answers.record_not_sent(sent(attempt_no), error, context=context)
    assert unsent.state == S.NOT_SENT
    assert unsent.next_send_at == (wait and clock.now() + wait)
    assert unsent.needs_operator == (wait is None)
    why = {"reason": reason.value, "said": "no route"}
    assert last_event(unsent) == ("FAULT", "NOTHING_LEFT", ExplanationCode.NOT_SENT, why)
    assert unsent.events.latest("pk").elapsed_ms == 500


def test_a_sender_that_has_lost_its_claim_does_not_say_that_nothing_left(
    sent: Sent, context: GatewayContext
) -> None:
    transaction = sent(1)
    GatewayTransaction.objects.filter(pk=transaction.pk).update(attempt_no=2)
    answers.record_not_sent(transaction, NotSent(NotSentReason.DNS), context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.SENDING
    GatewayTransaction.objects.filter(pk=transaction.pk).update(leased_until=transaction.created_at)


# Nobody knows


@pytest.mark.parametrize("retry_after", [None, 60.0])
def test_an_unknown_outcome_keeps_its_amount_and_waits_as_long_as_the_gateway_wants(
    retry_after: float | None, sent: Sent, context: GatewayContext, clock: VirtualClock
) -> None:
    error = OutcomeUnknown(UnknownReason.CONNECTION_LOST, retry_after, detail="reset")
    error.exchange = EXCHANGE
    unknown = answers.record_unknown(sent(), error, context=context)
    assert (unknown.state, unknown.holds_reservation, unknown.error_code) == (S.UNKNOWN, True, "")
    why = {"reason": error.reason.value, "said": "reset"}
    assert last_event(unknown) == ("FAULT", "LOST", ExplanationCode.OUTCOME_UNKNOWN, why)
    assert unknown.events.latest("pk").http_status == 200
    then = clock.now() + timedelta(seconds=60)
    assert unknown.next_query_at is not None
    if retry_after is None:
        assert pauses() == []
        assert unknown.next_query_at < then
    else:
        assert pauses() == [(then, PauseCode.RETRY_AFTER)]
        assert unknown.next_query_at == then
        assert GatewayPause.objects.get().explanation_params == why


@pytest.mark.parametrize("others", [2, 3])
@pytest.mark.parametrize("is_answered", [True, False])
def test_the_fourth_unknown_outcome_of_a_moment_pauses_new_requests(
    is_answered: bool, others: int, sent: Sent, context: GatewayContext
) -> None:
    transaction = sent()
    others_unknown(transaction, others, state_changed_at=context.clock.now())
    if is_answered:
        answer = Answer(message=echoing(transaction, "Approved", currencyCode="USD"), exchange=EXCHANGE)
        answers.record_follow_up_answer(transaction, answer, is_awaited=True, context=context)
    else:
        error = OutcomeUnknown(UnknownReason.CONNECTION_LOST)
        answers.record_unknown(transaction, error, context=context)
    assert [code for _, code in pauses()] == [PauseCode.UNKNOWN_OUTCOMES] * (others == 3)
    GatewayTransaction.objects.filter(kind=K.CHECKOUT, state=S.UNKNOWN).update(state=S.OPEN)


# Answers


def echoing(transaction: GatewayTransaction, state: str, **given: Any) -> AuthorizationResponse:
    wire = {"clientSystemTransactionId": transaction.reference, "currencyCode": "EUR", "id": "g1"}
    return AuthorizationResponse.from_wire(wire | {"state": state} | given)


@pytest.mark.parametrize(
    ("said", "state", "event"),
    [
        ("Approved", S.APPROVED, E.APPROVED),
        ("Errored", S.REJECTED, E.REJECTED),
        ("Pending", S.PENDING, E.HELD),
        ("aPPROVED", S.APPROVED, E.APPROVED),
        ("Odd", S.PENDING, E.HELD),
    ],
)
def test_an_answer_is_the_outcome_where_it_is_a_yes_or_a_no(
    said: str, state: TransactionState, event: LifecycleEvent, sent: Sent, context: GatewayContext
) -> None:
    transaction = sent()
    answer = Answer(message=echoing(transaction, said), exchange=EXCHANGE)
    others_unknown(transaction, 4, state_changed_at=context.clock.now())
    settled = answers.record_follow_up_answer(transaction, answer, is_awaited=True, context=context)
    assert settled.state == state
    assert last_event(settled)[:2] == ("ANSWER", event)
    assert settled.events.latest("pk").http_status == 200
    assert pauses() == [], "an answer is no unknown outcome"
    GatewayTransaction.objects.filter(kind=K.CHECKOUT, state=S.UNKNOWN).update(state=S.OPEN)


@pytest.fixture
def authorization() -> GatewayTransaction:
    return a_page(S.SENDING, kind=K.AUTHORIZATION, redirect_url="")


HOST = "pay.gateway.example"


@pytest.mark.parametrize(
    ("said", "url", "state", "shown"),
    [
        ("Pending", f"https://{HOST}/3ds", S.AWAITING_3DS, f"https://{HOST}/3ds"),
        ("Pending", None, S.PENDING, ""),
        ("Approved", f"https://{HOST}/3ds", S.APPROVED, ""),
        ("Pending", "https://elsewhere.example/3ds", S.PENDING, ""),
    ],
)
def test_only_a_pending_authorization_with_an_allowed_page_sends_the_customer_there(
    said: str,
    url: str | None,
    state: TransactionState,
    shown: str,
    authorization: GatewayTransaction,
    make_context: MakeContext,
    clock: VirtualClock,
) -> None:
    context = make_context(redirect_hosts=frozenset({HOST}))
    answer = Answer(message=echoing(authorization, said, redirectUrl=url), exchange=EXCHANGE)
    settled = answers.record_authorization_answer(authorization, answer, context=context)
    assert (settled.state, settled.redirect_url) == (state, shown)
    timeout = timedelta(seconds=context.gateway.account.redirect_url_timeout)
    assert settled.expires_at == (clock.now() + timeout if shown else None)
    event = settled.events.latest("pk")
    assert (event.kind, event.http_status) == ("ANSWER", 200)
    strange = [("UNEXPECTED_HOST", {"host": "elsewhere.example"})] if "elsewhere" in str(url) else []
    assert list(Discrepancy.objects.values_list("kind", "explanation_params")) == strange
    assert (settled.record_id, settled.reported_id) == ("g1" if said == "Approved" else None, "g1")


# Refusals


REFUSED = Refused("4107940", "not allowed", 400)
WORDS = {"error_code": "4107940", "http_status": 400, "said": "not allowed"}


def refused(
    transaction: GatewayTransaction, context: GatewayContext, body: bytes, error: Refused = REFUSED
) -> GatewayTransaction:
    error.exchange = replace(EXCHANGE, http_status=400)
    return answers.record_refusal(transaction, error, context=scripted(context, body))


def test_a_refusal_is_believed_once_the_gateway_has_no_record(sent: Sent, context: GatewayContext) -> None:
    rejected = refused(sent(), context, b"[]")
    assert (rejected.state, rejected.error_code) == (S.REJECTED, "4107940")
    assert last_event(rejected) == ("RECORDS", "REJECTED", ExplanationCode.REFUSED, WORDS)
    first = rejected.events.order_by("pk")[1]
    assert (first.kind, first.lifecycle_event, first.http_status) == ("ANSWER", "LOST", 400)
    assert (first.explanation_code, first.explanation_params) == (ExplanationCode.REFUSED, WORDS)


def test_a_refusal_without_an_answer_to_the_query_stays_unknown(sent: Sent, context: GatewayContext) -> None:
    unknown = refused(sent(), context, b"no answer")
    assert (unknown.state, unknown.error_code, pauses()) == (S.UNKNOWN, "4107940", [])
    assert last_event(unknown)[:2] == ("ANSWER", "LOST")


@pytest.mark.parametrize(
    ("state", "after", "event", "kinds"),
    [
        ("Approved", S.APPROVED, E.APPROVED, ["REPEATED_ON_THE_WIRE"]),
        ("Pending", S.PENDING, E.HELD, []),
        ("Errored", S.REJECTED, E.REJECTED, []),
        ("Odd", S.PENDING, E.HELD, ["UNKNOWN_STATE"]),
    ],
)
def test_a_refusal_beside_a_record_is_what_the_record_says(
    state: str,
    after: TransactionState,
    event: str,
    kinds: list[str],
    sent: Sent,
    context: GatewayContext,
) -> None:
    transaction = sent()
    settled = refused(transaction, context, answer_of(record(transaction, "5.00", state=state)))
    assert settled.state == after
    assert last_event(settled)[:2] == ("RECORDS", event)
    assert list(Discrepancy.objects.values_list("kind", flat=True)) == kinds
    if state == "Approved":
        assert Discrepancy.objects.get().explanation_code == ExplanationCode.REPEATED_ON_THE_WIRE


def test_a_refund_that_was_too_much_keeps_the_gateways_four_amounts(
    sent: Sent, context: GatewayContext
) -> None:
    message = "RefundAmountExceeded: 20.00, 18.00, 2.00, 5.00"
    rejected = refused(sent(), context, b"[]", Refused("4107940", message, 400))
    _, _, code, params = last_event(rejected)
    limit = {"deposit": "20.00", "refunded": "18.00", "maximum": "2.00", "requested": "5.00"}
    assert (code, params) == (ExplanationCode.REFUND_AMOUNT_EXCEEDED, WORDS | limit | {"said": message})


def test_what_is_no_known_error_has_no_explanation() -> None:
    with pytest.raises(TypeError, match="GatewayError"):
        answers.explanation_of(GatewayError())


# Hosts of pages


@every(
    ("url", "plain", "allowed"),
    [
        (f"https://{HOST}/page", False, True),
        (f"https://{HOST.upper()}/page", False, True),
        (f"http://{HOST}/page", False, False),
        (f"http://{HOST}/page", True, True),
        (f"https://{HOST}/page", True, True),
        (f"ftp://{HOST}/page", True, False),
        (f"https://{HOST}.elsewhere.example/", False, False),
        (f"https://{HOST}:8443/", False, False),
        (f"https://anna@{HOST}/", False, False),
        ("https://[/", True, False),
        ("", True, False),
    ],
)
def test_a_page_is_allowed_on_the_named_hosts_only(
    url: str, plain: bool, allowed: bool, context: GatewayContext
) -> None:
    policy = replace(context.policy, redirect_hosts=frozenset({HOST}), allow_plain_http=plain)
    assert answers.is_allowed_page(url, replace(context, policy=policy)) is allowed


def test_a_strange_host_is_named_up_to_a_hundred_characters(context: GatewayContext) -> None:
    assert answers.host_of(f"https://{'A' * 101}/x") == "a" * 100
    assert answers.host_of("https://[/") == ""
    found = answers.unexpected_page("https://odd.example/x", context)
    assert (found.verdict, found.record_id, found.shown_discrepancy) == (
        Verdict.INCONCLUSIVE,
        "",
        "UNEXPECTED_HOST",
    )
    assert found.explanation is not None
    assert (found.explanation.code, found.explanation.params) == (
        ExplanationCode.HOST_UNEXPECTED,
        {"host": "odd.example"},
    )


def test_where_only_the_scheme_is_not_allowed_it_is_named_with_the_host(context: GatewayContext) -> None:
    policy = replace(context.policy, redirect_hosts=frozenset({HOST}), allow_plain_http=False)
    found = answers.unexpected_page(f"http://{HOST}/x", replace(context, policy=policy))
    assert found.shown_discrepancy == "UNEXPECTED_HOST"
    assert found.explanation is not None
    assert (found.explanation.code, found.explanation.params) == (
        ExplanationCode.SCHEME_UNEXPECTED,
        {"host": HOST, "scheme": "http"},
    )
