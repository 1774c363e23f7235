"""A plugin run by itself or rebuilt from what it stores, to compare what both compute."""

from __future__ import annotations

from grader.checks.conformance.bench import Bench
from grader.plugin import life
from grader.plugin.execute import Case, Run, Runner
from grader.plugin.life import LifeProblem, Stored
from grader.plugin.objects import Plugin
from grader.plugin.session import PluginEnded

POISON = 0xCD  # in outputs and workspace: what is left unwritten is the same in every run


def run_directly(bench: Bench, plugin: Plugin, stored: Stored, case: Case) -> Run:
    """A build-phase plugin, used as a runtime uses one but never serialized."""
    return run_context(bench, ready_context(plugin, stored), stored, case)


def ready_context(plugin: Plugin, stored: Stored) -> Plugin:
    """A context's plugin, made of one that was never serialized."""
    if plugin.creator.is_v3:
        if status := plugin.set_tactic(stored.tactic):
            raise LifeProblem("setTactic", f"setTactic({stored.tactic}) returned {status}.")
    elif status := plugin.initialize():
        raise LifeProblem("initialize", f"initialize() returned {status}.")
    return life.attach(plugin)


def run_revived(bench: Bench, session, stored: Stored, case: Case) -> Run:
    """The plugin that a runtime makes of what was stored."""
    return run_context(bench, life.attach(life.revive(session, stored)), stored, case)


def run_context(bench: Bench, context: Plugin, stored: Stored, case: Case) -> Run:
    device = bench.device_of(context.session)
    device.order("eager")
    return Runner(device, bench.spec, stored.shapes, stored.workspace).run(context, case, poison=POISON)


def made_ready(bench: Bench, stored: Stored, case: Case) -> Run | None:
    """What comes of the engine's own plugin; None where the process ends. No runtime does this: it is to compare."""
    try:
        return run_context(bench, life.revive(bench.fresh(), stored), stored, case)
    except PluginEnded:
        return None


def runs_itself(bench: Bench, stored: Stored, case: Case) -> bool:
    """Whether the engine's own plugin runs, where that of a context does not."""
    run = made_ready(bench, stored, case)
    return run is not None and run.well
