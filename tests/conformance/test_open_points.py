"""What the kit reports of gateways that are right, each in its own way, and the settings that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Ask,
    Request,
    Wrong,
    answered,
    answering,
    approving,
    failed,
    gateway_behind,
    ignoring,
    reading,
    refusing,
    results_of,
    right,
    spoiling,
    spoiling_records,
)
from tests.support.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.registry import select
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.settings_block import settings_block
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.testing.control import SandboxControl


def _has_no_address(body: Mapping[str, Any]) -> bool:
    return "billingAddress" not in body.get("addressDetails", {})


DEMANDING = refusing("checkout", _has_no_address)


def report(url: str, wrong: Wrong, name: str) -> Result:
    [result] = results_of(url, wrong, name)
    assert result.outcome is Outcome.REPORTED, result.text
    return result


def test_the_sandbox_needs_no_setting(sandbox_url: str) -> None:
    results = results_of(sandbox_url, right, "open")
    assert [result.probe.name for result in results if result.settings] == []
    assert {result.outcome for result in results} == {Outcome.REPORTED}


def test_a_gateway_that_demands_a_billing_address_is_conformant(sandbox_url: str) -> None:
    results = results_of(sandbox_url, DEMANDING)
    assert failed(results) == set()
    block = settings_block(sandbox_url, SANDBOX_ACCOUNT, results)
    assert '"BILLING_ADDRESS_REQUIRED": True,  # open.billing-address' in block


@pytest.mark.parametrize(
    ("alone", "settings"), [(True, {"SHARES_REFERENCES": True}), (False, {})], ids=["alone", "too"]
)
def test_follow_ups_under_their_originals_reference_are_reported(
    sandbox_url: str, alone: bool, settings: dict[str, object]
) -> None:
    originals: dict[str, str] = {}

    def sharing(request: Request, ask: Ask) -> Answer:
        if request.operation == "refund":
            originals[request.body["clientSystemInvoiceId"]] = request.body["clientSystemTransactionId"]
        reference = request.query.get("clientSystemTransactionId", "")
        if alone and reference in originals.values():
            return spoiling("status", lambda records: [])(request, ask)
        if reference not in originals:
            return ask(request)
        refund = {"type": "ecom.refund"}
        return spoiling("status", lambda records: [*records, records[0] | refund])(request, ask)

    found = report(sandbox_url, sharing, "open.references")
    assert found.settings == settings


def test_types_that_the_document_does_not_name_are_reported(sandbox_url: str) -> None:
    noted = spoiling("status", lambda records: [*records, *({**r, "type": "ecom.note"} for r in records[:1])])
    found = report(sandbox_url, noted, "open.record-types")
    assert found.settings == {"IGNORED_RECORD_TYPES": ("ecom.note",)}


def test_pages_on_another_host_are_reported(sandbox_url: str) -> None:
    elsewhere = spoiling("checkout", lambda value: {"redirectUrl": "https://pay.example:8443/1"})
    found = report(sandbox_url, elsewhere, "open.redirect-hosts")
    assert found.settings == {"REDIRECT_HOSTS": ("pay.example:8443",)}


def test_what_the_account_file_adds_becomes_settings(sandbox_url: str) -> None:
    account = replace(
        SANDBOX_ACCOUNT,
        paths={"checkout": "/pay/checkout"},
        ca_file="/etc/ca.pem",
        client_cert="/etc/client.pem",
        client_key="/etc/client.key",
    )
    [result] = run(select(["open.account"]), gateway_behind(sandbox_url, account=account))
    assert result.settings == {
        "PATHS": {"checkout": "/pay/checkout"},
        "CA_FILE": "/etc/ca.pem",
        "CLIENT_CERT": ("/etc/client.pem", "/etc/client.key"),
    }


def test_headers_that_are_needed_become_a_setting_without_their_secret(sandbox_url: str) -> None:
    account = replace(SANDBOX_ACCOUNT, headers={"Authorization": "secret"})

    def locked(request: Request, ask: Ask) -> Answer:
        is_open = request.headers.get("Authorization") == "secret"
        return ask(request) if is_open else answered({"code": "1"}, 401)

    for given in (account, SANDBOX_ACCOUNT):
        [result] = run(select(["open.authentication"]), gateway_behind(sandbox_url, locked, given))
        assert result.settings == {"AUTH": "myshop.signing.sign"}
        assert "secret" not in settings_block(sandbox_url, given, [result])


def test_headers_that_are_not_needed_are_no_setting(sandbox_url: str) -> None:
    account = replace(SANDBOX_ACCOUNT, headers={"X-Kit": "1"})
    [result] = run(select(["open.authentication"]), gateway_behind(sandbox_url, account=account))
    assert (result.text, result.settings) == ("it is accepted", {})


def _two_hours_early(record: dict[str, Any]) -> dict[str, Any]:
    hour = int(record["transactionDateTime"][11:13])
    time = record["transactionDateTime"]
    return record | {"transactionDateTime": f"{time[:11]}{(hour + 12) % 24:02}{time[13:]}"}


def _is(wanted: str) -> Callable[[object], bool]:
    return lambda value: value == wanted


def _of_errors(change: Callable[[Answer], Answer]) -> Wrong:
    def wrong(request: Request, ask: Ask) -> Answer:
        answer = ask(request)
        return change(answer) if answer.is_error else answer

    return wrong


def _not_found(request: Request, ask: Ask) -> Answer:
    answer = ask(request)
    is_unknown = request.operation == "status" and answer.value == []
    return answered({"code": "4404"}, 404) if is_unknown else answer


def _least(value: dict[str, Any]) -> dict[str, Any]:
    return {name: value[name] for name in ("apiKey", "encryptionKey")}


@every(
    ("name", "wrong", "text"),
    [
        ("unknown-fields", refusing("checkout", lambda body: "kitUnknownField" in body), "is refused"),
        ("request-case", refusing("checkout", lambda body: "Amount" in body), "is refused"),
        (
            "type-case",
            refusing("checkout", lambda body: body.get("type") == "ecom.preauthorization"),
            "is refused",
        ),
        ("card-details", ignoring("shoppingCardDetails"), "it is ignored"),
        ("cart-total", reading("checkout", "amount", "1.00", _is("2.00")), "is accepted"),
        ("decimals.1.000", reading("checkout", "amount", "1.00", _is("1.000")), "is accepted"),
        ("unknown-reference", _not_found, "HTTP 404 with code 4404"),
        ("clock", spoiling_records(_two_hours_early), "12.0 hours from UTC"),
        ("states", spoiling("refund", lambda value: value | {"state": "Queued"}), "there are Queued"),
        (
            "answer-case",
            spoiling("refund", lambda value: {"State": value.pop("state"), **value}),
            "other spellings: State",
        ),
        ("refund-limit", approving("refund", lambda body: body.get("amount") == "1.01"), "it is accepted"),
        ("reversal-after-capture", approving("reversal", lambda _: True), "it is accepted"),
        ("reversal-of-a-part", approving("reversal", lambda _: True), "it is accepted"),
        ("status-codes", _of_errors(lambda one: replace(one, status=422)), "a missing field: 422"),
        (
            "error-messages",
            _of_errors(lambda one: answered({"code": "1"}, one.status)),
            "not for a missing field",
        ),
        ("key-life", spoiling("keys", _least), "it does not"),
        ("account-fields", spoiling("get", lambda _: {"cardType": "Token"}), "nothing"),
    ],
)
def test_another_way_is_reported(name: str, wrong: Wrong, text: str, sandbox_url: str) -> None:
    assert text in report(sandbox_url, wrong, f"open.{name}").text


def _without_amount(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "transactionAmount"}


def _numbered(record: dict[str, Any], id_: str) -> dict[str, Any]:
    return record | {"id": id_}


def _listing_another(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Have one record more in the answer about each payment that is known: always the same."""
    other = {"id": "SALE-OF-ANOTHER", "state": "Approved", "type": "ecom.sale"}
    return [*records, *([other] if records else [])]


@every(
    ("name", "wrong", "text"),
    [
        ("errored-amount", spoiling_records(_without_amount), "none, where 1.00 was"),
        (
            "unapproved-ids",
            spoiling_records(lambda record: _numbered(record, "PENDING")),
            "no: several payments share the id 'PENDING'",
        ),
        (
            "unapproved-ids",
            spoiling_records(lambda one: _numbered(one, "00" if one["state"] == "Pending" else one["id"])),
            "no: there is the id '00'",
        ),
        ("shared-records", right, "they have none"),
        ("shared-records", spoiling("status", _listing_another), "they have ecom.sale 'SALE-OF-ANOTHER'"),
        ("portal-references", spoiling("status", lambda records: records[:1]), "the answer does not have it"),
    ],
)
def test_how_records_are_written_is_reported(name: str, wrong: Wrong, text: str, sandbox_url: str) -> None:
    assert text in report(sandbox_url, wrong, f"open.{name}").text


@pytest.mark.parametrize("name", ["errored-amount", "unapproved-ids", "portal-references"])
def test_what_only_a_sandbox_can_bring_about_is_skipped_elsewhere(name: str, sandbox_url: str) -> None:
    gateway = replace(gateway_behind(sandbox_url), control=None)
    [result] = run(select([f"open.{name}"]), gateway)
    assert result.outcome is Outcome.SKIPPED


def test_a_gateway_that_refunds_once_is_reported(sandbox_url: str) -> None:
    refunded: list[str] = []

    def is_again(request: Request) -> bool:
        refunded.append(request.body["clientSystemTransactionId"])
        return len(refunded) > 1

    once = answering("refund", is_again, lambda _: answered({"code": "4400099"}, 409))
    found = report(sandbox_url, once, "open.several.refund")
    assert found.text == "it is refused: HTTP 409 with code 4400099"


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
        assert report(sandbox_url, right, "open.same-refund").text.startswith(refund)
        assert report(sandbox_url, right, "open.same-checkout").text.startswith(checkout)
    finally:
        control.behaviour(duplicates="reject")
