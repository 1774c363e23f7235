"""Libraries that nvcc built, unmodified, on the simulated GPU: every way to launch, variables, attributes."""

import itertools

import pytest
from cudart_process import compiled, said

from grader.toolchain.occupancy import occupancy
from grader.toolchain.resources import Resources

SETTING = """
x, y = made("cudaMalloc", 400), made("cudaMalloc", 400)
ok.cudaMemcpy(x, floats(*range(100)), 400, 1)
back = floats(*[0] * 100)
def read():
    ok.cudaMemcpy(back, y, 400, 2)
    return list(back)[:3]
"""


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("plain"), "plain")


@pytest.fixture(scope="session")
def old(tmp_path_factory):
    """As CUDA 12 builds it."""
    return compiled(tmp_path_factory.mktemp("old"), "old", runtime=12)


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    """Compiled for per-thread default streams."""
    return compiled(tmp_path_factory.mktemp("own"), "own", "--default-stream=per-thread")


RUN = """
assert LIB.factor(c_float(2.0)) == 0
stream = made("cudaStreamCreateWithFlags", 1)
assert LIB.run(y, x, ctypes.c_double(3.0), 100, stream) == 0
ok.cudaStreamSynchronize(stream)
count = ctypes.c_uint()
assert LIB.launches(byref(count)) == 0
say([read(), count.value])
"""


def ran(device, library, script):
    return said(device, SETTING + script.replace("LIB", library.stem), libraries=(library,))


@pytest.mark.parametrize("name", ["plain", "old", "own"])
def test_a_compiled_library_runs_its_kernel(device, request, name):
    assert ran(device, request.getfixturevalue(name), RUN) == [[[10.0, 16.0, 22.0], 1]]
    assert device.fault() is None and not any(device.live().values())


def test_libraries_of_both_versions_share_one_runtime(device, plain, old):
    script = SETTING + RUN.replace("LIB", "plain") + RUN.replace("LIB", "old")
    assert said(device, script, libraries=(old, plain)) == [[[10.0, 16.0, 22.0], 1]] * 2
    assert {record.process for record in device.log()} == {1}


def test_the_log_names_what_was_called_and_the_stream(device, plain):
    ran(device, plain, RUN)
    calls = [(record.call, record.stream) for record in device.log()]
    launched = next(stream for call, stream in calls if call == "cudaLaunchKernel")
    assert launched > 2
    assert calls == [
        ("cudaMalloc", None), ("cudaMalloc", None), ("cudaMemcpy", 1), ("module", None), ("variable", None),
        ("cudaMemcpyToSymbol", 1), ("cudaStreamCreateWithFlags", None), ("kernel", None), ("cudaLaunchKernel", launched),
        ("cudaGetLastError", None), ("cudaStreamSynchronize", launched), ("variable", None), ("cudaMemcpyFromSymbol", 1),
        ("cudaMemcpy", 1), ("module_free", None),
    ]  # fmt: skip


def test_stream_0_is_the_threads_own_where_the_library_was_compiled_so(device, plain, own):
    ran(device, own, "assert LIB.run(y, x, ctypes.c_double(1.0), 100, 0) == 0")
    ran(device, plain, "assert LIB.run(y, x, ctypes.c_double(1.0), 100, 0) == 0")
    assert [r.stream for r in device.log() if r.call == "cudaLaunchKernel"] == [2, 0]


def test_other_ways_to_launch(device, plain):
    script = """
LIB.factor(c_float(1.0))
x_, y_ = ctypes.c_uint64(x), ctypes.c_uint64(y)
assert LIB.cooperative(y, x, c_float(2.0), 100) == 0
say(read())
assert LIB.by_handle(y, x, c_float(3.0), 100) == 0
say(read())
assert LIB.extensible(y, x, ctypes.c_double(4.0), 100, 1) == 0
say(read())
say(LIB.extensible(y, x, ctypes.c_double(4.0), 100, 2))
"""
    expected = [[10.0, 10.0 + a, 10.0 + 2 * a] for a in (2.0, 3.0, 4.0)]
    assert ran(device, plain, script) == [*expected, 801]


def test_launches_that_are_refused(device, plain):
    script = """
say(LIB.run_nothing(y))
say(LIB.run_small(y, 65, 0))
say(LIB.run_small(y, 2000, 0))
say(LIB.run_small(y, 64, 49152))
say(cuda.cudaLaunchKernel(ctypes.addressof(back), Dim3(1, 1, 1), Dim3(1, 1, 1), None, 0, 0))
say(cuda.cudaGetLastError())
say(cuda.cudaGetLastError())
"""
    assert ran(device, plain, script) == [1, 1, 1, 1, 400, 400, 0]  # as an H200 with CUDA 13.0: h200_statuses.csv


def test_dynamic_shared_memory_is_asked_for(device, plain):
    script = """
say(LIB.ask_for(162 * 1024))
say(LIB.run_small(y, 64, 162 * 1024))
say(LIB.ask_for(162 * 1024 + 1))
say(LIB.ask_for(-1))
"""
    assert ran(device, plain, script) == [0, 0, 1, 1]


def test_a_kernels_attributes_and_occupancy(device, plain):
    cases = list(itertools.product((1, 32, 33, 64), (0, 1000, 20000, 48128)))
    script = f"""
all = (c_int * 4)()
assert LIB.attributes(all) == 0
say(list(all))
for threads, dynamic in {cases}:
    blocks = c_int()
    assert LIB.occupancy(byref(blocks), threads, dynamic) == 0
    say(blocks.value)
say(LIB.occupancy(byref(blocks), 0, 0))
"""
    first, *blocks, refused = ran(device, plain, script)
    assert first == [1024, 64, 32, 48 * 1024 - 1024] and refused == 1
    resources = Resources(
        registers=32, spill_store_bytes=0, spill_load_bytes=0, stack_bytes=0, shared_bytes=1024, barriers=0
    )
    assert blocks == [occupancy(resources, threads, dynamic).blocks for threads, dynamic in cases]


def test_a_fault_is_told_where_something_waits_and_stays(device, plain):
    script = """
say(LIB.run_wild(y))
say(cuda.cudaDeviceSynchronize())
say([cuda.cudaGetLastError(), cuda.cudaGetLastError(), cuda.cudaFree(x), text("cudaGetErrorName", 700)])
"""
    assert ran(device, plain, script) == [0, 700, [700, 0, 700, "cudaErrorIllegalAddress"]]
    assert device.fault().kind == "out_of_bounds"


def test_a_library_that_is_closed_takes_its_module_along_and_can_be_loaded_again(device, plain):
    script = (
        RUN
        + """
import _ctypes
_ctypes.dlclose(LIB._library._handle)
say(cuda.cudaLaunchKernel(1234, Dim3(1, 1, 1), Dim3(1, 1, 1), None, 0, 0))
cuda.cudaGetLastError()
LIB = Calls(ctypes.CDLL(LIB._library._name))
"""
        + RUN
    )
    first, refused, second = ran(device, plain, script)
    assert first == second == [[10.0, 16.0, 22.0], 1] and refused == 400
    assert [r.call for r in device.log()].count("module_free") == 2


def test_a_library_without_a_simulated_kernel_is_told_when_it_launches(device, tmp_path):
    library = compiled(tmp_path, "real", target="sm_80", source="""
#include <cuda_runtime.h>
__global__ void k() {}
extern "C" int run() { k<<<1, 1>>>(); return cudaGetLastError(); }
""")  # fmt: skip
    assert said(device, "say(real.run())", libraries=(library,)) == [209]


def test_a_reset_forgets_what_was_loaded(device, plain):
    script = RUN + "ok.cudaDeviceReset()\n" + SETTING + RUN
    assert ran(device, plain, script) == [[[10.0, 16.0, 22.0], 1]] * 2


def test_another_connection_starts_anew(device, plain):
    with device.connection() as spare:
        script = SETTING + RUN + f"ok.graderRuntimeConnect({spare.fileno()})\n" + SETTING + RUN
        answers = said(device, script.replace("LIB", "plain"), libraries=(plain,), descriptors=(spare.fileno(),))
    assert answers == [[[10.0, 16.0, 22.0], 1]] * 2
    assert {record.process for record in device.log()} == {1, 2}
