"""What the settings hold: addresses, files and dotted paths, and how a wrong one is described."""

from __future__ import annotations

import base64
import os
import re
import socket
import ssl
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path, PurePath
from urllib.parse import SplitResult, unquote, urlsplit

from django.utils.module_loading import import_string

from wallet_gateway.client.proxy import is_loopback

SETTING = "WALLET_GATEWAY"
"""The name of the one setting of this app."""
_KEY_BYTES, _FEWEST_DIFFERENT = 32, 8
LOCAL_DOMAIN = ".localhost"
"""Names that lead to this machine, or to another one on the same network."""
_NETLOC = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::[0-9]*)?")
"""A host of letters, digits and hyphens, or an IP address, and a port. Nothing else: a browser takes a
backslash in a host for a slash, so that `https://a\\.b` leads to `a` and not to a host of `b`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is missing or wrong, with the setting's full name."""

    setting: str
    expected: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.expected}"


def unknown_name(name: object, known: Iterable[str]) -> str:
    """Return a hint with the correct name for an unknown setting."""
    names = tuple(known)
    meant = get_close_matches(str(name).upper(), names, n=1, cutoff=0.75)
    nearest = f"did you mean {meant[0]!r}? " if meant else ""
    return f"unknown name; {nearest}known: {', '.join(names)}"


def import_fault(path: str) -> str:
    """Return why a dotted path leads to no callable, in the words of the failed import; empty if it does."""
    try:
        found = import_string(path)
    except ImportError as error:
        return f"{path!r} cannot be imported: {error}"
    return "" if callable(found) else f"{path!r} is of type {type(found).__name__}"


def is_fernet_key(key: object) -> bool:
    """Return whether a value is a key that `cryptography.fernet` takes, and no placeholder."""
    try:
        octets = base64.b64decode(key, altchars=b"-_", validate=True) if isinstance(key, str) else b""
    except ValueError:
        return False
    # A key of zeros, or of one repeated letter, is a placeholder that was never replaced.
    return len(octets) == _KEY_BYTES and len(set(octets)) >= _FEWEST_DIFFERENT


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
