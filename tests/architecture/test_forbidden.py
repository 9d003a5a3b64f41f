"""What must not be written, each with the accident it prevents."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING

from tests.architecture.sources import ROOT, everything, package, sources
from tests.tables import every

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.architecture.sources import Source

MONEY_ROOMS = ("protocol", "domain", "models", "operations", "queries", "sandbox", "payments")


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def _calls(*names: str) -> Callable[[Source], set[int]]:
    return lambda source: {call.lineno for call in source.calls() if _called(call) in names}


def _method_calls(*names: str) -> Callable[[Source], set[int]]:
    return lambda source: {
        call.lineno
        for call in source.calls()
        if isinstance(call.func, ast.Attribute) and call.func.attr in names
    }


def _verify_off(source: Source) -> set[int]:
    return {
        keyword.value.lineno
        for call in source.calls()
        for keyword in call.keywords
        if keyword.arg == "verify"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is False
    }


def _shell(source: Source) -> set[int]:
    return {
        keyword.value.lineno
        for call in source.calls()
        for keyword in call.keywords
        if keyword.arg == "shell" and ast.unparse(keyword.value) != "False"
    }


def _imports(*modules: str) -> Callable[[Source], set[int]]:
    return lambda source: {line for line, module in source.imported() if module.split(".")[0] in modules}


def _markup_from_a_variable(source: Source) -> set[int]:
    return {
        call.lineno
        for call in source.calls()
        if _called(call) == "format_html" and not isinstance(call.args[0], ast.Constant)
    }


BODY_NAMES = frozenset({"POST", "answer_body", "body", "content", "cryptogram", "data", "detail", "payload"})


def _logged_bodies(source: Source) -> set[int]:
    calls = (
        call
        for call in source.calls()
        if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") in {"logger", "log"}
    )
    return {
        call.lineno
        for call in calls
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for node in ast.walk(argument)
        if BODY_NAMES & {getattr(node, "id", ""), getattr(node, "attr", "")}
    }


# Any exception of a library may come out of it, such as that of a vault. It is logged; the doctor shows it.
# In a chaos run it is the finding, and fails the run.
RUNS_CODE_OF_THE_SHOP = {
    # The project's store of sessions, and its cache: each backend raises errors of its own.
    ("wallet_gateway/api/base.py", "binding_of"),
    ("wallet_gateway/api/throttles.py", "_shared"),
    ("wallet_gateway/conf/accounts.py", "_run"),
    ("wallet_gateway/testing/chaos/worker.py", "attempt"),
}


def _blind_except(source: Source) -> set[int]:
    handlers = (node for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler))
    blind = {"Exception", "BaseException"}
    shops = {
        id(node)
        for function in ast.walk(source.tree)
        if (source.name, getattr(function, "name", "")) in RUNS_CODE_OF_THE_SHOP
        for node in ast.walk(function)
    }
    return {
        handler.lineno
        for handler in handlers
        if id(handler) not in shops
        if handler.type is None or blind & {getattr(node, "id", "") for node in ast.walk(handler.type)}
        if not _raises_again(handler) and not _raises_in_who_waits(handler)
    }


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ends with a bare `raise`, and so turns nothing into an answer."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _raises_in_who_waits(handler: ast.ExceptHandler) -> bool:
    """Whether a handler gives its error to a future, which raises it in the thread that waits for it."""
    return any(
        isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "set_exception"
        and [getattr(given, "id", "") for given in call.args] == [handler.name]
        for call in ast.walk(handler)
    )


def _naive_http(source: Source) -> set[int]:
    verbs = {"get", "post", "put", "request"}
    return {
        call.lineno
        for call in source.calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in verbs
        and getattr(call.func.value, "id", "") == "requests"
    }


FORBIDDEN: list[tuple[str, Callable[[Source], set[int]], str]] = [
    (
        "mark_safe",
        _calls("mark_safe", "format_html_join", "SafeString"),
        "gateway text in HTML is escaped by templates",
    ),
    ("verify=False", _verify_off, "money never travels over a connection whose other end is unproved"),
    ("raw SQL", _method_calls("raw", "extra"), "text must not become SQL"),
    ("RawSQL", _calls("RawSQL"), "text must not become SQL"),
    (
        "format_html of a variable",
        _markup_from_a_variable,
        "the arguments are escaped, the text is not",
    ),
    ("a body in the log", _logged_bodies, "a log is read by more people than an order"),
    ("a shell", _shell, "a name with a semicolon in it must not become a command"),
    ("a shell by name", _calls("system", "popen", "getoutput"), "as above"),
    ("blind except", _blind_except, "an unforeseen failure must be seen, not turned into an answer"),
    (
        "naive requests call",
        _naive_http,
        "no deadline, follows redirects, reads .netrc: only the transport sends",
    ),
    ("eval", _calls("eval", "exec"), "data must not become code"),
    (
        "pickle",
        _imports("pickle", "marshal", "shelve", "dill", "yaml"),
        "data must not become code",
    ),
]


@every(("find", "reason"), [rule[1:] for rule in FORBIDDEN], ids=[rule[0] for rule in FORBIDDEN])
def test_the_package_never_contains(find: Callable[[Source], set[int]], reason: str) -> None:
    found = [f"{source.name}:{line}" for source in _shipped_or_shown() for line in sorted(find(source))]
    assert not found, reason


def _shipped_or_shown() -> Iterator[Source]:
    """The package, and the shop that others begin with a copy of."""
    yield from package()
    yield from sources("example_project")


def _files(find: Callable[[Source], set[int]]) -> set[str]:
    return {source.name for source in _shipped_or_shown() if find(source)}


def test_sql_is_written_in_these_files_only() -> None:
    assert _files(_method_calls("cursor", "executescript")) | _files(_imports("sqlite3")) == {
        "wallet_gateway/doctor/character_sets.py",  # the character sets of MariaDB and MySQL
        "wallet_gateway/doctor/host.py",  # the database's clock and version
        "wallet_gateway/gateways.py",  # the database's clock
        "wallet_gateway/models/prepared_statements.py",  # a cursor for the SQL of others
        "wallet_gateway/operations/migration/spool.py",  # a file of its own, thrown away
        "wallet_gateway/sandbox/__main__.py",  # the type of the connection that holds the file
        "wallet_gateway/sandbox/database_file.py",  # whether a file is the sandbox's database
        "wallet_gateway/sandbox/models/prepared_sql.py",  # what every request repeats
        "wallet_gateway/testing/chaos/databases.py",  # the database of a run, under a name of its making
    }


def test_processes_are_started_in_these_files_only() -> None:
    assert _files(_imports("subprocess")) == {
        "wallet_gateway/management/commands/wallet_chaos.py",  # a run with settings of its own
        "wallet_gateway/testing/sandbox.py",  # the sandbox for tests
        "example_project/shop/demo/services.py",  # `manage.py demo`, as the next one
        "example_project/shop/management/commands/demo.py",
    }


def test_connections_are_opened_in_these_files_only() -> None:
    opens = _calls("urlopen", "HTTPConnection", "HTTPSConnection", "create_connection", "build_opener")
    assert _files(opens) == {
        "wallet_gateway/conformance/wire.py",  # the kit, outside of any shop
        "wallet_gateway/management/page_visit.py",  # a shop's own page, for `wallet_scripts`
        "wallet_gateway/testing/chaos/customer_steps.py",  # the browser of a customer
        "wallet_gateway/testing/control.py",  # the sandbox's control interface, for tests
        "example_project/shop/demo/gateway_log.py",  # `manage.py demo`, as the next one
        "example_project/shop/demo/services.py",
    }, "a gateway is called by the client's transport alone"


def _exempt(source: Source) -> set[str]:
    marks = {"csrf_exempt"}
    return {
        f"{source.name}: {node.name}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for decorator in node.decorator_list
        if marks & {getattr(part, "id", "") or getattr(part, "attr", "") for part in ast.walk(decorator)}
    }


def test_these_views_only_are_exempt_from_csrf_protection() -> None:
    assert {view for source in _shipped_or_shown() for view in _exempt(source)} == {
        "wallet_gateway/api/urls.py: answer",  # REST framework's view behind it checks the token
        "wallet_gateway/web/views.py: checkout",  # checks the token itself
        "wallet_gateway/web/views.py: return_view",  # changes nothing, and answers with a redirect
        "wallet_gateway/sandbox/hosted/views.py: show_authentication",  # by a link of 128 random bits
        "wallet_gateway/sandbox/hosted/views.py: show_checkout",
        "wallet_gateway/sandbox/wallet/views.py: payment_data",  # the origin is checked instead
        "wallet_gateway/sandbox/wallet/views.py: price_texts",  # so is it here
    }
    applied = {source.name for source in _shipped_or_shown() if _calls("csrf_exempt")(source)}
    assert not applied, "a decorator stands above its view, where one sees it"


def test_debug_mode_is_never_written_down() -> None:
    found = [
        f"{source.name}:{node.lineno}"
        for source in everything()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is True
        if "DEBUG" in {getattr(target, "id", "") for target in node.targets}
    ]
    assert not found, "it comes from the environment, or it goes live with the copy"


def test_the_linter_looks_for_prints_formatted_logs_and_blind_excepts() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    wanted = {"BLE", "G", "S", "T20"}
    assert wanted <= set(linter["select"])
    left_out = {
        (where, code)
        for where, codes in linter["per-file-ignores"].items()
        for code in codes
        if code.startswith(tuple(wanted)) and where.split("/")[0] not in {"bench", "docs", "proof", "tests"}
    }
    assert not left_out


def test_every_exception_from_a_security_rule_says_why() -> None:
    # Bandit would take words behind `nosec` for names of its tests: the reason stands above.
    silent = re.compile(r"# noqa: ?S\d+[ ,A-Z0-9]*$|^(?! *#).*\n.*# nosec|# nosec(?! B\d+$)", re.M)
    found = [
        f"{source.name}:{source.text[: match.start()].count(chr(10)) + 1}"
        for source in _shipped_or_shown()
        for match in silent.finditer(source.text)
    ]
    assert not found


SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\bAKIA[0-9A-Z]{16}\b|\bgh[oprsu]_[A-Za-z0-9]{30,}|\b(?:sk|rk)_live_[A-Za-z0-9]{10,}|\bxox[abp]-[0-9]{10,}"
    r"|(?<![\w-])[\w-]{43}=(?![\w=])"  # a Fernet key
)
PUBLIC_KEYS = {
    "docs/reference/settings.md",  # shows what a Fernet key looks like
    "wallet_gateway/conf/published_keys.py",  # refuses that one
    "tests/settings.py",  # of a shop that does not exist, as the next one
    "tests/operations/wallet/test_encryption_keys.py",
    "proof/simulation/settings.py",
}


CODE = ("wallet_gateway", "example_project", "bench", "proof")
TEXTS = {"", ".cfg", ".env", ".html", ".ini", ".js", ".json", ".md", ".py", ".toml", ".txt", ".yml"}


def test_no_file_holds_a_key() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in (*CODE, "docs", "scripts", "tests", ".ci")
        for path in (ROOT / folder).rglob("*")
        if path.suffix
        in {"", ".cfg", ".env", ".html", ".ini", ".js", ".json", ".md", ".py", ".toml", ".txt", ".yml"}
        and path.is_file()
        and not {"node_modules", "_build"} & set(path.parts)
        and SECRET.search(path.read_text(encoding="utf-8", errors="replace"))
    }
    assert found <= PUBLIC_KEYS, "what is committed is public"


@every("room", MONEY_ROOMS)
def test_money_never_becomes_a_float(room: str) -> None:
    found = [
        f"{source.name}:{line}"
        for source in package()
        if source.module.split(".")[1:2] == [room]
        for line in sorted(_calls("float")(source))
    ]
    assert not found, "0.1 + 0.2 is not 0.3; seconds are floats, amounts are not"


def _money_columns_of_the_wrong_kind(source: Source) -> set[int]:
    fields = (node for node in ast.walk(source.tree) if isinstance(node, ast.Assign | ast.AnnAssign))
    return {
        field.lineno
        for field in fields
        if isinstance(field.value, ast.Call)
        and _called(field.value) in {"FloatField", "DecimalField"}
        and "seconds" not in ast.unparse(field)
    }


def test_models_have_no_float_and_no_decimal_column() -> None:
    found = [
        f"{source.name}:{line}"
        for source in package()
        if ".models" in source.module
        for line in sorted(_money_columns_of_the_wrong_kind(source))
    ]
    assert not found, "SQLite compares decimals as floats: amounts are whole minor units"


def test_djangos_transaction_module_is_called_db_transaction() -> None:
    found = [
        f"{source.name}:{node.lineno}"
        for source in everything()
        if source.path.parts[0] != "example_project"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.db"
        if any(name.name == "transaction" and name.asname != "db_transaction" for name in node.names)
    ]
    assert not found, "a transaction is a row here, and a variable of that name would hide the module"


def test_no_file_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}
    found = [
        source.name
        for source in everything()
        if source.path.stem in drawers or drawers & set(source.path.parts)
    ]
    assert not found, "what helps a subject lives with the subject"


def test_no_secret_is_compared_with_equality() -> None:
    secret = re.compile(
        r"(api_?key|control_?key|secret|password|signature)\b.{0,20}[!=]=|[!=]=.{0,20}\b(api_?key|control_?key|secret|password|signature)\b",
        re.I,
    )
    found = [
        f"{source.name}:{number}"
        for source in sources("wallet_gateway")
        for number, line in enumerate(source.text.splitlines(), 1)
        if secret.search(line) and not line.strip().startswith(("#", '"'))
    ]
    assert not found, "comparing takes longer the more is right: use hmac.compare_digest"
