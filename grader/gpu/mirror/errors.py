"""The exceptions of the mirror: CuPy's names, CUDA's words, and one more plain sentence for the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.simulator.device import Fault

# The statuses of CUDA that the mirror can raise, with the words that CUDA has for them.
STATUS = {
    1: ("CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    2: ("CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    209: ("CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"),
    218: ("CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"),
    500: ("CUDA_ERROR_NOT_FOUND", "named symbol not found"),
    700: ("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    702: ("CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"),
    710: ("CUDA_ERROR_ASSERT", "device-side assert triggered"),
    716: ("CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"),
    719: ("CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"),
    801: ("CUDA_ERROR_NOT_SUPPORTED", "operation not supported"),
}

# What a GPU says to each kind of fault, if anything: as an H200 did to the kernels of tests/simulator/corpus. The
# simulated GPU says more, in the fault's own sentence.
_FAULT_STATUS = {
    "out_of_bounds": 700, "null_pointer": 700, "freed_pointer": 700, "read_only": 700, "misaligned": 716,
    "host_pointer": 700, "shared_out_of_bounds": 700, "stack": 700, "budget": 702, "deadlock": 702, "launch": 1,
    "assert": 710, "unsupported": 801,
}  # fmt: skip
_SILENT = {"race", "async_copy", "uninitialised_shared", "uninitialised_global", "read_only"}
_MAY_HANG = {"barrier", "shuffle", "budget", "deadlock"}


class PlainError:
    """Mixed into an exception that says everything in its message: IPython shows no traceback for it."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class _CudaError(PlainError, RuntimeError):
    def __init__(self, status: int, sentence: str = ""):
        self.status = status
        name, words = STATUS.get(status, (f"CUDA status {status}", "unknown error"))
        super().__init__(f"{name}: {words}" + (f". {sentence}" if sentence else ""))


class CUDADriverError(_CudaError):
    """``cupy.cuda.driver.CUDADriverError``: a call of the CUDA driver failed; ``status`` is its number."""


class CUDARuntimeError(_CudaError):
    """``cupy.cuda.runtime.CUDARuntimeError``: a call of the CUDA runtime failed; ``status`` is its number."""


class OutOfMemoryError(PlainError, MemoryError):
    """``cupy.cuda.memory.OutOfMemoryError``: the device has no room for an array."""


class CompileException(PlainError, Exception):
    """``cupy.cuda.compiler.CompileException``: the source does not compile.

    The message shows the compiler's words and the source line they are about. ``source`` is the whole
    source, ``name`` the file's name, ``options`` the compiler's options, ``diagnostics`` the records.
    """

    def __init__(self, message, source, name, options, backend="nvrtc", diagnostics=()):
        self.source, self.name, self.options, self.backend = source, name, options, backend
        self.diagnostics = tuple(diagnostics)
        super().__init__(message)

    def get_message(self) -> str:
        return str(self)


class DeviceFault(CUDADriverError, CUDARuntimeError):
    """A kernel did something that a GPU answers with an error; ``fault`` tells what, where and which thread.

    CuPy raises one of two exceptions for it, sometimes at a later call: catching either catches this one.
    """

    def __init__(self, fault: Fault, sentence: str, consequence: str = ""):
        self.fault, self.sentence, self._consequence = fault, sentence, consequence
        super().__init__(_FAULT_STATUS.get(fault.kind, 719), f"{sentence} {consequence}".strip())

    def _render_traceback_(self) -> list[str]:
        """What the learner's kernel did first; what a GPU would have said of it after."""
        if self.fault.kind in _SILENT:
            said = "A GPU says nothing, and its results may be wrong."
        elif self.fault.kind in _MAY_HANG:
            said = "A GPU says nothing: it may hang, or go on with wrong results."
        else:
            said = f"A GPU says at most: {': '.join(STATUS[self.status])}."
        return [f"DeviceFault: {self.sentence}", f"{said} {self._consequence}".rstrip()]


class ArgumentError(PlainError, TypeError):
    """An argument of a launch that would not arrive as the kernel takes it."""


class NotInMirror(PlainError, AttributeError, NotImplementedError):
    """Something of CuPy that only real CuPy, on a GPU, has."""
