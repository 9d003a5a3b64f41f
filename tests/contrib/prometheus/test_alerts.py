"""The alerting rules: which metrics they read, which codes of the health view they show, where they lead."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from tests.docs.test_runbook import ANCHORS, OF_HEALTH
from wallet_gateway.contrib.prometheus.rows import RowCollector

CALLS = "wallet_gateway_calls_total"
TEXT = (files("wallet_gateway.contrib.prometheus") / "alerts.yml").read_text("utf-8")
RULES: list[dict[str, Any]] = yaml.safe_load(TEXT)["groups"][0]["rules"]


@pytest.mark.django_db
def test_an_alert_reads_only_metrics_that_there_are() -> None:
    registry = CollectorRegistry()
    registry.register(RowCollector())
    there = {sample.name for metric in registry.collect() for sample in metric.samples} | {CALLS}
    read = {name for rule in RULES for name in re.findall(r"wallet_gateway_\w+", rule["expr"])}
    assert read - there == set()


def test_every_code_of_the_health_view_has_its_alert() -> None:
    named = {code for rule in RULES for code in rule["annotations"]["code"].split()}
    assert not OF_HEALTH - named


def test_an_alert_leads_to_a_section_of_the_runbook() -> None:
    assert {rule["annotations"]["runbook"] for rule in RULES} <= {f"runbook.md#{name}" for name in ANCHORS}
