"""Static files, and what is answered where no view is."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import RequestFactory

from tests.sandbox.merchant import Merchant
from wallet_gateway import sandbox
from wallet_gateway.sandbox.pages.views import server_error

FOLDER = Path(sandbox.__file__).parent / "static"
# Declarations of types lie beside the scripts for type checkers; no page asks for one.
LOADED = [path for path in FOLDER.rglob("*") if path.is_file() and not path.name.endswith(".d.ts")]
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in LOADED)
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_taken_for_what_it_is_and_for_nothing_else(merchant: Merchant, name: str) -> None:
    answer = merchant.send("GET", f"/static/{name}")
    assert (answer.status, answer.body) == (200, (FOLDER / name).read_bytes())
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].startswith(KINDS[Path(name).suffix])


@pytest.mark.parametrize("path", ["/nowhere", "/static/nothing.css", "/checkout/", "/static/../settings.py"])
def test_where_nothing_is_people_get_a_sentence_and_no_stack(merchant: Merchant, path: str) -> None:
    answer = merchant.send("GET", path)
    assert answer.status == (400 if ".." in path else 404)
    assert answer.headers["content-type"].startswith("text/")
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/api/v5/checkout", "application/json"),
        ("/_sandbox/clock", "application/json"),
        ("/", "text/plain; charset=utf-8"),
        ("/checkout/x/", "text/plain; charset=utf-8"),
    ],
)
def test_a_failure_of_the_sandbox_is_said_to_be_one(path: str, content_type: str) -> None:
    response = server_error(RequestFactory().get(path))
    assert (response.status_code, response["Content-Type"]) == (500, content_type)
    assert b"The sandbox itself failed" in response.content
