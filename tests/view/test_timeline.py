"""A plugin's life as a picture: lanes, rows, colours, and the sentence that says the same."""

import pytest

from grader.plugin.trace import Call
from grader.view import timeline
from grader.view.timeline import _colour


def call(process, obj, method, result=0):
    return Call(1, process, obj, "IPluginV3", method, [], result, 0.0)


LIFE = [
    call(1, "creator", "createPlugin", "plugin 1"),
    call(1, "plugin 1", "supportsFormatCombination", 1),
    call(1, "plugin 1", "supportsFormatCombination", 1),
    call(1, "plugin 1", "getPluginNamespace", ""),
    call(2, "context 1", "enqueue"),
    call(2, "context 1", "~IPluginV3", None),
]


def test_the_sentence_has_every_row_in_order():
    said = timeline(LIFE, title="One life").alt
    assert said == (
        "One life. In order, creator: createPlugin → plugin 1; plugin 1: supportsFormatCombination ×2 → 1; "
        'plugin 1: getPluginNamespace → ""; context 1: enqueue → 0; context 1: ~IPluginV3.'
    )


def test_a_row_says_which_capabilities_were_asked_for_and_in_which_phase_a_plugin_is_made():
    kinds = {"kCORE": ["PLUGIN_V3ONE_CORE", 1, 0, 8], "kBUILD": None, "kRUNTIME": ["PLUGIN_V3ONE_RUNTIME", 1, 0, 24]}
    asked = [
        Call(1, 1, "plugin 1", "IPluginV3", "getCapabilityInterface", [kind], result, 0.0)
        for kind, result in kinds.items()
    ]
    made = Call(1, 1, "creator", "IPluginCreatorV3One", "createPlugin", ["layer", ["k"], "kBUILD"], "plugin 1", 0.0)
    said = timeline([made, *asked]).alt
    assert "creator: createPlugin(kBUILD) → plugin 1" in said
    assert "plugin 1: getCapabilityInterface ×3: kCORE, kBUILD → null, kRUNTIME." in said


def test_the_picture_counts_calls_objects_and_processes():
    texts = [each.get_text() for each in timeline(LIFE).fig.axes[0].texts]
    assert "6 calls on 3 objects in 2 processes" in texts
    assert {"process 1", "process 2", "creator", "plugin 1", "context 1"} <= set(texts)


def test_an_object_has_the_colour_of_its_kind():
    assert _colour("plugin 1") == _colour("plugin 12") != _colour("runtime plugin 1")
    assert _colour("registry") == _colour("something else")


def test_some_methods_alone():
    assert "enqueue" not in timeline(LIFE, methods=["createPlugin"]).alt
    with pytest.raises(ValueError, match="no call to draw"):
        timeline(LIFE, methods=["nothing"])
