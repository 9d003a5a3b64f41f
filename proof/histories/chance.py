"""All randomness of the process from one seed: tokens, ids, keys and jitter. So a history repeats itself."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric import ec


class Chance:
    """The source that takes the place of the machine's random numbers while a history runs."""

    def __init__(self) -> None:
        self._source = random.Random(0)

    def seed(self, *parts: object) -> None:
        """Begin the numbers that belong to these parts, such as a history's and a step's number."""
        self._source.seed(":".join(map(str, parts)))
        random.seed(self._source.getrandbits(64))

    def state(self) -> tuple[Any, Any]:
        """Return where the numbers stand, to `go_back` to it."""
        return self._source.getstate(), random.getstate()

    def go_back(self, state: tuple[Any, Any]) -> None:
        """Continue where the numbers stood."""
        mine, shared = state
        self._source.setstate(mine)
        random.setstate(shared)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let everything that asks for random bytes, bits or keys get them from here."""
        with contextlib.ExitStack() as patches:
            for module, name, replacement in (
                (os, "urandom", self._source.randbytes),
                (secrets, "token_bytes", lambda count=32: self._source.randbytes(count)),
                (secrets, "randbits", self._source.getrandbits),
                (secrets, "choice", self._source.choice),
                (secrets, "randbelow", self._source.randrange),
                (ec, "generate_private_key", self._new_key),
            ):
                patches.enter_context(patch.object(module, name, replacement))
            yield

    def _new_key(self, curve: ec.EllipticCurve, backend: object = None) -> ec.EllipticCurvePrivateKey:
        return ec.derive_private_key(self._source.getrandbits(curve.key_size - 1) | 1, curve)
