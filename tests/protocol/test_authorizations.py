"""Authorizations: what they carry, and which proof of authentication is one."""

from __future__ import annotations

import pytest

from tests.protocol.samples import CRYPTOGRAM_LENGTHS, authorization, cryptogram_of, paths, without
from tests.tables import every
from wallet_gateway.protocol.authorizations import (
    AuthorizationRequest,
    AuthorizationResponse,
    AuthorizationType,
    ThreeDSecure,
)
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.errors import InvalidMessage

PROOF = {
    "version": "2.2.0",
    "eci": "05",
    "authenticationValue": "AAECAwQFBgcICQoLDA0ODxAREhM=",
    "dsTransactionId": "5a0b51c8-8c4e-4d6a-9d7c-0c3d3c1b9f11",
    "threeDSServerTransactionId": "1f0f7f7e-0d6a-4f5d-8f55-2c4b8c9b7d42",
    "transactionStatus": "Y",
}


def test_its_types_are_spelled_as_its_own_section_prints_them() -> None:
    assert [str(kind) for kind in AuthorizationType] == ["ecom.sale", "ecom.preauthorization"]
    assert str(CheckoutType.PREAUTHORIZATION) not in list(AuthorizationType)
    other = AuthorizationRequest.from_wire(authorization() | {"type": "ecom.preAuthorization"})
    assert other.type is AuthorizationType.PREAUTHORIZATION


@every("length", CRYPTOGRAM_LENGTHS)
def test_a_cryptogram_of_any_length_is_written_as_it_came(length: int) -> None:
    given = authorization() | {"cryptogram": cryptogram_of(length)}
    assert AuthorizationRequest.from_wire(given).to_wire()["cryptogram"] == cryptogram_of(length)


def test_a_cryptogram_is_not_quoted() -> None:
    with pytest.raises(InvalidMessage) as refused:
        AuthorizationRequest.from_wire(authorization() | {"cryptogram": "CANARY"})
    assert "CANARY" not in str(refused.value)


@pytest.mark.parametrize("name", ["authenticationValue", "dsTransactionId"])
@pytest.mark.parametrize("status", ["Y", "A"])
def test_who_was_authenticated_has_proof(name: str, status: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        ThreeDSecure.from_wire(without(PROOF, name) | {"transactionStatus": status})
    assert paths(refused.value) == [name]


@pytest.mark.parametrize("status", ["C", "N", "R", "U", "I"])
def test_who_was_not_needs_none(status: str) -> None:
    bare = {"version": "2.1.0", "eci": "07", "transactionStatus": status}
    assert ThreeDSecure.from_wire(bare).to_wire() == bare


def test_an_answer_may_send_the_customer_away() -> None:
    answer = {"state": "Pending", "redirectUrl": "https://gateway.example/three-d-secure/x/"}
    assert AuthorizationResponse.from_wire(answer).to_wire() == answer
    with pytest.raises(InvalidMessage):
        AuthorizationResponse.from_wire(answer | {"redirectUrl": "javascript:alert(1)"})


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_an_address_of_nothing_sends_nobody_away(nothing: str | None) -> None:
    answer = AuthorizationResponse.from_wire({"state": "Approved", "redirectUrl": nothing})
    assert (answer.state, answer.redirect_url) == ("Approved", None)
