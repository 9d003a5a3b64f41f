"""The character sets of a database, asked of a real one, and the remedies carried out."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.core.checks import CheckMessage, Tags, run_checks
from django.db import connection
from django.db.utils import DataError, OperationalError

from wallet_gateway import payments
from wallet_gateway.doctor import host
from wallet_gateway.doctor.host import look_at_character_sets
from wallet_gateway.findings import Code, Finding, Level
from wallet_gateway.models import GatewayPause, PaymentOrder

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

ONLY_HERE = pytest.mark.skipif(connection.vendor != "mysql", reason="other databases store every letter")
NARROW = pytest.mark.parametrize(("narrow", "text"), [("latin1", "Łódź"), ("utf8mb3", "🦆")])
TABLES = (PaymentOrder, GatewayPause)


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def narrow_database(request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty database whose tables would be of a narrow set, as the current one of the connection."""
    name = connection.settings_dict["NAME"]
    quoted, narrow = connection.ops.quote_name(f"{name}_letters"), request.getfixturevalue("narrow")
    run(f"CREATE DATABASE {quoted} CHARACTER SET {narrow}")
    run(f"USE {quoted}")
    yield
    run(f"USE {connection.ops.quote_name(name)}")
    run(f"DROP DATABASE {quoted}")


def make_tables() -> None:
    with connection.schema_editor() as editor:
        for model in TABLES:
            editor.create_model(model)


def found() -> list[Finding]:
    return list(look_at_character_sets(["default"]))


def told() -> list[CheckMessage]:
    """Return what `manage.py check --database default` says of letters."""
    messages = run_checks(tags=[Tags.database], databases=["default"])
    return [message for message in messages if message.id == Code.LETTERS_MISSING]


def carry_out(finding: Finding) -> None:
    run(finding.advice.removeprefix("Run "))


def store(text: str) -> None:
    payments.create_order(
        reference="A-1", currency="EUR", amount=Decimal("1.00"), order_number=text, continue_url="/x"
    )


def test_a_database_that_stores_every_letter_is_well() -> None:
    assert found() == []
    assert told() == []


def test_only_the_database_of_our_tables_is_asked_and_only_where_it_is_named() -> None:
    assert list(look_at_character_sets(())) == list(look_at_character_sets(["no_such_alias"])) == []


@ONLY_HERE
@NARROW
@pytest.mark.usefixtures("narrow_database")
def test_a_narrow_database_is_an_error_before_the_tables_are_there_and_the_remedy_mends_it(
    narrow: str, text: str
) -> None:
    (finding,) = found()
    assert (finding.code, finding.level) == (Code.LETTERS_MISSING, Level.ERROR)
    assert narrow in finding.text
    assert [message.id for message in told()] == [finding.code]
    assert finding in list(host.look_at_settings())
    carry_out(finding)
    make_tables()
    assert found() == []
    store(text)


@ONLY_HERE
@NARROW
@pytest.mark.usefixtures("narrow_database")
def test_tables_that_were_made_there_are_mended_and_references_stay_exact(narrow: str, text: str) -> None:
    make_tables()
    with pytest.raises((DataError, OperationalError)):
        store(text)
    exact = collations("token")
    of_database, *of_tables = found()
    assert {finding.params["character_set"] for finding in of_tables} == {narrow}
    for model, finding in zip(sorted(TABLES, key=lambda one: one._meta.db_table), of_tables, strict=True):
        assert f"the table {model._meta.db_table} (in " in finding.text
    kinds = columns()
    for finding in (of_database, *of_tables):
        carry_out(finding)
    assert found() == []
    assert columns() == kinds
    assert collations("token") == exact
    store(text)
    assert PaymentOrder.objects.get().order_number == text


@ONLY_HERE
def test_a_connection_that_speaks_a_narrow_set_is_an_error_of_its_own() -> None:
    run("SET NAMES utf8mb3")
    try:
        (finding,) = found()
    finally:
        run("SET NAMES utf8mb4")
    assert "the connection to the database has the character set utf8" in finding.text
    assert "DATABASES['default']['OPTIONS']" in finding.advice


def columns() -> list[tuple[str, ...]]:
    return rows("SELECT table_name, column_name, column_type, is_nullable, column_default", "TRUE")


def collations(column: str) -> list[tuple[str, ...]]:
    return rows("SELECT table_name, collation_name", f"column_name = '{column}'")


def rows(select: str, where: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"{select} FROM information_schema.columns WHERE table_schema = DATABASE() AND {where} "
            "ORDER BY table_name, ordinal_position"
        )
        return list(cursor.fetchall())
