"""The files that the sandbox hands out by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.merchant import Merchant
from wallet_gateway import sandbox

FOLDER = Path(sandbox.__file__).parent / "static"
# Declarations of types lie beside the scripts for whoever checks them; no page asks for one.
LOADED = [path for path in FOLDER.rglob("*") if path.is_file() and not path.name.endswith(".d.ts")]
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in LOADED)
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_taken_for_what_it_is_and_for_nothing_else(merchant: Merchant, name: str) -> None:
    answer = merchant.send("GET", f"/static/{name}")
    assert (answer.status, answer.body) == (200, (FOLDER / name).read_bytes())
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].startswith(KINDS[Path(name).suffix])


@pytest.mark.parametrize("name", ["nothing.css", "wallet_sandbox", "wallet_sandbox/", "../settings.py"])
def test_what_is_no_file_of_ours_is_not_handed_out(merchant: Merchant, name: str) -> None:
    assert merchant.send("GET", f"/static/{name}").status in {400, 404}
