"""The service's own wallet.js: for pages of every origin, kept by browsers, knowing its service."""

from __future__ import annotations

import re

from tests.sandbox.merchant import Answer, Merchant
from wallet_gateway.sandbox.wallet import page_script

MODULES = ["approvals", "main", "parameters", "run"]
FOR_EVER = "public, max-age=31536000, immutable"


def get(merchant: Merchant, path: str, **headers: str) -> Answer:
    return merchant.send("GET", path, headers=headers)


def module_path(name: str) -> str:
    return f"/wallet/{page_script.version()}/{name}.js"


def test_it_is_a_script_for_pages_of_every_origin(merchant: Merchant) -> None:
    for path in ("/wallet.js", "/wallet.js?v=1", *map(module_path, MODULES)):
        answer = get(merchant, path, Origin="https://shop.example")
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_under_a_version_it_is_kept_and_without_one_asked_for_anew(merchant: Merchant) -> None:
    assert get(merchant, "/wallet.js?v=7").headers["cache-control"] == FOR_EVER
    plain = get(merchant, "/wallet.js")
    assert plain.headers["cache-control"] == "no-cache"
    again = get(merchant, "/wallet.js", **{"If-None-Match": plain.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_every_module_has_an_address_of_its_version(merchant: Merchant) -> None:
    imported = set(re.findall(r'"(\./wallet/[^"]+)"', get(merchant, "/wallet.js").body.decode()))
    assert {path.removeprefix(".") for path in imported} == {module_path("main")}
    for name in MODULES:
        answer = get(merchant, module_path(name))
        assert answer.headers["cache-control"] == FOR_EVER
        assert answer.body == (page_script.FOLDER / "wallet" / f"{name}.js").read_bytes()
