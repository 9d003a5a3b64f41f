"""Each module has its test file where one looks for it. A private one is tested through those that use it."""

from __future__ import annotations

from tests.architecture.sources import ROOT, package

# Modules without a test file of their own, each with its reason.
TESTED_ELSEWHERE: dict[str, str] = {
    "wallet_gateway/apps.py": "loading the app is what every test does",
    "wallet_gateway/sandbox/engine/calls.py": "two values that do nothing by themselves",
    "wallet_gateway/urls.py": "every view test goes through it",
}
SKIPPED_NAMES = {"__init__", "__main__", "apps", "urls"}


def _expected_test(parts: tuple[str, ...]) -> str:
    *rooms, module = parts
    return "/".join(["tests", *rooms, f"test_{module}.py"])


def test_every_module_has_its_test_file() -> None:
    missing = {}
    for source in package():
        parts = source.path.with_suffix("").parts[1:]
        if parts[-1] in SKIPPED_NAMES or parts[-1].startswith("_") or source.name in TESTED_ELSEWHERE:
            continue
        expected = _expected_test(parts)
        if not (ROOT / expected).exists():
            missing[source.name] = expected
    assert not missing
