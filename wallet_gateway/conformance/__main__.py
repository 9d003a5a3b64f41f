"""``python -m wallet_gateway.conformance URL``: run the interface document against a gateway.

The exit code is 0 if no probe failed, 1 if one did, and 2 if the kit could not be run with this input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.probes import PROBES  # noqa: F401 - importing them fills the table of `select`
from wallet_gateway.conformance.registry import Probe, select
from wallet_gateway.conformance.reports import as_json, as_junit, payment_lines, summary, text_line
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import check_service, run
from wallet_gateway.conformance.settings_block import settings_block
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Unusable, amount_of, check_url, read_account
from wallet_gateway.conformance.wire import Wire


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kit; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        probes = select(filter(None, map(str.strip, options.only.split(","))))
        if options.list:
            _print(*(f"{probe.name} [{probe.section}] {probe.title}" for probe in probes))
            return 0
        return _test(options, probes)
    except Unusable as error:
        sys.stderr.write(f"{error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wallet_gateway.conformance",
        description="Run the interface document against a gateway.",
    )
    add = parser.add_argument
    add("url", metavar="URL", nargs="?", default="", help="base URL of the gateway")
    add("--account", type=Path, metavar="FILE", help="JSON; the sandbox's merchant if not given")
    add("--only", metavar="NAMES", default="", help="areas or probes, separated by commas")
    add("--list", action="store_true", help="name the probes, and run none")
    most = "most that is paid (default: 20)"
    add("--limit", type=_amount, metavar="AMOUNT", default=Decimal(20), help=most)
    wait = "how long a person has to pay (default: 300)"
    add("--wait", type=_seconds, metavar="SECONDS", default=300, help=wait)
    key = "of a sandbox; better given as WALLET_SANDBOX_CONTROL_KEY"
    add("--control-key", metavar="KEY", default=os.environ.get("WALLET_SANDBOX_CONTROL_KEY", ""), help=key)
    add("--i-know", action="store_true", help="run with an account of profile prod")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--junit", action="store_true", help="print JUnit's XML")
    return parser


def _amount(text: str) -> Decimal:
    amount = amount_of(text)
    if amount is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount; give one such as 5.00")
    return amount


def _seconds(text: str) -> float:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds; give one such as 300, or 0")
    return float(text)


def _test(options: argparse.Namespace, probes: Sequence[Probe]) -> int:
    url = check_url(options.url)
    account = read_account(options.account) if options.account else SANDBOX_ACCOUNT
    if account.profile == "prod" and not options.i_know:
        raise Unusable("The account is of profile prod, where money is real: add --i-know to use it.")
    is_text = not (options.json or options.junit)
    # What a person must be told is never in the midst of JSON or XML.
    say = _print if is_text else _tell
    wire = Wire(url, tls=account.tls())
    control = find_control(wire, account, key=options.control_key)
    gateway = Gateway(
        wire=wire,
        account=account,
        control=control,
        limit=options.limit,
        seconds_to_pay=options.wait,
        say=say,
    )
    check_service(gateway, url)

    kind = "sandbox" if control else "gateway"
    merchant = f"merchant {account.merchant_id}, profile {account.profile}"
    say(f"{len(probes)} probes of the {kind} {url}, {merchant}")
    say(
        f"What moves money is announced: payments of {account.amount} {account.currency} each, at most"
        f" {options.limit} {account.currency} in all (--limit), and captures and refunds of parts of them"
    )
    results = run(probes, gateway, on_result=lambda result: _print(text_line(result)) if is_text else None)
    block = settings_block(url, account, results)
    if options.json:
        _print(as_json(results, url=url, gateway=gateway, block=block))
    elif options.junit:
        _print(as_junit(results, url=url))
    else:
        _print("", summary(results), *payment_lines(gateway), "", "Settings that follow:", "", block)
    return int(any(result.outcome is Outcome.FAILED for result in results))


def _print(*lines: str) -> None:
    # A person waits for each line, and is asked to pay by some of them.
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
