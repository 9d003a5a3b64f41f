"""``python -m wallet_gateway.conformance URL``: run the interface document against a gateway.

The exit code is 0 if no probe failed, 1 if one did, and 2 if the kit could not be run with this input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.payer import Limit, Person, SandboxPayer
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.registry import Probe, select
from wallet_gateway.conformance.reports import as_json, as_junit, payment_lines, summary, text_line
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, check_service, run
from wallet_gateway.conformance.settings_block import settings_block
from wallet_gateway.conformance.target import (
    SANDBOX_ACCOUNT,
    Account,
    Unusable,
    amount_of,
    check_url,
    read_account,
)
from wallet_gateway.conformance.wire import HttpWire

_UNUSABLE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kit; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        probes = _selected(options.only)
        if options.list:
            _print(*(f"{probe.name} [{probe.section}] {probe.title}" for probe in probes))
            return 0
        return _test(options, probes)
    except Unusable as error:
        sys.stderr.write(f"{error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
    return _UNUSABLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wallet_gateway.conformance",
        description="Run the interface document against a gateway.",
    )
    parser.add_argument("url", metavar="URL", nargs="?", default="", help="base URL of the gateway")
    parser.add_argument(
        "--account", type=Path, metavar="FILE", help="JSON; the sandbox's merchant if not given"
    )
    parser.add_argument("--only", metavar="NAMES", default="", help="areas or probes, separated by commas")
    parser.add_argument("--list", action="store_true", help="name the probes, and run none")
    parser.add_argument(
        "--limit", type=_amount, metavar="AMOUNT", default=Decimal(20), help="most that is paid (default: 20)"
    )
    parser.add_argument(
        "--wait",
        type=_seconds,
        metavar="SECONDS",
        default=300,
        help="how long a person has to pay (default: 300)",
    )
    parser.add_argument(
        "--control-key",
        metavar="KEY",
        default=os.environ.get("WALLET_SANDBOX_CONTROL_KEY", ""),
        help="of a sandbox; better given as WALLET_SANDBOX_CONTROL_KEY",
    )
    parser.add_argument("--i-know", action="store_true", help="run with an account of profile prod")
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


def _selected(only: str) -> list[Probe]:
    try:
        return select(PROBES, filter(None, map(str.strip, only.split(","))))
    except LookupError as error:
        areas = dict.fromkeys(probe.name.partition(".")[0] for probe in PROBES)
        message = f"There is no probe {error.args[0]!r}; areas are {', '.join(areas)}, and --list names all."
        raise Unusable(message) from error


def _test(options: argparse.Namespace, probes: Sequence[Probe]) -> int:
    url = check_url(options.url)
    account = read_account(options.account) if options.account else SANDBOX_ACCOUNT
    if account.profile == "prod" and not options.i_know:
        raise Unusable("The account is of profile prod, where money is real: add --i-know to use it.")
    is_text = not (options.json or options.junit)
    # What a person must be told is never in the midst of JSON or XML.
    say = _print if is_text else _tell
    gateway = make_gateway(url, account, options, say=say)
    check_service(gateway, url)
    _announce(url, gateway, probes, limit=options.limit, say=say)
    results = run(probes, gateway, on_result=_print_result if is_text else _ignore)
    _report(url, gateway, results, options)
    return int(any(result.outcome is Outcome.FAILED for result in results))


def make_gateway(
    url: str, account: Account, options: argparse.Namespace, *, say: Callable[[str], None]
) -> Gateway:
    """Return the gateway at a URL, with the sandbox or a person as its payer."""
    wire = HttpWire(url, tls=account.tls())
    control = find_control(wire, account, key=options.control_key)
    return Gateway(
        wire=wire,
        host=urlsplit(url).netloc,
        account=account,
        payer=SandboxPayer(control) if control else Person(say=say, seconds=options.wait),
        limit=Limit(options.limit, currency=account.currency, say=say),
        control=control,
        is_patient=control is None,
    )


def _announce(
    url: str, gateway: Gateway, probes: Sequence[Probe], *, limit: Decimal, say: Callable[[str], None]
) -> None:
    account = gateway.account
    kind = "sandbox" if gateway.control else "gateway"
    merchant = f"merchant {account.merchant_id}, profile {account.profile}"
    say(f"{len(probes)} probes of the {kind} {url}, {merchant}")
    if any(probe.moves_money for probe in probes):
        say(
            f"Some of them move money: payments of {account.amount} {account.currency} each, at most"
            f" {limit} {account.currency} in all (--limit), and captures and refunds of parts of them"
        )


def _report(url: str, gateway: Gateway, results: Sequence[Result], options: argparse.Namespace) -> None:
    block = settings_block(url, gateway.account, results)
    if options.json:
        _print(as_json(results, url=url, payments=gateway.payments, block=block))
    elif options.junit:
        _print(as_junit(results, url=url))
    else:
        _print("", summary(results), *payment_lines(gateway.payments), "", "Settings that follow:", "", block)


def _print_result(result: Result) -> None:
    _print(text_line(result))


def _ignore(result: Result) -> None:
    del result


def _print(*lines: str) -> None:
    # A person waits for each line, and is asked to pay by some of them.
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
