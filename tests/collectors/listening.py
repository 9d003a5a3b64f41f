"""Collectors that keep what they are given: Sentry's events, and a log whose lines show all variables."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from traceback import walk_tb
from typing import Any

import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

DSN = "https://key@sentry.example/1"


class SentryEvents(Transport):
    """Sentry's own transport, replaced: every envelope as the octets that would be sent."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.sent: list[bytes] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        """Keep what would be sent."""
        self.sent.append(envelope.serialize())

    @property
    def text(self) -> str:
        """Everything that would have been sent, as text."""
        return "\n".join(part.decode("unicode_escape") for part in self.sent)

    @property
    def text_without_calls(self) -> str:
        """The same without the list of calls that led to each event."""
        events = [event | {"breadcrumbs": None} for event in self.events]
        return json.dumps(events, ensure_ascii=False, default=repr)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events among the envelopes."""
        events = (Envelope.deserialize(part).get_event() for part in self.sent)
        return [dict(event) for event in events if event]

    @classmethod
    def listening(cls, **options: Any) -> Iterator[SentryEvents]:
        """Listen while a test runs; Sentry's patches of Django stay and do nothing without a client."""
        events = cls()
        # Without a release Sentry starts git to find one.
        sentry_sdk.init(dsn=DSN, transport=events, release="tested", **options)
        with sentry_sdk.isolation_scope():
            yield events
        client = sentry_sdk.get_client()
        client.close()
        sentry_sdk.get_global_scope().set_client(None)


class LocalsHandler(logging.Handler):
    """A log that shows the variables of every frame, of every exception of a chain, three objects deep."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line and all variables behind it."""
        self.lines.append(record.getMessage())
        self.lines += [repr(value) for value in vars(record).values()]
        if record.exc_info and record.exc_info[1]:
            self.lines += _variables(record.exc_info[1], set())

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


def _variables(error: BaseException | None, seen: set[int]) -> Iterator[str]:
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    yield f"{error!r} {error} {vars(error)!r}"
    for frame, _ in walk_tb(error.__traceback__):
        for name, value in frame.f_locals.items():
            yield f"{frame.f_code.co_name}.{name} = {_shown(value, 3)}"
    yield from _variables(error.__cause__, seen)
    yield from _variables(error.__context__, seen)


def _shown(value: object, depth: int) -> str:
    if depth and isinstance(value, dict):
        return " ".join(f"{key!r}: {_shown(part, depth - 1)}" for key, part in value.items())
    if depth and isinstance(value, list | tuple | set | frozenset):
        return " ".join(_shown(part, depth - 1) for part in value)
    return repr(value)
