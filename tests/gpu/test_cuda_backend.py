"""The CUDA backend against a CuPy whose device memory is this process's own memory."""

import ctypes
import struct
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from grader.gpu.cuda_backend import CANARY, GAP, CudaBackend, values
from grader.simulator.device import DeviceError
from grader.verdict import State

PTX = """
.version 9.0
.target sm_80
.address_size 64

.visible .entry write_at(
    .param .u64 write_at_param_0,
    .param .u8 write_at_param_1,
    .param .align 4 .b8 write_at_param_2[12]
)
{
    ret;
}
"""


class RuntimeError_(RuntimeError):
    def __init__(self, status, words):
        self.status = status
        super().__init__(words)


class FakeCupy:
    """As much of CuPy as the backend uses. ``kernel(*args)`` is what a launch runs, with arguments as bytes."""

    def __init__(self):
        self.allocations, self.limit, self.kernel = {}, 1 << 24, lambda *args: None
        self.finishes, self.sync_error, self.modules = True, None, []
        fake = self

        class Event:
            ptr = 1

            def record(self):
                pass

        class Device:
            def synchronize(self):
                if fake.sync_error:
                    raise fake.sync_error

        runtime = SimpleNamespace(
            CUDARuntimeError=RuntimeError_, malloc=self.malloc, free=self.allocations.pop, memset=ctypes.memset,
            eventQuery=self.query, memcpy=lambda to, source, nbytes, kind: ctypes.memmove(to, source, nbytes),
        )  # fmt: skip
        self.cuda = SimpleNamespace(
            runtime=runtime, driver=SimpleNamespace(CUDADriverError=RuntimeError_), Event=Event, Device=Device,
            get_elapsed_time=lambda start, stop: 2.0,
        )  # fmt: skip

    def query(self, event):
        """What ``cudaEventQuery`` answers: 600 while the kernel runs, its error once it failed, else 0."""
        if not self.finishes:
            return 600
        return self.sync_error.status if self.sync_error else 0

    def malloc(self, nbytes):
        if nbytes > self.limit:
            raise RuntimeError_(2, "cudaErrorMemoryAllocation: out of memory")
        memory = ctypes.create_string_buffer(nbytes + 512)
        base = ctypes.addressof(memory) + -ctypes.addressof(memory) % 512
        self.allocations[base] = memory
        return base

    def RawModule(self, path):
        self.modules.append(path)

        def get_function(name):
            def call(grid, block, args, shared_mem):
                self.asked = getattr(call, "max_dynamic_shared_size_bytes", None)
                self.kernel(*(arg.tobytes() for arg in args))

            call.shared_size_bytes, call.local_size_bytes = 48, 16
            return call

        return SimpleNamespace(get_function=get_function)

    def RawKernel(self, code, name):
        assert "grader_checksum" in code

        def checksum(grid, block, args):
            address, nbytes, total = args
            total[0] = zlib.crc32(ctypes.string_at(int(address), int(nbytes)))

        return checksum

    def zeros(self, n, dtype):
        class Array(np.ndarray):
            def get(self):
                return np.asarray(self)

        return np.zeros(n, dtype).view(Array)


@pytest.fixture
def cupy():
    return FakeCupy()


@pytest.fixture
def backend(cupy):
    return CudaBackend(cupy, launch_seconds=0.01)


def poke(address, offset=0, value=1):
    """A kernel that writes one byte at ``address + offset``."""
    return lambda *args: ctypes.memset(address + offset, value, 1)


def launch(backend, module=None):
    module = module or backend.load(PTX)
    return backend.launch(module, "write_at", (1, 1, 1), (32, 1, 1), bytes(24))


def test_memory_is_poisoned_filled_or_zero(backend):
    for options, expected in (({}, 0xCD), ({"fill": 7}, 7), ({"sparse": True}, 0)):
        address = backend.alloc(100, **options)
        assert address % 512 == 0
        assert backend.read(address, 100) == bytes([expected]) * 100


def test_write_and_read_within_a_buffer(backend):
    address = backend.alloc(16)
    backend.write(address + 4, np.arange(3, dtype=np.float32))
    assert backend.read(address + 4, 12) == np.arange(3, dtype=np.float32).tobytes()
    outside = (
        lambda: backend.read(address + 10, 7), lambda: backend.write(address - 1, b"x"), lambda: backend.free(1)
    )  # fmt: skip
    for act in outside:
        with pytest.raises(DeviceError) as caught:
            act()
        assert caught.value.state is State.GRADER_FAULT
    assert backend.alloc(0) and launch(backend).fault is None


def test_no_room(backend, cupy):
    for options, state in (({}, State.OUT_OF_MEMORY), ({"sparse": True}, State.UNSUPPORTED_HERE)):
        with pytest.raises(DeviceError, match="no room for a buffer of 33,554,432 bytes") as caught:
            backend.alloc(1 << 25, **options)
        assert caught.value.state is state
    assert backend.alloc(4)


def test_free_and_reset_give_everything_back(backend, cupy):
    address = backend.alloc(4)
    backend.free(address)
    assert not cupy.allocations
    backend.alloc(4)
    backend.load(PTX)
    backend.reset()
    assert not cupy.allocations
    backend.load(PTX)
    assert len(set(cupy.modules)) == 2  # CuPy remembers modules by path


def test_arguments_are_taken_apart_for_cupy(backend):
    info = backend.kernels(backend.load(PTX))["write_at"]
    assert (info.shared_bytes, info.local_bytes, info.max_threads) == (48, 16, None)
    assert [(p.type, p.size, p.offset) for p in info.parameters] == [("u64", 8, 0), ("u8", 1, 8), ("b8", 12, 12)]
    block = struct.pack("<QB3x12s", 5, 6, b"twelve bytes")
    assert [v.tobytes() for v in values(block, info)] == [struct.pack("<Q", 5), b"\6", b"twelve bytes"]
    assert all(v.size == 1 for v in values(block, info))


def test_a_clean_launch_has_no_counters(backend, cupy):
    address = backend.alloc(4)
    cupy.kernel = poke(address, 3, 9)
    result = launch(backend)
    assert result.fault is None and result.counters is None and result.estimates == {} and result.lines == ()
    assert result.seconds == 0.002
    assert backend.read(address, 4)[3] == 9


def test_more_dynamic_shared_memory_is_asked_for(backend, cupy):
    module = backend.load(PTX)
    for asked in (None, 100_000):
        backend.launch(module, "write_at", (1, 1, 1), (1, 1, 1), bytes(24), max_dynamic_shared=asked)
        assert cupy.asked == asked


@pytest.mark.parametrize(
    "offset, words",
    [
        (100, "wrote right past the end of y (100 bytes long)"),
        (103, "wrote 3 bytes past the end of y"),
        (100 + GAP - 1, "past the end of y"),
        (-1, "wrote 1 bytes before the start of y"),
        (-GAP, "4,096 bytes before the start of y"),
    ],
)
def test_a_damaged_canary_names_the_buffer(backend, cupy, offset, words):
    backend.alloc(64, name="x")
    address = backend.alloc(100, name="y")
    backend.alloc(64, name="z")
    module = backend.load(PTX)
    cupy.kernel = poke(address, offset, CANARY[0] ^ 0xFF if offset < 0 else 1)
    for _ in range(2):  # found each time that it happens
        fault = launch(backend, module).fault
        assert (fault.kind, fault.buffer, fault.offset, fault.buffer_bytes) == ("out_of_bounds", "y", offset, 100)
        assert words in fault.sentence and fault.thread is None and fault.line is None
    cupy.kernel = lambda *args: None
    assert launch(backend, module).fault is None  # and told once


def test_a_changed_input_is_found(backend, cupy):
    address = backend.alloc(8, name="x", read_only=True)
    backend.write(address, bytes(8))
    assert launch(backend).fault is None
    backend.write(address, b"12345678")  # the host may
    assert launch(backend).fault is None
    cupy.kernel = poke(address, 2)
    fault = launch(backend).fault
    assert (fault.kind, fault.buffer) == ("read_only", "x") and "may only read" in fault.sentence


@pytest.mark.parametrize(
    "status, kind, lost",
    [(700, "out_of_bounds", True), (716, "misaligned", True), (719, "trap", True), (999, "trap", True),
     (1, "launch", False), (9, "launch", False), (701, "launch", False)],
)  # fmt: skip
def test_cudas_errors_become_faults(backend, cupy, status, kind, lost):
    cupy.sync_error = RuntimeError_(status, "cudaErrorSomething: words of CUDA")
    fault = launch(backend).fault
    assert fault.kind == kind and fault.kernel == "write_at"
    if kind != "launch":
        assert "words of CUDA" in fault.sentence and "GRADER_DEVICE=simulated" in fault.sentence
    cupy.sync_error = None
    if lost:
        for act in (lambda: backend.alloc(4), backend.reset, lambda: launch(backend)):
            with pytest.raises(DeviceError, match="context is lost") as caught:
                act()
            assert caught.value.state is State.CRASH
    else:
        assert launch(backend).fault is None


def test_a_kernel_that_never_ends(backend, cupy):
    cupy.finishes = False
    fault = launch(backend).fault
    assert fault.kind == "budget" and "Does its loop end?" in fault.sentence
    with pytest.raises(DeviceError, match="still running"):
        backend.reset()


def test_a_zero_extent_is_refused_as_cuda_does(backend):
    module = backend.load(PTX)
    fault = backend.launch(module, "write_at", (0, 1, 1), (32, 1, 1), bytes(24)).fault
    assert fault.kind == "launch" and "zero or too large" in fault.sentence


def test_what_is_no_ptx_is_told(backend):
    with pytest.raises(DeviceError) as caught:
        backend.load(".version 9.0 .target sm_80 .entry f(.param .texref t) { ret; }")
    assert caught.value.state is State.UNSUPPORTED_HERE
