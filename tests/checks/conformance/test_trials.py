"""Which runs the rules share, and what is said of a fault."""

from grader.checks.conformance.trials import chosen, fault_method, fault_sentence
from grader.plugin.execute import Run
from grader.plugin.spec_records import Combination
from grader.simulator.records import Fault


def combination(*types):
    return Combination(types, ("linear",) * len(types))


def test_of_many_combinations_those_are_chosen_that_bring_something_new():
    every = [combination(a, b) for a in ("float32", "float16", "int8") for b in ("int32", "int64", "int8")]
    few = chosen(every, 5)
    assert {each.types for each in few} == {
        ("float32", "int32"), ("float32", "int64"), ("float32", "int8"), ("float16", "int32"), ("int8", "int32"),
    }  # fmt: skip
    assert chosen(every[:2], 5) == every[:2]


def fault(kind="out_of_bounds", buffer="x", **facts):
    return Fault(kind, "The kernel reads 4 bytes.", "scale", buffer=buffer, **facts)


def method(run, **facts):
    run.fault = fault(**facts)
    return fault_method(run)


def test_who_owns_a_fault():
    run = Run(0, 0, output_names=("y",), workspace=0x1000)
    assert method(run) == "fault"
    assert method(run, buffer="workspace") == "fault-in-workspace"
    assert method(run, buffer="workspace", kind="uninitialised_global") == "unwritten-workspace"
    assert method(run, buffer="y", kind="uninitialised_global") == "unwritten-output"
    assert method(run, buffer="x", kind="uninitialised_global") == "fault"
    assert method(run, buffer=None, kind="null_pointer") == "fault"
    assert method(Run(0, 0), buffer=None, kind="null_pointer") == "null-pointer"  # it may be the workspace


def test_a_fault_is_told_with_its_line_and_thread():
    where = {"file": "scale.cu", "line": 7, "thread": (3, 0, 0), "block": (1, 2, 0)}
    assert fault_sentence(fault(**where)) == (
        "The kernel reads 4 bytes. (scale.cu, line 7; thread 3 of block (1, 2))"
    )
    assert fault_sentence(fault()) == "The kernel reads 4 bytes. (kernel scale)"
