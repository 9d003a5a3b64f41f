"""The parts of the proof: what each one shows, the function that runs it, and the size of a whole proof.

A part that lacks something on this machine says what: it is never left out silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from proof.results import Tally

ROOT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: its function, which is imported when it runs, and what this part gives it."""

    name: str
    what: str
    function: str
    """As `module:name`; its keyword arguments are the options of the part, `seed` among them."""
    given: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int | float] = field(default_factory=dict)
    """Arguments of a whole proof, which its scale multiplies."""
    minutes: float = 60
    """After how long, in a whole proof, it counts as broken."""

    def load(self) -> Callable[..., Tally]:
        """Import the function."""
        module, _, name = self.function.partition(":")
        return partial(getattr(import_module(module), name), **self.given)

    def options(self, seed: int, scale: float) -> list[str]:
        """Return the options of its command for a proof of this size."""
        sizes = {
            name: max(1, round(size * scale)) if isinstance(size, int) else size * scale
            for name, size in self.sizes.items()
        }
        return [f"--seed={seed}", *(f"--{name}={size}" for name, size in sizes.items())]


_DATABASES: Final = ("sqlite", "postgres", "mariadb")
# The long ones first, so that none of them is left alone at the end.
PARTS: Final = (
    Part(
        name="simulation",
        what="histories of 30 steps in virtual time: real operations, client, sandbox and rows, with crashes",
        function="proof.histories.search:run",
        given={"gateway": "sandbox"},
        sizes={"histories": 5_000},
        minutes=120,
    ),
    Part(
        name="habits",
        what="histories of 25 steps at gateways that speak differently: words, ids, amounts, references",
        function="proof.histories.search:run",
        given={"gateway": "habits", "steps": 25},
        sizes={"histories": 500},
    ),
    *(
        Part(
            name=f"kills-{database}",
            what="operations killed at each step, swept up by others, compared with the gateway",
            function="proof.failures.parts:kills",
            given={"database": database},
            sizes={"runs": 200},
        )
        for database in _DATABASES
    ),
    Part(
        name="mutation",
        what="faults planted in the code that moves money, which the tests must notice",
        function="proof.mutation.search:run",
        sizes={"sample": 344},
    ),
    *(
        Part(
            name=f"chaos-{database}",
            what="histories that several killed workers live at once, against a faulty sandbox",
            function="proof.failures.parts:chaos",
            given={"database": database},
            sizes={"operations": 2_000},
        )
        for database in _DATABASES
    ),
    Part(
        name="fuzzing",
        what="searches for hostile requests that do harm",
        function="proof.searches:run",
        given={"tests": "tests/fuzzing"},
        sizes={"seconds": 240},
    ),
    Part(
        name="openapi",
        what="searches for requests that the OpenAPI documents do not describe rightly",
        function="proof.searches:run",
        given={"tests": "tests/openapi"},
        sizes={"seconds": 240},
    ),
    Part(
        name="soak",
        what="customers of a shop under load, with faults and killed workers: nothing grows, books equal",
        function="proof.failures.parts:soak",
        sizes={"minutes": 5.0},
    ),
    Part(
        name="database-faults",
        what="databases that fail in the midst of operations",
        function="proof.failures.parts:database_faults",
        sizes={"share": 1.0},
    ),
    Part(
        name="disaster",
        what="an older backup restored while the gateway went on; two sites at once by mistake",
        function="proof.failures.parts:disaster",
    ),
    Part(
        name="state-model",
        what="histories of 20 transitions of the rules alone, without a database",
        function="proof.state_model.histories:run",
        sizes={"histories": 100_000},
    ),
)
