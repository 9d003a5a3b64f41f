"""``python -m wallet_gateway.sandbox``: run the gateway on this machine, without a project or an account."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import django

from wallet_gateway.sandbox.database_file import (
    DEFAULT_NAME,
    UnusableDatabase,
    check_database,
    occupy_database,
)
from wallet_gateway.sandbox.public_url import read_public_url

_KEEPS_NOTHING: Final = ":memory:"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a stop signal arrives; return the exit code."""
    options = _parser().parse_args(arguments)
    if not options.control_key and not _is_loopback(options.host):
        return _fail(f"{options.host} can be reached from other machines: give a --control-key too.")
    if options.public_url and not options.control_key:
        return _fail("Behind a proxy every caller seems to be on this machine: give a --control-key too.")
    # A signal can interrupt any code, and putting an item on this queue is safe there.
    stop_signals: SimpleQueue[int] = SimpleQueue()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda number, _frame: stop_signals.put(number))
    if options.stop_with_stdin:
        threading.Thread(target=_wait_for_end_of_stdin, args=(stop_signals,), daemon=True).start()
    # Threads cannot share a database in memory as they share a file.
    with tempfile.TemporaryDirectory(prefix="wallet-sandbox-") as folder:
        is_kept = options.database != _KEEPS_NOTHING
        database = Path(options.database) if is_kept else Path(folder, DEFAULT_NAME)
        os.environ |= {
            "WALLET_SANDBOX_DATABASE": str(database),
            "WALLET_SANDBOX_CONTROL_KEY": options.control_key,
            "WALLET_SANDBOX_PUBLIC_URL": options.public_url,
            "WALLET_SANDBOX_MERCHANT_NAME": options.merchant_name,
            "WALLET_SANDBOX_MERCHANTS": str(options.merchants or ""),
            # The shell may name the settings of the caller's own project; that project must not be served.
            "DJANGO_SETTINGS_MODULE": "wallet_gateway.sandbox.settings",
        }
        django.setup()
        return _serve(options, database, stop_signals, named=f" (database {database})" if is_kept else "")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wallet_gateway.sandbox",
        description="Run the sandbox payment gateway on this machine, for development and tests. "
        "Never put it on the open net: its server withstands neither load nor attacks.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=8001, help="0 takes a free one (default: %(default)s)")
    parser.add_argument(
        "--database",
        default=DEFAULT_NAME,
        metavar="FILE",
        help="keep everything in this SQLite file (default: %(default)s); :memory: keeps nothing",
    )
    parser.add_argument(
        "--control-key",
        metavar="KEY",
        default=os.environ.get("WALLET_SANDBOX_CONTROL_KEY", ""),
        help="what callers of the control interface must know; better given as WALLET_SANDBOX_CONTROL_KEY",
    )
    parser.add_argument(
        "--public-url",
        metavar="URL",
        type=_public_url,
        default=os.environ.get("WALLET_SANDBOX_PUBLIC_URL", ""),
        help="address at which browsers reach it through a proxy, such as https://host/path",
    )
    parser.add_argument(
        "--merchant-name",
        metavar="NAME",
        default=os.environ.get("WALLET_SANDBOX_MERCHANT_NAME", ""),
        help="name of the built-in merchant on the pages of customers (default: its id)",
    )
    parser.add_argument("--merchants", type=Path, metavar="FILE", help="JSON list of merchants to start with")
    parser.add_argument(
        "--stop-with-stdin",
        action="store_true",
        help="stop when standard input ends, as it does when the program that holds it ends",
    )
    return parser


def _wait_for_end_of_stdin(stop_signals: SimpleQueue[int]) -> None:
    # Not through sys.stdin, whose lock Python could not take at its end while this thread waits.
    while os.read(0, 1024):
        pass
    stop_signals.put(signal.SIGTERM)


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is no port: give 0 to 65535")
    return number


def _public_url(text: str) -> str:
    try:
        if text:
            read_public_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _serve(options: argparse.Namespace, database: Path, stop_signals: SimpleQueue[int], *, named: str) -> int:
    # These imports need Django to be set up.
    from django.core.management import call_command
    from django.db import DatabaseError, connections

    from wallet_gateway.sandbox.merchants import InvalidMerchantFile, provision
    from wallet_gateway.sandbox.server import GatewayServer
    from wallet_gateway.sandbox.wsgi import SandboxApplication

    host, port = options.host, options.port
    try:
        server = GatewayServer(host=host, port=port, application=SandboxApplication())
    except OSError as error:
        reason = f"Cannot listen on {host} port {port}: {error.strerror or error}."
        if error.errno == errno.EADDRINUSE:
            reason += f" Choose another one, such as --port {port + 1}, and name it in the shop's BASE_URL."
        return _fail(reason)

    def shut_down_on_signal() -> None:
        stop_signals.get()
        server.shutdown()

    with server:
        try:
            if aside := check_database(database):
                sys.stderr.write(
                    f"{database} is of another version of the sandbox; it is {aside} now, and a new one is "
                    "begun.\n"
                )
            call_command("migrate", verbosity=0)
            provision()
            held = occupy_database(database)
        except InvalidMerchantFile as error:
            return _fail(str(error))
        except (UnusableDatabase, DatabaseError) as error:
            return _fail(f"Cannot use the database {database}: {str(error).rstrip('.')}.")
        finally:
            connections.close_all()
        # While it is open, no other sandbox uses the file.
        with closing(held):
            sys.stdout.write(f"Sandbox gateway ready at {server.url}{named}\n")
            sys.stdout.flush()
            threading.Thread(target=shut_down_on_signal, daemon=True).start()
            server.serve_forever(poll_interval=0.1)
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
