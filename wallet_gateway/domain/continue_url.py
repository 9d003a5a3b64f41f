"""Where a customer may be led from our pages: to a path of this site, or to an origin of the shop. Pure."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit


def is_continue_url(url: str, origins: Collection[str]) -> bool:
    """Return whether an address is a whole path of this site, or absolute with one of the shop's origins.

    Two slashes would name a host, browsers take a backslash for a slash, and skip white space and controls.
    """
    if not url.isprintable() or set(url) & set(" \\"):
        return False
    if url.startswith("/"):
        return not url.startswith("//")
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return f"{parts.scheme}://{parts.netloc}".lower() in {origin.lower() for origin in origins}
