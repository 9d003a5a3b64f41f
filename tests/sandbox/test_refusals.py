"""Every reason to refuse has its own name, code and error body; failed wallet results have a description."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus

from tests.tables import every
from wallet_gateway.protocol.faults import FaultCode
from wallet_gateway.sandbox.refusals import (
    RefundAmountExceeded,
    Refusal,
    SchemaValidationError,
)

PLAIN = [kind for kind in Refusal.__subclasses__() if kind is not RefundAmountExceeded]


@every("kind", Refusal.__subclasses__(), ids=lambda kind: kind.__name__)
def test_a_status_is_one_of_http_and_no_failure_of_the_gateway(kind: type[Refusal]) -> None:
    assert HTTPStatus(kind.status)
    assert 300 <= kind.status < 500


def test_only_the_interfaces_own_code_means_two_things() -> None:
    codes = Counter(kind.code for kind in Refusal.__subclasses__())
    assert [code for code, count in codes.items() if count > 1] == ["4107940"]
    assert {kind for kind in Refusal.__subclasses__() if kind.code == "4107940"} == {
        SchemaValidationError,
        RefundAmountExceeded,
    }


@every(
    "kind",
    [kind for kind in Refusal.__subclasses__() if kind.code not in list(FaultCode)],
    ids=lambda kind: kind.__name__,
)
def test_the_sandboxs_own_codes_hold_the_status(kind: type[Refusal]) -> None:
    assert kind.code[:4] == f"4{kind.status}"
    assert len(kind.code) == 7


OF_RESULTS = {
    "TokenMissing",
    "TokenRefused",
    "TokenExpired",
    "TokenReplayed",
    "TokenOfAnotherMerchant",
    "CardNotAccepted",
}


@every("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_only_failed_results_have_a_description(kind: type[Refusal]) -> None:
    assert ("description" in kind("Because.").to_wire()) == (kind.__name__ in OF_RESULTS)
