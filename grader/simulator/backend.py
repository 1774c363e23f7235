"""The simulated GPU behind the calls of a device process."""

from __future__ import annotations

import array
import ctypes
import time
from typing import Any

from grader.simulator import counters
from grader.simulator.decode.kept import Kept
from grader.simulator.decode.program import Linker, Program, align_up, plain_name
from grader.simulator.faults import fault_of, launch_fault
from grader.simulator.kinds import FaultKind
from grader.simulator.limits import MAX_SHARED, configuration_problem
from grader.simulator.memory import Memory
from grader.simulator.native import CHECK_RACES, COUNTER_FIELDS, Engine, FaultRecord, LaunchRequest
from grader.simulator.ptx.errors import PtxError, Refused, Unsupported
from grader.simulator.ptx.model import Module
from grader.simulator.records import DeviceError, KernelInfo, Launch, Parameter, TraceRequest
from grader.verdict.records import State

MAX_PARAMETERS = 32764  # bytes of a kernel (since CUDA 12.1, compute capability 7.0)
MAX_CONSTANT = 64 << 10  # bytes of all __constant__ variables
DEFAULT_BUDGET = 1 << 28  # warp instructions of one launch
OUTPUT_BYTES = 64 << 10  # of printf
FREED_KEPT = 64  # freed buffers of launches in fresh memory: each costs time at every launch


class SimulatedBackend:
    """See ``serve.Backend`` for the calls."""

    kind = "simulated"

    def __init__(self, engine: Engine):
        self._engine = engine
        self._memory = Memory()
        self._kept = Kept(engine.operations)
        self._modules: dict[str, dict[str, Program]] = {}
        self._sources: dict[str, tuple[str, dict[str, int]]] = {}  # PTX and addresses of variables, for traces
        self._loads = 0

    # ---- memory ----

    def alloc(self, nbytes: int, *, name: str, read_only: bool, fill: int | None, sparse: bool) -> int:
        return self._memory.alloc(nbytes, name=name, read_only=read_only, fill=fill, sparse=sparse)

    def free(self, address: int) -> None:
        self._memory.free(address)

    def forget_freed(self) -> None:
        """Of many freed buffers: no launch to come can know their addresses."""
        self._memory.forget_freed(FREED_KEPT)

    def write(self, address: int, data: bytes) -> None:
        self._memory.write(address, data)

    def read(self, address: int, nbytes: int) -> bytes:
        return self._memory.read(address, nbytes)

    def reset(self) -> None:
        self._memory.reset()
        self._modules.clear()
        self._sources.clear()

    @property
    def memory(self) -> Memory:
        return self._memory

    # ---- modules ----

    def load(self, ptx: str) -> str:
        try:
            addresses = self._place_variables(self._kept.module(ptx))
            programs = self._kept.programs(ptx, addresses)
        except RecursionError:
            raise DeviceError(State.ERROR, "The compiled code cannot be read: it is nested too deeply.") from None
        except Refused as problem:
            raise DeviceError(State.ERROR, str(problem)) from None
        except PtxError as problem:
            raise DeviceError(State.ERROR, f"The compiled code cannot be read: {problem}.") from None
        except Unsupported as problem:
            raise DeviceError(State.UNSUPPORTED_HERE, f"{str(problem)[0].upper()}{str(problem)[1:]}.") from None
        for program in programs.values():
            if program.shared_bytes > MAX_SHARED:
                raise DeviceError(
                    State.ERROR,
                    f"Kernel {program.kernel} declares {program.shared_bytes} bytes of shared memory; the most is "
                    f"{MAX_SHARED}.",
                )
            if program.parameter_bytes > MAX_PARAMETERS:
                raise DeviceError(
                    State.ERROR,
                    f"Kernel {program.kernel} has {program.parameter_bytes} bytes of parameters; the most is "
                    f"{MAX_PARAMETERS}.",
                )
        self._loads += 1
        handle = f"module-{self._loads}"
        self._modules[handle] = programs
        self._sources[handle] = ptx, addresses
        return handle

    def _place_variables(self, module: Module) -> dict[str, int]:
        """Give global and constant variables memory, and fill in their first contents."""
        placed = [v for v in module.variables.values() if v.space in ("global", "const")]
        if missing := module.external & {v.name for v in placed}:
            raise Refused(
                f"The variable {plain_name(min(missing))} is used and defined nowhere: a GPU's driver would not link "
                "this code."
            )
        constant = 0
        for variable in placed:
            if variable.space == "const":
                constant = align_up(constant, variable.align) + variable.bytes
        if constant > MAX_CONSTANT:
            raise Refused(
                f"The constants take {constant} bytes; the constant memory of a GPU has {MAX_CONSTANT} (64 KiB). "
                "Pass large tables as a pointer to global memory."
            )
        addresses = {
            v.name: self.alloc(v.bytes, name=v.name, read_only=v.space == "const", fill=0, sparse=False) for v in placed
        }
        self._fill_variables(module, addresses)
        return addresses

    def _fill_variables(self, module: Module, addresses: dict[str, int]) -> None:
        """Write their first contents."""
        for variable in (module.variables[name] for name in addresses):
            data = bytearray(variable.initial)
            for offset, symbol, addend in variable.references:
                address = addresses.get(symbol, module.addresses.get(symbol))
                if address is None:
                    raise Unsupported(f"address of {symbol} in the initial value of {variable.name}")
                data[offset : offset + 8] = ((address + addend) % 2**64).to_bytes(8, "little")
            if data:
                self.write(addresses[variable.name], bytes(data))

    def _program(self, module: str, kernel: str) -> Program:
        if module not in self._modules:
            raise DeviceError(State.ERROR, f"there is no module {module!r}")
        programs = self._modules[module]
        if kernel not in programs:
            known = ", ".join(sorted(programs)) or "none"
            raise DeviceError(State.ERROR, f"The code has no kernel {kernel!r}; its kernels: {known}.")
        return programs[kernel]

    def kernels(self, module: str) -> dict[str, KernelInfo]:
        if module not in self._modules:
            raise DeviceError(State.ERROR, f"there is no module {module!r}")
        return {
            name: KernelInfo(
                name=name,
                parameters=tuple(Parameter(*parameter) for parameter in program.parameters),
                shared_bytes=program.shared_bytes,
                local_bytes=program.local_bytes,
                max_threads=program.max_threads,
            )
            for name, program in self._modules[module].items()
        }  # fmt: skip

    def program(self, module: str, kernel: str) -> tuple[Program, str]:
        """A decoded kernel and the target that its PTX is for ("sm_80"). ``DeviceError`` where there is none."""
        program = self._program(module, kernel)
        return program, self._kept.module(self._sources[module][0]).target

    def variables(self, module: str) -> dict[str, tuple[int, int]]:
        """The module's global and constant variables: their addresses and bytes."""
        ptx, addresses = self._sources[module]
        known = self._kept.module(ptx).variables
        return {name: (address, known[name].bytes) for name, address in addresses.items()}

    def renew(self, module: str) -> None:
        """Give the module's variables their first contents again."""
        ptx, addresses = self._sources[module]
        for address, nbytes in self.variables(module).values():
            if nbytes:
                self._memory.fill(address, 0, nbytes)
        self._fill_variables(self._kept.module(ptx), addresses)

    def unload(self, module: str) -> None:
        """Forget a module, and free its variables."""
        for address in self._sources.pop(module)[1].values():
            self.free(address)
        del self._modules[module]

    # ---- launches ----

    def launch(
        self,
        module: str,
        kernel: str,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        args: bytes,
        *,
        shared_bytes: int,
        instruction_budget: int | None,
        count: bool,
        blocks: tuple[int, int] | None,
        races: bool = True,
        workers: int = 1,
        max_dynamic_shared: int | None = None,
        trace: dict[str, Any] | None = None,
    ) -> Launch | tuple[Launch, dict[str, Any], bytes]:
        program, target = self.program(module, kernel)
        if problem := configuration_problem(program, target, grid, block, shared_bytes, max_dynamic_shared):
            return Launch(fault=launch_fault(kernel, problem), counters=None)
        if len(args) < program.parameter_bytes:
            raise DeviceError(
                State.ERROR,
                f"kernel {kernel} takes {program.parameter_bytes} bytes of arguments, {len(args)} were given",
            )
        total = grid[0] * grid[1] * grid[2]
        first, last = blocks if blocks is not None else (0, total)
        if not 0 <= first <= last <= total:
            raise DeviceError(State.ERROR, f"blocks {first} to {last} are not in a grid of {total}")
        budget = DEFAULT_BUDGET if instruction_budget is None else instruction_budget
        if not 0 <= budget < 1 << 63:
            raise DeviceError(
                State.ERROR, f"The instruction budget is {budget}: it is a number of warp instructions, 0 or more."
            )
        recorder = self._recorder(module, kernel, grid, block, trace) if trace is not None else None
        span = first, last
        return self._run(program, grid, block, args, shared_bytes, budget, count, span, races, workers, recorder)

    def _recorder(self, module: str, kernel: str, grid, block, trace: dict[str, Any]):
        from grader.simulator.decode.describe import describe
        from grader.simulator.trace import Recorder

        ptx, addresses = self._sources[module]
        linker = Linker(self._kept.module(ptx), kernel, addresses, self._engine.operations)
        linker.link()
        request = TraceRequest(tuple(trace["block"]), trace["warp"], trace["steps"])
        return Recorder(request, kernel, grid, block, describe(linker))

    def _run(
        self, program: Program, grid, block, args: bytes, dynamic: int, budget: int, count: bool, span,
        races: bool, workers: int, recorder,
    ) -> Launch | tuple[Launch, dict[str, Any], bytes]:  # fmt: skip
        rows = array.array("Q", bytes(8 * len(COUNTER_FIELDS) * program.count))
        fault = FaultRecord()
        output = ctypes.create_string_buffer(OUTPUT_BYTES)
        self._memory.place_parameters(args if program.addresses_parameters else b"")
        table = self._memory.table()
        shared = program.shared_bytes + dynamic
        request = LaunchRequest(
            code=_pointer(program.code),
            functions=_pointer(program.functions),
            specials=_pointer(program.specials),
            copies=_pointer(program.copies),
            images=_pointer(program.images),
            lists=_pointer(program.lists),
            params=_pointer(args),
            params_bytes=len(args),
            allocations=_pointer(table),
            allocation_count=len(self._memory.buffers()),
            written_offset=self._memory.written_offset,
            counters=rows.buffer_info()[0],
            fault=ctypes.addressof(fault),
            output=ctypes.addressof(output),
            output_bytes=OUTPUT_BYTES,
            host_offset=self._memory.host_offset,
            budget=budget,
            code_count=program.count,
            first_block=span[0],
            last_block=span[1],
            grid=grid,
            block=block,
            shared_bytes=shared,
            dynamic_shared_bytes=dynamic,
            local_limit=align_up(program.local_bytes, 16),
            checks=CHECK_RACES if races else 0,
            workers=workers if program.apart and not races and recorder is None else 1,
            trace=ctypes.addressof(recorder.record) if recorder else None,
        )
        began = time.perf_counter()
        try:
            failed = self._engine.launch(request)
        finally:
            seconds = time.perf_counter() - began
            self._memory.launched()
        if failed and fault.kind == FaultKind.SHARED_OUT_OF_BOUNDS:
            fault.detail = shared
        if failed and fault.kind == FaultKind.BUDGET:
            fault.address = budget
        exact, estimates, lines = counters.summarise(program, rows) if count else (None, {}, ())
        launch = Launch(
            fault=fault_of(fault, program, self._memory, grid, block) if failed else None,
            counters=exact, estimates=estimates, lines=lines, seconds=seconds,
            output=_text(output.raw, request.output_used),
        )  # fmt: skip
        if recorder is None:
            return launch
        return launch, *recorder.finish(fault if failed else None, self._memory.buffers())


def _pointer(data: bytes | bytearray) -> int | None:
    """The address of bytes that the caller keeps alive; None for none."""
    if isinstance(data, bytearray):  # which the engine changes
        return ctypes.addressof(ctypes.c_char.from_buffer(data)) if data else None
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value


def _text(data: bytes, used: int) -> str:
    text = data[: min(used, len(data))].decode("utf-8", "replace")
    return f"{text}\n… printf wrote more than {len(data)} bytes; the rest is left out …\n" if used > len(data) else text
