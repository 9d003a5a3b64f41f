"""Which files and lines count as changed: on a branch, on the main branch, and in a clone without history."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from proof.mutation import changes
from proof.mutation.changes import changed_lines, default_base

pytestmark = pytest.mark.wire


class Repository:
    """A repository of git in a folder, with one file that moves money."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, text: str) -> str:
        self.write(text)
        self.git("add", ".")
        self.git("-c", "user.name=anna", "-c", "user.email=anna@shop.example", "commit", "-qm", "a change")
        return self.git("rev-parse", "HEAD")

    def write(self, text: str) -> None:
        (self.folder / "money.py").write_text(text, encoding="utf-8")


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with one commit on its main branch."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    folder = tmp_path / "main"
    folder.mkdir()
    repository = Repository(folder)
    repository.git("init", "-q", "--initial-branch=main")
    repository.commit("one\ntwo\nthree\n")
    monkeypatch.setattr(changes, "ROOT", folder)
    return repository


def test_a_branch_has_changed_what_is_not_as_it_was_when_it_began(main: Repository) -> None:
    main.git("checkout", "-q", "-b", "branch")
    main.commit("one\n2\nthree\n")
    main.commit("one\n2\nthree\nfour\n")
    main.write("one\n2\n3\nfour\n")
    assert changed_lines("") == {"money.py": {2, 3, 4}}


def test_what_the_main_branch_got_since_then_is_not_the_branchs(main: Repository) -> None:
    began = main.git("rev-parse", "HEAD")
    main.git("checkout", "-q", "-b", "branch")
    main.commit("one\n2\nthree\n")
    main.git("checkout", "-q", "main")
    main.commit("one\ntwo\nthree\nfour\n")
    main.git("checkout", "-q", "branch")
    assert default_base() == began
    assert changed_lines("main") == {"money.py": {2}}


def test_on_the_main_branch_the_last_commit_counts(main: Repository) -> None:
    main.commit("one\ntwo\n3\n")
    assert changed_lines("") == {"money.py": {3}}


def test_a_line_that_is_only_gone_changes_the_one_before_it(main: Repository) -> None:
    main.commit("one\nthree\n")
    assert changed_lines("") == {"money.py": {1}}


def test_in_a_clone_without_history_nothing_has_changed(
    main: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main.commit("one\ntwo\n3\n")
    main.git("clone", "-q", "--depth=1", f"file://{main.folder}", str(tmp_path / "clone"))
    monkeypatch.setattr(changes, "ROOT", tmp_path / "clone")
    assert changed_lines("") == {}


def test_outside_of_git_nothing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert changed_lines("") == {}


def test_a_revision_that_git_does_not_know_is_refused(main: Repository) -> None:
    assert main.folder.is_dir()
    with pytest.raises(SystemExit, match="nowhere"):
        changed_lines("nowhere")
