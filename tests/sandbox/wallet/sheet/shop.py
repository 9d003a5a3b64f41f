"""A shop's page with the wallet's button on it, under the strictest policy that lets the wallet work."""

from __future__ import annotations

from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tests.support.local_server import LocalServer

SCRIPT: Final = (Path(__file__).parent / "shop.js").read_text(encoding="utf-8")
PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">
<script nonce="page" src="{wallet}/wallet/pay.js"></script></head>
<body><main><h1>Shop</h1><a href="/">Home</a><div id="button"></div></main>
<script nonce="page" src="/shop.js"></script>{client}</body></html>
"""
# A shop's style sheet that means every button.
STYLE: Final = "button { background: red !important; font-size: 40px !important; display: none !important }"


class Shop(LocalServer):
    """Serves the page for as long as the ``with`` block lasts; the policy of ``/unframed`` forbids frames.

    Each of `clients` is a script by name: below that name the page draws its button with it.
    """

    def __init__(self, wallet: str, clients: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(_handler(wallet, clients))


def _handler(wallet: str, clients: Mapping[str, str]) -> type[BaseHTTPRequestHandler]:
    files = {"/shop.js": ("text/javascript", SCRIPT), "/shop.css": ("text/css", STYLE)}
    for name, script in clients.items():
        files[f"/{name}.js"] = ("text/javascript", script)
        client = f'<script nonce="page" src="/{name}.js"></script>'
        files[f"/{name}"] = ("text/html", PAGE.format(wallet=wallet, client=client))
    page = ("text/html", PAGE.format(wallet=wallet, client=""))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = files.get(self.path, page)
            frames = "'none'" if self.path == "/unframed" else wallet
            # Google's clients write a style element.
            styles = "'self' 'unsafe-inline'" if self.path.strip("/") in clients else "'self'"
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header(
                "Content-Security-Policy",
                f"default-src 'none'; script-src 'nonce-page' {wallet}; style-src {styles}; img-src data:;"
                f" frame-src {frames}; base-uri 'none'; form-action 'none'",
            )
            self.send_header("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            return

    return Handler
