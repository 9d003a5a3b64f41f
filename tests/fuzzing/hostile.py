"""What means harm, or was never meant: texts, parts of an address, headers, and bodies of each kind.

All of it is drawn from a `random.Random`, so that one number repeats a request.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

CANARY = "4556737586899855"
"""A card number that passes the check digit and is nobody's; it must turn up nowhere."""
_SPACED = " ".join(CANARY[at : at + 4] for at in range(0, 16, 4))

TEXTS: Sequence[str] = (
    *("", " ", "0", "-1", "1", "2147483648", "9223372036854775808", "9" * 400, "1e309", "-0.0", "NaN"),
    *("Infinity", "٣٤", "\uff11\uff12\uff0e\uff15\uff10", "12,50", "true", "null", "[]", "{}", "0001-01-01"),
    *("9999-12-31T23:59:59+14:00", "2020-02-30", "\0", "a\0b", "\x7f\x1b[31m", "\r\nSet-Cookie: a=b"),
    *("\u2028\u2029", "\u202egnp.exe", "\ufffe\uffff", "\N{GRINNING FACE}" * 60, "e\u0301" * 200),
    *("<script>alert(1)</script>", "'; DROP TABLE x; --", "%s%n%00", "{{7*7}}{% debug %}"),
    *("${jndi:ldap://x}", "../../../../etc/passwd", "//evil.example/", "javascript:alert(1)"),
    *("((((a+)+)+)+)!", "=cmd|' /C calc'!A0", "x" * 256, "x" * 20_000, CANARY, _SPACED),
)
# A server has read the line: no blank and no control character is in it that is not encoded.
# Django logs the path of what it does not find: nobody sends a card number there but somebody who knows it.
PARTS: Sequence[str] = (
    *(quote(text[:3000], safe="") for text in TEXTS if text and text not in (CANARY, _SPACED)),
    *("%00", "%ff%fe", "%c0%ae%c0%ae%2f", "%ed%a0%80", "%25%32%66", "%", "%zz", "..", "..%2f..%2f", ";a=b"),
    *("~", "99999999999999999999999999", "-5", "x" * 5000),
)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "QUERY")
JSON_TEXTS: Sequence[bytes] = (
    *(b"", b" ", b"null", b"[]", b'"text"', b"0", b"{", b'{"a":', b'{"a":1,"a":2}'),
    *(b'{"reference":"a","Reference":"b"}', b'{"reference":NaN}', b'{"reference":-Infinity}'),
    *(b'{"reference":1e400}', b'{"reference":' + b"9" * 5000 + b"}", b'{"reference":"\\ud800"}'),
    *(b'{"reference":"\\u0000"}', b'{"reference":"\xff\xfe"}', b'{"reference":"\xed\xa0\x80"}'),
    *(b"\xef\xbb\xbf{}", '{"reference":"x"}'.encode("utf-16"), b"[" * 10_000),
    *(b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b'{"a":"' + b"x" * 40_000 + b'"}', b"{}{}"),
    b"{'reference':'x'}",
)
JSON_VALUES: Sequence[Any] = (
    *(None, True, 0, -1, 10**30, 1.5, [], {}, [[[[[]]]]], [None, 1, "x"], {"a": {"b": {"c": {}}}}),
    *(["x"] * 500, {str(number): "x" for number in range(200)}, [CANARY], {"number": CANARY, "\0": "\0"}),
)
HEADERS: Mapping[str, Sequence[str]] = {
    "Accept": (
        *("", "*/*;q=2", "text/html", "application/xml", "a" * 8000, ",,,;;;", "application/json;q=\xe9"),
    ),
    "Accept-Encoding": ("gzip;q=x", "a" * 4000),
    "Accept-Language": ("", "xx", "de;q=9", "-" * 3000, "en" + ",de" * 900, "../../x", "zh-Hant-" + "x" * 99),
    "Authorization": (
        *("Bearer", f"Bearer {CANARY}", "Basic !!!", "PublicApiKey \xff", "a" * 9000, "\xe9 \xe9"),
    ),
    "Content-Encoding": ("gzip", "br", "x"),
    # A server refuses a length that is no number; of a body that is cut off it hands on what has come.
    "Content-Length": ("0", "1", "7", "100000"),
    "Cookie": ("sessionid=\xff; csrftoken=", "=;;=", "sessionid=" + "x" * 7000, "a" * 3000, 'x="\\777"'),
    "Host": ("evil.example", "127.0.0.1:x", "[::1", "a" * 300, "127.0.0.1@evil", "\xe9"),
    "If-Modified-Since": ("soon", "Thu, 99 Foo 99999 99:99:99 GMT"),
    "If-None-Match": ("*", '"', 'W/"' + "x" * 3000),
    "Origin": ("null", "https://evil.example", "http://[", "a b"),
    "Range": ("bytes=-1", "bytes=0-0,0-0,99999999999999-"),
    "Referer": ("http://[", "https://evil.example/", "\xff" * 500, "http://127.0.0.1:99999999/"),
    "Sec-Fetch-Dest": ("iframe", "x"),
    "Sec-Fetch-Mode": ("no-cors", "x"),
    "Sec-Fetch-Site": ("cross-site", "x"),
    "X-CSRFToken": ("", "short", "\xff" * 32, "a" * 5000),
    "X-Forwarded-For": ("1.2.3.4, " * 500, "\xe9", "' or 1=1"),
    "X-Forwarded-Host": ("evil.example", "[::1"),
    "X-Forwarded-Proto": ("https", "x"),
    "X-HTTP-Method-Override": ("DELETE",),
    "X-Requested-With": ("XMLHttpRequest",),
}
MEDIA = (
    *("application/json", "application/json; charset=utf-16", "application/json; charset=x\xe9"),
    *("application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=x"),
    *("multipart/form-data", "multipart/form-data; boundary=" + "x" * 300),
    *("multipart/form-data; boundary=\xe9", "text/plain", "application/xml", "", ";;;", "a" * 3000),
)
BOUNDARY = "fuzz"


def query(random: Random, names: Sequence[str]) -> bytes:
    """A query string: of names that the page knows, or of none that anybody would write."""
    odd = (
        b"%",
        b"&&==&=;",
        b"%ff=%fe",
        b"a" * 9000,
        b"&".join(b"x%d=1" % number for number in range(1500)),
        b"\xff\xfe",
    )
    if not names or random.random() < 0.15:
        return random.choice(odd)
    pairs = [(random.choice(names), random.choice(TEXTS)) for _ in range(random.randint(1, 4))]
    return urlencode(pairs, errors="surrogatepass").encode()


def spoiled(random: Random, good: Mapping[str, Any], values: Sequence[Any]) -> dict[str, Any]:
    """A form or message that is right but for one, two or three of its fields."""
    wrong = dict(good)
    for _ in range(random.randint(1, 3)):
        name = random.choice([*good, "unknown"])
        match random.randrange(6):
            case 0:
                wrong.pop(name, None)
            case 1 if isinstance(wrong.get(name), dict) and wrong[name]:
                wrong[name] = spoiled(random, wrong[name], values)
            case _:
                wrong[name] = random.choice(values)
    return wrong


def form_body(random: Random, good: Mapping[str, Any]) -> tuple[str, bytes]:
    """A form and its type."""
    odd = (b"%zz=%", b"a=%ff%fe", b"\xff" * 50, b"&" * 3000, b"&".join(b"x%d=" % n for n in range(1200)))
    if random.random() < 0.15:
        return "application/x-www-form-urlencoded", random.choice(odd)
    pairs = list(spoiled(random, good, TEXTS).items()) * random.choice((1, 1, 1, 2))
    return "application/x-www-form-urlencoded", urlencode(pairs, doseq=True).encode()


def multipart_body(random: Random, good: Mapping[str, Any]) -> tuple[str, bytes]:
    """A form with a file in it, or what only resembles one."""
    media = f"multipart/form-data; boundary={BOUNDARY}"
    names = ("../../x.csv", "x" * 3000, "a\0b", "\u202evsc.x", "", 'a"; name="b')
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'
        for name, value in spoiled(random, good, TEXTS).items()
    ]
    parts += [
        f'Content-Disposition: form-data; name="{name}"; filename="{random.choice(names)}"\r\n'
        f"Content-Type: {random.choice(('text/csv', 'x', ''))}\r\n"
        f"{random.choice(('', 'Content-Transfer-Encoding: base64' + chr(13) + chr(10)))}\r\n"
        f"{random.choice(TEXTS)}"
        for name in random.sample([*good, "file"], k=1) * random.choice((1, 1, 150))
    ]
    body = "".join(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts)
    end = random.choice((f"--{BOUNDARY}--\r\n", f"--{BOUNDARY}", "", "--other--"))
    return media, (body + end).encode("utf-8", "surrogatepass")


def json_body(random: Random, good: Mapping[str, Any]) -> tuple[str, bytes]:
    """A message and its type."""
    if random.random() < 0.3:
        return "application/json", random.choice(JSON_TEXTS)
    body = json.dumps(spoiled(random, good, (*JSON_VALUES, *TEXTS))).encode()
    return "application/json", gzip.compress(body) if random.random() < 0.05 else body


KINDS: Mapping[str, Callable[[Random, Mapping[str, Any]], tuple[str, bytes]]] = {
    "form": form_body,
    "multipart": multipart_body,
    "json": json_body,
}
