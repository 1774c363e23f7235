"""The rules about types, formats, shapes and configuration: silent on right plugins, plain about wrong ones."""

import building
import pytest
from conforming import defective, failures, header, results

FORMATS = ("formats-complete", "formats-deterministic", "formats-peek", "formats-limit", "formats-bool")
SHAPES = ("output-types", "shapes", "shapes-wildcard", "size-tensor", "configure")

# A defect and words of the message of its owner. All defects are proven by `make prove`; here is one for each rule.
MESSAGES = {
    "format_int8_mask_forgotten": "position 1 (input mask) of float32 linear, int8 linear",
    "format_remembers_input_type": "decide by inOut alone",
    "format_peeks_at_output": "depends on what stands behind the position",
    "format_limit_zero": "getFormatCombinationLimit() returns 0",
    "format_bool_mask": "accepts BOOL for input mask",
    "output_type_unwritten": "leaves the type of output 1 unwritten",
    "shape_keeps_the_axis": "3 axes instead of 2",
    "shape_baked_in": "makes an extent of output y of getConstantValue()",
    "size_tensor_bounds_swapped": "usually 32 and at most 16",
    "configure_reads_desc_dims": "returns -1 for float32, float32 with -1 for unknown extents",
}


@pytest.mark.parametrize("name", building.names())
def test_right_plugins_raise_no_alarm(name):
    found = results(building.built(name), building.spec(name), (*FORMATS, *SHAPES))
    assert failures(found) == {}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_defect_fails_its_owner_with_a_sentence_that_helps(name):
    facts = header(name)
    found = failures(results(defective(name), building.spec(facts["plugin"]), (*FORMATS, *SHAPES)))
    assert set(found) == {facts["owner"], *filter(None, facts.get("also", "").split(", "))}
    assert MESSAGES[name] in found[facts["owner"]]
