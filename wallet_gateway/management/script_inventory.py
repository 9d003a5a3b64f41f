"""The approved scripts of the payment pages: the owner, the reason and the approved content of each.

PCI DSS 6.4.3 requires the list with reasons; 11.6.1 requires comparing pages and headers with it, at least
weekly. The list is a JSON file that the shop keeps under version control.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from wallet_gateway.management.page_visit import FetchedPage

_PLUGIN, _WALLET = "django-wallet-gateway", "the wallet's provider"
# Matched by the end of the path.
REASONS: tuple[tuple[str, str, str], ...] = (
    ("wallet_gateway/wallet.js", _PLUGIN, "opens the wallet and hands the card to the gateway"),
    ("wallet_gateway/wallet_module.js", _PLUGIN, "opens the wallet in a single-page app"),
    ("wallet_gateway/page.js", _PLUGIN, "defines the element of the wallet's button"),
    ("wallet_gateway/pending.js", _PLUGIN, "asks whether a payment has been decided"),
    ("/pay.js", _WALLET, "the wallet itself: its button and its sheet"),
)
_FOLDERS = (
    ("wallet_gateway/wallet/", "opens the wallet and hands the card to the gateway"),
    ("wallet_gateway/page/", "joins the wallet's button to the shop's server"),
)
_HASHED_NAME = re.compile(r"\.[0-9a-f]{12}(?=\.js$)")


class BadInventory(Exception):
    """The file is not a valid inventory, or a script has no reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One approved script."""

    url: str
    owner: str
    reason: str
    hash: str
    date: str
    """When it was approved, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All approved scripts and headers."""

    scripts: Mapping[str, Script] = field(default_factory=dict)
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The approved headers by page."""

    def changes(self, seen: Mapping[str, FetchedPage]) -> Iterator[str]:
        """Yield a message for every difference from the approved state."""
        found = _scripts_of(seen)
        for url in sorted(found.keys() | self.scripts.keys()):
            approved, hashed = self.scripts.get(url), found.get(url)
            if approved is None:
                yield f"new script: {url}"
            elif hashed is None:
                yield f"script gone: {url}"
            elif hashed != approved.hash:
                yield f"script changed: {url}"
        for page in sorted(seen.keys() | self.headers.keys()):
            now = seen[page].headers if page in seen else {}
            yield from _header_changes(page, self.headers.get(page, {}), now)


def _header_changes(page: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            yield f"header of {page}: {name} was {before.get(name)!r}, is {now.get(name)!r}"


def _scripts_of(seen: Mapping[str, FetchedPage]) -> dict[str, str]:
    return {url: hashed for page in seen.values() for url, hashed in page.scripts.items()}


def approve(
    seen: Mapping[str, FetchedPage], before: Inventory, *, reasons: Mapping[str, str], date: str
) -> Inventory:
    """Return the inventory of the pages seen; raise `BadInventory` for a script without a reason."""
    scripts = {}
    for url, hashed in sorted(_scripts_of(seen).items()):
        known = before.scripts.get(url)
        owner, reason = (known.owner, known.reason) if known else known_reason(url)
        reason = reasons.get(url, reason)
        if not reason:
            raise BadInventory(f"why is {url} on the page? Say so: --reason {url} '...'")
        day = known.date if known and known.hash == hashed else date
        scripts[url] = Script(url=url, owner=owner or "the shop", reason=reason, hash=hashed, date=day)
    return Inventory(scripts=scripts, headers={page: dict(one.headers) for page, one in seen.items()})


def known_reason(url: str) -> tuple[str, str]:
    """Return owner and reason of one of the plugin's or the wallet's scripts; empty for any other."""
    path = _HASHED_NAME.sub("", urlsplit(url).path)
    for ending, owner, reason in REASONS:
        if path.endswith(ending):
            return owner, reason
    for folder, reason in _FOLDERS:
        if folder in path:
            return _PLUGIN, reason
    return "", ""


def load(path: Path) -> Inventory:
    """Read an inventory; return an empty one if there is no file. Raises `BadInventory`."""
    if not path.exists():
        return Inventory()
    try:
        written = json.loads(path.read_text(encoding="utf-8-sig"))
        scripts = {entry["url"]: Script(**entry) for entry in written["scripts"]}
        return Inventory(scripts=scripts, headers={one["page"]: one["headers"] for one in written["pages"]})
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise BadInventory(f"{path} is no inventory of scripts: {error}") from error


def save(inventory: Inventory, path: Path) -> None:
    """Write an inventory so that two versions can be compared line by line. Raises `BadInventory`."""
    written = {
        "scripts": [asdict(script) for script in inventory.scripts.values()],
        "pages": [{"page": page, "headers": dict(headers)} for page, headers in inventory.headers.items()],
    }
    try:
        path.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInventory(f"{path} cannot be written: {error.strerror}") from error
