"""No false alarm on what NVIDIA's own plugins do, or the headers allow: variants of right plugins."""

import building
import pytest
from conforming import failures, results

from grader.checks.conformance.rule import RULES
from grader.toolchain import tensorrt

pytestmark = pytest.mark.skipif(tensorrt.lean_library() is None, reason="no plugin registry")

# QKVToContextPluginDynamic asserts in getSerializationSize() that it was configured; the workspace of
# InstanceNormalizationPlugin is a matter of what initialize() finds out about the GPU.
CONFIGURED_AND_INITIALIZED_FIRST = {
    "nbOutputs) noexcept override\n    {\n    }": "nbOutputs) noexcept override { mConfigured = true; }",
    "        return sizeof(kBLOB_MAGIC)": "        if (!mConfigured) std::abort();\n        return sizeof(kBLOB_MAGIC)",
    "        return static_cast<size_t>(planesOf": "        if (!mReady) std::abort();\n        return size_t(planesOf",
    "initialize() noexcept override\n    {\n": "initialize() noexcept override\n    {\n        mReady = true;\n",
    " mParameters;": " mParameters; bool mConfigured{false}, mReady{false};",
    "PlaneNormPlugin() = delete;": "PlaneNormPlugin* made() { mConfigured = true; return this; }",
    " new PlaneNormPlugin(parameters, mNamespace);": " (new PlaneNormPlugin(parameters, {}))->made();",
    "std::make_unique<PlaneNormPlugin>(mParameters, mNamespace)": "std::make_unique<PlaneNormPlugin>(*this)",
}
# Where all extents are known it may choose another algorithm, which wants more than that for the profile's largest.
ANOTHER_ALGORITHM = {
    "  DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override\n    {\n":
    "  DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override\n    {\n"
    "        mFixed = in[0].desc.dims.d[0] >= 0;\n",
    "        return softmax::chunkWorkspace(most.": "        return mFixed * (1 << 22) + softmax::chunkWorkspace(most.",
    "    Tactic mTactic;": "    Tactic mTactic;\n    bool mFixed{false};",
}  # fmt: skip


@pytest.mark.parametrize(
    ("plugin", "changes"),
    [("instance_norm_v2", CONFIGURED_AND_INITIALIZED_FIRST), ("row_softmax", ANOTHER_ALGORITHM)],
)
def test_it_is_right(plugin, changes):
    files = building.sources(building.PLUGINS / plugin)
    text = files[f"{plugin}.cpp"].decode()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    library = building.compiled(files | {f"{plugin}.cpp": text.encode()}, f"{plugin}.cpp", strict=False)
    only = [each.id for each in RULES.values() if each.level == "L0"]
    found = results(library, building.spec(plugin), only, level="L1")
    assert not failures(found)
    assert found["workspace"].state.name == found["serialize-stable"].state.name == "PASS"
