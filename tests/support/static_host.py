"""A host of static files beside the shop, such as a content delivery network, with CORS or without."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import FileSystemStorage

from tests.architecture.sources import PACKAGE
from tests.support.local_server import LocalServer

SOURCES = PACKAGE / "static"


class RewritingStorage(ManifestStaticFilesStorage):
    """Writes the hashed names into the modules that import each other."""

    support_js_module_import_aggregation = True


def collect(folder: Path, storage: type[FileSystemStorage], pattern: str = "*.*") -> FileSystemStorage:
    """Collect the plugin's static files as `collectstatic` does; give the storage that knows their names."""
    paths = {}
    made = storage(location=folder, base_url="/static/")
    for path in sorted(SOURCES.rglob(pattern)):
        name = path.relative_to(SOURCES).as_posix()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(path.read_bytes())
        paths[name] = (made, name)
    if isinstance(made, ManifestStaticFilesStorage):
        for _, _, outcome in made.post_process(paths):
            assert not isinstance(outcome, Exception)
    return made


def delete_plain_names(folder: Path) -> None:
    """Leave the hashed names alone, as WhiteNoise does with `WHITENOISE_KEEP_ONLY_HASHED_FILES`."""
    for path in SOURCES.rglob("*.*"):
        (folder / path.relative_to(SOURCES)).unlink(missing_ok=True)


class StaticHost(LocalServer):
    """Serves a folder inside its ``with`` block; `allows_all` pages of every origin, by CORS."""

    def __init__(self, folder: Path, *, allows_all: bool) -> None:
        super().__init__(_handler(folder, allows_all=allows_all))
        self.url += "/"


def _handler(folder: Path, *, allows_all: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = folder / self.path.partition("?")[0].removeprefix("/")
            self.send_response(200 if file.is_file() else 404)
            self.send_header("Content-Type", guess_type(file.name)[0] or "text/plain")
            if allows_all:
                self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            if file.is_file():
                self.wfile.write(file.read_bytes())

        def log_message(self, *_: Any) -> None:
            return

    return Handler
