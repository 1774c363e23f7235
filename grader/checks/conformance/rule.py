"""A rule of plugin conformance, and where the rules are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.checks.base import Check, Finding

# The order in which groups run and are shown.
GROUPS = {
    "library": "Library and registry",
    "fields": "Attributes and fields",
    "serialization": "Serialization",
    "clone": "Clones and contexts",
    "formats": "Types and formats",
    "shapes": "Shapes",
    "memory": "Workspace and buffers",
    "values": "Results",
    "streams": "Streams and CUDA graphs",
    "life": "Threads, errors and leaks",
    "build": "Tactics, timing cache, metadata",
}


@dataclass(frozen=True, kw_only=True)
class Rule(Check):
    """A check of a plugin library. ``run`` takes a ``bench.Bench`` and a random generator.

    ``belief`` is the misconception in words, as someone who has it would say it. ``level``: "L0" needs no kernels,
    "L1" runs them on the simulated GPU. ``family``: "V3", "V2" or "" for both. ``wants``: what it cannot do without, of
    "spec", "attributes" and "reference"; where one is missing the rule is not run, and that is said.
    """

    belief: str
    level: str = "L0"
    on_gpu: bool = True  # whether a real GPU can tell as well (L2)
    family: str = ""
    wants: tuple[str, ...] = ()

    @property
    def recommended(self) -> bool:
        """Whether no document demands it; the source then begins so and says why good plugins do it all the same."""
        return self.source.startswith("Recommended")


RULES: dict[str, Rule] = {}


def rule(
    id: str, *, group: str, sentence: str, belief: str, source: str, level: str = "L0", family: str = "",
    needs: tuple[str, ...] = (), wants: tuple[str, ...] = (), seeded: bool = False, on_gpu: bool = True,
) -> Callable[[Callable[..., Finding]], Callable[..., Finding]]:  # fmt: skip
    """Decorates the function that finds out; the rule goes into ``RULES``, in the order of definition."""

    def keep(run: Callable[..., Finding]) -> Callable[..., Finding]:
        if id in RULES or group not in GROUPS:
            raise ValueError(f"rule {id}: the id is taken or the group {group} is not known")
        RULES[id] = Rule(
            id=id, group=group, sentence=sentence, belief=belief, misconception=id, source=source, level=level,
            family=family, needs=needs, wants=wants, seeded=seeded, on_gpu=on_gpu, run=run,
        )  # fmt: skip
        return run

    return keep
