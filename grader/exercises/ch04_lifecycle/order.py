"""What is documented about the order of calls, and a guess beside a recorded life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.plugin.trace import Call


@dataclass(frozen=True)
class Before:
    """``first`` comes before ``then``, on one object or the one that it was made from; why, and where that stands."""

    first: str
    then: str
    reason: str
    source: str


# The methods of a life by the names that are guessed with; a creator makes a plugin twice.
METHODS = (
    "createPlugin(kBUILD)", "clone", "supportsFormatCombination", "configurePlugin", "getValidTactics",
    "getFieldsToSerialize", "createPlugin(kRUNTIME)", "setTactic", "attachToContext", "onShapeChange", "enqueue",
)  # fmt: skip
DOCUMENTED = (
    Before("createPlugin(kBUILD)", "clone", "a clone is made of something", "IPluginV3::clone"),
    Before("createPlugin(kBUILD)", "supportsFormatCombination", "somebody must be there to be asked",
           "IPluginCreatorV3One::createPlugin"),
    Before("supportsFormatCombination", "configurePlugin", "each supported combination is configured",
           "IPluginV3OneBuild::getValidTactics, the timing protocol"),
    Before("configurePlugin", "getValidTactics", "tactics are those of the combination configured last",
           "IPluginV3OneBuild::getValidTactics"),
    Before("getFieldsToSerialize", "createPlugin(kRUNTIME)", "these are the fields that it gets",
           "IPluginCreatorV3One::createPlugin"),
    Before("createPlugin(kRUNTIME)", "setTactic", "somebody must be there to be told",
           "IPluginCreatorV3One::createPlugin"),
    Before("createPlugin(kRUNTIME)", "attachToContext", "a context's plugin is a clone of the engine's",
           "IPluginV3OneRuntime::attachToContext"),
    Before("setTactic", "enqueue", "the tactic is for the enqueue that follows", "IPluginV3OneRuntime::setTactic"),
    Before("onShapeChange", "enqueue", "it prepares for these extents", "IPluginV3OneRuntime::onShapeChange"),
    Before("attachToContext", "enqueue", "it is called when a context is made", "IPluginV3OneRuntime::attachToContext"),
)  # fmt: skip  # the sources stand in NvInferRuntime.h and NvInferPluginBase.h 10.14
OPEN = (
    "setTactic or onShapeChange first?",
    "when is getFieldsToSerialize called, and how often?",
    "how many clones are made?",
    "is enqueue called at all while an engine is built?",
)


class Guess:
    """An order of METHODS, as lines of text. ``ValueError`` names what is missing, unknown or there twice."""

    def __init__(self, text: str):
        self.methods = tuple(line.strip() for line in text.strip().splitlines() if line.strip())
        if unknown := [each for each in self.methods if each not in METHODS]:
            raise ValueError(f"{unknown[0]!r} is none of the methods to put in order")
        if missing := [each for each in METHODS if self.methods.count(each) != 1]:
            raise ValueError(f"{missing[0]} must be there once")

    def broken(self) -> list[Before]:
        """What is documented and not so in this order."""
        place = self.methods.index
        return [each for each in DOCUMENTED if place(each.first) > place(each.then)]


def recorded_order(calls: Sequence[Call]) -> tuple[str, ...]:
    """METHODS in the order in which they first come in a recorded life; what is of a plugin that runs counts where an
    engine's own process does it, so the timing of a build is left out."""
    made = [call.process for call in calls if call.method == "createPlugin"]
    running = made[-1] if made else 0
    first = {}
    for call in calls:
        name = call.method
        if name == "createPlugin":
            name = f"createPlugin({'kRUNTIME' if call.process == running and len(made) > 1 else 'kBUILD'})"
        elif name in ("setTactic", "attachToContext", "onShapeChange", "enqueue") and call.process != running:
            continue
        first.setdefault(name, call.seq)
    return tuple(sorted((name for name in METHODS if name in first), key=first.get))
