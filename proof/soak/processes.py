"""The processes of the shop that is soaked: told a line, they answer a line; one is killed and begun anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Self, cast

from proof.parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping


class WorkerLost(Exception):
    """A process of the shop ended that nobody has killed."""


class Worker:
    """One process of the shop."""

    def __init__(self, name: str, seed: int, environment: Mapping[str, str]) -> None:
        self._name, self._seed, self._environment = name, seed, dict(environment)
        self._life = 0
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it; references of orders are never used twice."""
        self._life += 1
        name = f"{self._name}-{self._life}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "proof.soak.worker", name, f"{self._seed} {name}"],
            cwd=ROOT,
            env={**os.environ, **self._environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, customers: int) -> None:
        """Let it serve so many customers; 0 is a sweep."""
        pipe = cast("IO[str]", self._running().stdin)
        pipe.write(f"{customers}\n")
        pipe.flush()

    def answer(self) -> dict[str, int]:
        """Wait until it has done so; return what it holds."""
        line = cast("IO[str]", self._running().stdout).readline()
        if not line:
            raise WorkerLost(self._name)
        answer: dict[str, int] = json.loads(line)
        return answer

    def kill(self) -> None:
        """End it as a power cut would."""
        process = self._running()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            cast("IO[str]", pipe).close()

    def _running(self) -> subprocess.Popen[str]:
        assert self._process is not None
        return self._process
