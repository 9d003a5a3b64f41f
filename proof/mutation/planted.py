"""A plugin of pytest that lets a process import one module from a source with a fault.

It is named with ``-p`` on the command line, so that it is there before anything of the package is imported.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PLANTED: Final = "PROOF_PLANTED"
"""The environment variable with the name of the module and the file of its source: ``module=file``."""


class _Faulty(importlib.machinery.SourceFileLoader):
    """Reads the source with the fault, and keeps nothing compiled."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> object:  # type: ignore[override]  # a code object
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder:
    """Finds that module, and no other."""

    def __init__(self, name: str, source: bytes) -> None:
        self.name, self.source = name, source

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name or not path:
            return None
        file = str(Path(next(iter(path)), f"{name.rpartition('.')[2]}.py"))
        return importlib.util.spec_from_file_location(name, file, loader=_Faulty(name, file, self.source))


if os.environ.get(PLANTED):
    _name, _, _file = os.environ[PLANTED].partition("=")
    assert _name not in sys.modules, f"{_name} is loaded already"
    sys.meta_path.insert(0, _Finder(_name, Path(_file).read_bytes()))
