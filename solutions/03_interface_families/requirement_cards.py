def choose():
    """{card: (choice, evidence)}: where a requirement is met, and the declaration that says so."""
    return {
        "points": ("build", "IExprBuilder::declareSizeTensor"),
        "out-size": ("build", "IPluginV3OneBuild::getOutputShapes"),
        "kv-cache": ("build-v2", "IPluginV3OneBuildV2::getAliasedInput"),
        "two-in-place": ("none", "IPluginV3OneBuildV2::getAliasedInput"),
        "scratch": ("build", "IPluginV3OneBuild::getWorkspaceSize"),
        "two-kernels": ("build", "IPluginV3OneBuild::getValidTactics"),
        "half-only": ("build", "IPluginV3OneBuild::supportsFormatCombination"),
        "bool-mask": ("none", "PluginTensorDesc::type"),
        "per-context": ("runtime", "IPluginV3OneRuntime::attachToContext"),
        "shared-table": ("resource", "IPluginRegistry::acquirePluginResource"),
        "plan-8-6": ("v2", "IPluginV2DynamicExt"),
        "prototype": ("python", "APILanguage::kPYTHON"),
    }
