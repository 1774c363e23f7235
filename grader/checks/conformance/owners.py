"""Which rule owns a problem, and what a rule waits for: so that one defect makes one rule fail.

A rule that runs into what another owns is not run; it has not failed. Where the owner finds nothing wrong, it has.
"""

from __future__ import annotations

from grader.checks.conformance.rule import RULES, Rule
from grader.plugin.life import LifeProblem
from grader.plugin.session import HostProblem, PluginEnded

# These look at what happened in all the others, so they run last.
LAST = ("fields-lifetime", "bounds", "host-access", "exceptions")

# What every rule outside the group "library" waits for, and without which no run of kernels makes sense.
BASIS = ("creators", "capabilities")
FOUNDATION = (
    "formats-complete", "output-types", "shapes", "shapes-wildcard", "size-tensor", "configure",
    "attach", "clone-ready",
)  # fmt: skip

# What a comparison with the reference waits for besides: what runs is the plugin that was rebuilt in a new process.
_TO_COMPARE = ("serialize-complete", "serialize-fresh-process")

# What a plugin process ended of, whatever was being called.
_BY_KIND = {"exception": ("exceptions",), "device": ("host-access",)}
# Memory that ``createPlugin`` is lent (host/descriptors.cpp).
_FIELD_MEMORY = ("the field collection", "the fields", "a field's name", "a field's data")
# Which methods of TensorRT, or phases, a rule answers for.
_METHODS = {
    "loads": "dlopen dlclose",
    "exports": "setLoggerFinder",
    "creators": "getCreators",
    "registry": "getCreator",
    "identity": "getPluginName getPluginType getPluginVersion getPluginNamespace setPluginNamespace",
    "capabilities": "getCapabilityInterface",
    "fields-advertised": "getFieldNames",
    "status": "createPlugin initialize enqueue onShapeChange",
    "serialize-lifetime": "getFieldsToSerialize",
    "serialize-complete": "getFieldsToSerialize",
    "serialize-fresh-process": "revive deserializePlugin",
    "blob-size": "getSerializationSize serialize",
    "clone-equal": "clone",
    "clone-ready": "clone-ready",
    "clone-independent": "~IPluginV3 destroy terminate",
    "attach": "attachToContext detachFromContext",
    "formats-complete": "supportsFormatCombination",
    "output-types": "getNbOutputs getOutputDataTypes getOutputDataType",
    "shapes": "getOutputShapes getOutputDimensions",
    "shapes-wildcard": "getOutputShapes getOutputDimensions",
    "configure": "configurePlugin",
    "workspace": "getWorkspaceSize fault-in-workspace null-pointer",
    "workspace-poison": "unwritten-workspace",
    "outputs-written": "unwritten-output",
    "bounds": "fault null-pointer",  # of the device; of runs.fault_method
    "tactics": "setTactic getNbTactics getValidTactics",
    "timing-cache": "getTimingCacheID",
    "metadata": "getMetadataString",
    "aliasing": "getAliasedInput",
}


def needs_of(each: Rule) -> tuple[str, ...]:
    """The rules that must have passed before this one says anything useful, as far as there are such rules."""
    basis = () if each.group == "library" or each.id in LAST else BASIS
    running = FOUNDATION if each.level != "L0" and each.id not in LAST else ()
    compared = _TO_COMPARE if "reference" in each.wants else ()
    needs = dict.fromkeys((*basis, *running, *compared, *each.needs))
    return tuple(id for id in needs if id in RULES and id != each.id)


def owners_of(problem: PluginEnded | LifeProblem | HostProblem, met_by: Rule) -> tuple[str, ...]:
    """The rules that may own a problem which ``met_by`` ran into; none where it is that rule's own, or nobody's."""
    owners = _owners(problem)
    if met_by.id in owners:
        return ()
    # An owner that waits for this rule would find nothing after its failure: the rule keeps the problem.
    return tuple(owner for owner in owners if not _waits_for(owner, met_by.id))


def _owners(problem) -> tuple[str, ...]:
    if isinstance(problem, HostProblem):
        return ("capabilities",)
    if isinstance(problem, LifeProblem):
        return _answering_for(problem.method)
    words = problem.words
    if words.kind in _BY_KIND:
        return _BY_KIND[words.kind]
    if field_memory(problem):
        return ("fields-lifetime",)
    if words.kind == "past-end" and words.what in _FIELD_MEMORY:
        return ("fields-length",)
    if words.kind == "over" and words.what == "the namespace":
        return ("identity",)
    return _answering_for(problem.method)


def _answering_for(method: str) -> tuple[str, ...]:
    return tuple(owner for owner, methods in _METHODS.items() if method in methods.split())


def field_memory(ended: PluginEnded) -> bool:
    """Whether a process ended because a field's memory was used after ``createPlugin`` had returned."""
    return ended.words.kind == "over" and ended.words.what in _FIELD_MEMORY


def _waits_for(owner: str, id: str) -> bool:
    if owner not in RULES:
        return False
    needs = needs_of(RULES[owner])
    return id in needs or any(_waits_for(need, id) for need in needs)
