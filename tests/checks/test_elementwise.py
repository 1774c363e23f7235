"""Checks of elementwise kernels, tried on kernels that are NumPy functions: what each lets pass, what not."""

import dataclasses

import numpy as np
import pytest

from grader.checks import POISON, Case, In, Out, Tolerance, elementwise, failed, grid_1d
from grader.checks.values import compare
from grader.exercises.bench import KernelBench, Run, pack, place
from grader.verdict import State


def make(kernel, n, rng):
    return make_at(kernel, n, 0, n, rng)


def make_at(kernel, n, start, total, rng):
    x = rng.uniform(1, 2, n).astype(np.float32)
    where = {"start": start, "total": total}
    return Case(
        kernel=kernel, grid=grid_1d(total), block=(256, 1, 1), tolerance=Tolerance(), label=f"n = {n}",
        arguments=(In("x", x, **where), Out("y", x.shape, np.float32, **where), np.int64(total)),
        expected={"y": x.astype(np.float64)},
    )  # fmt: skip


class Bench:
    """A bench whose kernel is a function: from n, threads and launch to the elements that it copies."""

    def __init__(self, elements, sectors=1.0):
        self.elements, self.sectors, self.seen = elements, sectors, []

    def launch(self, case, *, kind=None, ranges=(None,), budget=None, poison=POISON):
        self.seen.append(case)
        x, (out,) = case.inputs[0], case.outputs
        n, room = int(case.arguments[-1]), (x.total or x.size) - x.start - x.size
        y = np.frombuffer(bytes([poison]) * 4 * out.size, np.float32).copy()
        for first, last in (r or (0, case.grid[0]) for r in ranges):
            threads = np.arange(first * case.block[0], min(last, case.grid[0]) * case.block[0])
            done = np.asarray(self.elements(n, threads, case.grid[0] * case.block[0], case.block[0]), np.int64)
            outside = done[done >= n + room]
            if outside.size:
                return Run(finding=failed(f"reads x[{outside[0]}], past its end"))
            inside = done[(done >= out.start) & (done < out.start + out.size)] - out.start
            y[inside] = x.data[inside]
        return Run(outputs={"y": y})

    def measure(self, case):
        from grader.gpu import counters as c

        least = case.arguments[0].size * 4 // 32
        named = {
            c.LOAD_SECTORS: least * self.sectors,
            c.LOAD_REQUESTS: 1,
            c.STORE_SECTORS: least,
            c.STORE_REQUESTS: 1,
        }
        return dataclasses.replace(self.launch(case), counters=named)

    def verify(self, case):
        run = self.launch(case)
        return run.finding or compare(case, run.outputs)

    first_failure = KernelBench.first_failure


def right(n, threads, total, block):
    """A grid-stride loop; past 2^30 elements only its first step, to keep the test small."""
    if n > 1 << 30:
        return threads[threads < n]
    return np.concatenate([np.arange(t, n, total) for t in threads]) if n else []


def one_each(n, threads, total, block):
    return threads[threads < n]


def unguarded(n, threads, total, block):
    return threads


def whole_blocks(n, threads, total, block):
    return [i for i in right(n, threads, total, block) if i < n - n % block]


def block_of_256(n, threads, total, block):
    return right(n, threads // block * 256 + threads % block, total, block)


def wraps(n, threads, total, block):
    return threads % (1 << 32)


def by_fours(n, threads, total, block):
    four = threads[threads < n // 4]
    return (4 * four[:, None] + np.arange(4)).ravel()


RNG = np.random.default_rng
CHECKS = {
    "sizes": elementwise.every_size(make, ["k"]),
    "small": elementwise.small_grid(make, ["k"]),
    "blocks": elementwise.any_block(make, ["k"]),
    "int": elementwise.last_of(elementwise.PAST_INT, make_at, ["k"]),
    "unsigned": elementwise.last_of(elementwise.PAST_UNSIGNED, make_at, ["k"]),
}


@pytest.mark.parametrize(
    ("kernel", "caught"),
    [
        (right, set()),
        (one_each, {"small", "blocks"}),
        (unguarded, {"sizes", "small", "blocks"}),
        (whole_blocks, {"sizes"}),
        (block_of_256, {"small", "blocks"}),
        (wraps, {"sizes", "small", "blocks", "unsigned"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_what_is_caught(kernel, caught):
    states = {name: run(Bench(kernel), RNG(1)).state for name, run in CHECKS.items()}
    assert {name for name, state in states.items() if state is not State.PASS} == caught


@pytest.mark.parametrize("name", ["int", "unsigned"])
def test_a_kernel_that_takes_four_elements_a_thread_is_as_good(name):
    assert CHECKS[name](Bench(by_fours), RNG(1)).state is State.PASS


def test_only_the_check_of_sizes_has_no_room_behind_the_data():
    for name, run in CHECKS.items():
        bench = Bench(right)
        run(bench, RNG(1))
        exact = [case.inputs[0].total == case.inputs[0].start + case.inputs[0].size for case in bench.seen]
        assert all(exact) == any(exact) == (name == "sizes")


def test_hidden_sizes_are_drawn():
    drawn = set()
    for seed in range(3):
        bench = Bench(right)
        CHECKS["sizes"](bench, RNG(seed))
        drawn |= {case.inputs[0].size for case in bench.seen} - set(elementwise.SIZES)
    assert len(drawn) == 3


def test_traffic_is_judged_by_its_ratio_to_the_least():
    reads = elementwise.reads_once(make, ["k"])
    assert reads(Bench(right), RNG(1)).state is State.PASS
    finding = reads(Bench(right, sectors=4), RNG(1))
    assert finding.state is State.FAIL and "4.0 times" in finding.message
    assert elementwise.writes_once(make, ["k"])(Bench(right, sectors=4), RNG(1)).state is State.PASS


def test_an_endless_loop_is_explained():
    class Endless(Bench):
        def launch(self, case, **options):
            return Run(finding=failed("budget used up", state=State.TIMEOUT))

    finding = CHECKS["unsigned"](Endless(right), RNG(1))
    assert finding.state is State.TIMEOUT and "instead of ending" in finding.message


def test_a_check_of_no_kernel_is_an_error():
    with pytest.raises(ValueError, match="no kernel"):
        elementwise.last_of(8, make_at, [])(Bench(right), RNG(1))


# Buffers of a case


def test_a_plain_buffer_holds_its_data_alone():
    x = np.arange(3, dtype=np.float32)
    buffer = place(In("x", x), 8)
    assert (buffer.nbytes, buffer.name, buffer.read_only, buffer.sparse) == (12, "x", True, False)
    assert (buffer.data, buffer.offset, buffer.pointer, buffer.wanted) == (x.tobytes(), 0, 8, None)


def test_data_stands_far_inside_a_sparse_buffer():
    far = 2 * (1 << 32)
    buffer = place(Out("y", (2,), np.float16, start=1 << 32, total=(1 << 32) + 8), 0)
    assert (buffer.nbytes, buffer.name, buffer.read_only, buffer.sparse) == (far + 16, "y", False, True)
    assert (buffer.data, buffer.offset, buffer.wanted) == (b"\xcd" * 4, far, (far, 4))


def test_inputs_may_be_made_writable():
    case = make("k", 4, RNG(0)).with_writable_inputs().with_room(2)
    buffer = place(case.inputs[0], 0)
    assert (buffer.nbytes, buffer.name, buffer.read_only, buffer.sparse) == (24, "x", False, False)


def test_an_argument_of_another_size_is_refused():
    with pytest.raises(ValueError, match="4 bytes for a parameter of 8"):
        pack([type("P", (), {"size": 8, "offset": 0})], [np.int32(1)])
