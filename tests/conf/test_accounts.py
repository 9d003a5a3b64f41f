"""Accounts outside the settings are used as soon as they are there, and a wrong one harms no other."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from pytest_django import Settings

from tests.conf import table
from tests.conf.table import ACCOUNT, ACCOUNTS, UNVERSIONED, settings_of
from wallet_gateway import conf
from wallet_gateway.conf import accounts
from wallet_gateway.domain.approval_policy import ApprovalPolicy

SECRET = "canary-of-a-credential-71b3"


class Now:
    """The monotonic clock of a test."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Now:
    now = Now()
    monkeypatch.setattr(accounts, "time", now)
    return now


@pytest.fixture(autouse=True)
def rows(settings: Settings, clock: Now) -> Iterator[table.Table]:
    ACCOUNTS.__init__()  # type: ignore[misc]
    UNVERSIONED.clear()
    settings.WALLET_GATEWAY = settings_of()
    yield ACCOUNTS
    ACCOUNTS.__init__()  # type: ignore[misc]
    UNVERSIONED.clear()


def aliases() -> list[str]:
    return list(conf.settings().gateways)


def test_an_account_is_there_as_soon_as_it_is_asked_for(rows: table.Table) -> None:
    rows.write(1, tenant_7=ACCOUNT)
    assert conf.gateway_settings("tenant-7").account.merchant_id == "SANDBOX-MERCHANT"

    rows.write(2, tenant_7=ACCOUNT, tenant_8=ACCOUNT | {"STORE_ID": "S-8"})

    assert conf.gateway_settings("tenant-8").account.store_id == "S-8"
    assert aliases() == ["tenant-7", "tenant-8"]


def test_a_change_is_used_after_five_seconds_and_at_once_where_it_was_announced(
    rows: table.Table, clock: Now
) -> None:
    rows.write(1, a=ACCOUNT)
    assert conf.gateway_settings("a").account.store_id == "SANDBOX-STORE"
    rows.write(2, a=ACCOUNT | {"STORE_ID": "S-2"})
    clock.seconds += 4.9
    assert conf.gateway_settings("a").account.store_id == "SANDBOX-STORE"
    clock.seconds += 0.2
    assert conf.gateway_settings("a").account.store_id == "S-2"

    rows.write(3, a=ACCOUNT | {"STORE_ID": "S-3"})
    conf.forget_accounts()
    assert conf.gateway_settings("a").account.store_id == "S-3"


def test_the_version_is_asked_for_once_in_five_seconds_and_accounts_are_read_once_for_each_version(
    rows: table.Table, clock: Now
) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    for _ in range(50):
        conf.gateway_settings("a")
        aliases()
    assert (rows.asked, rows.read) == (1, 3)
    clock.seconds += 6
    for _ in range(50):
        aliases()
    assert (rows.asked, rows.read) == (2, 3)


def test_a_removed_account_is_gone_and_named(rows: table.Table) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    assert aliases() == ["a", "b"]
    rows.write(2, a=ACCOUNT)
    conf.forget_accounts()
    assert aliases() == ["a"]
    with pytest.raises(ImproperlyConfigured, match=r"tests\.conf\.table\.ACCOUNTS: it has no 'b'"):
        conf.gateway_settings("b")
    assert conf.find_gateway("b") is None
    assert conf.find_gateway("Not an alias") is None


def test_a_mapping_without_a_version_is_compared(settings: Settings, clock: Now) -> None:
    settings.WALLET_GATEWAY = settings_of("tests.conf.table.UNVERSIONED")
    UNVERSIONED["a"] = dict(ACCOUNT)
    before = conf.gateway_settings("a")
    clock.seconds += 6
    assert conf.gateway_settings("a") is before
    UNVERSIONED["a"]["STORE_ID"] = "S-2"
    assert conf.gateway_settings("a") is before
    clock.seconds += 6
    assert conf.gateway_settings("a").account.store_id == "S-2"


WRONG: list[Any] = [
    ACCOUNT | {"MERCHANT_ID": ""},
    ACCOUNT | {"BASE_URL": "https://elsewhere.example"},
    ACCOUNT | {"CURRENCIES": [["EUR"]]},
    ACCOUNT | {"AUTH_SECRETS": {"token": 7}},
    {},
    None,
    7,
    "BASE_URL",
    ValueError(f"no padding in {SECRET}"),
    RuntimeError(f"vault says no to {SECRET}"),
]


@pytest.mark.parametrize("row", WRONG, ids=repr)
def test_a_wrong_account_is_refused_whole_and_the_others_go_on(row: object, rows: table.Table) -> None:
    rows.write(1, good=ACCOUNT, wrong=row)
    assert aliases() == ["good"]
    assert conf.gateway_settings("good").alias == "good"
    with pytest.raises(ImproperlyConfigured, match=r"tests\.conf\.table\.ACCOUNTS\['wrong'\]"):
        conf.gateway_settings("wrong")
    assert list(conf.wrong_accounts()) == ["wrong"]


def test_a_problem_names_account_and_field_once_in_the_log_and_never_a_secret(
    rows: table.Table, clock: Now, caplog: pytest.LogCaptureFixture
) -> None:
    row = ACCOUNT | {"STORE_ID": 7, "AUTH_SECRETS": {SECRET: 7, "key": SECRET}, "FERNET_KEYS": [SECRET]}
    rows.write(1, wrong=row, broken=ValueError(SECRET))
    for _ in range(4):
        clock.seconds += 6
        found = {one.setting for problems in conf.wrong_accounts().values() for one in problems}
    wrong = "tests.conf.table.ACCOUNTS['wrong']"
    assert {f"{wrong}['STORE_ID']", f"{wrong}['AUTH_SECRETS']", f"{wrong}['FERNET_KEYS'][0]"} < found
    assert caplog.text.count("['STORE_ID']") == 1
    assert caplog.text.count("it cannot be read: ValueError at") == 1
    for text in (caplog.text, repr(conf.wrong_accounts()), repr(conf.settings())):
        assert SECRET not in text
    with pytest.raises(ImproperlyConfigured) as refused:
        conf.gateway_settings("broken")
    assert SECRET not in str(refused.value)
    assert refused.value.__context__ is None


def test_settings_with_secrets_show_none(rows: table.Table) -> None:
    rows.write(1, a=ACCOUNT | {"AUTH_SECRETS": {"token": SECRET}})
    assert conf.gateway_settings("a").auth_secrets == {"token": SECRET}
    assert SECRET not in repr(conf.settings().gateways) + repr(conf.settings().all_gateways)


def test_a_wrong_account_is_right_once_it_was_corrected_even_under_the_same_version(
    rows: table.Table, clock: Now
) -> None:
    rows.write(1, a=RuntimeError("the vault is sealed"))
    assert aliases() == []
    rows.rows = {"a": ACCOUNT}
    clock.seconds += 6
    assert aliases() == ["a"]
    assert conf.wrong_accounts() == {}


def test_while_the_version_cannot_be_read_the_last_accounts_are_used_and_a_person_is_told(
    rows: table.Table, clock: Now, caplog: pytest.LogCaptureFixture
) -> None:
    rows.write(1, a=ACCOUNT)
    assert aliases() == ["a"]
    rows.revision = OSError(SECRET)
    clock.seconds += 6
    assert aliases() == ["a"]
    assert list(conf.wrong_accounts()) == [""]
    assert "OSError" in conf.wrong_accounts()[""][0].expected
    assert SECRET not in caplog.text + repr(conf.wrong_accounts())
    rows.revision = 2
    clock.seconds += 6
    assert conf.wrong_accounts() == {}


@pytest.mark.parametrize("path", ["tests.conf.table.no_mapping", "tests.conf.table.ACCOUNTS"])
def test_accounts_that_were_never_read_refuse_every_alias_with_the_reason(
    path: str, settings: Settings, rows: table.Table, clock: Now
) -> None:
    settings.WALLET_GATEWAY = settings_of(path)
    rows.revision = OSError("away")
    assert aliases() == []
    with pytest.raises(ImproperlyConfigured, match=r"it cannot be read: (TypeError|OSError) at"):
        conf.gateway_settings("a")
    asked = rows.asked
    for _ in range(20):
        aliases()
    assert rows.asked == asked, "what fails is not asked at every use"


def test_code_that_needs_the_accounts_while_it_reads_them_is_refused_at_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WALLET_GATEWAY = settings_of("tests.conf.table.READS_ITSELF")
    table.READS_ITSELF.__init__()  # type: ignore[misc]
    with pytest.raises(ImproperlyConfigured, match="AccountsReadThemselves at"):
        conf.gateway_settings("a")
    assert table.READS_ITSELF.asked <= 2
    assert len(caplog.records) == 1


class _Incomparable:
    """A value that is equal to nothing, and says so with an error."""

    def __eq__(self, other: object) -> bool:
        raise ValueError(SECRET)

    __hash__ = None  # type: ignore[assignment]


def test_values_that_cannot_be_compared_end_nothing(rows: table.Table, clock: Now) -> None:
    rows.write(1, a=ACCOUNT, b=ACCOUNT)
    assert aliases() == ["a", "b"]
    rows.write(_Incomparable(), a=ACCOUNT)
    clock.seconds += 6
    assert aliases() == ["a", "b"]
    assert "ValueError" in conf.wrong_accounts()[""][0].expected
    rows.write(2, a=ACCOUNT | {"STORE_ID": _Incomparable()}, b=ACCOUNT)
    clock.seconds += 6
    assert aliases() == ["b"]
    assert list(conf.wrong_accounts()) == ["a"]
    assert SECRET not in repr(conf.wrong_accounts())


def test_a_key_that_is_no_alias_is_told_in_short_and_as_nothing_else(rows: table.Table) -> None:
    rows.write(1, a=ACCOUNT)
    rows.rows |= {"": ACCOUNT, 7: ACCOUNT, "7": ACCOUNT, "x" * 100_000: ACCOUNT}  # type: ignore[dict-item]
    assert aliases() == ["a", "7"]
    wrong = conf.wrong_accounts()
    assert len(wrong) == 3
    assert not {"", "a", "7"} & set(wrong)
    assert len(repr(wrong)) < 1000


def test_other_threads_go_on_with_what_was_read_while_one_asks(rows: table.Table, clock: Now) -> None:
    rows.write(1, a=ACCOUNT)
    aliases()
    entered, leave = Event(), Event()

    def slow() -> object:
        entered.set()
        assert leave.wait(30)
        return 2

    rows.version = slow  # type: ignore[method-assign]
    clock.seconds += 6
    asking = Thread(target=aliases)
    asking.start()
    try:
        assert entered.wait(30)
        assert aliases() == ["a"]
    finally:
        leave.set()
        asking.join()
        del rows.version


def test_a_slow_look_does_not_replace_what_a_later_one_has_found(
    rows: table.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.write(1, a=ACCOUNT)
    aliases()
    entered, leave = Event(), Event()

    class Slow(table.Table):
        def version(self) -> object:
            entered.set()
            assert leave.wait(30)
            return 2

    slow = Slow()
    slow.rows = {"a": ACCOUNT | {"STORE_ID": "S-2"}}
    monkeypatch.setattr(table, "ACCOUNTS", slow)
    conf.forget_accounts()
    asking = Thread(target=aliases)
    asking.start()
    try:
        assert entered.wait(30)
        monkeypatch.setattr(table, "ACCOUNTS", rows)
        rows.write(3, a=ACCOUNT | {"STORE_ID": "S-3"})
        conf.forget_accounts()
        assert conf.gateway_settings("a").account.store_id == "S-3"
    finally:
        leave.set()
        asking.join()
    assert conf.gateway_settings("a").account.store_id == "S-3"


@pytest.mark.django_db  # of the database, what Django's own checks ask: whether it knows JSON
def test_system_checks_read_no_account(rows: table.Table, settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings_of("tests.conf.table.as_callable")
    rows.write(1, a={})
    call_command("check")
    assert (rows.asked, rows.read) == (0, 0)


def test_an_alias_that_is_not_known_lets_nobody_decide_alone_because_it_may_be_known_in_a_moment(
    rows: table.Table,
) -> None:
    rows.write(1, a=ACCOUNT, wrong={})
    assert conf.approval_policy("a") == ApprovalPolicy()
    for alias in ("wrong", "removed"):
        policy = conf.approval_policy(alias)
        assert (policy.limit_for("EUR"), policy.day_limit_for("EUR")) == (0, 0)
