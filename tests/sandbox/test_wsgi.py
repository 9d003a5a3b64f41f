"""A request is answered whatever charset its header names."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

from tests.tables import every
from wallet_gateway.testing.control import SandboxControl

MANY = "&".join(f"x{number}=%E9" for number in range(1200))
"""More parameters than Django takes, in bytes that are no UTF-8."""


@every("charset", ["utf-16", "base64", "latin-1", "none-that-exists"])
def test_a_charset_in_the_header_costs_no_answer(control: SandboxControl, charset: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(control.base_url).netloc, timeout=30)
    headers = {"Content-Type": f"application/json; charset={charset}"}
    found = []
    for query in (f"?{MANY}", "?x=%E9"):
        connection.request("POST", f"/_sandbox/portal{query}", body=b"{}", headers=headers)
        answer = connection.getresponse()
        found.append((answer.status, bool(answer.read())))
    connection.close()
    assert found == [(400, True), (400, True)]
