"""The network between shop and gateway: the real client over a transport that loses, delays and breaks.

Everything above the socket is the code that production runs: the client, its deadline and write marker, and
how it reads an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from proof.histories.answers import Answers
from proof.histories.crashes import Boundaries
from proof.histories.sandbox import BASE_URL
from proof.histories.steps import Fate
from proof.histories.virtual_time import VirtualTime
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.sandbox.api import Reply
from wallet_gateway.sandbox.requests import RawRequest
from wallet_gateway.sandbox.server import DeliveryMode
from wallet_gateway.testing.in_process import InProcessTransport

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

    from proof.histories.habits import HabitualGateway
    from proof.histories.sandbox import SandboxGateway

NOTHING_SENT: Final = {
    "refused": NotSentReason.REFUSED_CONNECTION,
    "dns": NotSentReason.DNS,
    "tls": NotSentReason.TLS,
    "connect_timeout": NotSentReason.CONNECT_TIMEOUT,
}
"""Faults by which no byte leaves the shop."""
_TAKES: Final = 0.05
"""Seconds of each call."""
_TOO_LONG: Final = 40.0
"""Longer than any call may take, and than a claim to send is good for."""
_AT_GATEWAY: Final[Mapping[str, tuple[str, timedelta | None]]] = {
    "stalled": ("", None),
    "too_late": ("", None),
    "very_late": ("late", timedelta(days=2)),
    "drip": ("drip", timedelta(seconds=1)),
}
"""The sandbox's name for a fault that it calls differently, and how long the fault lasts."""


class SimulatedNetwork:
    """A transport: what leaves through it reaches the gateway as the step's fate says."""

    def __init__(self, time: VirtualTime, boundaries: Boundaries, answers: Answers) -> None:
        self._time, self._boundaries, self._answers = time, boundaries, answers
        self._inner = InProcessTransport(self._application, base_url=BASE_URL)
        self.gateway: SandboxGateway | HabitualGateway
        """Where requests arrive in this history."""
        self.happened: Counter[str] = Counter()
        """How often each fault met a request."""
        self.begin(Fate())

    def begin(self, fate: Fate) -> None:
        """Begin a step."""
        self._fate, self._number, self._fault = fate, 0, ""

    def keep(self) -> tuple[Any, ...]:
        """Return where this process stands, to `go_back` to it after another one ran."""
        return self._fate, self._number, self._fault

    def go_back(self, kept: tuple[Any, ...]) -> None:
        """Continue with a process that was overtaken."""
        self._fate, self._number, self._fault = kept

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **others: Any,
    ) -> RawAnswer:
        """Send a request once, as `HttpTransport` does; raises NotSent and OutcomeUnknown."""
        self._number += 1
        fault = self._fate.fault_at(self._number)
        self._boundaries.reach(is_free=True)
        self._boundaries.note(method, path, sorted((query or {}).items()), body, fault)
        self._time.pass_by(_TAKES)
        self.happened["requests"] += 1
        self.happened["requests with a fault"] += bool(fault)
        if fault in NOTHING_SENT:
            raise NotSent(NOTHING_SENT[fault])
        if fault == "stalled":
            self._time.pass_by(_TOO_LONG)
        self._fault = fault
        answer = self._inner.send(method, path, query=query, body=body, **others)
        self._boundaries.note(answer.status, answer.body)
        self._answers.note(query, body, answer, is_odd=bool(fault))
        return answer

    def _application(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        raw = RawRequest(
            method=environ["REQUEST_METHOD"],
            path=environ["PATH_INFO"],
            raw_query=environ["QUERY_STRING"],
            content_type=environ.get("CONTENT_TYPE", ""),
            body=environ["wsgi.input"].read(),
            base_url=BASE_URL,
            authorization=environ.get("HTTP_AUTHORIZATION", ""),
        )
        if raw.method == "POST":
            self._answers.note_sent(raw.path, raw.body)
        fault, delay = _AT_GATEWAY.get(self._fault, (self._fault, None))
        reply = self.gateway.answer(raw, fault, delay=delay)
        if self._fault == "too_late":
            self._time.pass_by(_TOO_LONG)
        # The answer is on its way: who dies here has had it carried out and never knows.
        self._boundaries.reach(is_free=True)
        return self._deliver(reply, start)

    def _deliver(self, reply: Reply, start: StartResponse) -> Iterable[bytes]:
        if reply.mode is DeliveryMode.DROPPED:
            raise ConnectionResetError("closed without an answer")
        if reply.mode is DeliveryMode.BAD_STATUS_LINE:
            start("one-point-one fine thank you", [])
            return [reply.body]
        if reply.mode is DeliveryMode.DRIP:
            self._time.pass_by(reply.drip_seconds * len(reply.body))
        headers = [("Content-Type", reply.content_type), *reply.headers]
        start(f"{reply.status} -", [*headers, ("Content-Length", str(len(reply.body)))])
        if reply.mode is DeliveryMode.TRUNCATED:
            return [reply.body[: len(reply.body) // 2]]
        if reply.mode is DeliveryMode.RESET:
            raise ConnectionResetError("reset in the middle of the body")
        return [reply.body]
