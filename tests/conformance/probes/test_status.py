"""Gateways that are wrong about the status query and its records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    Wrong,
    answered,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    spoiling,
    spoiling_records,
    with_member,
    without_member,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer

IDS = {"merchantId": "SANDBOX-MERCHANT", "storeId": "SANDBOX-STORE"}
SALE = "ecom.sale"


def _of_type(type_: str, change: Any) -> Any:  # noqa: ANN401  (a change of any record)
    return spoiling_records(lambda record: change(record) if record["type"] == type_ else record)


def _guessing(name: str) -> Any:  # noqa: ANN401  (a Mend)
    """Fills in a parameter that is missing."""

    def mend(request: Request) -> Request:
        if request.operation != "status" or name in request.query:
            return request
        return replace(request, query={**request.query, name: IDS[name]})

    return mend


def _telling_anybody(name: str) -> Any:  # noqa: ANN401  (a Mend)
    """Tells everybody of everybody's payments."""

    def mend(request: Request) -> Request:
        if request.operation != "status" or request.query.get(name) != "NOBODY":
            return request
        return replace(request, query={**request.query, name: IDS[name]})

    return mend


def _everything_without_a_reference(request: Request) -> Request | Answer:
    if request.operation == "status" and "clientSystemTransactionId" not in request.query:
        return answered([])
    return request


def _with_time(change: Any) -> Any:  # noqa: ANN401  (a change of any text)
    return spoiling_records(
        lambda record: record | {"transactionDateTime": change(record["transactionDateTime"])}
    )


def _no_shipping(record: dict[str, Any]) -> dict[str, Any]:
    details = record["apmDetails"]
    return record | {"apmDetails": {name: details[name] for name in details if "hipping" not in name}}


def _payer(record: dict[str, Any]) -> dict[str, Any]:
    if record["state"] != "Errored":
        return record
    return record | {"apmDetails": {**record["apmDetails"], "apmPayerAccountNumber": "EW-1"}}


WRONG = [
    wrong(
        "answers an object in place of an array",
        "status.array",
        spoil=spoiling("status", lambda records: records[0] if records else records),
    ),
    *(
        wrong(f"guesses {name}", f"status.mandatory.{name}", mend=_guessing(name))
        for name in ("merchantId", "storeId")
    ),
    wrong(
        "answers an empty array without a reference",
        "status.mandatory.clientSystemTransactionId",
        mend=_everything_without_a_reference,
    ),
    *(
        wrong(f"tells any {name}", f"status.identification.{name}", mend=_telling_anybody(name))
        for name in ("merchantId", "storeId")
    ),
    *(
        wrong(
            f"leaves out {name} of a record",
            f"status.record.{name}",
            spoil=_of_type(SALE, without_member(name)),
        )
        for name in ("id", "state", "currencyCode", "transactionAmount", "clientSystemTransactionId")
    ),
    wrong(
        "leaves out the types of records",
        "status.record.type",
        "status.record.type.capture",
        spoil=spoiling_records(without_member("type")),
    ),
    wrong(
        "leaves out apmDetails",
        "status.record.apmDetails",
        spoil=_of_type(SALE, without_member("apmDetails")),
    ),
    wrong(
        "gives amounts as texts",
        "status.record.transactionAmount",
        spoil=spoiling_records(
            lambda record: record | {"transactionAmount": str(record["transactionAmount"])}
        ),
    ),
    wrong(
        "gives amounts in minor units",
        "status.record.amount",
        spoil=spoiling_records(
            lambda record: record | {"transactionAmount": int(record["transactionAmount"] * 100)}
        ),
    ),
    wrong(
        "gives times a zone", "status.record.transactionDateTime", spoil=_with_time(lambda time: time + "Z")
    ),
    wrong(
        "gives times six digits",
        "status.record.transactionDateTime",
        spoil=_with_time(lambda time: time[:-1]),
    ),
    wrong(
        "gives times no fraction",
        "status.record.transactionDateTime",
        spoil=_with_time(lambda time: time[:19]),
    ),
    *(
        wrong(
            f"gives no {name}",
            f"status.record.apmDetails.{name}",
            spoil=_of_type(SALE, with_member(f"apmDetails.{name}", None)),
        )
        for name in ("apmName", "apmPayerAccountNumber", "apmPayerEmailAddress", "apmProviderTransactionId")
    ),
    wrong(
        "gives records another reference",
        "status.record.reference",
        spoil=_of_type(SALE, with_member("clientSystemTransactionId", "another")),
    ),
    wrong(
        "gives records another currency",
        "status.record.currency",
        spoil=_of_type(SALE, with_member("currencyCode", "USD")),
    ),
    wrong(
        "calls a paid checkout Settled",
        "status.record.approved",
        spoil=_of_type(SALE, with_member("state", "Settled")),
    ),
    wrong(
        "calls sales otherwise", "status.record.type.sale", spoil=_of_type(SALE, with_member("type", "sale"))
    ),
    wrong(
        "reports captures as sales",
        "status.record.type.capture",
        spoil=_of_type("ecom.capture", with_member("type", SALE)),
    ),
    wrong(
        "tells of shipping by numbers",
        "status.pre-authorization.details",
        spoil=_of_type("ecom.preAuthorization", with_member("apmDetails.apmPayerShippingPhone", 49151)),
    ),
    wrong(
        "tells nothing of shipping",
        "status.pre-authorization.shipping",
        spoil=_of_type("ecom.preAuthorization", _no_shipping),
    ),
    wrong("tells the payer of an errored refund", "status.errored", spoil=spoiling_records(_payer)),
    wrong(
        "calls an errored refund Failed",
        "status.errored.state",
        spoil=spoiling(
            "refund", lambda value: value | ({"state": "Failed"} if value["state"] == "Errored" else {})
        ),
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
