"""What the kit reports of gateways that are right, each in its own way, and the settings that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    Wrong,
    WrongWire,
    answered,
    approving,
    forgetting,
    gateway_behind,
    refusing,
    results_of,
    setting,
    spoiling,
    spoiling_records,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.registry import select
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.settings_block import settings_block
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire
from wallet_gateway.testing.control import SandboxControl


def _has_no_address(body: Mapping[str, Any]) -> bool:
    return "billingAddress" not in body.get("addressDetails", {})


DEMANDING = wrong("demands a billing address", mend=refusing("checkout", _has_no_address))


def report(url: str, row: Any, name: str) -> Result:  # noqa: ANN401  (a Wrong)
    [result] = results_of(url, row, name)
    assert result.outcome is Outcome.REPORTED, result.text
    return result


def test_the_sandbox_needs_no_setting(sandbox_url: str) -> None:
    results = results_of(sandbox_url, wrong("right"), "open")
    assert [result.probe.name for result in results if result.settings] == []
    assert {result.outcome for result in results} == {Outcome.REPORTED}


def test_a_gateway_that_demands_a_billing_address_is_conformant(sandbox_url: str) -> None:
    results = results_of(sandbox_url, DEMANDING)
    assert [(result.probe.name, result.text) for result in results if result.outcome is Outcome.FAILED] == []
    block = settings_block(sandbox_url, SANDBOX_ACCOUNT, results)
    assert '"BILLING_ADDRESS_REQUIRED": True,  # open.billing-address' in block


@pytest.mark.parametrize(
    ("alone", "settings"), [(True, {"SHARES_REFERENCES": True}), (False, {})], ids=["alone", "too"]
)
def test_follow_ups_under_their_originals_reference_are_reported(
    sandbox_url: str, alone: bool, settings: dict[str, object]
) -> None:
    originals: dict[str, str] = {}

    def remember(request: Request) -> Request:
        if request.operation == "refund":
            originals[request.body["clientSystemInvoiceId"]] = request.body["clientSystemTransactionId"]
        return request

    def share(request: Request, answer: Answer) -> Answer:
        reference = request.query.get("clientSystemTransactionId", "")
        if request.operation != "status":
            return answer
        if alone and reference in originals.values():
            return spoiling("status", lambda records: [])(request, answer)
        if reference not in originals:
            return answer
        return spoiling("status", lambda records: [*records, {**records[0], "type": "ecom.refund"}])(
            request, answer
        )

    row = wrong("shares references", mend=remember, spoil=share)
    found = report(sandbox_url, row, "open.references")
    assert found.settings == settings


def test_types_that_the_document_does_not_name_are_reported(sandbox_url: str) -> None:
    noted = spoiling("status", lambda records: [*records, *({**r, "type": "ecom.note"} for r in records[:1])])
    found = report(sandbox_url, wrong("notes", spoil=noted), "open.record-types")
    assert found.settings == {"IGNORED_RECORD_TYPES": ("ecom.note",)}


def test_pages_on_another_host_are_reported(sandbox_url: str) -> None:
    elsewhere = spoiling("checkout", lambda value: {"redirectUrl": "https://pay.example:8443/1"})
    found = report(sandbox_url, wrong("pages elsewhere", spoil=elsewhere), "open.redirect-hosts")
    assert found.settings == {"REDIRECT_HOSTS": ("pay.example:8443",)}


def test_what_the_account_file_adds_becomes_settings(sandbox_url: str) -> None:
    account = replace(
        SANDBOX_ACCOUNT,
        paths={"checkout": "/pay/checkout"},
        ca_file="/etc/ca.pem",
        client_cert="/etc/client.pem",
        client_key="/etc/client.key",
    )
    gateway = gateway_behind(HttpWire(sandbox_url), sandbox_url, account)
    [result] = run(select(PROBES, ["open.account"]), gateway)
    assert result.settings == {
        "PATHS": {"checkout": "/pay/checkout"},
        "CA_FILE": "/etc/ca.pem",
        "CLIENT_CERT": ("/etc/client.pem", "/etc/client.key"),
    }


def test_headers_that_are_needed_become_a_setting_without_their_secret(sandbox_url: str) -> None:
    account = replace(SANDBOX_ACCOUNT, headers={"Authorization": "secret"})

    def locked(request: Request) -> Request | Answer:
        is_open = request.headers.get("Authorization") == "secret"
        return request if is_open else answered({"code": "1"}, 401)

    for given in (account, SANDBOX_ACCOUNT):
        wire = WrongWire(HttpWire(sandbox_url), wrong("wants a header", mend=locked))
        [result] = run(select(PROBES, ["open.authentication"]), gateway_behind(wire, sandbox_url, given))
        assert result.settings == {"AUTH": "myshop.signing.sign"}
        assert "secret" not in settings_block(sandbox_url, given, [result])


def test_headers_that_are_not_needed_are_no_setting(sandbox_url: str) -> None:
    account = replace(SANDBOX_ACCOUNT, headers={"X-Kit": "1"})
    [result] = run(
        select(PROBES, ["open.authentication"]), gateway_behind(HttpWire(sandbox_url), sandbox_url, account)
    )
    assert (result.text, result.settings) == ("it is accepted", {})


def _two_hours_early(record: dict[str, Any]) -> dict[str, Any]:
    hour = int(record["transactionDateTime"][11:13])
    time = record["transactionDateTime"]
    return record | {"transactionDateTime": f"{time[:11]}{(hour + 12) % 24:02}{time[13:]}"}


def _is(wanted: str) -> Callable[[object], bool]:
    return lambda value: value == wanted


@every(
    ("name", "row", "text"),
    [
        (
            "unknown-fields",
            wrong("x", mend=refusing("checkout", lambda body: "kitUnknownField" in body)),
            "is refused",
        ),
        ("request-case", wrong("x", mend=refusing("checkout", lambda body: "Amount" in body)), "is refused"),
        (
            "type-case",
            wrong("x", mend=refusing("checkout", lambda body: body.get("type") == "ecom.preauthorization")),
            "is refused",
        ),
        (
            "card-details",
            wrong("x", mend=forgetting("shoppingCardDetails", lambda _: True)),
            "it is ignored",
        ),
        ("cart-total", wrong("x", mend=setting("checkout", "amount", "1.00", _is("2.00"))), "is accepted"),
        (
            "decimals.1.000",
            wrong("x", mend=setting("checkout", "amount", "1.00", _is("1.000"))),
            "is accepted",
        ),
        (
            "unknown-reference",
            wrong("x", spoil=lambda request, answer: _not_found(request, answer)),
            "HTTP 404 with code 4404",
        ),
        ("clock", wrong("x", spoil=spoiling_records(_two_hours_early)), "12.0 hours from UTC"),
        (
            "states",
            wrong("x", spoil=spoiling("refund", lambda value: value | {"state": "Queued"})),
            "there are Queued",
        ),
        (
            "answer-case",
            wrong("x", spoil=spoiling("refund", lambda value: {"State": value.pop("state"), **value})),
            "other spellings: State",
        ),
        (
            "refund-limit",
            wrong("x", mend=approving("refund", lambda body: body.get("amount") == "1.01")),
            "it is accepted",
        ),
        ("reversal-after-capture", wrong("x", mend=approving("reversal", lambda _: True)), "it is accepted"),
        ("reversal-of-a-part", wrong("x", mend=approving("reversal", lambda _: True)), "it is accepted"),
        ("status-codes", wrong("x", spoil=lambda _, answer: _unprocessable(answer)), "a missing field: 422"),
        ("error-messages", wrong("x", spoil=lambda _, answer: _bare(answer)), "not for a missing field"),
        ("key-life", wrong("x", spoil=spoiling("keys", lambda value: _least(value))), "it does not"),
        ("account-fields", wrong("x", spoil=spoiling("get", lambda _: {"cardType": "Token"})), "nothing"),
    ],
)
def test_another_way_is_reported(name: str, row: Any, text: str, sandbox_url: str) -> None:  # noqa: ANN401
    assert text in report(sandbox_url, row, f"open.{name}").text


def _without_amount(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "transactionAmount"}


def _numbered(record: dict[str, Any], id_: str) -> dict[str, Any]:
    return record | {"id": id_}


def _listing_another(request: Request, answer: Answer) -> Answer:
    """Has one record more in the answer about each payment that is known: always the same."""
    other = {"id": "SALE-OF-ANOTHER", "state": "Approved", "type": "ecom.sale"}
    return spoiling("status", lambda records: [*records, *([other] if records else [])])(request, answer)


@every(
    ("name", "row", "text"),
    [
        ("errored-amount", wrong("x", spoil=spoiling_records(_without_amount)), "none, where 1.00 was"),
        (
            "unapproved-ids",
            wrong("x", spoil=spoiling_records(lambda record: _numbered(record, "PENDING"))),
            "no: several payments share the id 'PENDING'",
        ),
        (
            "unapproved-ids",
            wrong(
                "x",
                spoil=spoiling_records(lambda one: _numbered(one, "00" if _is_pending(one) else one["id"])),
            ),
            "no: there is the id '00'",
        ),
        ("shared-records", wrong("x"), "they have none"),
        ("shared-records", wrong("x", spoil=_listing_another), "they have ecom.sale 'SALE-OF-ANOTHER'"),
        (
            "portal-references",
            wrong("x", spoil=spoiling("status", lambda records: records[:1])),
            "the answer does not have it",
        ),
    ],
)
def test_how_records_are_written_is_reported(name: str, row: Wrong, text: str, sandbox_url: str) -> None:
    assert text in report(sandbox_url, row, f"open.{name}").text


def _is_pending(record: dict[str, Any]) -> bool:
    return bool(record["state"] == "Pending")


@pytest.mark.parametrize("name", ["errored-amount", "unapproved-ids", "portal-references"])
def test_what_only_a_sandbox_can_bring_about_is_skipped_elsewhere(name: str, sandbox_url: str) -> None:
    gateway = replace(gateway_behind(HttpWire(sandbox_url), sandbox_url), control=None)
    [result] = run(select(PROBES, [f"open.{name}"]), gateway)
    assert result.outcome is Outcome.SKIPPED


def test_a_gateway_that_refunds_once_is_reported(sandbox_url: str) -> None:
    refunded: list[str] = []

    def once(request: Request) -> Request | Answer:
        if request.operation != "refund":
            return request
        refunded.append(request.body["clientSystemTransactionId"])
        return request if len(refunded) == 1 else answered({"code": "4400099"}, 409)

    found = report(sandbox_url, wrong("refunds once", mend=once), "open.several.refund")
    assert found.text == "it is refused: HTTP 409 with code 4400099"


def _not_found(request: Request, answer: Answer) -> Answer:
    is_unknown = request.operation == "status" and answer.value == []
    return answered({"code": "4404"}, 404) if is_unknown else answer


def _unprocessable(answer: Answer) -> Answer:
    return replace(answer, status=422) if answer.is_error else answer


def _bare(answer: Answer) -> Answer:
    return answered({"code": "1"}, answer.status) if answer.is_error else answer


def _least(value: dict[str, Any]) -> dict[str, Any]:
    return {name: value[name] for name in ("apiKey", "encryptionKey")}


@every(
    ("duplicates", "refund", "checkout"),
    [
        ("reject", "the second is refused", "the second is refused"),
        ("replay", "the second is answered as the first", "the second is answered with the same page"),
        ("execute", "both are executed", "the second is answered with a new page"),
    ],
)
def test_what_is_sent_twice_is_reported(
    duplicates: str, refund: str, checkout: str, sandbox_url: str
) -> None:
    control = SandboxControl(sandbox_url)
    control.behaviour(duplicates=duplicates)
    try:
        assert report(sandbox_url, wrong("x"), "open.same-refund").text.startswith(refund)
        assert report(sandbox_url, wrong("x"), "open.same-checkout").text.startswith(checkout)
    finally:
        control.behaviour(duplicates="reject")
