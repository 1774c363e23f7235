"""A whole life to look at, with as many objects as an engine with two contexts has. One legal order of calls; the
documents give partial orders only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from grader.plugin import life
from grader.plugin.execute import Runner, make_case
from grader.plugin.objects import BUILD, CORE, RUNTIME
from grader.plugin.session import Session
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Call, Trace


class Built(Protocol):
    """What ``grader.notebook.plugin.Draft`` is: a plugin library, and what is known of it."""

    library: Path
    spec: Spec


def whole_life(draft: Built) -> list[Call]:
    """Built from a clone and timed once in one process; in another one rebuilt, run in two contexts that take turns,
    and torn down one by one. What goes wrong is raised: ``LifeProblem``, ``PluginEnded``."""
    from grader.simulator.runtime.client import RuntimeDevice

    trace, spec = Trace(), draft.spec
    with RuntimeDevice.start() as device:
        with Session(draft.library, device=device, trace=trace) as session:
            mine = life.create(session, spec)
            for kind in (CORE, BUILD, RUNTIME):
                mine.capability(kind)
            theirs = mine.clone()  # the network's
            stored = life.build(theirs, spec)
            timed = life.attach(theirs)
            timed.set_tactic(stored.tactic)
            Runner(device, spec, stored.shapes, stored.workspace).run(timed, _case(spec, stored, "opt"))
            for each in (timed, theirs, mine):
                each.end()
        with Session(draft.library, device=device, trace=trace) as session:
            engine = life.revive(session, stored)
            first, second = life.attach(engine), life.attach(engine)
            runner = Runner(device, spec, stored.shapes, stored.workspace)
            for context, which in ((first, "min"), (second, "max"), (first, "opt")):
                runner.run(context, _case(spec, stored, which))
            first.end()
            runner.run(second, _case(spec, stored, "min"))  # whatever the first one took with it
            second.end()
            engine.end()
    return [call for call in trace.calls if not _of_the_registry(call)]


def _case(spec, stored, which: str):
    return make_case(spec, stored.combination, which, np.random.default_rng(1))


def _of_the_registry(call: Call) -> bool:
    """Names that are asked again and again say nothing about a life."""
    return call.method in ("getPluginName", "getPluginVersion", "getPluginNamespace")
