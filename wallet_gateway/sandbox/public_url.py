"""The address at which browsers reach a sandbox that stands behind a proxy.

It comes from the person who starts the sandbox and never from a header, which any caller could write.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

_HOST: Final = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:.]+\]")
_PREFIX: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
_USUAL_PORTS: Final = {"http": 80, "https": 443}


def read_public_url(text: str) -> SplitResult:
    """Return an address as a browser would write it: without the usual port, and without a slash at its end.

    Raises ``ValueError`` for anything but ``http(s)://host[:port][/path]``.
    """
    url = urlsplit(text.rstrip("/"))
    port, name = url.port, url.netloc.lower().rpartition("]")
    host = f"{name[0]}{name[1]}" or name[2].partition(":")[0]
    is_whole = url.scheme in _USUAL_PORTS and _HOST.fullmatch(host) and _PREFIX.fullmatch(url.path)
    if not is_whole or "@" in url.netloc or "?" in text or "#" in text:
        raise ValueError(f"{text} is no address such as https://host or https://host/path")
    shown = "" if port in {None, _USUAL_PORTS[url.scheme]} else f":{port}"
    return url._replace(netloc=host + shown)
