"""WebKit and Firefox by the commands of W3C WebDriver: a few lines instead of a library and its drivers.

WebKitGTK has a driver that speaks them over HTTP. Firefox takes the same commands over its own socket
(Marionette), so that it needs no geckodriver, which Debian does not have.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tests.chromium import PATIENCE_MS

ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""The name under which WebDriver hands over an element."""
PATIENCE: Final = PATIENCE_MS / 1000
MINI_BROWSERS: Final = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
# Nothing is asked for in the background, and pages are in English.
PREFERENCES: Final = {
    "marionette.port": 0,
    "intl.accept_languages": "en",
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "remote.prefs.recommended": True,
}
HTTP_COMMANDS: Final = {
    "Navigate": ("POST", "url"),
    "GetCurrentURL": ("GET", "url"),
    "FindElement": ("POST", "element"),
    "ElementClick": ("POST", "element/{id}/click"),
    "ElementSendKeys": ("POST", "element/{id}/value"),
    "GetElementText": ("GET", "element/{id}/text"),
    "SwitchToFrame": ("POST", "frame"),
    "ExecuteScript": ("POST", "execute/sync"),
    "DeleteAllCookies": ("DELETE", "cookie"),
}


class CommandFailed(Exception):
    """The browser could not carry out a command; the message says which error it was."""


class Missing(Exception):
    """A browser or what it needs is not installed."""


class Connection(Protocol):
    """A browser's session."""

    def command(self, name: str, parameters: dict[str, Any]) -> Any:  # noqa: ANN401
        """Carry out a WebDriver command and give its value; raises ``CommandFailed``."""


@dataclass(kw_only=True)
class Tab:
    """The one tab of a browser, with waits in place of sleeps."""

    name: str
    connection: Connection

    def goto(self, url: str) -> None:
        """Open a page."""
        self._command("Navigate", url=url)

    @property
    def url(self) -> str:
        """The address of the page."""
        address: str = self._command("GetCurrentURL")
        return address

    def text(self, selector: str) -> str:
        """The visible text of an element."""
        read: str = _retried(
            lambda: self._command("GetElementText", id=self._element(selector)), CommandFailed
        )
        return read

    def clicks(self, selector: str) -> None:
        """Click an element as soon as it can be clicked."""
        _retried(lambda: self._command("ElementClick", id=self._element(selector)), CommandFailed)

    def has(self, selector: str) -> bool:
        """Tell whether an element is there now."""
        return bool(self.evaluates(f"return document.querySelector({json.dumps(selector)}) !== null"))

    def evaluates(self, script: str) -> Any:  # noqa: ANN401
        """Run a script in the page and give what it returns."""
        return self._command("ExecuteScript", script=script, args=[])

    def enters(self, selector: str) -> None:
        """Go into a frame."""
        _retried(lambda: self._switch({ELEMENT: self._element(selector)}), CommandFailed)

    def leaves_frames(self) -> None:
        """Go back to the page itself."""
        self._switch(None)

    def waits_for(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition holds; a page that is just changing counts as not yet."""
        give_up_at = time.monotonic() + PATIENCE
        while True:
            try:
                if condition():
                    return
            except CommandFailed:
                pass
            assert time.monotonic() < give_up_at, f"{self.name}: {what} ({self.url})"
            time.sleep(0.05)

    def waits_for_page(self, part: str) -> None:
        """Wait until the address contains a text."""
        self.waits_for(lambda: part in self.url, f"no page with {part}")

    def waits_for_text(self, selector: str, text: str) -> None:
        """Wait until an element reads like this."""
        self.waits_for(lambda: self.text(selector) == text, f"{selector} does not read {text!r}")

    def _element(self, selector: str) -> str:
        found: dict[str, str] = self._command("FindElement", using="css selector", value=selector)
        return found[ELEMENT]

    def _switch(self, frame: dict[str, str] | None) -> None:
        # Marionette wants the element by its bare name.
        self._command("SwitchToFrame", id=frame, element=frame[ELEMENT] if frame else None)

    def _command(self, name: str, **parameters: Any) -> Any:  # noqa: ANN401
        return self.connection.command(name, parameters)


@dataclass(kw_only=True)
class HttpConnection:
    """A session of a driver that speaks W3C WebDriver over HTTP."""

    base_url: str
    session: str = ""

    def command(self, name: str, parameters: dict[str, Any]) -> Any:  # noqa: ANN401
        """Carry out a command."""
        method, path = HTTP_COMMANDS[name]
        body = {key: value for key, value in parameters.items() if key != "element"}
        return self.call(method, f"session/{self.session}/{path.format(**body)}", body)

    def call(self, method: str, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401
        """Send one request to the driver."""
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(f"{self.base_url}/{path}", data, method=method)
        try:
            with _opener.open(request, timeout=2 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise CommandFailed(error.read().decode(errors="replace")) from error


@dataclass(kw_only=True)
class MarionetteConnection:
    """Firefox's own socket: each message is its length, a colon, and JSON."""

    stream: socket.socket
    _number: int = 0

    def command(self, name: str, parameters: dict[str, Any]) -> Any:  # noqa: ANN401
        """Carry out a command."""
        if name == "SwitchToFrame":
            parameters = {"element": parameters["element"]} if parameters["element"] else {"id": None}
        self._number += 1
        message = json.dumps([0, self._number, f"WebDriver:{name}", parameters])
        self.stream.sendall(f"{len(message.encode())}:{message}".encode())
        _, _, error, result = self.receive()
        if error:
            raise CommandFailed(f"{error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def receive(self) -> Any:  # noqa: ANN401
        """Read one message."""
        head = b""
        while not head.endswith(b":"):
            head += self._read(1)
        return json.loads(self._read(int(head[:-1])))

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.stream.recv(size - len(data))
            assert part, "Firefox has gone"
            data += part
        return data


@contextmanager
def webkit() -> Iterator[Tab]:
    """A real WebKit: GNOME's small browser of WebKitGTK, steered by its own driver; raises ``Missing``."""
    driver = _program("WebKitWebDriver", "webkit2gtk-driver")
    browser = next(iter(sorted(Path("/").glob(MINI_BROWSERS[1:]))), None)
    if browser is None:
        raise Missing("MiniBrowser of WebKitGTK is not installed")
    with ExitStack() as stack:
        display = stack.enter_context(_display())
        port = _free_port()
        environment = {
            **os.environ,
            "DISPLAY": display,
            "LANGUAGE": "en",
            "LC_ALL": "en_US.UTF-8",
            "no_proxy": "*",
        }
        stack.enter_context(_process([driver, f"--port={port}"], environment))
        connection = HttpConnection(base_url=f"http://127.0.0.1:{port}")
        options = {"binary": str(browser), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        _retried(lambda: connection.call("GET", "status", {}), OSError, CommandFailed)
        connection.session = connection.call("POST", "session", wanted)["sessionId"]
        stack.callback(connection.call, "DELETE", f"session/{connection.session}", {})
        yield Tab(name="WebKit", connection=connection)


@contextmanager
def firefox() -> Iterator[Tab]:
    """A Firefox without a window; raises ``Missing``."""
    program = shutil.which("firefox-esr") or _program("firefox", "firefox-esr")
    with ExitStack() as stack:
        profile = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True))
        )
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()
        ]
        (profile / "user.js").write_text("\n".join(lines))
        arguments = [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        stack.enter_context(_process(arguments, {**os.environ, "no_proxy": "*", "HOME": str(profile)}))
        port = profile / "MarionetteActivePort"
        _retried(port.read_text, OSError)
        stream = stack.enter_context(
            _retried(
                lambda: socket.create_connection(("127.0.0.1", int(port.read_text())), 2 * PATIENCE),
                OSError,
                ValueError,
            )
        )
        connection = MarionetteConnection(stream=stream)
        connection.receive()
        connection.command("NewSession", {"capabilities": {"alwaysMatch": {}}})
        yield Tab(name="Firefox", connection=connection)


@contextmanager
def _display() -> Iterator[str]:
    """The display that there is, or one without a screen."""
    if named := os.environ.get("DISPLAY"):
        yield named
        return
    program = _program("Xvfb", "xvfb")
    reading, writing = os.pipe()
    arguments = [program, "-displayfd", str(writing), "-nolisten", "tcp", "-screen", "0", "1280x1024x24"]
    with _process(arguments, dict(os.environ), pass_fds=(writing,)):
        os.close(writing)
        with os.fdopen(reading) as answer:
            yield f":{answer.readline().strip()}"


@contextmanager
def _process(arguments: list[str], environment: dict[str, str], **options: Any) -> Iterator[None]:
    process = subprocess.Popen(
        arguments,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def _retried(attempt: Callable[[], Any], *errors: type[Exception]) -> Any:  # noqa: ANN401
    """Return what an attempt gives as soon as it raises none of the errors; raise the last one in the end."""
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            return attempt()
        except errors:
            if time.monotonic() > give_up_at:
                raise
        time.sleep(0.05)


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed (Debian: {package})")
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


# A proxy of the developer's has no business between a test and a browser on the same machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
