"""A reader inside the test project: runs a page's blocks in this process, against a sandbox and a database.

The blocks of one page share their names, as the lines of one session would. Files go to a folder of their
own, commands of Django run through `call_command`, every other command in a shell in that folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.http import HttpRequest
from django.template import RequestContext, Template

from tests.docs import setups
from tests.docs.fresh import commands
from tests.docs.pages import ROOT, Step, matches, steps

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings


SHOP, SANDBOX = "http://127.0.0.1:8000", "http://127.0.0.1:8001"
"""Where a page says that they are."""


def calls_the_shop(page: str) -> bool:
    """Whether a page sends requests to a shop that runs."""
    return any(step.kind == "console" and SHOP in step.text for step in steps(page))


class Session:
    """The names, files and settings that a page has built up so far; `origins` is where they really are."""

    def __init__(
        self, folder: Path, settings: Settings, *, names: dict[str, Any], origins: dict[str, str]
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.names = names
        self.origins = origins
        self.installed: list[str] = []

    def _with_origins(self, text: str) -> str:
        for said, real in self.origins.items():
            text = text.replace(said, real)
        return text

    def follow(self, step: Step) -> None:
        """Do what one step says."""
        if step.directives.get("file"):
            self._write(step.directives["file"], step.text)
            return
        act = {
            "<setup>": self._set_up,
            "<check>": self._check,
            "<install>": self._install,
            "python": self._python,
            "html+django": self._template,
            "console": self._console,
        }.get(step.kind)
        if act:
            act(step)

    def _set_up(self, step: Step) -> None:
        getattr(setups, step.text.lower().replace(" ", "_"))(self.names)

    def _install(self, step: Step) -> None:
        self.settings.INSTALLED_APPS = [*self.settings.INSTALLED_APPS, step.text]
        self.installed.append(step.text)

    def remove_apps(self) -> None:
        """Take back the tables of the page's own apps, and what Django remembers of their models."""
        for label in self.installed:
            call_command("migrate", label, "zero", verbosity=0)
            for model in apps.get_app_config(label).get_models():
                if admin.site.is_registered(model):
                    admin.site.unregister(model)
            apps.all_models.pop(label)
        apps.clear_cache()

    def _check(self, step: Step) -> None:
        assert eval(step.text, self.names), f"{step.where}: {step.text}"

    def _python(self, step: Step) -> None:
        printed = io.StringIO()
        before = set(self.names)
        with self._expecting(step), contextlib.redirect_stdout(printed):
            text = self._with_origins(step.text) if SHOP in self.origins else step.text
            exec(compile(text, step.where, "exec"), self.names)
        if "prints" in step.directives:
            assert matches(step.directives["prints"], printed.getvalue()), printed.getvalue()
        if "settings" in step.directives:
            self._apply({name for name in self.names if name.isupper()} - (before - {"WALLET_GATEWAY"}))
            with pytest.raises(SystemCheckError) if step.directives["settings"] else contextlib.nullcontext():
                call_command("check")

    def _expecting(self, step: Step) -> contextlib.AbstractContextManager[object]:
        wanted = step.directives.get("raises")
        return pytest.raises(eval(wanted, self.names)) if wanted else contextlib.nullcontext()

    def _apply(self, changed: set[str]) -> None:
        for name in changed:
            setattr(self.settings, name, self.names[name])

    def _template(self, step: Step) -> None:
        request = HttpRequest()
        self.names["rendered"] = Template(step.text).render(RequestContext(request, dict(self.names)))

    def _console(self, step: Step) -> None:
        for command, expected in commands(step):
            words = shlex.split(command)
            if words[:2] == ["python", "manage.py"]:
                printed = self._manage(words[2:])
            else:
                printed = self._shell(command, step)
            assert not expected or matches(expected, printed), f"{step.where}: {command} printed:\n{printed}"

    def _manage(self, words: list[str]) -> str:
        printed = io.StringIO()
        call_command(*words, stdout=printed)
        return printed.getvalue()

    def _shell(self, command: str, step: Step) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("COV", "PYTEST_")) and k != "DATABASE_URL"
        }
        environment |= {"PATH": path, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "tests.settings"}
        environment |= {name: str(self.names[name]) for name in ("ORDER", "TOKEN") if name in self.names}
        command = self._with_origins(command)
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert ran.returncode == 0, f"{step.where}: {command}\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
