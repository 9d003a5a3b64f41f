"""The page about the architecture agrees with the code: packages, models, states, functions and files."""

from __future__ import annotations

import re
import subprocess
import sys

from django.apps import apps

from tests.docs.pages import ROOT
from tests.tables import every
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.lifecycle import LifecycleEvent
from wallet_gateway.sandbox import models as sandbox_models

PACKAGE = ROOT / "wallet_gateway"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:[\w/]+/)?\w+\.(?:py|js|html)|(?:[\w.]+/)+)`")


def _section(heading: str) -> str:
    _, _, rest = TEXT.partition(f"\n{heading}\n")
    assert rest, f"docs/architecture.md has no section {heading!r}"
    level = heading.count("#")
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def _packages(folder: str) -> set[str]:
    found = {path.parent.name for path in (PACKAGE / folder).glob("*/__init__.py")}
    return found - {"migrations"}


def test_the_states_are_those_of_the_table() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "update-state-diagram"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run scripts/update-state-diagram\n{done.stdout}{done.stderr}"


def test_every_event_of_the_lifecycle_is_explained() -> None:
    events, _, _ = _section("## States of a transaction").partition("<!-- states")
    rows = re.findall(r"^\| (`[^|]+) \|", events, flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(LifecycleEvent)


@every("folder", ["operations", "sandbox"])
def test_every_package_of_a_folder_is_in_its_table(folder: str) -> None:
    rows = re.findall(r"^\| ([^|]+) \|", _section(f"### Packages of `{folder}/`"), flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)/`", " ".join(rows))) == _packages(folder)


def test_every_package_is_in_the_table_of_layers() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|", _section("## Layers"), flags=re.MULTILINE)
    named = set(re.findall(r"`(\w+)/`", " ".join(rows)))
    assert named == _packages("")


def test_every_model_is_named() -> None:
    merchant = {model.__name__ for model in apps.get_app_config("wallet_gateway").get_models()}
    sandbox = {name for name in sandbox_models.__all__ if hasattr(getattr(sandbox_models, name), "_meta")}
    named = re.findall(r"^\| `([A-Z]\w+)` \|", _section("## Data model"), flags=re.MULTILINE)
    assert sorted(named) == sorted(merchant | sandbox)


def test_every_function_of_a_flow_is_in_its_file() -> None:
    steps = re.findall(
        r"^\| `(#?\w+)` \| `([\w/.]+)` \|",
        _section("## Three flows, step by step"),
        flags=re.MULTILINE,
    )
    assert len(steps) > 40
    missing = [
        f"{name} in {file}"
        for name, file in steps
        if not re.search(
            rf"^(?: *def |class |export class |  (?:async )?){name}\b",
            (PACKAGE / file).read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
    ]
    assert not missing, "a function was renamed or moved: change the step in docs/architecture.md"


def test_every_file_is_there() -> None:
    named = set(FILE.findall(TEXT)) - {"wallet_gateway/"}
    assert len(named) > 60
    # Tables of packages name them without their parent.
    parents = ("", "contrib", "operations", "sandbox")
    assert not [name for name in named if not any((PACKAGE / parent / name).exists() for parent in parents)]


# What a shop's own client changes or uses; operations call none of it.
FOR_SUBCLASSES = {"adapt_request", "adapt_answer", "current_api_key"}


def test_every_method_that_operations_call_is_named() -> None:
    section = _section("### … a second gateway protocol")
    methods = {name for name, value in vars(Gateway).items() if callable(value) and not name.startswith("_")}
    paragraph = section.split("| what |")[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == methods - FOR_SUBCLASSES


def test_every_name_beside_a_file_is_in_it() -> None:
    pairs = re.findall(r"`([\w/]+\.py)` \(`(\w+)`", _section("## Where to add …"))
    assert len(pairs) > 5
    missing = [
        f"{name} in {file}"
        for file, name in pairs
        if not re.search(rf"\b{name}\b", (PACKAGE / file).read_text(encoding="utf-8"))
    ]
    assert not missing
