import numpy as np
import pytest

from grader.checks import Case, In, Out, Tolerance, compare, mismatch, unwritten
from grader.verdict import State

EXACT = Tolerance()


def case(expected, tolerance=EXACT):
    n = len(expected)
    return Case(
        kernel="k", grid=(1, 1, 1), block=(4, 1, 1), label=f"n = {n}", tolerance=tolerance,
        arguments=(In("x", np.arange(n, dtype=np.float32)), Out("y", (n,), np.float32)),
        expected={"y": np.asarray(expected, np.float64)},
    )  # fmt: skip


def test_the_first_difference_is_told_with_its_thread_and_input():
    finding = compare(case([0, 2, 4, 6, 8, 10]), {"y": np.array([0, 2, 4, 6, 8, 11], np.float32)})
    assert finding.state is State.FAIL
    told = finding.detail["case"]
    assert (told["index"], told["got"], told["expected"], told["inputs"]) == (5, "11.0", "10.0", {"x": "5.0"})
    assert (told["block"], told["thread"]) == (0, 1)  # 4 threads for 6 elements: the loop comes round


def test_poison_is_told_as_never_written():
    got = np.frombuffer(b"\xcd" * 8, np.float32)
    assert unwritten(got).all()
    assert "never written" in compare(case([0, 1]), {"y": got}).message


@pytest.mark.parametrize("got", [np.nan, np.inf, -np.inf, 0.0])
def test_a_wild_value_never_passes_for_a_number(got):
    assert mismatch(np.array([got]), np.array([1.0]), Tolerance(relative=0.1)).size == 1


def test_infinities_and_nans_must_match_exactly():
    special = np.array([np.inf, -np.inf, np.nan])
    assert mismatch(special, special, Tolerance()).size == 0
    assert mismatch(np.array([np.inf]), np.array([1e300]), Tolerance(relative=1)).size == 1
    assert mismatch(np.array([5.0]), np.array([np.inf]), Tolerance(relative=1)).size == 1


def test_a_case_with_nothing_to_compare_is_an_error_of_the_grader():
    with pytest.raises(ValueError, match="nothing to compare"):
        compare(Case(kernel="k", arguments=(), grid=(1, 1, 1), block=(1, 1, 1)), {})
