"""Copies of one shop, each with a file of its own, at one gateway. A backup is a copy of the file."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.test.utils import override_settings

from proof.kills.children import in_child


class SiteFailed(AssertionError):
    """What a site was told to do has failed; the message is its traceback."""


@dataclass(frozen=True, slots=True)
class Site:
    """One copy of the shop: whatever it does, it does in a process of its own."""

    file: Path
    sends: bool = True
    """Whether its settings have `SENDING_ENABLED`."""

    def do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work returns
        """Do this with the site's own database; raises `SiteFailed`."""
        ending = in_child(lambda: self._do(work))
        if ending.killed or ending.error:
            raise SiteFailed(ending.error or "it hung")
        return ending.result

    def backup(self, file: Path) -> Site:
        """Copy its database; nobody works on it now."""
        self.do(_write_all)
        shutil.copyfile(self.file, file)
        return Site(file, sends=False)

    def sending(self) -> Site:
        """The same site after its settings allow it to send again."""
        return Site(self.file)

    def _do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        connections.close_all()
        connection.settings_dict["NAME"] = str(self.file)
        given: Any = copy.deepcopy(settings.WALLET_GATEWAY)
        given["GATEWAYS"]["default"]["SENDING_ENABLED"] = self.sends
        with override_settings(WALLET_GATEWAY=given):
            return work()


def _write_all() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
