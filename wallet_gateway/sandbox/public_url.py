"""The address at which browsers reach a sandbox that stands behind a proxy.

It comes from the person who starts the sandbox and never from a header, which any caller could write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

_HOST: Final = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:.]+\]")
_PREFIX: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
_USUAL_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicUrl:
    """Scheme, host and path of the address, as a browser would write them."""

    scheme: str
    host: str
    """With a port that is not the usual one."""
    prefix: str
    """The path below which the proxy shows the sandbox, such as ``/gateway``; empty without one."""

    def seen_from_outside(self, environ: Mapping[str, Any]) -> dict[str, Any]:
        """Return the environment of a request as it would be if this process stood at the address itself."""
        return {**environ, "wsgi.url_scheme": self.scheme, "HTTP_HOST": self.host}


def read_public_url(text: str) -> PublicUrl:
    """Return an address from its text; raises ``ValueError`` for anything but ``http(s)://host[:port][/path]``."""
    url = urlsplit(text.rstrip("/"))
    port, name = url.port, url.netloc.lower().rpartition("]")
    host = f"{name[0]}{name[1]}" or name[2].partition(":")[0]
    is_whole = url.scheme in _USUAL_PORTS and _HOST.fullmatch(host) and _PREFIX.fullmatch(url.path)
    if not is_whole or "@" in url.netloc or "?" in text or "#" in text:
        raise ValueError(f"{text} is no address such as https://host or https://host/path")
    shown = "" if port in {None, _USUAL_PORTS[url.scheme]} else f":{port}"
    return PublicUrl(scheme=url.scheme, host=host + shown, prefix=url.path)
