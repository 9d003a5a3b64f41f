"""How a file looks: a head that says what lives there, a size one can read, names that are explained."""

from __future__ import annotations

import ast

from tests.architecture.sources import Source, everything, package

LINE_BUDGET = 400
# Files that may be longer, each with its reason.
LONGER: dict[str, str] = {
    "wallet_gateway/conformance/probes/open_points.py": "one probe for each open point",
    "wallet_gateway/operations/error_messages.py": "one table, with a message for each error code",
    "wallet_gateway/payments/maintenance.py": "each parameter of each function is described beside it",
    "wallet_gateway/payments/orders.py": "each parameter of each function is described beside it",
}


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


def test_a_file_can_be_read_in_one_go() -> None:
    long = {source.name for source in package() if len(source.text.splitlines()) > LINE_BUDGET}
    assert long == set(LONGER), "split it by subject, or give the reason in LONGER; no reason is left over"


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


def test_functions_are_short() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for source in package()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef)
    )
    assert lengths[len(lengths) // 2] <= 10, "the median function"
    assert lengths[len(lengths) * 9 // 10] <= 40, "nine of ten functions"
