"""The command line of a chaos run: what it takes, and what it refuses in one sentence."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from proof.chaos.plan import FORMAT

PROGRAM: Final = "-m proof.chaos"
DATABASES: Final = ("sqlite", "postgres", "mariadb")
MAX_OPERATIONS, MAX_WORKERS, MAX_SECONDS = 1_000_000, 64, 86_400
_LARGEST_SEED: Final = 2**63 - 1
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class Refused(Exception):
    """The run was not begun; the message says why in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a run was asked for, checked."""

    seed: int
    operations: int
    database: str
    workers: int
    kill: bool
    shrink_seconds: float
    server: str | None = None
    sandbox_url: str | None = None
    report: Path | None = None

    @property
    def seed_token(self) -> str:
        """The seed with the version of the plan's making."""
        return f"{FORMAT}-{self.seed}"

    @property
    def is_repeatable(self) -> bool:
        """Whether a second run does the same: there is one worker, and nobody kills it."""
        return self.workers == 1 and not self.kill

    @property
    def line(self) -> str:
        """The command that repeats this run."""
        words = [
            f"--seed {self.seed_token}",
            f"--operations {self.operations}",
            f"--database {self.database}",
        ]
        words += [f"--workers {self.workers}"] + (["--kill"] if self.kill else [])
        return f"python {PROGRAM} {' '.join(words)}"


class _Parser(argparse.ArgumentParser):
    """Refuses in one sentence, without the usage."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise Refused(message if message.endswith(".") else f"{message}.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Let worker processes of a shop work against a faulty sandbox, and compare both ledgers.",
    )
    parser.add_argument("--seed", type=_seed, help="what the plan is drawn from, such as 42 or 1-42; any")
    parser.add_argument("--operations", type=_count("--operations", MAX_OPERATIONS), default=1000)
    parser.add_argument("--database", default="sqlite", help=f"one of {', '.join(DATABASES)} (sqlite)")
    parser.add_argument("--server", metavar="URL", help="a database server on this machine")
    parser.add_argument("--workers", type=_count("--workers", MAX_WORKERS), default=4)
    parser.add_argument("--kill", action="store_true", help="kill workers at random moments")
    parser.add_argument("--sandbox-url", metavar="URL", help="a running sandbox on this machine; reset first")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the result as JSON")
    parser.add_argument(
        "--shrink-seconds",
        type=_count("--shrink-seconds", MAX_SECONDS, least=0),
        default=300,
        help="how long to look for the shortest history that fails; 0 for not at all (300)",
    )
    return parser


def read_options(arguments: Sequence[str]) -> Options:
    """Return the options of a command line; raises `Refused`, and exits for `--help`."""
    given = _parser().parse_args(arguments)
    if given.database not in DATABASES:
        raise Refused(f"--database is one of {', '.join(DATABASES)}, not {given.database!r}.")
    if given.server is not None:
        _check_server(given.server, given.database)
    if given.sandbox_url is not None:
        check_sandbox_address(given.sandbox_url)
    if given.report is not None and not given.report.absolute().parent.is_dir():
        raise Refused(f"--report: there is no folder {given.report.absolute().parent}.")
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    return Options(**vars(given) | {"seed": seed})


def _seed(text: str) -> int:
    version, dash, number = text.rpartition("-")
    is_number = number.isascii() and number.isdigit() and int(number) <= _LARGEST_SEED
    if not is_number or (dash and not (version.isascii() and version.isdigit())):
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: give a number such as 42, or {FORMAT}-42.")
    if dash and int(version) != FORMAT:
        raise argparse.ArgumentTypeError(
            f"the seed {text} is of version {int(version)}, and this release draws its plans by version "
            f"{FORMAT}: repeat it with the release that printed it."
        )
    return int(number)


class _count:  # noqa: N801 - used like a function, as argparse's own types
    """A whole number between two bounds."""

    def __init__(self, name: str, most: int, *, least: int = 1) -> None:
        self._name, self._least, self._most = name, least, most

    def __call__(self, text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self._most))
        if not is_number or not self._least <= int(text) <= self._most:
            raise argparse.ArgumentTypeError(f"give a whole number from {self._least} to {self._most}.")
        return int(text)


def _check_server(address: str, database: str) -> None:
    if database == "sqlite":
        raise Refused("--server is for postgres and mariadb: SQLite has none.")
    if not is_on_loopback(address):
        raise Refused(f"--server must be on this machine, such as 127.0.0.1; {address!r} is not.")


def check_sandbox_address(address: str) -> None:
    """Raise `Refused` unless an address is a plain web address of this machine."""
    if urlsplit(address).scheme != "http" or not is_on_loopback(address):
        raise Refused(
            f"--sandbox-url must be a sandbox on this machine, such as http://127.0.0.1:8001; "
            f"{address!r} is not."
        )


def is_on_loopback(address: str) -> bool:
    """Return whether an address names this machine by its loopback interface."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        return False
    return host in _LOOPBACK
