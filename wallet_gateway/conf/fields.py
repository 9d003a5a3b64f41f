"""The parts of the settings' model: its base, the types of its fields, and how a fault is told to a person.

Each type carries its rule and the sentence of what would be right. pydantic judges all fields at once; what
it finds becomes a `Problem` with the setting's full name, and no secret is repeated in one.
"""

from __future__ import annotations

import base64
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import IPv6Address, ip_address
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_args
from urllib.parse import SplitResult, unquote, urlsplit

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import is_loopback
from wallet_gateway.domain.evidence import KNOWN_TYPES
from wallet_gateway.domain.policy import CALLBACKS
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.codes import check_country_of_wallet, check_currency
from wallet_gateway.protocol.endpoints import ENDPOINTS
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.wire import BuiltOnFirstUse

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import ErrorDetails

SETTING = "WALLET_GATEWAY"
"""The name of the one setting of this app."""
MAX_ALIAS_LENGTH: Final = 32
"""The length of the column in which rows name their gateway."""
MAX_IDENTIFIER_LENGTH: Final = 255
"""The longest that the interface takes, and the length of the columns."""
MAX_DAYS: Final = 36_500
"""A hundred years: the limit for safe calculations with any date."""
T = TypeVar("T")
_PUBLISHED_SECRET_KEYS: Final = frozenset({"only-for-the-demo-shop"})
_PUBLISHED_FERNET_KEYS: Final = frozenset({"cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="})
"""Keys that everybody can read, in this project's documentation and example: they protect nothing."""


# A fault, as a person reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is missing or wrong, with the setting's full name."""

    setting: str
    expected: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.expected}"


class WrongSettings(ImproperlyConfigured):
    """Everything that is missing or wrong in what was read, as problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


class Section(BuiltOnFirstUse):
    """One dict of the settings; its fields are named as the settings are, in lower case."""

    model_config = ConfigDict(
        alias_generator=str.upper,
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        strict=True,
    )


def settings_in(section: type[Section]) -> dict[str, FieldInfo]:
    """Return the fields of a section by the names of their settings."""
    return {field.alias or name.upper(): field for name, field in section.model_fields.items()}


def section_of(annotation: object) -> type[Section] | None:
    """Return the section that a field holds, also under names; None for a field that holds a value."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(section_of, get_args(annotation))), None)


def section_at(section: type[Section], path: Iterable[object]) -> type[Section]:
    """Return the section to which names lead; an alias or a number among them is no setting, and stays."""
    for step in path:
        field = settings_in(section).get(str(step))
        section = (section_of(field.annotation) if field else None) or section
    return section


def problems_of(error: ValidationError, section: type[Section]) -> Iterator[tuple[Sequence[object], str]]:
    """Yield the names that lead to each fault that pydantic has found, and what would be right."""
    for found in error.errors(include_url=False):
        # The fault of a wrong key of a dict names the key.
        path = found["loc"][:-1] if found["loc"][-1:] == ("[key]",) else found["loc"]
        yield path, _expected(found, path, section)


def _expected(found: ErrorDetails, path: Sequence[object], section: type[Section]) -> str:
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    if kind in {"extra_forbidden", "invalid_key", "missing"}:
        known = settings_in(section_at(section, path[:-1]))
        if kind != "missing":
            return unknown_name(path[-1], known)
        field = known[str(path[-1])]
        rules = [one.expected for one in field.metadata if isinstance(one, Rule)]
        return f"{field.description or rules[0]}; it is missing"
    if "error" in context or "expected" in context:
        return str(context.get("error", context.get("expected")))
    if kind == "finite_number" or (kind == "float_type" and type(value) is int):
        return "a finite number"
    words = _IN_WORDS.get(kind, found["msg"])
    hint = ": put it in quotes" if words == "a text" and type(value) in {int, float} else ""
    return f"{words}, not {type(value).__name__}{hint}"


_IN_WORDS: Mapping[str, str] = {
    "string_type": "a text",
    "string_unicode": "characters, of which none is half of a surrogate pair",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "True or False",
    "tuple_type": "a list, tuple or set",
    "dict_type": "a dict",
    "model_type": "a dict",
}
"""Descriptions of the expected types, by pydantic's name of the fault."""


def unknown_name(name: object, known: Iterable[str]) -> str:
    """Return a hint with the correct name for an unknown setting."""
    names = tuple(known)
    meant = get_close_matches(str(name).upper(), names, n=1, cutoff=0.75)
    meant = meant or get_close_matches(str(name), names, n=1, cutoff=0.75)
    nearest = f"did you mean {meant[0]!r}? " if meant else ""
    return f"unknown name; {nearest}known: {', '.join(names)}"


# Rules


class Rule:
    """What a value of the right type follows, and how it is told to a person."""

    def __init__(self, is_valid: Callable[[Any], object], expected: str) -> None:
        self._is_valid, self.expected = is_valid, expected

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the rule behind pydantic's check of the type."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, value: object) -> object:
        if not self._is_valid(value):
            raise ValueError(self.expected)
        return value


def rule(expected: str) -> Callable[[Callable[[Any], object]], Rule]:
    """Make a rule of a function that says whether a value follows it."""
    return lambda is_valid: Rule(is_valid, expected)


def between(least: float, most: float, words: str) -> Rule:
    """Return the rule of a number: the words follow on its limits."""
    return Rule(lambda number: least <= number <= most, f"{least} to {most} {words}")


def refuse(found: Mapping[tuple[str | int, ...], str]) -> None:
    """Raise what a validator has found below its field, by the names that lead there, if it is anything."""
    if found:
        raise ValidationError.from_exception_data(
            SETTING,
            [
                InitErrorDetails(
                    type=PydanticCustomError("rule", "{expected}", {"expected": expected}),
                    loc=path,
                    input=None,
                )
                for path, expected in found.items()
            ],
        )


def part(section: type[Section]) -> Any:  # noqa: ANN401 - a field of the section
    """Return a field that is given as a dict, and has the defaults of its section where it is not given."""
    return Field(default_factory=section, strict=False)


AS_DICT: Final = Field(strict=False)
"""Lets a section be given as a dict."""
Listed = Annotated[
    tuple[T, ...],
    BeforeValidator(
        lambda value: tuple(value) if isinstance(value, list | tuple | set | frozenset) else value
    ),
]
"""Values that are given as a list, tuple or set."""


# Names and texts


def _is_line(text: str) -> bool:
    return len(text) <= MAX_IDENTIFIER_LENGTH and text.isprintable()


def _code(check: Callable[[str], str], expected: str) -> Rule:
    """Return the rule of a code that is written as its standard has it."""

    def is_code(value: str) -> bool:
        with suppress(ProtocolError):
            return check(value) == value
        return False

    return Rule(is_code, expected)


_NAME: Final = re.compile(rf"[a-z0-9_-]{{1,{MAX_ALIAS_LENGTH}}}")
_OF_LETTERS: Final = f"1 to {MAX_ALIAS_LENGTH} of a-z 0-9 _ -"
_HOST_PATTERN: Final = re.compile(r"\*|\.?[a-z0-9_\-.]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_POLICY_NAME: Final = re.compile(r"[\w\-#=/@.%]+|'allow-duplicates'", re.ASCII)


def is_alias(value: object) -> bool:
    """Return whether a value may name a gateway.

    Lower case only, because a database that folds case would treat two aliases as one.
    """
    return isinstance(value, str) and bool(_NAME.fullmatch(value))


@rule("a type of status records that the interface does not name")
def _is_foreign_type(value: str) -> bool:
    return bool(value) and value.lower() not in KNOWN_TYPES


Alias = Annotated[Any, Rule(is_alias, f"a name of {_OF_LETTERS}")]
Numbering = Annotated[
    str, Rule(lambda name: not name or is_alias(name), f"a name of {_OF_LETTERS}, or nothing")
]
Line = Annotated[str, Rule(str.isprintable, "one line, without control characters")]
Identifier = Annotated[str, Rule(_is_line, f"one line of at most {MAX_IDENTIFIER_LENGTH} characters")]
Allocated = Annotated[
    str,
    Rule(str.strip, "a text that is not empty"),
    Rule(_is_line, f"one line of 1 to {MAX_IDENTIFIER_LENGTH} characters"),
]
Currency = Annotated[str, _code(check_currency, "an ISO 4217 code such as 'EUR'")]
Country = Annotated[
    str, _code(check_country_of_wallet, "the two letters of an ISO 3166 country, such as 'DE'")
]
Network = Annotated[str, Rule(list(CardNetwork).__contains__, f"one of {', '.join(CardNetwork)}")]
Callback = Annotated[str, Rule(CALLBACKS.__contains__, f"one of {', '.join(CALLBACKS)}")]
RecordType = Annotated[str, _is_foreign_type]
PolicyName = Annotated[str, Rule(_POLICY_NAME.fullmatch, "the name of a policy, such as 'goog#html'")]
Days = Annotated[
    float, Rule(lambda days: 0 < days <= MAX_DAYS, f"a number of days above zero, at most {MAX_DAYS}")
]


def _minor_units(limits: Mapping[Any, Any]) -> dict[str, int]:
    """Return amounts in minor units; only texts, because a number's minor units would be a guess."""
    found: dict[str, int] = {}
    wrong: dict[tuple[str | int, ...], str] = {}
    for currency, amount in limits.items():
        parsed = None
        with suppress(ProtocolError, TypeError, AttributeError):
            parsed = Money.parse(amount, currency, allow_zero=True) if isinstance(amount, str) else None
        if parsed is None or parsed.currency != currency:
            wrong[(_step(currency),)] = (
                "a currency's code and an amount of it as text, such as 'EUR': '500.00'"
            )
        else:
            found[currency] = parsed.minor_units
    refuse(wrong)
    return found


def _step(name: object) -> str | int:
    return name if isinstance(name, str | int) else str(name)


Amounts = Annotated[dict[Any, Any], AfterValidator(_minor_units)]
"""Minor units by currency."""


# Addresses

_NETLOC: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::[0-9]*)?")
"""A host of letters, digits and hyphens, or an IP address, and a port. Nothing else: a browser takes a
backslash in a host for a slash, so that `https://a\\.b` leads to `a` and not to a host of `b`."""
_IN_HEADERS: Final = re.compile(r"[!#-+\--:<-\[\]-~]*")


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


def is_local(host: str | None) -> bool:
    """Return whether a host is this machine or on its own network link, in whatever spelling."""
    name = (host or "").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(OSError):
        # A resolver takes short and numeric spellings, too: 127.1, 2130706433, 0x7f000001.
        name = socket.inet_ntoa(socket.inet_aton(name))
    try:
        address = ip_address(name)
    except ValueError:
        return False
    address = (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address
    return address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast


def _has_dot_segment(path: str) -> bool:
    """Return whether a path has a step `.` or `..`: what it then leads to depends on who reads it."""
    return not {".", ".."}.isdisjoint(re.split(r"[/\\]", unquote(path)))


@rule("an origin as browsers write it, such as 'https://app.shop.example'; http only on a loopback address")
def _is_origin(value: object) -> bool:
    url = split_address(value)
    if url is None or value != f"{url.scheme}://{url.netloc.lower()}" or not url.netloc.isascii():
        return False
    usual_port = {"http": ":80", "https": ":443"}[url.scheme]
    return not url.netloc.endswith((usual_port, ":")) and (url.scheme == "https" or is_loopback(url.hostname))


def _is_script_address(value: str) -> bool:
    """Return whether a text is empty or a safe address, with a query if any, such as a script's version."""
    url = split_address(value.partition("?")[0])
    return not value or (url is not None and (url.scheme == "https" or is_loopback(url.hostname)))


@rule("an https URL, or nothing; http only on a loopback address")
def _is_report_address(value: str) -> bool:
    # It becomes a part of two headers: it may have a query, and nothing that ends a directive or a text.
    return _is_script_address(value) and bool(_IN_HEADERS.fullmatch(value))


@rule("a host without scheme and path, such as 'pay.example' or 'pay.example:8443'")
def _is_host(value: str) -> bool:
    return bool(value) and not set(value) & set("/@?#\\ ")


@rule("a host as in ALLOWED_HOSTS, such as '.shops.example', or '*' if a proxy admits known hosts only")
def _is_host_pattern(value: str) -> bool:
    return bool(_HOST_PATTERN.fullmatch(value))


def _is_gateway_address(given: object) -> str:
    url = split_address(given)
    if url is None:
        raise ValueError("an absolute https URL")
    if _has_dot_segment(url.path):
        raise ValueError("an https URL whose path has no step . or ..")
    return str(given)


def _paths(given: Mapping[Any, Any]) -> Mapping[str, str]:
    names = sorted(endpoint.name for endpoint in ENDPOINTS)
    wrong: dict[tuple[str | int, ...], str] = {}
    for name, path in given.items():
        if name not in names:
            wrong[(_step(name),)] = unknown_name(name, names)
        elif not isinstance(path, str) or not path.startswith("/") or _has_dot_segment(path):
            wrong[(name,)] = "a path that begins with / and has no step . or .."
    refuse(wrong)
    return given


GatewayAddress = Annotated[str, PlainValidator(_is_gateway_address)]
ScriptAddress = Annotated[str, Rule(_is_script_address, "an https address; http only on a loopback address")]
ReportAddress = Annotated[str, _is_report_address]
Origin = Annotated[str, _is_origin]
Host = Annotated[str, _is_host]
HostPattern = Annotated[str, _is_host_pattern]
Paths = Annotated[dict[Any, Any], AfterValidator(_paths)]


# Code and files


def import_fault(path: str) -> str:
    """Return why a dotted path leads to no callable, in the words of the failed import; empty if it does."""
    try:
        found = import_string(path)
    except ImportError as error:
        return f"{path!r} cannot be imported: {error}"
    return "" if callable(found) else f"{path!r} is of type {type(found).__name__}"


def _importable(path: str) -> str:
    if path and (fault := import_fault(path)):
        raise ValueError(f"the dotted path of a callable, such as 'shop.payments.sign'; {fault}")
    return path


def _client_class(path: str) -> str:
    fault = import_fault(path) if path else ""
    found = import_string(path) if path and not fault else Gateway
    if fault or not (isinstance(found, type) and issubclass(found, Gateway)):
        fault = fault or f"{path!r} is another one"
        raise ValueError(f"the dotted path of a subclass of wallet_gateway.client.gateway.Gateway; {fault}")
    return path


def _fault_of_file(path: str | PurePath) -> str:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except OSError as error:
        return f"{path}: {error.strerror}"
    except ValueError as error:
        # A NUL in a path raises ValueError, not OSError.
        return f"{str(path)!r}: {error}"
    return ""


def _ca_file(given: object) -> str | None:
    if not isinstance(given, str | PurePath):
        raise ValueError(f"a path, not {type(given).__name__}")
    if not str(given):
        return None
    fault = _fault_of_file(given)
    try:
        if not fault:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=given)
    except OSError:
        fault = f"{given} holds no certificate"
    if fault:
        raise ValueError(f"a PEM file of the authorities to trust; {fault}")
    return str(given)


def _client_cert(given: object) -> str | tuple[str, str] | None:
    if not isinstance(given, str | PurePath | list | tuple):
        raise ValueError(f"a path, or a pair of paths: certificate and key, not {type(given).__name__}")
    if not given:
        return None
    is_pair = isinstance(given, list | tuple)
    files = [*given] if isinstance(given, list | tuple) else [given]
    if (is_pair and len(files) != 2) or not all(path and isinstance(path, str | PurePath) for path in files):
        raise ValueError("a pair is the path of the certificate and the path of its key")
    certificate, key = files[0], files[1] if is_pair else None
    fault = next(filter(None, map(_fault_of_file, files)), "")
    try:
        if not fault:
            # With a password, even an empty one, OpenSSL never prompts for one on the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password="")
    except OSError:
        fault = "the certificate and its key do not fit, one of them is missing, or the key is encrypted"
    if fault:
        raise ValueError(f"a PEM file with certificate and key, or a pair of files; {fault}")
    return (str(certificate), str(key)) if is_pair else str(certificate)


DottedPath = Annotated[str, AfterValidator(_importable)]
"""The dotted path of a callable, or nothing."""
ClientClass = Annotated[str, AfterValidator(_client_class)]
CaFile = Annotated[str | None, PlainValidator(_ca_file)]
ClientCert = Annotated[str | tuple[str, str] | None, PlainValidator(_client_cert)]


# Keys and tokens

_HASHES: Final = {"sha256": 32, "sha384": 48, "sha512": 64}
"""The names of hashes in `integrity`, with their lengths in bytes."""


def _octets(text: str, altchars: bytes | None = None) -> bytes:
    try:
        return base64.b64decode(text, altchars=altchars, validate=True)
    except ValueError:
        return b""


def _is_hash(value: str) -> bool:
    name, _, encoded = value.partition("-")
    return len(_octets(encoded)) == _HASHES.get(name)


def _is_varied(value: str | bytes, *, shortest: int) -> bool:
    # A repeated letter or a short word several times is a placeholder that was never replaced.
    return len(value) >= shortest and len(set(value)) >= 8


def _keys(given: object) -> object:
    if not given and (given is None or isinstance(given, set | frozenset)):
        return ()
    if not isinstance(given, list | tuple):
        raise ValueError("a list or tuple of Fernet keys, the first of which encrypts")
    return tuple(given)


@rule("a key as made by cryptography.fernet.Fernet.generate_key(), and no placeholder")
def _is_fernet_key(key: object) -> bool:
    octets = _octets(key, b"-_") if isinstance(key, str) else b""
    return len(octets) == 32 and _is_varied(octets, shortest=32)


def refuse_published_keys(keys: Sequence[str]) -> None:
    """Raise where one of these keys is in public files, so that anybody could decrypt with it."""
    expected = "a key of your own in profile 'prod', not one that is printed in public files"
    refuse({(at,): expected for at, key in enumerate(keys) if key in _PUBLISHED_FERNET_KEYS})


def published_secret_keys() -> tuple[str, ...]:
    """Return the names of Django's settings with which anybody could sign, such as ``SECRET_KEY``."""
    given = {"SECRET_KEY": django_settings.SECRET_KEY} | {
        f"SECRET_KEY_FALLBACKS[{at}]": key for at, key in enumerate(django_settings.SECRET_KEY_FALLBACKS)
    }
    return tuple(
        name
        for name, key in given.items()
        # So `startproject` marks the key that it writes into the settings file.
        if isinstance(key, str) and (key in _PUBLISHED_SECRET_KEYS or key.startswith("django-insecure-"))
    )


@rule("a random text of 20 or more characters, or nothing")
def _is_token(token: str) -> bool:
    return not token or _is_varied(token, shortest=20)


@rule("hashes such as 'sha384-' and 64 characters")
def _are_hashes(value: str) -> bool:
    return not value or all(map(_is_hash, value.split(" ")))


@rule("a dict with a text under each name")
def _are_texts(values: Mapping[Any, Any]) -> bool:
    return all(isinstance(text, str) for pair in values.items() for text in pair)


FernetKeys = Annotated[tuple[Annotated[Any, _is_fernet_key], ...], BeforeValidator(_keys)]
Token = Annotated[str, _is_token]
Hashes = Annotated[str, _are_hashes]
Secrets = Annotated[dict[Any, Any], _are_texts]
