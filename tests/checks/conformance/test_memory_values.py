"""The rules that run kernels: workspace, outputs, inputs, bounds, values, shapes that change, formats, aliasing.

Every right plugin and every defect goes through all rules in `make prove`; here is what shows each rule at work.
"""

import building
import pytest
from conforming import defective, failures, header, results

RULES = (
    "workspace", "workspace-poison", "outputs-written", "inputs-unchanged", "bounds",
    "values", "values-zero", "shape-change", "formats-truth", "aliasing",
)  # fmt: skip

# A defect and words of the message of its owner.
MESSAGES = {
    "workspace_for_the_usual_shape": "buffer workspace, which has 80 bytes. (row_softmax_kernel.cu, line 94",
    "workspace_with_v2_parameters": "mark it `override`",
    "workspace_zeroed_once": "In a later run of a context",
    "output_added_to": "An output holds anything before enqueue()",
    "input_marked_as_taken": "Input x holds something else after enqueue()",
    "bounds_pair_at_the_end": "reads 4 bytes at byte 28 of buffer x, which has 30 bytes",
    "value_nan_becomes_zero": "holds 0.0 instead of nan",
    "zero_elements_launch": "CUDA refuses a grid of 0×1×1",
    "shape_in_a_static": "a new context computes it as expected",
    "format_output_type_free": "For float32 linear, float16 linear, which is accepted",
    "alias_out_of_range": "getAliasedInput(0) returns 3",
}


@pytest.mark.parametrize("name", ["channel_shuffle", "kv_cache_append", "row_softmax", "voxel_feature_encoder"])
def test_right_plugins_raise_no_alarm(name):
    found = results(building.built(name), building.spec(name), RULES, level="L1")
    assert failures(found) == {}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_defect_fails_its_owner_with_a_sentence_that_helps(name):
    facts = header(name)
    found = failures(results(defective(name), building.spec(facts["plugin"]), [facts["owner"]], level="L1"))
    assert set(found) == {facts["owner"]}
    assert MESSAGES[name] in found[facts["owner"]]
