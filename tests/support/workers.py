"""Which tests of a parallel run share a worker: those of one file, and of folders whose files share much."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

TOGETHER = ("tests/architecture", "tests/journeys")
"""Each worker would read all sources, or start a shop and a sandbox, once more."""


class ByFileOrFolder(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """`--dist loadfile`, but whole folders where that is cheaper."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return next((folder for folder in TOGETHER if file.startswith(f"{folder}/")), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return ByFileOrFolder(config, log) if config.getoption("dist") == "loadfile" else None
