"""What a gateway may have of its own in place of the shop's; every other option is in `test_rules`."""

from __future__ import annotations

from collections.abc import Mapping

from tests.tables import every
from wallet_gateway.conf.gateway_rules import is_alias, problems_of_gateway
from wallet_gateway.conf.published_keys import FERNET_KEYS

GATEWAY = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M",
    "STORE_ID": "S",
    "USER_ID": "u",
    "PROVIDER": "ExampleWalletV2",
}


def problems(given: Mapping[str, object]) -> dict[str, str]:
    return {one.setting: one.expected for one in problems_of_gateway("G", {**GATEWAY, **given}, debug=False)}


WRONG: list[tuple[dict[str, object], str, str]] = [
    ({"PUBLIC_ORIGIN": "seven.example"}, "G['PUBLIC_ORIGIN']", "scheme and host"),
    ({"PUBLIC_ORIGIN": "http://seven.example"}, "G['PUBLIC_ORIGIN']", "https"),
    ({"PUBLIC_ORIGIN": "https://127.0.0.1", "PROFILE": "prod"}, "G['PUBLIC_ORIGIN']", "customers reach"),
    ({"PUBLIC_ORIGIN": 7}, "G['PUBLIC_ORIGIN']", "a text"),
    ({"FERNET_KEYS": "key"}, "G['FERNET_KEYS']", "not str"),
    ({"FERNET_KEYS": ["key"]}, "G['FERNET_KEYS'][0]", "generate_key"),
    ({"FERNET_KEYS": sorted(FERNET_KEYS)[:1], "PROFILE": "prod"}, "G['FERNET_KEYS'][0]", "of your own"),
    ({"AUTH_SECRETS": ["token"]}, "G['AUTH_SECRETS']", "a dict"),
    ({"AUTH_SECRETS": {"token": None}}, "G['AUTH_SECRETS']", "a text under each name"),
    ({"AUTH_SECRETS": {7: "x"}}, "G['AUTH_SECRETS']", "a text under each name"),
]


@every(("given", "where", "words"), WRONG, ids=[str(given)[:60] for given, _, _ in WRONG])
def test_a_wrong_one_is_named(given: dict[str, object], where: str, words: str) -> None:
    found = problems(given)
    assert list(found) == [where]
    assert words in found[where]


EDGES: list[tuple[dict[str, object], bool]] = [
    ({"TOTAL_TIMEOUT": 120, "READ_TIMEOUT": 120, "CONNECT_TIMEOUT": 0.01, "KEEPALIVE_IDLE": 0}, True),
    ({"QUERY_RATE": 0.1}, True),
    ({"MERCHANT_ID": "x" * 255, "SKIN_ID": "ü" * 255}, True),
    ({"TOTAL_TIMEOUT": 121}, False),
    ({"READ_TIMEOUT": 1e300}, False),
    ({"CONNECT_TIMEOUT": 10**400}, False),
    ({"CONNECT_TIMEOUT": 0}, False),
    ({"KEEPALIVE_IDLE": float("nan")}, False),
    ({"KEEPALIVE_IDLE": -1}, False),
    ({"QUERY_RATE": 1e-300}, False),
    ({"QUERY_RATE": 0.01}, False),
    ({"QUERY_RATE": 1e308}, False),
    ({"MERCHANT_ID": "x" * 256}, False),
    ({"STORE_ID": "S\n7"}, False),
    ({"USER_ID": "\0"}, False),
    ({"PROVIDER": "\ud800"}, False),
    ({"SKIN_ID": "x" * 256}, False),
    ({"PROVIDER_MERCHANT_ID": "\r"}, False),
]


@every(
    ("given", "fine"),
    EDGES,
    ids=[f"{name}-{n}" for n, (given, _) in enumerate(EDGES) for name in [*given][:1]],
)
def test_what_would_hold_up_a_sweep_or_fit_no_request_is_refused(
    given: dict[str, object], fine: bool
) -> None:
    assert list(problems(given)) == ([] if fine else [f"G[{next(iter(given))!r}]"])


@every(
    ("value", "expected"),
    [("a", True), ("a-1_b", True), ("A", False), ("", False), (7, False), ("a" * 33, False)],
)
def test_an_alias_fits_its_column_and_is_the_same_in_every_database(value: object, expected: bool) -> None:
    assert is_alias(value) is expected
