"""A mail server in a thread that takes every mail, or refuses at one step of the protocol."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

WELCOME, CONTENT = "welcome", "content"
"""Steps that are no command: the first line of a connection, and the end of a mail's content."""

_ANSWERS = {WELCOME: "220 ready", "DATA": "354 go on", "QUIT": "221 bye", "AUTH": "235 welcome"}


class MailServer(socketserver.ThreadingTCPServer):
    """Answers each step as told, and everything else with consent."""

    daemon_threads = True
    refusals: dict[str, str]

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._answer(WELCOME)
        while line := self.rfile.readline():
            verb = line.split()[0].decode().upper()
            goes_on = self._answer(verb)
            if verb == "QUIT":
                return
            if verb == "DATA" and goes_on:
                while self.rfile.readline() not in {b".\r\n", b""}:
                    pass
                self._answer(CONTENT)

    def _answer(self, step: str) -> bool:
        refusal = self.server.refusals.get(step)
        # It offers a log-in.
        consent = "250-shop\r\n250 AUTH PLAIN" if step == "EHLO" else _ANSWERS.get(step, "250 ok")
        self.wfile.write(f"{refusal or consent}\r\n".encode())
        return refusal is None


@contextmanager
def mail_server(**refusals: str) -> Iterator[MailServer]:
    """Run a mail server that refuses at these steps with these answers."""
    with MailServer(("127.0.0.1", 0), _Conversation) as server:
        server.refusals = refusals
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
