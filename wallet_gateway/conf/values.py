"""The types of setting values, and the descriptions of wrong values and names."""

from __future__ import annotations

import os
import re
import socket
import ssl
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path, PurePath
from types import NoneType
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from django.utils.module_loading import import_string

from wallet_gateway.protocol.text import quote

SETTING = "WALLET_GATEWAY"
"""The name of the one setting of this app."""
COLLECTION = (list, tuple, set, frozenset)
COLLECTION_OR_NONE = (*COLLECTION, NoneType)
TEXT_OR_NONE = (str, NoneType)
SEQUENCE = (list, tuple)
PATH = (str, PurePath)
PATHS_OF_CERTIFICATE = (str, PurePath, list, tuple)
NUMBER = (int, float)
LOCAL_DOMAIN = ".localhost"
"""Names that lead to this machine, or to another one on the same network."""
_NETLOC = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::[0-9]*)?")
"""A host of letters, digits and hyphens, or an IP address, and a port. Nothing else: a browser takes a
backslash in a host for a slash, so that `https://a\\.b` leads to `a` and not to a host of `b`."""
IN_WORDS: Mapping[type | tuple[type, ...], str] = {
    str: "a text",
    int: "a whole number",
    bool: "True or False",
    dict: "a dict",
    NUMBER: "a number",
    COLLECTION: "a list, tuple or set",
    COLLECTION_OR_NONE: "a list, tuple or set, or None",
    TEXT_OR_NONE: "a text, or None",
    SEQUENCE: "a list or tuple",
    PATH: "a path",
    PATHS_OF_CERTIFICATE: "a path, or a pair of paths: certificate and key",
}
"""Descriptions of the expected types, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is missing or wrong, with the setting's full name."""

    setting: str
    expected: str


class Setting(NamedTuple):
    """An optional setting: its type, its default, and the rule that a value of that type follows."""

    kind: type | tuple[type, ...]
    default: object
    is_valid: Callable[[Any], bool] | None = None
    expected: str = ""
    """What the rule expects, for people."""
    fault_of: Callable[[Any], str] | None = None
    """What is wrong with a value that breaks the rule, for people; None where the rule says it all."""


def one_of(*choices: str) -> Setting:
    """Return a setting with one of a few texts, the first of which is the default."""
    *first, last = map(repr, choices)
    return Setting(str, choices[0], choices.__contains__, f"{', '.join(first)} or {last}")


def dotted_path() -> Setting:
    """Return a setting that names a callable, or nothing."""
    return Setting(
        str,
        "",
        lambda path: not path or is_importable(path),
        "the dotted path of a callable, such as 'shop.payments.sign'",
        import_fault,
    )


def problems_of_options(
    where: str, given: Mapping[str, Any], known: Mapping[str, Setting]
) -> Iterator[Problem]:
    """Yield each given value that has another type than its setting, or breaks the setting's rule."""
    for name, value in given.items():
        if (setting := known.get(name)) is None:
            continue
        if not has_type(value, setting.kind):
            expected = f"{IN_WORDS[setting.kind]}, not {type(value).__name__}"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
        elif setting.is_valid is not None and not setting.is_valid(value):
            fault = f"; {setting.fault_of(value)}" if setting.fault_of else ""
            yield Problem(setting=f"{where}[{name!r}]", expected=setting.expected + fault)


def problem_of_text(where: str, given: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Yield the problem of a mandatory text that is missing, empty or no text."""
    value = given.get(name)
    if isinstance(value, str) and value.strip():
        return
    if name not in given:
        found = "; it is missing"
    elif isinstance(value, int) and not isinstance(value, bool):
        found = f"; it is a number (int): write '{quote(value)}'"
    else:
        found = "; it is empty" if isinstance(value, str) else f", not {type(value).__name__}"
    yield Problem(setting=f"{where}[{name!r}]", expected=f"a text that is not empty{found}")


def problems_of_names(where: str, given: Iterable[object], known: Iterable[str]) -> Iterator[Problem]:
    """Yield each name that no setting has."""
    names = tuple(known)
    for name in given:
        if name not in names:
            yield Problem(setting=f"{where}[{name!r}]", expected=unknown_name(name, names))


def unknown_name(name: object, known: Iterable[str]) -> str:
    """Return a hint with the correct name for an unknown setting."""
    names = tuple(known)
    meant = get_close_matches(str(name).upper(), names, n=1, cutoff=0.75)
    nearest = f"did you mean {meant[0]!r}? " if meant else ""
    return f"unknown name; {nearest}known: {', '.join(names)}"


def has_type(value: object, expected: type | tuple[type, ...]) -> bool:
    """Return whether a value has a type; True and False are not numbers."""
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def is_importable(path: str) -> bool:
    """Return whether a dotted path leads to a callable."""
    try:
        return callable(import_string(path))
    except ImportError:
        return False


def import_fault(path: str) -> str:
    """Return why a dotted path leads to no callable, in the words of the failed import."""
    try:
        found = import_string(path)
    except ImportError as error:
        return f"{path!r} cannot be imported: {error}"
    return f"{path!r} is of type {type(found).__name__}"


def unreadable_file(path: str | PurePath) -> str:
    """Return why a file cannot be read; empty if it can."""
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except OSError as error:
        return f"{path}: {error.strerror}"
    except ValueError as error:
        # A NUL in a path raises ValueError, not OSError.
        return f"{str(path)!r}: {error}"
    return ""


def holds_certificates(path: str | PurePath) -> bool:
    """Return whether a PEM file contains at least one certificate to trust."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except OSError:
        return False
    return True


def is_client_certificate(certificate: str | PurePath, key: str | PurePath | None = None) -> bool:
    """Return whether a PEM file has a certificate and, in it or in the other file, its unencrypted key."""
    try:
        # With a password, even an empty one, OpenSSL never prompts for one on the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password="")
    except OSError:
        return False
    return True


def is_readable_by_others(path: str | PurePath) -> bool:
    """Return whether users other than a file's owner and group can read it; False where modes say nothing."""
    try:
        return os.name == "posix" and bool(Path(path).stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def end_of_certificate(path: str | PurePath) -> datetime | None:
    """Return until when a PEM file's first certificate is valid; None if it cannot be read."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(Path(path).read_bytes())[0].not_valid_after_utc
    except (OSError, ValueError):
        return None


def split_address(value: object) -> SplitResult | None:
    """Return the parts of a web address; None for anything else, or with a user, query or fragment."""
    # `urlsplit` drops white space that the address itself still has.
    if not isinstance(value, str) or not value.isprintable() or " " in value:
        return None
    try:
        url = urlsplit(value)
        whole = url.scheme in {"http", "https"} and url.hostname and url.port != 0
    except ValueError:
        return None
    return None if not whole or not _NETLOC.fullmatch(url.netloc) or url.query or url.fragment else url


def is_origin(value: object) -> bool:
    """Return whether a value is an origin exactly as browsers send it, over https or of this machine."""
    url = split_address(value)
    if url is None or value != f"{url.scheme}://{url.netloc.lower()}" or not url.netloc.isascii():
        return False
    usual_port = {"http": ":80", "https": ":443"}[url.scheme]
    is_exact = "*" not in url.netloc and not url.netloc.endswith((usual_port, ":"))
    return is_exact and (url.scheme == "https" or is_loopback(url.hostname))


def is_loopback(host: str | None) -> bool:
    """Return whether a host name is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False


def is_local(host: str | None) -> bool:
    """Return whether a host is this machine or on its own network link, in whatever spelling."""
    name = (host or "").lower().rstrip(".")
    if name == "localhost" or name.endswith(LOCAL_DOMAIN):
        return True
    address = _ip_address(name)
    return address is not None and (
        address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
    )


def _ip_address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        # A resolver takes short and numeric spellings, too: 127.1, 2130706433, 0x7f000001.
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        pass
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def has_dot_segment(path: str) -> bool:
    """Return whether a path has a step `.` or `..`: what it then leads to depends on who reads it."""
    return not {".", ".."}.isdisjoint(re.split(r"[/\\]", unquote(path)))
