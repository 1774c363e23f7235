"""The lives that trace-order is graded on, step by step: what a right host does, and one that makes a mistake.

``lifecycle_traces.py`` has the host, and records them. What no host can do (call an object that is gone) is derived
from a recorded life by moving or repeating one call: such a life returns the function that does it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from grader.plugin.arguments import attribute_fields
from grader.plugin.objects import Plugin

if TYPE_CHECKING:
    from lifecycle_traces import Host


# ---- lives of a right host


def usual(host: Host, *, first: str = "tactic", tell: str = "engine") -> None:
    """A build with timing; another process with two contexts. ``first``: what a context that is timed hears first.
    ``tell``: who hears of the tactic, the engine's plugin or each context's."""
    mine = host.create()
    theirs = host.clone(mine)
    host.build(theirs)
    timed = host.attach(theirs)
    if first == "tactic":
        timed.set_tactic(0)
    host.shapes(timed)
    if first == "shapes":
        timed.set_tactic(0)
    host.run(timed)
    host.keep(theirs)
    host.end(timed, theirs, mine)
    host.open()
    engine = host.revive()
    if tell == "engine":
        engine.set_tactic(0)
    contexts = [host.attach(engine), host.attach(engine)]
    for context, which in zip(contexts, ("min", "max"), strict=True):
        host.shapes(context, which)
        if tell == "contexts":
            context.set_tactic(0)
        host.run(context, which)
    host.run(contexts[0], "min")
    host.end(*contexts, engine)


def untimed(host: Host) -> None:
    """Kept before it is configured, and again; never run in the build; no clone is made, the first plugin does it."""
    mine = host.create()
    host.keep(mine)
    host.build(mine)
    host.keep(mine)
    host.end(mine)
    host.open()
    engine = host.revive(host.fields[0])
    engine.set_tactic(0)
    context = host.attach(engine)
    for which in ("min", "opt", "max"):
        host.shapes(context, which)
    host.run(context, "max")
    host.end(context, engine)


def copied(host: Host) -> None:
    """The original is configured, a clone of its clone answers for the tactics; its maker deletes the first at once."""
    mine = host.create()
    host.formats(mine)
    host.configure(mine)
    first = host.clone(mine)
    host.end(mine)
    second = host.clone(first)
    host.tactics(second)
    second.set_tactic(0)
    third = host.clone(second)
    timed = host.attach(third)
    host.shapes(timed)
    host.run(timed)
    host.end(timed)
    host.keep(second)
    host.end(second, first, third)


def saved_again(host: Host) -> None:
    """An engine that was loaded is saved, and loaded again."""
    mine = host.create()
    host.build(mine)
    host.keep(mine)
    host.end(mine)
    for _ in range(2):
        host.open()
        engine = host.revive()
        engine.set_tactic(0)
        context = host.attach(engine)
        host.shapes(context)
        host.run(context)
        host.keep(engine)
        host.end(context, engine)


def two_layers(host: Host) -> None:
    """Two plugins with other attributes in one network, and in one engine."""
    other = {each.name: each.other for each in host.spec.attributes}
    both = [host.create(), host.create(other)]
    clones = [host.clone(each) for each in both]
    for step in (host.formats, host.configure, host.tactics, host.keep):
        for each in clones:
            step(each)
    host.end(*both, *clones)
    host.open()
    engines = [host.revive(fields) for fields in reversed(host.fields)]
    for each in engines:
        each.set_tactic(0)
    contexts = [host.attach(each) for each in engines]
    for each in contexts:
        host.shapes(each)
    for each in contexts:
        host.run(each)
    host.end(*contexts, *engines)


# ---- lives of a host that makes a mistake


def _engine(host: Host, *, tactic: bool = True) -> Plugin:
    """Built and kept without a run; the engine's plugin in a new process."""
    mine = host.create()
    host.build(mine)
    host.keep(mine)
    host.end(mine)
    host.open()
    engine = host.revive()
    if tactic:
        engine.set_tactic(0)
    return engine


def never_told(host: Host) -> None:
    engine = _engine(host, tactic=False)
    context = host.attach(engine)
    host.shapes(context)
    host.run(context)
    host.end(context, engine)


def told_too_late(host: Host) -> None:
    engine = _engine(host, tactic=False)
    context = host.attach(engine)
    engine.set_tactic(0)
    host.shapes(context)
    host.run(context)
    host.end(context, engine)


def told_after_the_clone(host: Host) -> None:
    """The original is configured when its clone is there already."""
    mine = host.create()
    theirs = host.clone(mine)
    host.formats(mine)
    host.configure(mine)
    host.tactics(theirs)
    host.keep(mine)
    host.end(theirs, mine)


def one_context_unshaped(host: Host) -> None:
    engine = _engine(host)
    contexts = [host.attach(engine), host.attach(engine)]
    host.shapes(contexts[0])
    for each in contexts:
        host.run(each)
    host.end(*contexts, engine)


def only_the_engine_shaped(host: Host) -> None:
    """The engine's plugin hears of its shapes before a context is made of it."""
    engine = _engine(host)
    host.shapes(engine)
    context = host.attach(engine)
    host.run(context)
    host.end(context, engine)


def unshaped_in_the_second_process(host: Host) -> None:
    mine = host.create()
    host.build(mine)
    timed = host.attach(mine)
    timed.set_tactic(0)
    host.shapes(timed)
    host.run(timed)
    host.keep(mine)
    host.end(timed, mine)
    host.open()
    engine = host.revive()
    engine.set_tactic(0)
    context = host.attach(engine)
    host.run(context)
    host.end(context, engine)


def shaped_afterwards(host: Host) -> None:
    engine = _engine(host)
    context = host.attach(engine)
    host.run(context)
    host.shapes(context)
    host.end(context, engine)


def asked_too_early(host: Host) -> None:
    mine = host.create()
    host.formats(mine)
    host.tactics(mine)
    host.configure(mine)
    host.keep(mine)
    host.end(mine)


def kept_afterwards(host: Host) -> None:
    """The plan is written from memory: what the plugin keeps is asked for when another was made of it already."""
    mine = host.create()
    host.build(mine)
    engine = host.revive(attribute_fields(host.spec))
    host.keep(mine)
    host.end(engine, mine)


def other_values(host: Host) -> None:
    mine = host.create()
    host.build(mine)
    host.keep(mine)
    host.end(mine)
    host.open()
    host.end(host.revive(attribute_fields(host.spec, {host.spec.attributes[0].name: host.spec.attributes[0].other})))


def shared(host: Host) -> None:
    """The plugin attaches itself; the host takes what it gets."""
    engine = _engine(host)
    contexts = [host.attach(engine), host.attach(engine)]
    for each in contexts:
        host.shapes(each)
        host.run(each)
    host.end(engine)


def forgotten(host: Host) -> None:
    engine = _engine(host)
    contexts = [host.attach(engine), host.attach(engine)]
    host.shapes(contexts[1])
    host.run(contexts[1])
    host.end(contexts[1], engine)


def engine_runs(host: Host) -> None:
    engine = _engine(host)
    host.shapes(engine)
    host.run(engine)
    host.end(engine)


def several(host: Host) -> None:
    engine = _engine(host, tactic=False)
    context = host.attach(engine)
    host.run(context)
    host.run(engine)
    host.end(engine)


# ---- derived lives


def moved(calls: list[dict], which: tuple[str, str], behind: tuple[str, str]) -> list[dict]:
    """The last call ``which`` (object, method) directly behind the last call ``behind``."""
    taken = _last(calls, which)
    left = [each for each in calls if each is not taken]
    place = left.index(_last(left, behind)) + 1
    return [*left[:place], taken, *left[place:]]


def repeated(calls: list[dict], which: tuple[str, str]) -> list[dict]:
    """The last call ``which`` a second time, at the end."""
    return [*calls, dict(_last(calls, which))]


def _last(calls: list[dict], which: tuple[str, str]) -> dict:
    return [each for each in calls if (each["object"], each["method"]) == which][-1]


def run_after_end(host: Host) -> Callable:
    usual(host)
    return lambda calls: moved(calls, ("context 2", "enqueue"), ("context 2", "~IPluginV3"))


def ended_twice(host: Host) -> Callable:
    usual(host)
    return lambda calls: repeated(calls, ("context 1", "~IPluginV3"))


def cloned_after_end(host: Host) -> Callable:
    copied(host)
    return lambda calls: moved(calls, ("clone 1", "~IPluginV3"), ("plugin 1", "~IPluginV3"))


# ---- the lives, and what is wrong with them


@dataclass(frozen=True)
class Life:
    """``check``: the check of trace-order that it is for. ``why``: what is wrong, or why nothing is; for learners."""

    check: str
    name: str
    drive: Callable
    expected: tuple[str, ...]
    why: str
    itself: bool = False  # a plugin that attaches itself


LIVES = (
    Life("open-order", "shapes before the tactic", partial(usual, first="shapes"), (),
         "no document says which of setTactic and onShapeChange comes first"),
    Life("open-order", "never timed, kept twice", untimed, (),
         "a build need not run the plugin, nor clone it, and getFieldsToSerialize may come at any time"),
    Life("open-order", "nobody heard of the tactic", never_told, ("no-tactic",),
         "neither the context's plugin nor the engine's was told a tactic before the enqueue"),
    Life("inherited", "the engine hears of the tactic", partial(usual, tell="engine"), (),
         "the contexts' plugins were made of one that knew its tactic"),
    Life("inherited", "each context hears of the tactic", partial(usual, tell="contexts"), (),
         "each context's plugin was told by itself"),
    Life("inherited", "a clone of a clone", copied, (),
         "a clone knows what its original knew when it was made, and the tactics are asked of such a clone"),
    Life("not-later", "the engine hears of it too late", told_too_late, ("no-tactic",),
         "the engine's plugin was told its tactic when the context's had been made of it already"),
    Life("not-later", "configured after the clone", told_after_the_clone, ("unconfigured",),
         "the original was configured when its clone was there already, and the clone was asked"),
    Life("before", "shapes after the run", shaped_afterwards, ("no-shapes",),
         "onShapeChange came after the enqueue that it was for"),
    Life("before", "tactics before configurePlugin", asked_too_early, ("unconfigured",),
         "the tactics were asked for before configurePlugin"),
    Life("before", "kept after it was rebuilt", kept_afterwards, ("unplanned",),
         "getFieldsToSerialize came after the createPlugin that its fields were for"),
    Life("each-process", "no shapes in the second process", unshaped_in_the_second_process, ("no-shapes",),
         "the context 1 that heard of its shapes was one of another process"),
    Life("each-object", "two layers", two_layers, (), "each object was told all that it needs"),
    Life("each-object", "one context without shapes", one_context_unshaped, ("no-shapes",),
         "context 1 was told its shapes, context 2 was not"),
    Life("each-object", "shapes for the engine alone", only_the_engine_shaped, ("no-shapes",),
         "the engine's plugin was told its shapes, and the context's copy of it was not"),
    Life("shared", "one object for all", shared, ("shared",),
         "attachToContext gave the object that it was called on, twice", itself=True),
    Life("used-after-end", "run after its end", run_after_end, ("used-after-end",),
         "enqueue was called on context 2 after its destructor"),
    Life("used-after-end", "ended twice", ended_twice, ("used-after-end",),
         "the destructor of context 1 was called twice"),
    Life("used-after-end", "cloned after its end", cloned_after_end, ("used-after-end",),
         "clone 1 was cloned after its destructor"),
    Life("never-ended", "a forgotten context", forgotten, ("never-ended",),
         "context 1, which never ran, has no destructor"),
    Life("unattached", "the engine's plugin runs", engine_runs, ("unattached",),
         "enqueue was called on a plugin that no attachToContext made"),
    Life("plan-values", "saved again", saved_again, (), "each process made what the one before had kept"),
    Life("plan-values", "other values", other_values, ("unplanned",),
         "the plugin was made of values that no plugin had kept, under the same names"),
    Life("names-all", "several at once", several, ("never-ended", "no-shapes", "no-tactic", "unattached"),
         "a context ran without shapes and without a tactic and was never ended, and the engine's plugin ran too"),
)  # fmt: skip
