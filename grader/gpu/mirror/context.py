"""The one simulated GPU of this Python process: its memory, and what is lost when a kernel faults."""

from __future__ import annotations

import atexit
import contextlib
import weakref
from collections.abc import Callable, Iterator

from grader.gpu.mirror.errors import CUDADriverError, CUDARuntimeError, DeviceFault, OutOfMemoryError
from grader.simulator.device import Device, DeviceError, Fault, Launch, TraceRequest
from grader.verdict import State

# Called with (kernel, grid, block, launch, dynamic shared bytes) after each launch that did not fault: how `profile`
# listens.
Listener = Callable[[str, tuple, tuple, Launch, int], None]


class Context:
    """Owns a ``Device``, opened at first use.

    A fault ends the life of everything in device memory, as on a GPU; unlike there, the process can go on:
    ``generation`` grows, older memory is dead, and new arrays live on a device that was reset.
    """

    def __init__(self, open_device: Callable[[], Device] = Device.simulated):
        self._open = open_device
        self._device: Device | None = None
        self.generation = 0
        self.epitaph = ""  # why the last generation ended
        self.listeners: list[Listener] = []
        self.sources: dict[str, dict[str, str]] = {}  # kernel -> its files, of the kernels launched so far
        self.options: dict[str, tuple[str, tuple[str, ...]]] = {}  # kernel -> (code, options), likewise
        self._traced: tuple[TraceRequest, list[Launch]] | None = None

    @property
    def device(self) -> Device:
        if self._device is None:
            try:
                self._device = self._open()
            except DeviceError as error:
                raise CUDARuntimeError(801, error.sentence) from None
        return self._device

    def close(self) -> None:
        """End the device process; the next use opens a fresh one."""
        if self._device is not None:
            device, self._device = self._device, None
            self.end_generation("the device was closed")
            device.close()

    def end_generation(self, epitaph: str) -> None:
        self.generation += 1
        self.epitaph = epitaph

    @contextlib.contextmanager
    def _calls(self, nbytes: int | None = None, wrong: int = 801):
        """Turn a ``DeviceError`` into what CuPy raises; a device process that ended is replaced at the next use.

        ``wrong`` is CUDA's status for a call that asks for what cannot be.
        """
        try:
            yield
        except DeviceError as error:
            if error.state is State.OUT_OF_MEMORY and nbytes is not None:
                raise OutOfMemoryError(f"Out of memory allocating {nbytes:,} bytes. {error.sentence}") from None
            if error.state in (State.CRASH, State.TIMEOUT, State.OUT_OF_MEMORY, State.GRADER_FAULT):
                with contextlib.suppress(Exception):
                    self.close()
                self.epitaph = error.sentence
                raise CUDARuntimeError(702 if error.state is State.TIMEOUT else 719, error.sentence) from None
            status = wrong if error.state is State.ERROR else 801
            raise CUDADriverError(status, error.sentence) from None

    def allocate(self, nbytes: int, name: str, fill: int | None = None) -> Memory:
        if nbytes == 0:
            return Memory(self, 0, 0)
        with self._calls(nbytes):
            return Memory(self, self.device.alloc(nbytes, name=name, fill=fill), nbytes)

    def write(self, address: int, data) -> None:
        with self._calls():
            self.device.write(address, data)

    def read(self, address: int, nbytes: int) -> bytes:
        if nbytes == 0:
            return b""
        with self._calls():
            return self.device.read(address, nbytes)

    def load(self, ptx: str):
        with self._calls():
            module = self.device.load(ptx)
            return module, self.device.kernels(module)

    @contextlib.contextmanager
    def tracing(self, request: TraceRequest) -> Iterator[list[Launch]]:
        """The launches inside ``with`` keep a trace, and come to the list that this gives, faulty ones too."""
        launches: list[Launch] = []
        self._traced = request, launches
        try:
            yield launches
        finally:
            self._traced = None

    def launch(
        self, module, kernel: str, grid, block, args: bytes, shared_bytes: int, explain, most_shared: int | None = None
    ) -> Launch:
        """Run a kernel to its end. ``explain(fault)`` gives the sentence of a fault, which is then raised."""
        wanted = {"count": bool(self.listeners)} if self._traced is None else {"trace": self._traced[0]}
        if most_shared is not None:
            wanted["max_dynamic_shared"] = most_shared
        with self._calls(wrong=1):
            launch = self.device.launch(module, kernel, grid, block, args, shared_bytes=shared_bytes, **wanted)
        if self._traced is not None:
            self._traced[1].append(launch)
        if launch.output:  # what the kernel's printf wrote, as far as it came
            print(launch.output, end="")
        if launch.fault is not None:
            self._raise(launch.fault, explain(launch.fault))
        for listener in tuple(self.listeners):
            listener(kernel, grid, block, launch, shared_bytes)
        return launch

    def _raise(self, fault: Fault, sentence: str):
        consequence = ""
        if fault.kind != "launch":  # a launch that was refused ran nothing, so nothing is lost
            consequence = (
                "The arrays on the device are lost, as after an error on a GPU (there, the whole process has to start "
                "again): make them anew before the next launch."
            )
            with self._calls():
                self.device.reset()
            self.end_generation(f"kernel {fault.kernel} failed")
        raise DeviceFault(fault, sentence, consequence)


class Memory:
    """A piece of device memory; freed when the last array over it goes."""

    def __init__(self, context: Context, ptr: int, nbytes: int):
        self.context, self.ptr, self.size, self.generation = context, ptr, nbytes, context.generation
        if ptr:
            self._free = weakref.finalize(self, _free, context, ptr, context.generation)
            self._free.atexit = False  # the device process goes with everything in it

    def check(self) -> None:
        """Raise if this memory was lost with an earlier generation."""
        if self.ptr and self.generation != self.context.generation:
            raise CUDARuntimeError(
                700,
                f"This array was lost when {self.context.epitaph}. Make it again: run the cell that creates it.",
            )


def _free(context: Context, ptr: int, generation: int) -> None:
    if context.generation == generation and context._device is not None:
        with contextlib.suppress(DeviceError):  # nobody waits for the answer; the next call will meet the trouble
            context._device.free(ptr)


_current: Context | None = None


def current() -> Context:
    """The context of this process, made at first use."""
    global _current
    if _current is None:
        _current = Context()
        atexit.register(_current.close)
    return _current


def use(context: Context | None) -> None:
    """Replace the context of this process (tests)."""
    global _current
    _current = context
