"""The families of plugin interfaces: what the machine's headers say of them, and what is cited.

Derived, where headers of 10.x are found: presence, since when deprecated, version string, file and line. Cited,
always: when a family came, and its state in 8.6 and 11.x. The sources: NVIDIA's public headers at the release tags
5.1.5, 6.0.1, 8.6.1, 10.0, 10.3, 10.6, 11.0 and 11.1; for 5.0 the Python API reference of 5.0.2; for 11.4 NVIDIA's page
"Removed and Deprecated C++ APIs in TensorRT 11.x"
(docs.nvidia.com/deeplearning/tensorrt/11.4.1/api/migration/tensorrt-10x-to-11x-c-api-reference.html); for plugins in
Python the README of NVIDIA's sample python_plugin (9.1) and the guide's page on them (10.6; 10.16.1 and 11.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.exercises.ch03_interface_families.headers import Declaration, index
from grader.exercises.ch03_interface_families.tables import Table
from grader.toolchain.tensorrt import find_headers, headers_version

THERE, DEPRECATED, NOT_YET = "current", "deprecated", "not there yet"
OLD = "there, deprecated"  # in 11.x


@dataclass(frozen=True)
class Family:
    name: str  # of the declaration that stands for it
    what: str
    came: str  # with this version
    since: str | None  # deprecated since, as in the headers of 10.14
    info: str  # its version string in the headers of 10.14
    in_8_6: str
    in_11: str
    label: str = ""  # where the declaration's name would say little

    @property
    def called(self) -> str:
        return self.label or self.name


FAMILIES = (
    Family("IPluginV2", "the first with a registry; fixed shapes", "5.0", "8.5", "", DEPRECATED, OLD),
    Family("IPluginV2Ext", "output types", "5.1", "8.5", "", DEPRECATED,
           "there, deprecated; two methods about broadcast are gone"),
    Family("IPluginV2IOExt", "types and formats for each tensor", "6.0", "10.0", "", THERE, OLD),
    Family("IPluginV2DynamicExt", "shapes that vary", "6.0", "10.0", "", THERE, OLD),
    Family("IPluginCreator", "makes V2 plugins", "5.0", "10.0", "PLUGIN CREATOR_V1 1.0", THERE,
           "there, deprecated; the registry's methods for it are gone"),
    Family("IPluginV3", "capabilities: core, build, runtime", "10.0", None, "PLUGIN 1.0", NOT_YET, THERE),
    Family("IPluginV3OneBuildV2", "the build capability with aliased outputs", "10.3", None, "PLUGIN_V3ONE_BUILD 2.0",
           NOT_YET, THERE),
    Family("IPluginCreatorV3One", "makes V3 plugins", "10.0", None, "PLUGIN CREATOR_V3ONE 1.0", NOT_YET, THERE),
    Family("IPluginResource", "shared by key, kept by the registry", "10.0", None, "IPluginResource 1.0", NOT_YET,
           THERE),
    Family("APILanguage::kPYTHON", "plugin classes in Python: of V2 since 9.1, of V3 since 10.0", "9.1", None, "",
           NOT_YET, THERE, "Python classes"),
    Family("NetworkDefinitionCreationFlag::kPREFER_AOT_PYTHON_PLUGINS",
           "decorated functions: JIT since 10.6, AOT since 10.9", "10.6", None, "",
           NOT_YET, "current; the wheel of 11.4 calls it experimental", "Python functions"),
)  # fmt: skip

# The methods of the V3 capabilities in 10.14, in the header's order; True: a plugin must have it.
METHODS: dict[str, dict[str, bool]] = {
    "IPluginV3": {"getCapabilityInterface": True, "clone": True},
    "IPluginV3OneCore": {"getPluginName": True, "getPluginVersion": True, "getPluginNamespace": True},
    "IPluginV3OneBuild": {
        "configurePlugin": True, "getOutputDataTypes": True, "getOutputShapes": True,
        "supportsFormatCombination": True, "getNbOutputs": True, "getWorkspaceSize": False, "getValidTactics": False,
        "getNbTactics": False, "getTimingCacheID": False, "getFormatCombinationLimit": False,
        "getMetadataString": False,
    },
    "IPluginV3OneBuildV2": {"getAliasedInput": False},
    "IPluginV3OneRuntime": {
        "setTactic": False, "onShapeChange": True, "enqueue": True, "attachToContext": True,
        "getFieldsToSerialize": True,
    },
}  # fmt: skip


def found(folder: str | Path | None = None) -> tuple[str, dict[str, Declaration]] | None:
    """The version of the headers in ``folder``, else of this machine's, and what they declare; None without any."""
    if folder is not None:
        version = headers_version(Path(folder))
        return (version, dict(index(Path(folder)))) if version else None
    headers, _ = find_headers()
    return (headers.version, dict(index(headers.folder))) if headers else None


def deprecated_since(family: Family, known: dict[str, Declaration] | None) -> str | None:
    """By the headers, where they are."""
    one = known.get(family.name) if known is not None else None
    return family.since if known is None else one.since if one else None


def methods(known: dict[str, Declaration] | None) -> dict[str, dict[str, bool]]:
    """The virtual methods of each V3 class, by the headers where they are: name -> whether a plugin must have it."""
    if known is None:
        return METHODS
    return {
        owner: {
            one.name.rpartition("::")[2]: one.pure
            for one in sorted(known.values(), key=lambda one: (one.file, one.line))
            if one.name.rpartition("::")[0] == owner and one.text.startswith("virtual ")
        }
        for owner in METHODS
        if owner in known
    }


def status_table(folder: str | Path | None = None) -> Table:
    """All families: when they came, since when they are deprecated, and what is left of them. ``folder``: other headers
    than those that the course uses, of 8.6 or 11 say."""
    here = found(folder)
    version, known = here if here else ("10.14", None)
    rows = []
    for family in FAMILIES:
        since = deprecated_since(family, known)
        one = known.get(family.name) if known is not None else None
        if known is None:
            state, where = f"deprecated since {since}" if since else THERE, family.info
        elif one is None:
            state, where = "not in these headers", ""
        else:
            info = f", “{one.info}”" if one.info else ""
            state, where = one.status, f"{one.file}:{one.line}{info}"
        rows.append([family.called, family.what, family.came, family.in_8_6, state, where, family.in_11])
    head = ("interface", "what it brought", "came with", "in 8.6", f"in {version}", "where", "in 11.x")
    note = "All columns are cited from NVIDIA's headers and documentation: there are no headers on this machine yet."
    if known is not None:
        note = (
            f"The columns “in {version}” and “where” are read in the headers of TensorRT {version} on this machine; "
            "the others are cited from NVIDIA's headers of those releases and its documentation."
        )
    return Table(head, rows, note=note)
