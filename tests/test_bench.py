"""What `make bench` says of a promise about speed: kept, missed, or that nothing was promised."""

from __future__ import annotations

import pytest

from bench.__main__ import as_text
from bench.measure import Finding


@pytest.mark.parametrize(
    ("values", "target", "at_most", "met", "promise"),
    [
        # The median counts, whatever a single round was.
        pytest.param((0.25, 1.0, 9.0), 1.0, True, True, "at most 1x", id="just kept"),
        pytest.param((0.25, 1.01, 9.0), 1.0, True, False, "at most 1x", id="missed"),
        pytest.param((0.1, 0.9, 1.0), 0.9, False, True, "at least 0.9x", id="enough"),
        pytest.param((0.1, 0.89, 1.0), 0.9, False, False, "at least 0.9x", id="too little"),
        pytest.param((3.0,), None, True, True, "-", id="nothing promised"),
    ],
)
def test_a_figure_that_misses_its_promise_is_told(
    values: tuple[float, ...], target: float | None, at_most: bool, met: bool, promise: str
) -> None:
    finding = Finding(what="one thing", values=values, target=target, unit="x", at_most=at_most)
    assert (finding.met, finding.promise) == (met, promise)
    judged, unjudged = (as_text([finding], is_judged=way).splitlines()[1] for way in (True, False))
    assert judged.endswith("MISSED") is not met
    assert judged.endswith(" met") is (met and target is not None)
    assert unjudged.endswith(" -"), "a run that is less than whole judges nothing"
