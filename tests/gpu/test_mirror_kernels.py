import dataclasses

import numpy as np
import pytest

from grader.gpu import mirror as cp
from grader.gpu.mirror import context as contexts
from grader.gpu.mirror.errors import CUDADriverError, CUDARuntimeError, DeviceFault, OutOfMemoryError
from grader.simulator.device import DeviceError, Launch
from grader.verdict import State


@pytest.fixture
def twice(device):
    return cp.RawModule(code="source").get_function("twice")


def test_launches_as_in_cupy(twice, device):
    x = cp.asarray(np.arange(4, dtype=np.float32))
    assert twice((1,), (32,), (x, 4)) is None
    twice((1, 1, 1), (32, 1, 1), (x, np.int32(2)), shared_mem=16)
    assert x.get().tolist() == [0, 4, 4, 6]


def test_raw_kernel_compiles_at_its_first_call(device):
    kernel = cp.RawKernel("source", "twice")
    assert device.loads == 0
    x = cp.ones(2, cp.float32)
    kernel((1,), (2,), (x, 2))
    kernel((1,), (2,), (x, 2))
    assert device.loads == 1 and x.get().tolist() == [4, 4]
    assert kernel.attributes == {
        "shared_size_bytes": 64, "local_size_bytes": 0, "max_dynamic_shared_size_bytes": 49152 - 64,
    }  # fmt: skip


def test_extents_are_filled_up_as_cupy_does(device):
    seen = []
    device.define("shape", lambda d, grid, block, args: seen.append((grid, block)))
    cp.RawKernel("", "shape")((0,), (4, 2), ())
    assert seen == [((1, 1, 1), (4, 2, 1))]
    with pytest.raises(TypeError, match="grid must be a tuple"):
        cp.RawKernel("", "shape")(1, (4,), ())


def test_what_the_kernel_prints_is_printed(device, capsys):
    device.define("talk", lambda *_: Launch(fault=None, counters={}, output="hello from thread 3\n"))
    cp.RawKernel("", "talk")((1,), (4,), ())
    assert capsys.readouterr().out == "hello from thread 3\n"


def test_a_wrong_name_lists_the_kernels(device):
    with pytest.raises(CUDADriverError, match="NOT_FOUND.*no kernel 'thrice'; the kernels here are: twice"):
        cp.RawModule(code="source").get_function("thrice")
    device.infos = {"_Z5twicePfi": device.infos["twice"]}
    with pytest.raises(CUDADriverError, match='extern "C"'):
        cp.RawModule(code="source").get_function("twice")


def test_ptx_from_a_file(tmp_path, device):
    (tmp_path / "a.ptx").write_text(".version 9.0\n.target sm_80\n")
    x = cp.ones(1, cp.float32)
    cp.RawModule(path=str(tmp_path / "a.ptx")).get_function("twice")((1,), (1,), (x, 1))
    assert x.item() == 2
    (tmp_path / "a.cubin").write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(CUDADriverError, match="cubin"):
        cp.RawModule(path=str(tmp_path / "a.cubin")).get_function("twice")


@pytest.mark.parametrize(
    "arguments, exception",
    [({}, TypeError), ({"code": "a", "path": "b"}, TypeError), ({"code": b"a"}, TypeError),
     ({"code": "a", "options": ["-I."]}, TypeError), ({"code": "a", "backend": "nvcc"}, NotImplementedError),
     ({"code": "a", "name_expressions": ("f<int>",)}, NotImplementedError)],
)  # fmt: skip
def test_raw_module_refuses_what_cupy_or_the_mirror_does_not_take(arguments, exception):
    with pytest.raises(exception):
        cp.RawModule(**arguments)


def test_a_fault_is_told_in_one_line_and_ends_the_generation(twice, device, fault):
    x, y = cp.ones(4, cp.float32), cp.ones(4, cp.float32)
    device.functions["twice"] = lambda d, grid, block, args: fault(x.data.ptr)
    with pytest.raises(DeviceFault) as caught:
        twice((1,), (32,), (x, 4))
    error = caught.value
    assert isinstance(error, CUDADriverError) and isinstance(error, CUDARuntimeError)
    assert error.status == 700 and error.fault.line == 7
    line, gpu = error._render_traceback_()
    assert gpu.startswith("A GPU says at most: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered.")
    assert str(error).startswith("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered. twice.cu:7")
    for part in ("twice.cu:7", "4 bytes past the end", "argument 1, float32 of shape (4,)", "thread (4, 0, 0)"):
        assert part in line
    assert device.resets == 1
    for act in (x.get, y.get, lambda: twice((1,), (1,), (x, 4)), lambda: x.fill(0)):
        with pytest.raises(CUDARuntimeError, match="lost when kernel twice failed"):
            act()
    device.functions["twice"] = lambda *_: None
    fresh = cp.ones(4, cp.float32)  # life goes on with new arrays; the module is loaded again
    twice((1,), (32,), (fresh, 4))
    assert fresh.get().tolist() == [1, 1, 1, 1] and device.loads == 2


def test_a_refused_launch_loses_nothing(twice, device, fault):
    import dataclasses

    x = cp.ones(4, cp.float32)
    refused = dataclasses.replace(fault(x.data.ptr), kind="launch", sentence="A block has at most 1024 threads.",
                                  address=None, offset=None, line=None)  # fmt: skip
    device.functions["twice"] = lambda *_: refused
    with pytest.raises(CUDADriverError, match="INVALID_VALUE: invalid argument. A block has at most 1024"):
        twice((1,), (2048,), (x, 4))
    assert device.resets == 0 and x.get().tolist() == [1, 1, 1, 1]


def test_out_of_memory_is_cupys_own_exception(device):
    def alloc(*args, **kwargs):
        raise DeviceError(State.OUT_OF_MEMORY, "The simulated GPU has 4 GiB.")

    device.alloc = alloc
    with pytest.raises(OutOfMemoryError, match="allocating 4,000 bytes. The simulated GPU has 4 GiB"):
        cp.empty(1000, cp.float32)
    assert not device.closed


def test_a_dead_device_process_is_replaced_at_the_next_use(twice, device):
    x = cp.ones(4, cp.float32)
    launch = device.launch

    def die(*args, **kwargs):
        raise DeviceError(State.CRASH, "The device process ended.")

    device.launch = die
    with pytest.raises(CUDARuntimeError, match="The device process ended"):
        twice((1,), (1,), (x, 4))
    assert device.closed
    device.launch = launch
    with pytest.raises(CUDARuntimeError, match="lost"):
        x.get()
    assert cp.ones(2, cp.float32).get().tolist() == [1, 1]


def test_no_compiler_and_no_device_are_told_plainly(monkeypatch):
    def cannot():
        raise DeviceError(State.UNSUPPORTED_HERE, "g++ is missing: apt install g++.")

    monkeypatch.setattr(contexts, "_current", contexts.Context(cannot))
    with pytest.raises(CUDARuntimeError, match="apt install g"):
        cp.zeros(1)


def test_nothing_is_counted_without_a_listener(twice, device):
    x = cp.ones(4, cp.float32)
    twice((1,), (1,), (x, 4))
    heard = []
    contexts.current().listeners.append(lambda *event: heard.append(event))
    twice((1,), (1,), (x, 4))
    assert device.counted == [False, True]
    ((kernel, grid, block, launch, shared_bytes),) = heard
    assert (kernel, grid, block) == ("twice", (1, 1, 1), (1, 1, 1)) and isinstance(launch, Launch)
    assert shared_bytes == 0


def test_more_dynamic_shared_memory_is_asked_for_as_in_cupy(twice, device):
    asked = []
    launch = device.launch

    def note(*args, max_dynamic_shared=None, **options):
        asked.append(max_dynamic_shared)
        return launch(*args, **options)

    device.launch = note
    x = cp.ones(4, cp.float32)
    twice((1,), (1,), (x, 4))
    assert twice.max_dynamic_shared_size_bytes == 49152 - 64
    twice.max_dynamic_shared_size_bytes = 100_000
    twice((1,), (1,), (x, 4), shared_mem=100_000)
    assert twice.max_dynamic_shared_size_bytes == 100_000 and asked == [None, 100_000]
    for size in (-1, (163 << 10) - 63):
        with pytest.raises(CUDADriverError, match="INVALID_VALUE: invalid argument. A kernel cannot ask for"):
            twice.max_dynamic_shared_size_bytes = size
    assert twice.max_dynamic_shared_size_bytes == 100_000


def test_all_objects_of_a_kernel_share_what_was_asked_for(device):
    module = cp.RawModule(code="source")
    module.get_function("twice").max_dynamic_shared_size_bytes = 60_000
    assert module.get_function("twice").max_dynamic_shared_size_bytes == 60_000


@pytest.mark.parametrize(
    "kind, said",
    [("race", "A GPU says nothing, and"), ("deadlock", "A GPU says nothing: it may hang"),
     ("host_pointer", "A GPU says at most: CUDA_ERROR_ILLEGAL_ADDRESS")],
)  # fmt: skip
def test_what_a_gpu_says_of_a_fault(fault, kind, said):
    error = DeviceFault(dataclasses.replace(fault(0), kind=kind), "Told.")
    assert error._render_traceback_()[1].startswith(said)
