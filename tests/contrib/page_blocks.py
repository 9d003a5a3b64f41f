"""The lines that a guide adds to a shop's files, so that it is the guide's shop that is tested."""

from __future__ import annotations

from typing import Any

from tests.docs.pages import steps


def lines_of(page: str, file: str) -> str:
    """The blocks of a page that stand below `<!-- append: file -->`."""
    found = [step.text for step in steps(page) if step.directives.get("append") == file]
    assert found, f"{page} adds nothing to {file}"
    return "".join(found)


def add_to(names: dict[str, Any], page: str, file: str) -> None:
    """Run the lines that a page adds to a file, in that file's names."""
    exec(compile(lines_of(page, file), f"{page} ({file})", "exec"), names)


def templates_of(page: str) -> dict[str, str]:
    """The templates that a page puts into the shop's folder, by name."""
    files = {step.directives["file"]: step.text for step in steps(page) if "file" in step.directives}
    return {name.removeprefix("templates/"): text for name, text in files.items()}
