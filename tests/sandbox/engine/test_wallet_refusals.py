"""Refusals of the wallet button: the interface's own code, and the description of a failed result."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.sandbox.engine import wallet_refusals
from wallet_gateway.sandbox.engine.refusals import Refusal
from wallet_gateway.sandbox.engine.wallet_refusals import TokenMissing

ALL = [
    kind
    for kind in vars(wallet_refusals).values()
    if isinstance(kind, type) and issubclass(kind, Refusal) and kind is not Refusal
]
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


@every("kind", ALL, ids=lambda kind: kind.__name__)
def test_only_failed_results_have_a_description(kind: type[Refusal]) -> None:
    assert ("description" in kind("Because.").to_wire()) == (kind.__name__ in OF_RESULTS)
