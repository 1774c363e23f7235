"""What a journal of calls says about the order in which TensorRT calls a plugin.

The documentation fixes partial orders only (`NvInferRuntime.h` 10.14, `IPluginV3OneBuild`, `IPluginV3OneRuntime`;
`NvInferRuntimePlugin.h`, `IPluginV2`). ``rules`` looks whether a journal keeps each, so that reports from real
engines bear it out or refute it. It takes calls of ``tracing.read_journal`` and those of a trace of our own host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Call = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """``method`` of ``interface`` comes only after ``before`` on the same object, or on one that it was made from."""

    id: str
    interface: str
    method: str
    before: str
    sentence: str


RULES = (
    Rule("tactics-after-configure", "IPluginV3OneBuild", "getValidTactics", "configurePlugin",
         "getValidTactics is called after configurePlugin."),
    Rule("enqueue-after-shape-change", "IPluginV3OneRuntime", "enqueue", "onShapeChange",
         "enqueue is called after onShapeChange."),
    Rule("enqueue-after-tactic", "IPluginV3OneRuntime", "enqueue", "setTactic",
         "enqueue is called after setTactic, with tactic 0 too."),
    Rule("enqueue-after-attach", "IPluginV3OneRuntime", "enqueue", "attachToContext",
         "enqueue is called on an object that attachToContext made."),
    Rule("workspace-after-configure", "IPluginV3OneBuild", "getWorkspaceSize", "configurePlugin",
         "getWorkspaceSize is called after configurePlugin."),
    Rule("v2-enqueue-after-initialize", "IPluginV2DynamicExt", "enqueue", "initialize",
         "IPluginV2DynamicExt: enqueue is called after initialize, on the object or on one that it was cloned from."),
    Rule("v2-enqueue-after-configure", "IPluginV2DynamicExt", "enqueue", "configurePlugin",
         "IPluginV2DynamicExt: enqueue is called after configurePlugin."),
)  # fmt: skip
_MAKERS = ("clone", "attachToContext")  # their result is the name of a new object


def rules(calls: Iterable[Call]) -> list[dict[str, Any]]:
    """For each rule: ``{"rule", "sentence", "held", "occasions"}``; ``held`` is None without an occasion."""
    ordered = sorted(calls, key=lambda call: call["seq"])
    parents = _parents(ordered)
    told = []
    for rule in RULES:
        seen: set[Any] = set()
        occasions, held = 0, True
        for call in ordered:
            own = _object(call)
            if call["method"] == rule.before:
                seen.add(own)
                if call["method"] in _MAKERS and isinstance(call["result"], str):
                    seen.add((own[0], call["result"]))
            if call["interface"] == rule.interface and call["method"] == rule.method:
                occasions += 1
                held = held and any(one in seen for one in _line(own, parents))
        told.append({"rule": rule.id, "sentence": rule.sentence, "held": held if occasions else None,
                     "occasions": occasions})  # fmt: skip
    return told


def outline(calls: Iterable[Call], hide: Callable[[Call], bool] = lambda call: False) -> list[str]:
    """The order for people: "Double#1 supportsFormatCombination x 12"; equal neighbours are told once."""
    lines: list[tuple[str, int]] = []
    for call in sorted(calls, key=lambda call: call["seq"]):
        if hide(call):
            continue
        line = f"{call['object']} {call['method']}"
        if lines and lines[-1][0] == line:
            lines[-1] = (line, lines[-1][1] + 1)
        else:
            lines.append((line, 1))
    return [line if count == 1 else f"{line} x {count}" for line, count in lines]


def _object(call: Call) -> tuple[Any, str]:
    return call.get("process"), call["object"]


def _parents(calls: Sequence[Call]) -> dict[Any, Any]:
    """From each object to the one that it was cloned from or attached to a context from."""
    return {(call.get("process"), call["result"]): _object(call)
            for call in calls if call["method"] in _MAKERS and isinstance(call["result"], str)}  # fmt: skip


def _line(own: Any, parents: Mapping[Any, Any]) -> Iterable[Any]:
    """An object and those that it comes from."""
    met: set[Any] = set()
    while own is not None and own not in met:
        met.add(own)
        yield own
        own = parents.get(own)
