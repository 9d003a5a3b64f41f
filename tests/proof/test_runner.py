"""What `make proof` says of its parts: all are named, what was found fails, a crash proves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proof import __main__ as proof
from proof import running
from proof.parts import PARTS, ROOT, Part
from proof.table import BEGIN, END, replace_block

SEED = 42
WRITES = "import pathlib, sys; pathlib.Path(sys.argv[sys.argv.index('--result') + 1]).write_text({text!r})"


def scripted(name: str, code: str, *, minutes: float = 1) -> Part:
    """A part that is a line of Python instead of a function of the proof."""
    return Part(name=name, what=f"the {name} of a test", function=code, minutes=minutes)


def writing(
    name: str,
    *,
    runs: int = 3,
    found: tuple[str, ...] = (),
    code: int = 0,
    notes: str = "",
    missing: str = "",
) -> Part:
    said = {"runs": runs, "failures": found, "notes": [notes] if notes else [], "missing": missing}
    return scripted(name, f"{WRITES.format(text=json.dumps(said))}; sys.exit({code})")


def command(part: Part, seed: int, scale: float, result: Path) -> list[str]:
    return [sys.executable, "-c", part.function, "--result", str(result)]


@pytest.fixture
def prove(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    page = tmp_path / "proof.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(proof, "PAGE", page)
    monkeypatch.setattr(running, "command", command)
    monkeypatch.setattr(proof, "ROOT", tmp_path)

    def run(*parts: Part, arguments: tuple[str, ...] = ()) -> tuple[int, str]:
        monkeypatch.setattr(proof, "PARTS", parts)
        code = proof.main([*arguments, "--seed", str(SEED), "--folder", str(tmp_path / "build")])
        return code, capsys.readouterr().out

    return run


def rows(printed: str) -> dict[str, str]:
    table = printed.split("\n\n")[1].splitlines()[1:-1]
    return {line.split()[0]: line for line in table}


def test_a_part_that_held_is_shown_with_how_much_was_tried_and_its_seed(
    prove: Callable[..., tuple[int, str]],
) -> None:
    code, printed = prove(writing("one", runs=1234))
    assert code == 0
    assert " ".join(rows(printed)["one"].split()) == "one the one of a test 1,234 0 42 0 held"
    assert "Misses: none." in printed


def test_what_was_found_is_the_exit_code(prove: Callable[..., tuple[int, str]]) -> None:
    code, printed = prove(writing("good"), writing("bad", found=("paid twice", "lost"), code=1))
    assert code == 1
    assert "2   " in rows(printed)["bad"]
    assert "FOUND: paid twice; lost" in rows(printed)["bad"]
    assert rows(printed)["good"].endswith("held")


@pytest.mark.parametrize(
    "part",
    [
        scripted("bad", "pass"),
        scripted("bad", WRITES.format(text="no JSON")),
        scripted("bad", WRITES.format(text="[]")),
        writing("bad", code=1),
        writing("bad", runs=0),
        scripted("bad", "import time; time.sleep(600)", minutes=0.02),
    ],
    ids=["silent", "unreadable", "another shape", "nothing found and exit code 1", "nothing tried", "no end"],
)
def test_a_part_that_comes_to_no_end_is_no_proof(part: Part, prove: Callable[..., tuple[int, str]]) -> None:
    code, printed = prove(part)
    assert code == 1
    assert "BROKEN" in rows(printed)["bad"]


def test_who_ends_the_proof_ends_its_parts_and_keeps_nothing(
    prove: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    started, survived = tmp_path / "started", tmp_path / "survived"
    ends_its_parent = (
        f"import os, pathlib, signal, time; pathlib.Path({str(started)!r}).touch(); "
        f"os.kill({os.getpid()}, signal.SIGTERM); time.sleep(600); pathlib.Path({str(survived)!r}).touch()"
    )
    code, printed = prove(scripted("endless", ends_its_parent, minutes=20), writing("never"))
    assert (code, "nothing is kept" in printed, started.exists()) == (130, True, True)
    assert not survived.exists()
    assert "old" in proof.PAGE.read_text(encoding="utf-8")


def test_a_part_that_could_not_be_run_is_named_with_the_reason(
    prove: Callable[..., tuple[int, str]],
) -> None:
    code, printed = prove(writing("good"), writing("lacks", runs=0, missing="no server is installed"))
    assert code == 1
    assert "not run: no server is installed" in rows(printed)["lacks"]
    assert "lacks (not run: no server is installed)." in printed.partition("Misses: ")[2]


def test_a_whole_run_is_kept_in_the_page_and_a_quick_look_is_not(
    prove: Callable[..., tuple[int, str]],
) -> None:
    prove(writing("one"), arguments=("--scale", "0.5"))
    prove(writing("one"), arguments=("--only", "one"))
    assert "old" in proof.PAGE.read_text(encoding="utf-8")

    prove(writing("one", notes="a | b"))

    text = proof.PAGE.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| one | the one of a test | 3 | 0 | 42 | 0 | held: a \\| b |" in text
    for name in ("Run on 20", "Python 3.", "Django ", "SQLite ", "PostgreSQL ", "MariaDB "):
        assert name in text
    assert "old" not in text


def test_programs_find_the_same_figures_as_json(
    prove: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    prove(writing("one", found=("paid twice",), code=1))
    kept = json.loads((tmp_path / "build" / "proof.json").read_text(encoding="utf-8"))
    assert kept["parts"][0] | {"seconds": 0} == {
        "part": "one",
        "what": "the one of a test",
        "verdict": "FOUND",
        "runs": 3,
        "found": 1,
        "seed": SEED,
        "seconds": 0,
        "notes": "paid twice",
    }
    assert "Python" in kept["facts"]


def test_every_part_of_the_proof_says_what_it_does_and_takes_a_seed_and_its_sizes() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS)
    for part in PARTS:
        assert part.options(SEED, 0.001)[0] == f"--seed={SEED}"
        assert len(part.what.split()) >= 4
    # Apart, since some of them exchange clocks.
    code = (
        "from inspect import signature; from proof.parts import PARTS; "
        "print([p.name for p in PARTS if not {'seed', *p.sizes} <= set(signature(p.load()).parameters)])"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("[]\n", "")


def test_a_page_without_one_pair_of_markers_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text in ("", BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"):
        page.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="each once"):
            replace_block(page, "new")
        assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("wrong", [("--only", "nothing"), ("--scale", "0"), ("--scale", "much")])
def test_a_wrong_argument_is_refused(wrong: tuple[str, str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        proof.main(wrong)
