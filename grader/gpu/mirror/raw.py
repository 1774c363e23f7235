"""``cupy.RawKernel`` and ``cupy.RawModule``: compile CUDA C++ or take PTX, and launch it on the simulated GPU."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.gpu.mirror import source
from grader.gpu.mirror.arguments import pack
from grader.gpu.mirror.context import Context, current
from grader.gpu.mirror.errors import CUDADriverError, NotInMirror
from grader.simulator.device import Fault, KernelInfo
from grader.simulator.limits import MAX_SHARED, asking_problem


@dataclass
class _Program:
    """PTX, and the module that it is on the device of each generation."""

    ptx: str
    sources: dict[str, str] = field(default_factory=dict)  # what it was compiled from, by file name
    most_shared: dict[str, int] = field(default_factory=dict)  # MaxDynamicSharedMemorySize that was set, by kernel
    _loaded: dict[tuple[int, int], tuple[object, dict[str, KernelInfo]]] = field(default_factory=dict)

    def on(self, context: Context) -> tuple[object, dict[str, KernelInfo]]:
        key = (id(context), context.generation)
        if key not in self._loaded:
            self._loaded = {key: context.load(self.ptx)}
        return self._loaded[key]


class RawModule:
    """CUDA source (``code``) or PTX (``path``) with one or more kernels."""

    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", name_expressions=None, **rest):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if code is not None and not isinstance(code, str):
            raise TypeError(f"Argument 'code' has incorrect type (expected str, got {type(code).__name__})")
        if not isinstance(options, tuple):
            raise TypeError(f"Argument 'options' has incorrect type (expected tuple, got {type(options).__name__})")
        if backend != "nvrtc" or name_expressions is not None or any(rest.values()):
            asked = "backend" if backend != "nvrtc" else next((k for k, v in rest.items() if v), "name_expressions")
            raise NotInMirror(f"RawModule({asked}=...) needs real CuPy and a GPU; the mirror has code, path, options")
        self.code, self.file_path, self.options, self.backend = code, path, options, backend
        self._program: _Program | None = None

    def compile(self, log_stream=None) -> None:
        """Compile now. Without it, the first ``get_function`` compiles."""
        self._get_program()

    def get_function(self, name: str) -> RawKernel:
        """The kernel of this name; the source must declare it ``extern "C" __global__``."""
        kernel = RawKernel(self.code or "", name, self.options)
        kernel.file_path, kernel._program = self.file_path, self._get_program()
        kernel._find()  # a wrong name is an error here, as in CuPy
        return kernel

    def get_global(self, name: str):
        raise NotInMirror("RawModule.get_global needs real CuPy and a GPU")

    def _get_program(self) -> _Program:
        if self._program is None:
            if self.code is not None:
                self._program = _compiled(self.code, self.options)
            else:
                self._program = _Program(_read_ptx(self.file_path))
        return self._program


class RawKernel:
    """One kernel. Called as ``kernel(grid, block, args, shared_mem=0)``; the launch ends before it returns."""

    def __init__(self, code, name, options=(), backend="nvrtc", **rest):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("RawKernel(code, name): both are str")
        if backend != "nvrtc" or any(rest.values()):
            raise NotInMirror("the mirror's RawKernel has code, name and options; the rest needs real CuPy and a GPU")
        self.code, self.name, self.options, self.backend = code, name, options, backend
        self.__name__ = name
        self.file_path: str | None = None
        self._program: _Program | None = None

    def compile(self, log_stream=None) -> None:
        self._find()

    def __call__(self, grid, block, args, *, shared_mem: int = 0, stream=None) -> None:
        """Launch: ``grid`` and ``block`` are tuples of up to three extents, ``args`` a tuple of arguments."""
        context = current()
        module, info = self._find()
        grid, block = _extents(grid, "grid"), _extents(block, "block")
        data = pack(tuple(args), info)
        context.sources[self.name] = self.sources
        context.options[self.name] = self.code, tuple(self.options)
        context.launch(
            module, self.name, grid, block, data, int(shared_mem), lambda fault: explain(fault, args),
            self._program.most_shared.get(self.name),
        )  # fmt: skip

    @property
    def sources(self) -> dict[str, str]:
        """What the kernel was compiled from, by file name; empty before it is compiled, and where it is PTX."""
        return self._program.sources if self._program else {}

    @property
    def attributes(self) -> dict[str, int]:
        """What the PTX says of the kernel."""
        _, info = self._find()
        return {
            "shared_size_bytes": info.shared_bytes,
            "local_size_bytes": info.local_bytes,
            "max_dynamic_shared_size_bytes": self.max_dynamic_shared_size_bytes,
        }

    shared_size_bytes = property(lambda self: self.attributes["shared_size_bytes"])
    local_size_bytes = property(lambda self: self.attributes["local_size_bytes"])

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """How much dynamic shared memory a launch may give a block: without more ado 48 KiB less the static.

        The most is 227 KiB less the static ones for code compiled for compute capability 9.0, 163 KiB for 8.0. As in
        CuPy, it is the same for all objects that stand for the kernel.
        """
        _, info = self._find()
        return self._program.most_shared.get(self.name, MAX_SHARED - info.shared_bytes)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        _, info = self._find()
        target = re.search(r"^\.target\s+(\w+)", self._program.ptx, re.M)
        if problem := asking_problem(info.shared_bytes, operator.index(size), target[1] if target else ""):
            raise CUDADriverError(1, problem)
        self._program.most_shared[self.name] = operator.index(size)

    @property
    def num_regs(self) -> int:
        """Registers of a thread, as ptxas assigns them for compute capability 8.0."""
        from grader.gpu.ptxas import ResourcesUnavailable, resources

        try:
            return resources(self)[self.name].registers
        except ResourcesUnavailable as problem:
            raise NotInMirror(f"RawKernel.num_regs: {problem}") from None

    def _find(self) -> tuple[object, KernelInfo]:
        if self._program is None:
            self._program = _compiled(self.code, self.options)
        module, kernels = self._program.on(current())
        if self.name not in kernels:
            known = ", ".join(sorted(kernels)) or "none"
            mangled = any(self.name in name for name in kernels)
            advice = ' Declare the kernel extern "C" __global__, so that its name stays as it is.' if mangled else ""
            raise CUDADriverError(500, f"There is no kernel {self.name!r}; the kernels here are: {known}.{advice}")
        return module, kernels[self.name]


def _compiled(code: str, options: tuple[str, ...]) -> _Program:
    return _Program(source.compile(code, options), source.named(code))


def explain(fault: Fault, args=()) -> str:
    """One line about a fault: where, which thread, what, and which argument of the launch it was about."""
    from grader.gpu.mirror.core import ndarray

    where = f"{fault.file}:{fault.line}: " if fault.file and fault.line else ""
    who = f"kernel {fault.kernel}"
    if fault.block is not None and fault.thread is not None:
        who += f", block {_tuple(fault.block)}, thread {_tuple(fault.thread)}"
    whose = remedy = ""
    if fault.kind == "uninitialised_global":  # all other ways to make an array write to it
        remedy = ": cp.empty leaves memory unwritten; use cp.zeros, or = instead of +="
    if fault.address is not None and fault.offset is not None:
        start = fault.address - fault.offset
        for position, arg in enumerate(args, 1):
            if isinstance(arg, ndarray) and arg.data.mem.ptr == start:
                whose = f" (argument {position}, {arg.dtype.name} of shape {arg.shape}{_element(fault, arg)})"
                break
    return f"{where}{fault.sentence.rstrip('.')}{whose}{remedy}; {who}."


def _element(fault: Fault, array) -> str:
    """Which element that is, in an array that has its buffer for itself: learners count elements, the fault bytes."""
    number, rest = divmod(fault.offset, array.itemsize)
    if rest or array.nbytes != fault.buffer_bytes:
        return ""
    return f": element {number}" + ("" if 0 <= number < array.size else f", and the last is {array.size - 1}")


def _tuple(extents) -> str:
    return "(" + ", ".join(map(str, extents)) + ")"


def _extents(value, name: str) -> tuple[int, int, int]:
    if not isinstance(value, tuple):
        raise TypeError(f"{name} must be a tuple such as (4,) or (4, 2, 1), not {value!r}")
    extents = tuple(operator.index(extent) for extent in value)
    # CuPy does the same: what is missing is 1, and so is what is less.
    return tuple(max(1, extent) for extent in (*extents, 1, 1)[:3])


def _read_ptx(path) -> str:
    data = Path(path).read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if ".target" not in text:
        raise CUDADriverError(218, f"{path} holds no PTX; machine code (cubin) needs a GPU.")
    return text
