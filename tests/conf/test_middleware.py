"""A middleware that opens a transaction around every view is found, and one that does not is left alone."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
from pytest_django import Settings

from tests.tables import every
from wallet_gateway.conf import project
from wallet_gateway.findings import Code, Level


class RevisionMiddleware:
    """Stands for the one of django-reversion, with what its subclasses may change."""

    using: str | None = None
    atomic = True

    def request_creates_revision(self, request: Any) -> bool:  # noqa: ANN401
        return bool(request.method not in {"OPTIONS", "GET", "HEAD"})


class Derived(RevisionMiddleware):
    manage_manually = True


class WithoutTransaction(RevisionMiddleware):
    atomic = False


class OfAnotherDatabase(RevisionMiddleware):
    using = "archive"


class ForSomeRequests(RevisionMiddleware):
    def request_creates_revision(self, request: Any) -> bool:  # noqa: ANN401
        return bool(request.path.startswith("/catalogue/"))


def function(get_response: object) -> object:
    return get_response


@pytest.fixture
def reversion(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("reversion"), ModuleType("reversion.middleware")
    package.__spec__ = ModuleSpec("reversion", None)
    monkeypatch.setattr(module, "RevisionMiddleware", RevisionMiddleware, raising=False)
    monkeypatch.setattr(package, "middleware", module, raising=False)
    monkeypatch.setitem(sys.modules, "reversion", package)
    monkeypatch.setitem(sys.modules, "reversion.middleware", module)


def found(settings: Settings, *names: str) -> list[tuple[Code, object]]:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, *names]
    return [(finding.code, finding.params["middleware"]) for finding in project.atomic_middleware()]


@pytest.mark.usefixtures("reversion")
@pytest.mark.parametrize("name", ["reversion.middleware.RevisionMiddleware", f"{__name__}.Derived"])
def test_a_revision_of_every_request_is_an_error_that_names_its_cure(name: str, settings: Settings) -> None:
    assert found(settings, name) == [(Code.ATOMIC_MIDDLEWARE, name)]
    (finding,) = project.atomic_middleware()
    assert finding.level is Level.ERROR
    assert repr(name) in finding.text
    assert "a subclass of RevisionMiddleware with atomic = False" in finding.advice


@pytest.mark.usefixtures("reversion")
@pytest.mark.parametrize(
    "name",
    [
        f"{__name__}.WithoutTransaction",
        f"{__name__}.OfAnotherDatabase",
        f"{__name__}.ForSomeRequests",
        f"{__name__}.function",
        "nowhere.Middleware",
    ],
)
def test_what_opens_no_transaction_around_a_payment_is_left_alone(name: str, settings: Settings) -> None:
    assert found(settings, name) == []


@every("missing", ["reversion", "reversion.middleware"])
def test_without_the_package_nothing_is_imported(missing: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, missing, None)
        assert list(project.atomic_middleware()) == []
