"""The reference runs in a child of its own, and what goes wrong there is told with file and line."""

import numpy as np
import pytest

from grader.plugin.inputs import extents_at, inputs_for
from grader.plugin.reference import LIMITS, ReferenceFailed, ReferenceRunner
from grader.plugin.spec import load_spec
from grader.sandbox import Limits
from grader.verdict.records import State

SPEC = """
[[attribute]]
name = "scale"
type = "float32"
value = 2.5
[[attribute]]
name = "weights"
type = "bfloat16"
value = [1.0, 2.0]
[[attribute]]
name = "mode"
type = "char"
value = "sum"
[[attribute]]
name = "window"
type = "dims"
value = [3, 4]
[[input]]
name = "x"
types = ["bfloat16"]
shape = ["N"]
[[output]]
name = "y"
[[output]]
name = "count"
size_tensor = true
[reference]
file = "r.py"
"""
HEAD = "import numpy as np\ndef reference(inputs, attributes):\n"


@pytest.fixture
def runner(tmp_path):
    started = []

    def make(body, limits=LIMITS):
        (tmp_path / "s.toml").write_text(SPEC)
        (tmp_path / "r.py").write_text(body)
        spec = load_spec(tmp_path / "s.toml")
        started.append(ReferenceRunner(spec, limits))
        return started[-1], inputs_for(
            spec, extents_at(spec, "opt"), spec.input_types(spec.combinations()[0]), np.random.default_rng(0)
        )

    yield make
    for each in started:
        each.close()


def test_values_and_attributes_arrive(runner):
    body = HEAD + (
        "    assert attributes['mode'] == 'sum' and attributes['window'] == [3, 4]\n"
        "    assert attributes['weights'].tolist() == [1, 2]\n"
        "    return attributes['scale'] * inputs[0].astype(np.float64), np.int32(7)\n"
    )
    run, inputs = runner(body)
    y, count = run(inputs)
    assert (y == 2.5 * inputs[0].values.astype(np.float64)).all() and y.dtype == np.float64
    assert count.shape == () and count == 7
    y, _ = run(inputs, {"scale": -1.0})  # the same child
    assert (y == -inputs[0].values).all()


WRONG = {
    "raises": (HEAD + "    x = 1\n    return x[0]\n", "TypeError", 4),
    "raises at import": ("import numpy\nraise OSError('no')\n", "OSError: no", 2),
    "syntax": ("def reference(:\n", "SyntaxError", 1),
    "no function": ("x = 1\n", "there is no function reference", None),
    "exits": (HEAD + "    raise SystemExit(3)\n", "SystemExit: 3", 3),
    "too few": (HEAD + "    return inputs[0]\n", "returned 1 arrays; the spec has 2 outputs (y, count)", None),
    "no array": (HEAD + "    return ['a', 1]\n", "returned no array for output y", None),
    "objects": (HEAD + "    return [np.array([object()]), 1]\n", "an array of object", None),
    "two extents": (HEAD + "    return [inputs[0], np.zeros(2)]\n", "returned 2 numbers for count", None),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_goes_wrong_is_told(case, runner, tmp_path):
    body, told, line = WRONG[case]
    run, inputs = runner(body)
    with pytest.raises(ReferenceFailed) as error:
        run(inputs)
    assert told in error.value.sentence and str(tmp_path / "r.py") in error.value.sentence
    assert error.value.line == line


ENDS = {
    "crash": ("    import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n", State.CRASH, "crashed"),
    "hang": ("    while True: pass\n", State.TIMEOUT, "did not finish in 1 s"),
    "exit": ("    import os; os._exit(0)\n", State.ERROR, "ended its process"),
    "memory": (
        "    b = bytearray(1 << 30)\n    b[::4096] = b'x' * (1 << 18)\n    return b\n",
        State.OUT_OF_MEMORY,
        "256 MB",
    ),
}


@pytest.mark.parametrize("case", ENDS)
def test_a_child_that_ends_is_told_and_replaced(case, runner):
    body, state, told = ENDS[case]
    run, inputs = runner(HEAD + body, Limits(wall_seconds=1, memory_bytes=256 << 20))
    for _ in range(2):
        with pytest.raises(ReferenceFailed) as error:
            run(inputs)
        assert error.value.state is state and told in error.value.sentence
