"""What the package demands is no release of which an advisory is known."""

from __future__ import annotations

import tomllib

from packaging.requirements import Requirement

from tests.docs.pages import ROOT
from tests.tables import every

KNOWN_TO_BE_UNSAFE = [
    ("django", ["5.2", "5.2.5", "5.2.7"]),
    ("urllib3", ["2.2.3", "2.5.0"]),
    ("requests", ["2.32.3"]),
]


@every(("name", "versions"), KNOWN_TO_BE_UNSAFE)
def test_no_release_with_a_known_advisory_is_admitted(name: str, versions: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [wanted] = [one for one in map(Requirement, project["dependencies"]) if one.name == name]
    assert [version for version in versions if version in wanted.specifier] == []
