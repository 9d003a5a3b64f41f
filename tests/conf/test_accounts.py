"""Accounts outside the settings are used as soon as they are there, and a wrong one harms no other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf import table
from tests.conf.table import ACCOUNT, ACCOUNTS, UNVERSIONED, settings_of
from wallet_gateway import conf, gateways
from wallet_gateway.domain.policy import ApprovalPolicy
from wallet_gateway.payments.maintenance import forget_accounts, gateway_aliases, wrong_accounts

SECRET = "canary-of-a-credential-71b3"
Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Let seconds pass on the clock that nobody sets."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def let_pass(seconds: float) -> None:
        now[0] += seconds

    return let_pass


@pytest.fixture(autouse=True)
def rows(settings: Settings, later: Later) -> Iterator[table.Table]:
    def forget() -> None:
        ACCOUNTS.__init__()  # type: ignore[misc]
        UNVERSIONED.clear()

    forget()
    settings.WALLET_GATEWAY = settings_of()
    yield ACCOUNTS
    forget()


def store_of(alias: str) -> str:
    return gateways.gateway(alias).account.store_id


def test_an_account_that_appears_is_used_at_once_a_change_after_five_seconds_or_when_it_is_announced(
    rows: table.Table, later: Later
) -> None:
    rows.write(1, a=ACCOUNT)
    assert store_of("a") == "SANDBOX-STORE"
    rows.write(2, a=ACCOUNT | {"STORE_ID": "S-2"})
    later(4.9)
    assert store_of("a") == "SANDBOX-STORE"
    later(0.2)
    assert store_of("a") == "S-2"
    rows.write(3, a=ACCOUNT | {"STORE_ID": "S-3"})
    forget_accounts()
    assert store_of("a") == "S-3"
    rows.write(4, a=ACCOUNT, tenant_8=ACCOUNT | {"STORE_ID": "S-8"})
    assert (store_of("tenant-8"), gateway_aliases()) == ("S-8", ("a", "tenant-8"))


def test_the_version_is_asked_for_once_in_five_seconds_and_accounts_are_read_once_for_each_version(
    rows: table.Table, later: Later
) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    for _ in range(50):
        gateways.gateway("a")
        gateway_aliases()
    assert (rows.asked, rows.read) == (1, 2)
    later(6)
    for _ in range(50):
        gateway_aliases()
    assert (rows.asked, rows.read) == (2, 2)


def test_a_removed_account_is_gone_and_named(rows: table.Table) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    assert gateway_aliases() == ("a", "b")
    rows.write(2, a=ACCOUNT)
    forget_accounts()
    assert gateway_aliases() == ("a",)
    with pytest.raises(ImproperlyConfigured, match=r"tests\.conf\.table\.ACCOUNTS: it has no 'b'"):
        gateways.gateway("b")


def test_a_mapping_without_a_version_is_compared(settings: Settings, later: Later) -> None:
    settings.WALLET_GATEWAY = settings_of("tests.conf.table.UNVERSIONED")
    UNVERSIONED["a"] = dict(ACCOUNT)
    before = gateways.gateway("a")
    later(6)
    assert gateways.gateway("a") is before
    UNVERSIONED["a"]["STORE_ID"] = "S-2"
    assert gateways.gateway("a") is before
    later(6)
    assert store_of("a") == "S-2"


WRONG: list[Any] = [
    ACCOUNT | {"MERCHANT_ID": ""},
    ACCOUNT | {"BASE_URL": "https://elsewhere.example"},
    ACCOUNT | {"CURRENCIES": [["EUR"]]},
    ACCOUNT | {"AUTH_SECRETS": {"token": 7}},
    *({}, None, 7, "BASE_URL"),
    ValueError(f"no padding in {SECRET}"),
    RuntimeError(f"vault says no to {SECRET}"),
]


@pytest.mark.parametrize("row", WRONG, ids=repr)
def test_a_wrong_account_is_refused_whole_and_the_others_go_on_until_it_is_corrected(
    row: object, rows: table.Table, later: Later
) -> None:
    rows.write(1, good=ACCOUNT, wrong=row)
    assert gateway_aliases() == ("good",)
    assert store_of("good") == "SANDBOX-STORE"
    with pytest.raises(ImproperlyConfigured, match=r"tests\.conf\.table\.ACCOUNTS\['wrong'\]") as refused:
        gateways.gateway("wrong")
    assert (SECRET in str(refused.value), refused.value.__context__) == (False, None)
    assert list(wrong_accounts()) == ["wrong"]
    rows.rows["wrong"] = ACCOUNT  # under the same version
    later(6)
    assert (gateway_aliases(), wrong_accounts()) == (("good", "wrong"), {})


def test_an_account_that_is_listed_and_gone_is_left_out_where_each_is_read_alone(rows: table.Table) -> None:
    class Listing(dict[str, Any]):
        """Rows of which one was deleted after its alias was listed."""

        def __iter__(self) -> Iterator[str]:
            return iter([*self.keys(), "deleted"])

    rows.write(1, a=ACCOUNT, broken=ValueError(SECRET), b=ACCOUNT)
    rows.rows = Listing(rows.rows)
    assert gateway_aliases() == ("a", "b")
    assert list(wrong_accounts()) == ["broken"]


def test_of_one_version_only_the_accounts_that_are_wrong_are_read_again(
    rows: table.Table, later: Later
) -> None:
    rows.write(1, a=ACCOUNT, wrong={}, b=ACCOUNT)
    assert gateway_aliases() == ("a", "b")
    read = rows.read
    later(6)
    assert gateway_aliases() == ("a", "b")
    assert rows.read == read + 1
    rows.rows["wrong"] = ACCOUNT
    later(6)
    assert gateway_aliases() == ("a", "wrong", "b")
    later(6)
    assert gateway_aliases() == ("a", "wrong", "b")
    assert rows.read == read + 2


def test_a_problem_names_account_and_field_once_in_the_log_and_never_a_secret(
    rows: table.Table, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    row = ACCOUNT | {"STORE_ID": 7, "AUTH_SECRETS": {SECRET: 7, "key": SECRET}, "FERNET_KEYS": [SECRET]}
    rows.write(1, wrong=row, broken=ValueError(SECRET), right=ACCOUNT | {"AUTH_SECRETS": {"token": SECRET}})
    for _ in range(4):
        later(6)
        found = " ".join(wrong_accounts().values())
    for where in ("['wrong']['STORE_ID']", "['wrong']['AUTH_SECRETS']", "['wrong']['FERNET_KEYS'][0]"):
        assert f"tests.conf.table.ACCOUNTS{where}" in found
    assert caplog.text.count("['STORE_ID']") == 1
    assert caplog.text.count("it cannot be read: ValueError at") == 1
    assert SECRET not in caplog.text + found + repr(gateways.gateway("right"))


@pytest.mark.parametrize("error", [OSError(SECRET), KeyError(SECRET)], ids=repr)
def test_while_the_version_cannot_be_read_the_last_accounts_are_used_and_a_person_is_told(
    error: Exception, rows: table.Table, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    rows.write(1, a=ACCOUNT)
    assert gateway_aliases() == ("a",)
    rows.revision = error
    later(6)
    assert gateway_aliases() == ("a",)
    assert list(wrong_accounts()) == [""]
    assert SECRET not in caplog.text + repr(wrong_accounts())
    rows.revision = 2
    later(6)
    assert wrong_accounts() == {}


@pytest.mark.parametrize("path", ["tests.conf.table.no_mapping", "tests.conf.table.ACCOUNTS"])
def test_accounts_that_were_never_read_refuse_every_alias_with_the_reason(
    path: str, settings: Settings, rows: table.Table
) -> None:
    settings.WALLET_GATEWAY = settings_of(path)
    rows.revision = OSError("away")
    assert gateway_aliases() == ()
    with pytest.raises(ImproperlyConfigured, match=r"it cannot be read: (TypeError|OSError) at"):
        gateways.gateway("a")
    asked = rows.asked
    for _ in range(20):
        gateway_aliases()
    assert rows.asked == asked, "what fails is not asked at every use"


def test_code_that_needs_the_accounts_while_it_reads_them_is_refused_at_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WALLET_GATEWAY = settings_of("tests.conf.table.READS_ITSELF")
    table.READS_ITSELF.__init__()  # type: ignore[misc]
    with pytest.raises(ImproperlyConfigured, match="AccountsReadThemselves at"):
        gateways.gateway("a")
    assert table.READS_ITSELF.asked <= 2
    assert len(caplog.records) == 1


class Incomparable:
    """A value that is equal to nothing, and says so with an error."""

    def __eq__(self, other: object) -> bool:
        raise ValueError(SECRET)

    __hash__ = None  # type: ignore[assignment]


def test_values_that_cannot_be_compared_end_nothing(rows: table.Table, later: Later) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    assert gateway_aliases() == ("a", "b")
    rows.write(Incomparable(), a=ACCOUNT)
    later(6)
    assert gateway_aliases() == ("a", "b")
    assert "ValueError" in wrong_accounts()[""]
    rows.write(2, a=ACCOUNT | {"STORE_ID": Incomparable()}, b=ACCOUNT)
    later(6)
    assert gateway_aliases() == ("b",)
    assert list(wrong_accounts()) == ["a"]
    assert SECRET not in repr(wrong_accounts())


def test_a_key_that_is_no_alias_is_told_in_short_and_as_nothing_else(rows: table.Table) -> None:
    rows.write(1, a=ACCOUNT)
    rows.rows |= {"": ACCOUNT, 7: ACCOUNT, "7": ACCOUNT, "x" * 100_000: ACCOUNT}  # type: ignore[dict-item]
    assert gateway_aliases() == ("a", "7")
    wrong = wrong_accounts()
    assert (len(wrong), {"", "a", "7"} & set(wrong)) == (3, set())
    assert len(repr(wrong)) < 1000


def test_while_one_thread_asks_others_go_on_and_what_a_later_one_has_found_stays(
    rows: table.Table, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.write(1, a=ACCOUNT)
    gateway_aliases()
    entered, leave = Event(), Event()

    class Slow(table.Table):
        def version(self) -> object:
            entered.set()
            assert leave.wait(30)
            return 2

    slow = Slow()
    slow.rows = {"a": ACCOUNT | {"STORE_ID": "S-2"}}
    monkeypatch.setattr(table, "ACCOUNTS", slow)
    later(6)
    asking = Thread(target=gateway_aliases)
    asking.start()
    try:
        assert entered.wait(30)
        assert store_of("a") == "SANDBOX-STORE"
        monkeypatch.setattr(table, "ACCOUNTS", rows)
        rows.write(3, a=ACCOUNT | {"STORE_ID": "S-3"})
        forget_accounts()
        assert store_of("a") == "S-3"
    finally:
        leave.set()
        asking.join()
    assert store_of("a") == "S-3"


def test_an_alias_that_is_not_known_lets_nobody_decide_alone_because_it_may_be_known_in_a_moment(
    rows: table.Table,
) -> None:
    rows.write(1, a=ACCOUNT, wrong={})
    assert conf.approval_policy("a") == ApprovalPolicy()
    for alias in ("wrong", "removed"):
        policy = conf.approval_policy(alias)
        assert (policy.limit_for("EUR"), policy.day_limit_for("EUR")) == (0, 0)
