"""How a file looks: a head that says what lives there, and public names that are explained."""

from __future__ import annotations

import ast

from tests.architecture.sources import Source, everything, package


def _says_what_lives_there(source: Source) -> bool:
    return len((ast.get_docstring(source.tree) or "").split()) >= 4


def test_a_file_opens_by_saying_what_lives_there() -> None:
    silent = [
        source.name
        for source in everything()
        if source.text.strip()
        and not (source.is_test and source.path.stem in {"urls", "__init__"})
        and not _says_what_lives_there(source)
    ]
    assert not silent, "a docstring of at least four words on top of the file"


def test_annotations_are_never_evaluated() -> None:
    missing = [
        source.name
        for source in everything()
        if any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign) for node in source.tree.body)
        and "from __future__ import annotations" not in source.text
    ]
    assert not missing


def _public(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
        return False
    # One function, several signatures: the last one has the words.
    return "overload" not in {getattr(decorator, "id", "") for decorator in node.decorator_list}


def _undocumented(source: Source) -> list[str]:
    found = []
    for node in filter(_public, source.tree.body):
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        if not ast.get_docstring(node):
            found.append(f"{source.name}:{node.lineno} {node.name}")
    return found


def test_every_public_function_and_class_is_documented() -> None:
    found = [name for source in package() for name in _undocumented(source)]
    assert not found


def test_every_function_of_the_package_is_annotated() -> None:
    found = [
        f"{source.name}:{node.lineno} {node.name}"
        for source in package()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef) and node.returns is None
    ]
    assert not found
