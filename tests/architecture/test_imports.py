"""Who may import what, as far as import-linter's contracts in pyproject.toml cannot say it."""

from __future__ import annotations

import sys
import tomllib

import pytest

from tests.architecture.sources import PACKAGE, ROOT, package, sources

HTTP_LIBRARY_FILES = {
    "wallet_gateway/client/connection.py",
    "wallet_gateway/client/http_transport.py",
    "wallet_gateway/client/transport.py",
}
LANGUAGE_MAY_IMPORT = {*sys.stdlib_module_names, "pydantic", "pydantic_core", "iso4217"}
LANGUAGE_MUST_NOT_USE = {"socket", "ssl", "http.client", "urllib.request", "time", "random", "os", "pathlib"}


def _contracts() -> dict[str, dict[str, object]]:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return {contract["id"]: contract for contract in tool["contracts"]}


def test_the_http_library_is_known_to_the_transport_only() -> None:
    found = {
        f"{source.name}:{line}"
        for source in package()
        for line, module in source.imported()
        if module.split(".")[0] in {"requests", "urllib3"} and source.name not in HTTP_LIBRARY_FILES
    }
    assert not found, "another HTTP library, or another release of it, must be a change to the transports"


def test_the_language_imports_the_standard_library_pydantic_and_the_iso_tables_only() -> None:
    found = {
        f"{source.name}:{line} {module}"
        for source in package()
        if source.module.startswith("wallet_gateway.protocol")
        for line, module in source.imported()
        if module.split(".")[0] not in LANGUAGE_MAY_IMPORT
        and not module.startswith("wallet_gateway.protocol")
    }
    assert not found, "two parties share the language; it must not bring anything of one of them"


def test_the_conformance_kit_imports_the_standard_library_and_itself_only() -> None:
    found = {
        f"{source.name}:{line} {module}"
        for source in package()
        if source.module.startswith("wallet_gateway.conformance")
        for line, module in source.imported()
        if module.split(".")[0] not in sys.stdlib_module_names
        and not module.startswith("wallet_gateway.conformance")
    }
    assert not found, "it runs where nothing is set up, and shares no misreading"


def test_the_language_and_the_decisions_have_no_clock_no_network_no_files() -> None:
    found = {
        f"{source.name}:{line} {module}"
        for source in package()
        if source.module.startswith(("wallet_gateway.protocol", "wallet_gateway.domain"))
        for line, module in source.imported()
        if module in LANGUAGE_MUST_NOT_USE
    }
    assert not found, "what is pure is tested as a table"


def test_installing_the_app_imports_nothing() -> None:
    root = next(source for source in package() if source.name == "wallet_gateway/__init__.py")
    assert [module for _, module in root.imported()] in ([], ["__future__", "__future__.annotations"])


def test_settings_are_read_in_one_file() -> None:
    # The checks ask for DEBUG, which is Django's own setting.
    allowed = {"wallet_gateway/conf/__init__.py", "wallet_gateway/conf/project.py"}
    found = {
        f"{source.name}:{line}"
        for source in package()
        if not source.module.startswith(("wallet_gateway.sandbox", "wallet_gateway.testing"))
        for line, module in source.imported()
        if module == "django.conf.settings" and source.name not in allowed
    }
    assert not found, "the core takes values; conf reads settings and judges them, gateways.py hands them on"


@pytest.mark.parametrize("room", ["operations", "queries", "domain", "protocol"])
def test_a_verb_is_given_its_clock(room: str) -> None:
    found = {
        f"{source.name}:{call.lineno}"
        for source in package()
        if source.module.startswith(f"wallet_gateway.{room}")
        for call in source.calls()
        if getattr(call.func, "attr", "") in {"now", "utcnow", "today"}
        and getattr(getattr(call.func, "value", None), "id", "") in {"timezone", "datetime", "time", "date"}
    }
    assert not found, "a test must be able to say what time it is"


def test_every_room_has_its_place_in_the_contracts() -> None:
    contracts = _contracts()
    rooms = {
        f"wallet_gateway.{path.stem}"
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists())
        and path.stem not in {"__init__", "migrations"}
    }
    placed = set(contracts["production-alone"]["source_modules"]) | {  # type: ignore[call-overload]
        "wallet_gateway.sandbox",
        "wallet_gateway.testing",
    }
    assert rooms == placed, "a new room needs its arrows: add it to the contracts of import-linter"


def test_every_contract_names_its_reason() -> None:
    assert all(len(str(contract["name"])) > 20 for contract in _contracts().values())


def test_the_stub_gateway_shares_no_code_with_what_it_is_a_test_of() -> None:
    found = {
        f"{source.name}:{line} {module}"
        for source in sources("tests/stub_gateway")
        for line, module in source.imported()
        if not source.path.name.startswith("test_")
        and module.split(".")[0] not in sys.stdlib_module_names
        and not module.startswith("tests.stub_gateway")
    }
    assert not found, "a misreading of the interface on both sides would cancel out"
