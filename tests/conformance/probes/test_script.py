"""Gateways that serve wallet.js wrongly, or not at all."""

from __future__ import annotations

from tests.conformance.wrong_gateways import Request, Wrong, failed, results_of, wrong
from tests.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.results import Outcome

SCRIPT = b"window.runWalletPay = () => {}"


def _serving(body: bytes = SCRIPT, content_type: str = "text/javascript", *, takes_v: bool = True) -> Wrong:
    def mend(request: Request) -> Request | Answer:
        if not request.operation.endswith("wallet.js"):
            return request
        is_right = request.operation == "/wallet.js" and (takes_v or not request.query)
        return Answer(200 if is_right else 404, content_type, body)

    return wrong("serves a script", mend=mend)


def test_a_right_script_passes(sandbox_url: str) -> None:
    results = results_of(sandbox_url, _serving(), "script")
    assert {result.outcome for result in results} == {Outcome.PASSED}


@every(
    ("row", "probe"),
    [
        (_serving(content_type="text/plain"), "script.type"),
        (_serving(takes_v=False), "script.version"),
        (_serving(b"window.pay = () => {}"), "script.entry"),
    ],
    ids=["as-text", "without-v", "another-script"],
)
def test_a_wrong_script_is_named(row: Wrong, probe: str, sandbox_url: str) -> None:
    assert failed(results_of(sandbox_url, row, "script")) == {probe}


@every("row", [_serving(content_type="text/html")], ids=["a-page"])
def test_a_page_in_place_of_the_script_is_no_script(row: Wrong, sandbox_url: str) -> None:
    results = results_of(sandbox_url, row, "script")
    assert {result.outcome for result in results} == {Outcome.SKIPPED}
    assert all("walletJs" in result.text for result in results)
