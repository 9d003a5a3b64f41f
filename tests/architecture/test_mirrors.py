"""Each module has its test file where one looks for it, or a reason why its subject is tested as a whole."""

from __future__ import annotations

from tests.architecture.sources import ROOT, package

# Modules without a test file of their own, each with its reason.
TESTED_ELSEWHERE: dict[str, str] = {
    "wallet_gateway/apps.py": "loading the app is what every test does",
    **{
        f"wallet_gateway/operations/{name}.py": reason
        for reason, names in {
            "what is asked and learned is polling/test_reconciliation and test_old_attempts": (
                "polling/status_query",
                "polling/status_result",
            ),
            "what comes of a request is the subject of the fault matrices": ("sending/answers",),
            "repeated reads are a part of wallet/test_keys and wallet/test_fault_matrix_network": (
                "wallet/retries",
            ),
            "what is written with a change of state is test_settle, test_contradictions and the invariants": (
                "settlement/counters",
                "settlement/discrepancies",
                "settlement/freezes",
                "settlement/status_updates",
            ),
            "an authorization is a part of test_pay and test_plain_cards": ("wallet/authorize",),
            "the messages are tested with the exceptions that carry them": ("error_messages",),
        }.items()
        for name in names
    },
    **{
        f"wallet_gateway/conformance/{name}.py": "the probes are made of it, which wrong gateways test"
        for name in ("expectations", "results", "wallet_flow")
    },
    **{
        f"wallet_gateway/contrib/{name}.py": "a bridge is tested in its shop: contrib/test_bridges"
        for name in (
            "django_payments/provider",
            "django_payments/receivers",
            "operation_result",
            "oscar/cancellation",
            "oscar/checkout",
            "oscar/checks",
            "oscar/dashboard",
            "oscar/loading",
            "oscar/order_details",
            "oscar/receivers",
            "oscar/sources",
            "oscar/templatetags/wallet_oscar",
            "own_order/checks",
            "own_order/deletion",
            "own_order/payable_order",
            "own_order/receivers",
            "payment_page",
        )
    },
    "wallet_gateway/contrib/mails/once.py": "what is sent once is the subject of mails/test_receivers",
    "wallet_gateway/models/prepared_cursor.py": "what it keeps is test_prepared_statements",
    "wallet_gateway/models/settlements_at_once.py": (
        "one of them is test_settlement_writes, many are polling/test_joint_settlement"
    ),
    "wallet_gateway/urls.py": "every view test goes through it",
    **{
        f"wallet_gateway/testing/chaos/{name}.py": "a run is made of it, from end to end: chaos/test_run"
        for name in (
            "addresses",
            "calm",
            "customer_steps",
            "gateway_steps",
            "merchant_steps",
            "merchants",
            "outcomes",
            "replay",
            "session",
            "settings",
            "shop",
            "steps",
            "transport",
            "verdict",
        )
    },
}
SKIPPED_NAMES = {"__init__", "__main__", "apps", "urls"}


def _expected_test(parts: tuple[str, ...]) -> str:
    *rooms, module = parts
    return "/".join(["tests", *rooms, f"test_{module}.py"])


def test_every_module_has_its_test_file() -> None:
    missing = {}
    for source in package():
        parts = source.path.with_suffix("").parts[1:]
        if parts[-1] in SKIPPED_NAMES or parts[-1].startswith("_") or source.name in TESTED_ELSEWHERE:
            continue
        expected = _expected_test(parts)
        if not (ROOT / expected).exists():
            missing[source.name] = expected
    assert not missing
