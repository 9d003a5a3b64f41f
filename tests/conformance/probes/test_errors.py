"""Gateways that are wrong about error bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    Wrong,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    setting,
    spoiling_errors,
    with_member,
    without_member,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer


def _as_page(request: Request, answer: Answer) -> Answer:
    """Answers a refusal as a web page, as a server in front of the service would."""
    return replace(answer, content_type="text/html", body=b"<h1>No</h1>") if answer.is_error else answer


def _schema_only(change: Any) -> Any:  # noqa: ANN401  (a change of any error)
    def changed(value: Any) -> Any:  # noqa: ANN401
        return change(value) if value["details"]["message"].startswith("SchemaValidationError") else value

    return changed


WRONG = [
    wrong("answers refusals as web pages", "errors.json.checkout", "errors.json.follow-up", spoil=_as_page),
    wrong(
        "gives an error a number for its code",
        "errors.code.checkout",
        "errors.code.follow-up",
        spoil=spoiling_errors(lambda value: value | {"code": int(value["code"])}),
    ),
    wrong(
        "gives an error no code",
        "errors.code.checkout",
        "errors.code.follow-up",
        spoil=spoiling_errors(without_member("code")),
    ),
    wrong(
        "gives an error of a checkout no code",
        "errors.code.checkout",
        spoil=spoiling_errors(without_member("code"), "checkout"),
    ),
    wrong(
        "describes an error by a text in place of an object",
        "errors.details.checkout",
        "errors.details.follow-up",
        spoil=spoiling_errors(with_member("details", "no")),
    ),
    wrong(
        "has another code for schema errors",
        "errors.schema.code.checkout",
        "errors.schema.code.follow-up",
        spoil=spoiling_errors(_schema_only(with_member("code", "4000000"))),
    ),
    wrong(
        "begins the message of schema errors otherwise",
        "errors.schema.message.checkout",
        "errors.schema.message.follow-up",
        spoil=spoiling_errors(_schema_only(with_member("details.message", "Invalid"))),
    ),
    *(
        wrong(
            f"does not look at the {name} of a checkout",
            f"errors.unknown.{name}",
            mend=setting("checkout", name, value, lambda given: given == "NOBODY"),
        )
        for name, value in {
            "merchantId": "SANDBOX-MERCHANT",
            "storeId": "SANDBOX-STORE",
            "userId": "sandbox-user",
        }.items()
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
