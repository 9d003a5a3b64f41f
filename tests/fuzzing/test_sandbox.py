"""Hostile requests to every address of the sandbox: the service, its pages, control and console."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzzing.addresses import addresses_of
from tests.fuzzing.bounds import rounds
from tests.fuzzing.requests import Request, spoil
from tests.fuzzing.sandbox import URLCONF, Reply, Sandbox
from tests.fuzzing.verdicts import MOST_SECONDS
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = pytest.mark.wire

STEERS = ("/_sandbox/", "/controls/")
"""What a tester sets up there is to happen: faults, a script that fails, another merchant."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer("--database", str(tmp_path / "sandbox.sqlite3")) as server:
        yield server


def test_no_request_does_harm(server: SandboxServer, tmp_path: Path) -> None:
    sandbox = Sandbox(server, tmp_path / "sandbox.sqlite3")
    asked = {sample.address for sample in sandbox.samples()}
    assert {address.route for address in addresses_of(URLCONF)} - {one.route for one in asked} == {"^api/"}
    found = []
    for seed in rounds(4):
        for sample in list(sandbox.samples()):
            request = spoil(sample, seed)
            before = sandbox.rows()
            reply = sandbox.ask(request)
            found += [f"{request}: {fault}" for fault in faults_of(sandbox, request, reply, before)]
            if request.path.startswith(STEERS) and 200 <= reply.status < 400:
                sandbox.begin()
    assert not found, "\n".join(found)


def faults_of(sandbox: Sandbox, request: Request, reply: Reply, before: object) -> Iterator[str]:
    """Say everything that must not have come of a request."""
    # Of a body that is not there to its end nothing is answered.
    dropped = reply.status == 0 and "Content-Length" in request.headers
    if not dropped and not 200 <= reply.status < 500:
        yield f"answered {reply.status} {reply.body[:100]!r}"
    if reply.seconds > MOST_SECONDS:
        yield f"took {reply.seconds:.1f} s"
    if 400 <= reply.status < 500:
        if changed := sandbox.changed_since(before):  # type: ignore[arg-type]
            yield f"was refused with {reply.status}, and changed {changed}"
        if request.path.startswith(("/api/", "/_sandbox/")) and not _has_code(request, reply):
            yield f"answered {reply.status} without a code: {reply.body[:100]!r}"


def _has_code(request: Request, reply: Reply) -> bool:
    if request.method == "HEAD":
        return reply.media == "application/json"
    return reply.media == "application/json" and isinstance(json.loads(reply.body)["code"], str)
