"""The values that leave the client: unchangeable, and shy about what is not redacted."""

from __future__ import annotations

from wallet_gateway.client.exchange import Answer, Exchange, RawAnswer

EXCHANGE = Exchange(
    method="POST",
    url_path="/pay",
    http_status=200,
    request_body='{"cryptogram":"[removed]"}',
    answer_body='{"state":"Approved"}',
    elapsed_seconds=0.5,
    sent=True,
)


def test_a_raw_answer_hides_its_content() -> None:
    raw = RawAnswer(status=200, headers={"retry-after": "hunter2"}, body=b"hunter2", elapsed=0.25)
    assert repr(raw) == "RawAnswer(status=200, elapsed=0.25)"


def test_an_answer_shows_the_redacted_exchange_and_not_the_message() -> None:
    shown = repr(Answer(message="hunter2", exchange=EXCHANGE))
    assert "hunter2" not in shown
    assert "Approved" in shown
