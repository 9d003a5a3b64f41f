"""Every reason to refuse has its own name, code and error body; failed wallet results have a description."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus

import pytest

from tests.tables import every
from wallet_gateway.protocol.faults import FaultCode
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.refusals import (
    RefundAmountExceeded,
    Refusal,
    SchemaValidationError,
    TokenMissing,
    UnknownPath,
)

PLAIN = [kind for kind in Refusal.__subclasses__() if kind is not RefundAmountExceeded]


@every("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_a_message_begins_with_the_name_and_says_the_rest(kind: type[Refusal]) -> None:
    description = {} if kind.description is None else {"description": "GeneralValidationError"}
    details = {"message": f"{kind.__name__}: Because."}
    assert kind("Because.").to_wire() == {"code": kind.code, "details": details} | description


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


def test_an_exceeded_refund_has_the_four_amounts_in_the_interfaces_order() -> None:
    amounts = [Money.from_minor_units(units, "EUR") for units in (1000, 250, 750, 800)]
    refusal = RefundAmountExceeded(
        deposit=amounts[0], refunded=amounts[1], maximum=amounts[2], requested=amounts[3]
    )
    message = str(refusal)
    assert message.startswith("RefundAmountExceeded")
    positions = [message.index(text) for text in ("10.00", "2.50", "7.50", "8.00")]
    assert positions == sorted(positions)


def test_a_refusal_is_an_exception_with_its_message() -> None:
    with pytest.raises(Refusal, match="UnknownPath: Not here"):
        raise UnknownPath("Not here.")


OF_RESULTS = {
    "TokenMissing",
    "TokenRefused",
    "TokenExpired",
    "TokenReplayed",
    "TokenOfAnotherMerchant",
    "CardNotAccepted",
}


def test_a_missing_token_is_answered_as_the_interface_prints_it() -> None:
    assert TokenMissing.status == 400
    assert TokenMissing("a required field is missing: token").to_wire() == {
        "code": "4000340",
        "description": "GeneralValidationError",
        "details": {"message": "TokenMissing: a required field is missing: token"},
    }


@every("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_only_failed_results_have_a_description(kind: type[Refusal]) -> None:
    assert ("description" in kind("Because.").to_wire()) == (kind.__name__ in OF_RESULTS)
