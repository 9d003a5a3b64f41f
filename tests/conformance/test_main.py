"""The command: what it prints, its exit codes, and one sentence for everything it cannot be run with."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.tables import every
from wallet_gateway.conformance.__main__ import main
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Deposit, read_account
from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT

LEAST = {
    "merchantId": BUILT_IN_MERCHANT["MERCHANT_ID"],
    "storeId": BUILT_IN_MERCHANT["STORE_ID"],
    "userId": BUILT_IN_MERCHANT["USER_ID"],
    "provider": BUILT_IN_MERCHANT["PROVIDER"],
}


def written(folder: Path, value: Any) -> str:  # noqa: ANN401  (a JSON value)
    """Write an account file."""
    file = folder / "account.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(file)


def account(folder: Path, **more: Any) -> str:
    return written(folder, LEAST | more)


def test_the_whole_kit_passes_and_says_what_it_does(
    sandbox_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([sandbox_url]) == 0
    printed = capsys.readouterr().out
    assert f"probes of the sandbox {sandbox_url}, merchant SANDBOX-MERCHANT, profile test" in printed
    before, _, after = printed.partition("passed    checkout.minimal")
    assert "What moves money is announced: payments of 1.00 EUR each, at most 20 EUR in all" in before
    assert "Moves money: a payment (ecom.sale), 1.00 EUR" in after
    assert re.search(r"\n\d+ passed, 0 failed, \d+ skipped, \d+ reported in [\d.]+ seconds\n", after)
    assert "paid: 1.00 EUR, ecom.sale KIT-" in after
    assert "Settings that follow:\n\nWALLET_GATEWAY = {" in after


def test_a_failed_probe_is_exit_code_1(
    sandbox_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = account(tmp_path, provider="AnotherWalletV2")
    assert main([sandbox_url, "--account", wrong, "--only", "checkout.minimal"]) == 1
    assert "FAILED    checkout.minimal" in capsys.readouterr().out


def test_json_is_all_that_is_printed(sandbox_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{sandbox_url}/", "--json", "--only", "checkout.timeout,open.billing-address"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert run["url"] == sandbox_url
    assert run["counts"] == {"passed": 5, "failed": 0, "skipped": 0, "reported": 1}
    assert run["payments"] == []


def test_junit_is_all_that_is_printed(sandbox_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([sandbox_url, "--junit", "--only", "status.array"]) == 0
    captured = capsys.readouterr()
    assert ElementTree.fromstring(captured.out).get("tests") == "1"
    assert "Moves money" in captured.err


def test_nothing_is_paid_above_the_limit(sandbox_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([sandbox_url, "--json", "--limit", "0", "--only", "status,checkout.minimal"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert run["payments"] == []
    assert run["counts"]["passed"] == 1
    assert {probe["text"] for probe in run["probes"][1:]} == {
        "would move more than the limit of 0 EUR; see --limit"
    }


def test_profile_prod_runs_only_for_who_knows(
    sandbox_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = account(tmp_path, profile="prod")
    options = [sandbox_url, "--account", live, "--only", "checkout.minimal"]
    assert main(options) == 2
    captured = capsys.readouterr()
    assert captured.err == "The account is of profile prod, where money is real: add --i-know to use it.\n"
    assert captured.out == ""
    assert main([*options, "--i-know"]) == 0
    assert "profile prod" in capsys.readouterr().out


def test_probes_are_listed_without_a_gateway(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "checkout.amount.comma"]) == 0
    assert capsys.readouterr().out == (
        "checkout.amount.comma [General conventions]"
        ' An amount with a comma is refused: "reject comma separators".\n'
    )


def assert_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """See that nothing is run, and that one sentence says why."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert "secret" not in captured.err


@every(
    ("arguments", "said"),
    [
        *(
            ([url], "no web address")
            for url in ("", "gateway.example", "ftp://gateway.example", "https://", "https://[")
        ),
        (["https://gateway.example:port"], "no web address"),
        (["https://shop:secret@gateway.example"], "belong into the account file"),
        (["https://gateway.example?x=1"], "belong into the account file"),
        (["http://gateway.example"], "plain http is not used"),
        (["http://127.0.0.1.gateway.example"], "plain http is not used"),
        *(([f"http://{host}:9/pay/"], "gave no answer") for host in ("127.0.0.1", "localhost", "[::1]")),
        (["{url}/wallet"], "is not the service: it answers HTTP 404 with text/plain"),
        (["{url}", "--only", "chekout"], "There is no probe 'chekout'; areas are checkout, addresses"),
        (["{url}", "--account", "nothing.json"], "nothing.json cannot be read: No such file"),
    ],
)
def test_what_it_cannot_be_run_with_is_one_sentence(
    arguments: list[str], said: str, sandbox_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused([argument.replace("{url}", sandbox_url) for argument in arguments], said, capsys)


@every(
    ("value", "said"),
    [
        ("not JSON", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ([], "holds no JSON object"),
        ({}, "merchantId is missing"),
        (LEAST | {"merchant_id": "M"}, "merchant_id is not known"),
        (LEAST | {"storeId": 7}, "storeId must be a text"),
        (LEAST | {"storeId": " "}, "storeId must be a text"),
        (LEAST | {"profile": "live"}, "profile is 'live'"),
        *(
            (LEAST | {"amount": amount}, f"amount is {amount!r}")
            for amount in ("1,00", "0.00", "1.2.3", "-1", "1e3", "NaN", "\u0661")
        ),
        (LEAST | {"headers": ["x"]}, "headers must be an object"),
        (LEAST | {"headers": {"Authorization": "$KIT_NOBODY"}}, "no environment variable KIT_NOBODY"),
        (LEAST | {"paths": {"pay": "/x"}}, "paths has pay"),
        (LEAST | {"paths": {"checkout": "x"}}, "begin with a slash"),
        (LEAST | {"deposit": "OLD-1"}, "deposit must be an object"),
        (LEAST | {"deposit": {"parentTransactionId": "OLD-1"}}, "deposit.amount must be a text"),
        (LEAST | {"deposit": {"parentTransactionId": "O", "amount": "x"}}, "deposit.amount is 'x'"),
        (LEAST | {"caFile": "nothing.pem"}, "certificates"),
        (LEAST | {"clientCert": "nothing.pem"}, "certificates"),
    ],
)
def test_an_account_file_that_is_none_is_refused_in_one_sentence(
    value: object, said: str, sandbox_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused([sandbox_url, "--account", written(tmp_path, value)], said, capsys)


def test_everything_an_account_file_may_say_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "Bearer secret")
    least = read_account(Path(account(tmp_path)))
    assert least == SANDBOX_ACCOUNT, "four names are enough"
    assert least.path("checkout") == "/api/v5/checkout"
    more = {
        "profile": "prod",
        "currency": "JPY",
        "amount": "100",
        "returnUrl": "https://shop.example/back",
        "headers": {"Authorization": "$GATEWAY_KEY"},
        "paths": {"checkout": "/pay/checkout"},
        "deposit": {"parentTransactionId": "OLD-1", "amount": "500", "refunded": "200"},
        "walletJs": "https://gateway.example/wallet.js",
    }
    whole = read_account(Path(account(tmp_path, **more)))
    assert whole.headers == {"Authorization": "Bearer secret"}
    assert whole.path("checkout") == "/pay/checkout"
    assert whole.smallest == "1"
    assert whole.deposit == Deposit(parent_transaction_id="OLD-1", amount="500", refunded="200")
    assert "secret" not in repr(whole)


@every("amount", ["-1", "1,00", "x", "", "NaN"])
def test_a_limit_that_is_no_amount_is_refused(amount: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["https://gateway.example", f"--limit={amount}"])
    assert ended.value.code == 2
    assert "is no amount; give one such as 5.00" in capsys.readouterr().err


@every("seconds", ["-1", "nan", "inf", "x", "1.5"])
def test_a_time_to_wait_that_is_none_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["https://gateway.example", f"--wait={seconds}"])
    assert ended.value.code == 2
    assert "is no number of seconds" in capsys.readouterr().err


INTERRUPTED = """
import signal, sys
from wallet_gateway.conformance.__main__ import main
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Deposit, read_account
from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT

# Those that run in a shell's background ignore it from the beginning.
signal.signal(signal.SIGINT, signal.default_int_handler)
raise SystemExit(main(sys.argv[1:]))
"""


def test_ctrl_c_is_no_traceback(sandbox_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, sandbox_url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "probes of the sandbox" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == "Interrupted.\n"
    assert process.returncode == 2
