"""Looking at a page as a browser would: scripts in it, beside it, and those that these import."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from wallet_gateway.management.page_visit import PageNotFetched, visit

FILES = {
    "/": '<!doctype html><script src="a.js?v=1"></script><script>go()</script><script src="/b/w.js" '
    'data-pay-js-url="/pay.js"></script><p>import "./none.js"</p>',
    "/a.js": 'import { x } from "./m/one.js";\nimport("./m/two.js")',
    "/m/one.js": 'import "./two.js"\nimport {\n  y,\n} from "../m/three.js"',
    "/m/two.js": 'export{y}from"../m/four.js"',
    "/m/four.js": 'const import_from = "./none.js"; // a word such as import or from, and later "./none.js"',
    "/m/three.js": "const y = 'from nowhere'",
    "/b/w.js": "",
    "/pay.js": "",
    "/missing": '<script src="/nothing.js"></script>',
    "/elsewhere": '<script src="file:///etc/hosts"></script>',
}


@pytest.fixture
def site() -> Iterator[str]:
    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/to/"):
                self.send_response(302)
                self.send_header("Location", self.path.removeprefix("/to/"))
                self.end_headers()
                return
            body = FILES.get(self.path.partition("?")[0])
            self.send_response(404 if body is None else 200)
            self.send_header("content-security-policy", "script-src 'nonce-abc' 'self'")
            self.send_header("X-Other", "1")
            self.end_headers()
            self.wfile.write((body or "").encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_every_script_is_found_once(site: str) -> None:
    seen = visit(f"{site}/")
    outside = [url.removeprefix(site) for url in seen.scripts if not url.startswith("inline:")]
    assert sorted(outside) == [
        "/a.js?v=1",
        "/b/w.js",
        "/m/four.js",
        "/m/one.js",
        "/m/three.js",
        "/m/two.js",
        "/pay.js",
    ]
    assert len(seen.scripts) == len(outside) + 1


def test_headers_are_those_that_are_watched_without_their_nonce(site: str) -> None:
    assert visit(f"{site}/").headers == {"Content-Security-Policy": "script-src 'nonce-*' 'self'"}


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_proxies_of_the_environment_are_not_asked(
    site: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9/")
    monkeypatch.delenv("no_proxy", raising=False)
    assert visit(f"{site}/b/w.js").headers


def test_a_redirect_is_followed_within_the_origin_and_no_further(site: str) -> None:
    assert visit(f"{site}/to//b/w.js").headers
    other = site.replace("127.0.0.1", "localhost")
    with pytest.raises(PageNotFetched, match="redirects to another origin, http://localhost"):
        visit(f"{site}/to/{other}/b/w.js")


@pytest.mark.parametrize("path", ["/no-page", "/missing", "/elsewhere"])
def test_what_cannot_be_fetched_is_said(site: str, path: str) -> None:
    with pytest.raises(PageNotFetched):
        visit(site + path)
