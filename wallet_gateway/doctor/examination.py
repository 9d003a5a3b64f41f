"""Runs all checks in order: each part comes after the parts that it depends on."""

from __future__ import annotations

from wallet_gateway import conf
from wallet_gateway.conf import project
from wallet_gateway.doctor import gateways, host, work
from wallet_gateway.findings import Code, Finding, Level


def run_checks(*, go_live: bool = False) -> tuple[Finding, ...]:
    """Run all checks and return all findings, good and bad.

    Sends each gateway one status query with a reference that does not exist, and tries its wallet key.
    """
    database = tuple(host.look_at_database())
    if any(finding.code is Code.DATABASE_SILENT for finding in database):
        # Everything else reads rows, apart from the settings.
        return (*project.findings(), *database)
    found = list(host.look_at_settings())
    if conf.problems() or any(finding.code is Code.TIME_ZONES_OFF for finding in found):
        # Without its settings nothing else can be checked, and without time zones no instant compared.
        return tuple(found)
    if missing := tuple(host.look_at_tables()):
        return (*found, *database, *missing)
    found += [*host.look_at_keys(), *database]
    for alias in conf.settings().gateways:
        found += gateways.look_at_gateway(alias)
    found += work.look_at_work(go_live=go_live)
    if go_live:
        found += work.look_before_going_live()
    return tuple(found)


def is_well(found: tuple[Finding, ...]) -> bool:
    """Return whether no finding is an error."""
    return all(finding.level is not Level.ERROR for finding in found)
