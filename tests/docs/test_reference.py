"""The reference and the code must agree: what is public is named, and nothing else is."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from types import ModuleType

from django.apps import apps
from django.utils.translation import override

import wallet_gateway
from tests.docs.pages import ROOT
from tests.operations.test_errors import CLASSES, RAISED
from wallet_gateway import payments, signals
from wallet_gateway.api.problems import PROBLEMS
from wallet_gateway.conf import gateway_rules, rules, wallet_rules
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.findings import Code
from wallet_gateway.models.explanations import SENTENCES
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.sandbox.refusals import Refusal


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_python_reference_names_all_of_payments_and_nothing_else() -> None:
    page = _page("reference/python.md")
    documented = set(re.findall(r":: wallet_gateway\.payments\.([\w.]+)", page))
    top = set(payments.__all__)
    modules = {name for name in top if isinstance(getattr(payments, name), ModuleType)}
    inner = {f"{name}.{public}" for name in modules for public in getattr(payments, name).__all__}
    at_the_top = {name for name in inner if name.partition(".")[2] in top}
    assert documented == (top - modules) | (inner - at_the_top) - {"errors.ErrorCode"}


def test_the_settings_reference_names_every_setting_and_no_other() -> None:
    known = {*rules.SHOP, *gateway_rules.REQUIRED, *gateway_rules.OPTIONAL, "WALLET"}
    known |= {*wallet_rules.WALLET_REQUIRED, *wallet_rules.WALLET_OPTIONAL, *wallet_rules.LIMITS}
    page = _page("reference/settings.md")
    documented = {
        name
        for line in page.splitlines()
        if line.startswith(("| `", "`"))
        for name in re.findall(r"`([A-Z][A-Z_]+)`", line.split(" | ")[0])
    }
    assert documented == known


def test_the_settings_reference_names_every_default() -> None:
    of_gateway, _, of_wallet = _page("reference/settings.md").partition("## The wallet button")
    for part, known in (
        (of_gateway, gateway_rules.OPTIONAL),
        (of_wallet, {**wallet_rules.WALLET_OPTIONAL, **wallet_rules.LIMITS}),
    ):
        rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", part, flags=re.MULTILINE)
        defaults = {name: repr(of.default).replace("'", '"') for name, of in known.items()}
        assert rows
        assert {name: default for name, default in rows if defaults[name] != default} == {}


def test_the_signals_are_all_described() -> None:
    known = {name for name in vars(signals) if name.startswith("order_")}
    assert set(re.findall(r"^\| `(order_\w+)`", _page("how-to/fulfilment.md"), flags=re.MULTILINE)) == known


def test_the_checks_are_all_described() -> None:
    described = set(re.findall(r"`(wallet_gateway\.[EW]\d+)`", _page("reference/checks.md")))
    assert described == {code.value for code in Code if code.startswith("wallet_gateway.")}


def test_the_commands_and_their_options_are_all_described() -> None:
    sections = dict(
        re.findall(
            r"^## `manage\.py (wallet_\w+)`\n(.*?)(?=^## |\Z)",
            _page("reference/commands.md"),
            flags=re.MULTILINE | re.DOTALL,
        )
    )
    described = {name: set(re.findall(r"`(--[a-z-]+)", text)) for name, text in sections.items()}
    commands = (ROOT / "wallet_gateway" / "management" / "commands").glob("wallet_*.py")
    taken = {path.stem: set(re.findall(r'"(--[a-z-]+)"', path.read_text("utf-8"))) for path in commands}
    assert described == taken


def test_the_permissions_that_move_money_or_stop_it_are_all_described() -> None:
    models = apps.get_app_config("wallet_gateway").get_models()
    known = {name for model in models for name, _ in model._meta.permissions}
    described = set(
        re.findall(r"^\| `wallet_gateway\.(\w+)` \|", _page("how-to/admin.md"), flags=re.MULTILINE)
    )
    assert known
    assert described >= known


def test_the_messages_are_all_described() -> None:
    assert set(re.findall(r"\{message\} (\w+)", _page("reference/protocol.md"))) == set(MESSAGES)


def test_the_dependencies_all_have_a_reason() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = set(
        re.findall(r'^    "([a-z0-9-]+)[>=]', project.split("[dependency-groups]")[0], flags=re.MULTILINE)
    )
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", _page("dependencies.md"), flags=re.MULTILINE)) == required


def test_every_runtime_dependency_is_imported_and_requests_for_two_things_only() -> None:
    package = [path.read_text("utf-8") for path in (ROOT / "wallet_gateway").rglob("*.py")]
    imported = {
        found for text in package for found in re.findall(r"^ *(?:from|import) (\w+)", text, re.MULTILINE)
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named_otherwise = {"djangorestframework": "rest_framework", "django-environ": "environ"}
    names = {re.split(r"[>=<!~]", wanted)[0] for wanted in project["dependencies"]}
    assert {named_otherwise.get(name, name) for name in names} - imported == set()
    of_requests = {
        name
        for text in package
        for name in re.findall(r"^ *from requests\S* import (\w+)", text, re.MULTILINE)
    }
    assert of_requests == {"PreparedRequest", "CaseInsensitiveDict"}


def test_the_templates_are_all_described() -> None:
    folder = ROOT / "wallet_gateway" / "templates" / "wallet_gateway"
    public = {path.name for path in folder.glob("*.html") if not path.name.startswith("_")}
    described = set(re.findall(r"`(\w+\.html)`", _page("reference/template-tags.md")))
    assert described == public


def test_the_options_of_the_sandbox_are_all_described() -> None:
    command = [sys.executable, "-m", "wallet_gateway.sandbox", "--help"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"--[a-z-]+", printed)) - {"--help"}
    assert set(re.findall(r"^\| `(--[a-z-]+)`", _page("reference/sandbox.md"), flags=re.MULTILINE)) == options


def test_what_the_sandbox_refuses_is_all_described() -> None:
    rows = re.findall(
        r"^\| (\d{3}) \| (`4.+?) \| (`.+?) \| .+ \|$", _page("reference/sandbox.md"), flags=re.MULTILINE
    )
    described = [
        (name, int(status), code)
        for status, codes, names in rows
        for name, code in zip(re.findall(r"`(\w+)`", names), re.findall(r"`(\w+)`", codes), strict=True)
    ]
    known = [(kind.__name__, kind.status, str(kind.code)) for kind in Refusal.__subclasses__()]
    assert sorted(described) == sorted(known)


def test_the_changelog_has_an_entry_for_this_version() -> None:
    assert f"## [{wallet_gateway.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_codes_of_errors_are_all_described_under_the_class_that_carries_them() -> None:
    row = re.compile(r"^\| `(\w+)` \| (\d+) \| `(\w+)` \| .+ \|$", re.MULTILINE)
    described = {
        code: (int(status), name) for code, status, name in row.findall(_page("reference/errors.md"))
    }
    assert set(described) == {code.value for code in ErrorCode}
    carried = {refusal.code: name for name, refusal, _given in RAISED}
    for code, name in carried.items():
        status = 409 if name == "AwaitingApproval" else CLASSES[name]("No.", code).status
        assert described[code] == (status, name)
    assert len(carried) > 35


def test_the_codes_of_explanations_are_all_described() -> None:
    section = _page("reference/errors.md").partition("## Explanations")[2].partition("\n## ")[0]
    described = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, flags=re.MULTILINE))
    with override(None):
        known = {
            str(code): re.sub(r"%\((\w+)\)s", r"*\1*", str(sentence)) or "(the words of *said* alone)"
            for code, sentence in SENTENCES.items()
        }
    assert described == known


def test_the_problems_of_the_json_interface_are_all_described() -> None:
    page = _page("reference/errors.md").partition("## In JSON")[2]
    described = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", page, flags=re.MULTILINE))
    assert described == {code: str(problem.status) for code, problem in PROBLEMS.items()}
