"""A kernel and the functions it calls, linked to one array of records."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.simulator.decode import (  # noqa: F401 (handlers)
    async_copy,
    control,
    conversion,
    floating,
    integers,
    matrix,
    memory,
    video,
    warp,
)
from grader.simulator.decode.context import Context
from grader.simulator.decode.frame import Frame
from grader.simulator.decode.types import SPACES, STRONG, Record
from grader.simulator.ptx.cfg import reconvergence, table
from grader.simulator.ptx.compared import compared_loads
from grader.simulator.ptx.errors import PtxError, Refused, Unsupported
from grader.simulator.ptx.isa import DRIVER_FUNCTIONS
from grader.simulator.ptx.model import (
    Address,
    Function,
    Group,
    Instruction,
    Location,
    Module,
    Name,
    Pair,
    Sum,
    Variable,
)

_MOST_LOCAL = 512 << 10  # of a thread, as on the hardware
_STACK_BYTES = 16 << 10  # local memory of a thread where functions are called


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable lies: an offset in its space, or an address for "global" and "const"."""

    space: str
    offset: int


@dataclass(slots=True)
class Program:
    """What the engine runs. ``categories`` and ``locations`` have one entry for each record of ``code``."""

    kernel: str
    code: bytes = b""
    functions: bytes = b""  # abi.h, Function
    specials: bytes = b""
    copies: bytes = b""
    images: bytes = b""
    lists: bytes = b""  # of 32-bit numbers: targets of brx.idx, registers of matrix instructions
    count: int = 0
    categories: list[str] = field(default_factory=list)
    locations: list[Location | None] = field(default_factory=list)
    opcodes: list[str] = field(default_factory=list)
    shared_bytes: int = 0
    local_bytes: int = 0
    parameters: list[tuple[str, int, int, int]] = field(default_factory=list)  # (type, size, align, offset)
    parameter_bytes: int = 0
    max_threads: int | None = None
    addresses_parameters: bool = False  # of the kernel: makes generic addresses of them
    apart: bool = False  # no block can see what another does before the launch is over


def align_up(value: int, align: int) -> int:
    return -(-value // align) * align


class Linker:
    """Decodes a kernel and everything that it calls."""

    def __init__(
        self, module: Module, kernel: str, addresses: Mapping[str, int], operations: Mapping[str, int]
    ):
        self.module, self.addresses, self.operations = module, addresses, dict(operations)
        self._names = {number: name for name, number in operations.items()}
        self.kernel = module.functions[kernel]
        self.shared: dict[int, int] = {}  # id of the variable -> offset
        self.shared_bytes = 0
        self.dynamic: list[int] = []
        self.copies: list[tuple[int, int, int]] = []
        self.lists: list[int] = []
        self.order: list[Function] = [self.kernel]
        self.numbers: dict[str, int] = {kernel: 0}
        self.calls = False
        self.addresses_parameters = False
        self.decoders: list[FunctionDecoder] = []  # of the linked functions, in order

    def link(self) -> Program:
        self._place_static_shared()
        program = Program(self.kernel.name, max_threads=self.kernel.max_threads)
        decoders = self.decoders
        records: list[Record] = []
        functions = bytearray()
        images, specials = bytearray(), bytearray()
        while len(decoders) < len(self.order):  # decoding a call may add the function that it calls
            decoder = FunctionDecoder(self, self.order[len(decoders)], len(records))
            records += decoder.decode()
            program.categories += decoder.categories
            program.locations += decoder.locations
            program.opcodes += decoder.opcodes
            decoders.append(decoder)
        for decoder in decoders:
            image = decoder.frame.image()
            own = decoder.frame.specials
            functions += struct.pack(
                "<6i",
                decoder.entry,
                len(image),
                len(images),
                len(specials) // 8,
                len(own),
                decoder.local_bytes,
            )
            images += image
            for kind, slot in own:
                specials += struct.pack("<2i", kind, slot)
        program.code = b"".join(record.pack() for record in records)
        program.count = len(records)
        program.apart = not any(self._sees_others(record) for record in records)
        program.functions, program.images, program.specials = bytes(functions), bytes(images), bytes(specials)
        program.copies = b"".join(struct.pack("<3i", *copy) for copy in self.copies)
        program.lists = struct.pack(f"<{len(self.lists)}i", *self.lists)
        program.shared_bytes = self.shared_bytes
        kernel = decoders[0]
        program.local_bytes = _STACK_BYTES + kernel.local_bytes if self.calls else kernel.local_bytes
        program.parameters = kernel.parameters
        program.parameter_bytes = kernel.parameter_bytes
        program.addresses_parameters = self.addresses_parameters
        return program

    def _sees_others(self, record: Record) -> bool:
        """Whether an instruction lets a block see what others do meanwhile, or lets others see it."""
        name = self._names[record.op]
        if name in ("ld", "st"):
            return bool(record.flags & STRONG) and record.space != SPACES["shared"]
        return name in ("print", "clock") or (name == "atom" and record.space != SPACES["shared"]) or (
            name == "fence" and record.mode > 0
        )

    # ---- shared memory: the static variables that are used, then the launch's dynamic part ----

    def _place_static_shared(self) -> None:
        for function, names in self._reachable():
            for name in names:
                variable = function.variables.get(name) or self.module.variables.get(name)
                if variable is None or variable.space != "shared" or id(variable) in self.shared:
                    continue
                if variable.bytes == 0:
                    self.dynamic.append(id(variable))
                    continue
                self.shared_bytes = align_up(self.shared_bytes, variable.align)
                self.shared[id(variable)] = self.shared_bytes
                self.shared_bytes += variable.bytes
        if self.dynamic:
            self.shared_bytes = align_up(self.shared_bytes, 16)
            for key in self.dynamic:
                self.shared[key] = self.shared_bytes

    def _reachable(self) -> list[tuple[Function, list[str]]]:
        """The kernel and all that it may call, each with the names in it."""
        found, waiting = [], [self.kernel]
        seen = {self.kernel.name}
        while waiting:
            function = waiting.pop()
            names = sorted(_names_in(function))
            found.append((function, names))
            for name in names:
                if name in self.module.functions and name not in seen:
                    seen.add(name)
                    waiting.append(self.module.functions[name])
        return found

    def number(self, name: str) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.order)
            self.order.append(self.module.functions[name])
        return self.numbers[name]


def _names(operand) -> list[str]:
    if isinstance(operand, Name | Sum):
        return [operand.name]
    if isinstance(operand, Address):
        return [operand.base] if operand.base else []
    if isinstance(operand, Pair):
        return [operand.first, operand.second]
    if isinstance(operand, Group):
        return [name for item in operand.items for name in _names(item)]
    return []


def _names_in(function: Function) -> set[str]:
    """But those of registers."""
    found = {name for ins in function.body for operand in ins.operands for name in _names(operand)}
    return found - function.registers.keys()


class FunctionDecoder:
    """One function: its frame, its local memory, its records."""

    def __init__(self, linker: Linker, function: Function, entry: int):
        self.linker, self.function, self.entry = linker, function, entry
        self.kernel = function.kernel
        self.frame = Frame(function.registers)
        self.end = entry + len(function.body)
        self.categories: list[str] = []
        self.locations: list[Location | None] = []
        self.opcodes: list[str] = []
        self.records: list[Record] = []
        self.local_bytes = 0
        self.places: dict[str, Place] = {}
        self.parameters: list[tuple[str, int, int, int]] = []
        self.parameter_bytes = 0
        self.read_names = self._read_names()
        self._meetings = dict(zip(map(id, function.body), reconvergence(function), strict=True))
        self._compared = {id(function.body[number]) for number in compared_loads(function)}
        self._layout()

    def _read_names(self) -> set[str]:
        """Registers that an instruction reads: all operands but the first of those that write a register."""
        found = set()
        for ins in self.function.body:
            writes = ins.operands and isinstance(ins.operands[0], Name | Pair)
            for operand in ins.operands[1:] if writes else ins.operands:
                found.update(_names(operand))
            if ins.guard:
                found.add(ins.guard)
        return found

    def _layout(self) -> None:
        function = self.function
        if self.kernel:
            for parameter in function.parameters:
                offset = align_up(self.parameter_bytes, parameter.align)
                self.places[parameter.name] = Place("param", offset)
                self.parameters.append((parameter.type, parameter.bytes, parameter.align, offset))
                self.parameter_bytes = offset + parameter.bytes
        else:
            for parameter in (*function.parameters, *function.results):
                self._place_local(parameter)
        for variable in function.variables.values():
            if variable.space in ("local", "param"):
                self._place_local(variable)
        self.local_bytes = align_up(self.local_bytes, 16)

    def _place_local(self, variable: Variable) -> None:
        offset = align_up(self.local_bytes, variable.align)
        self.places[variable.name] = Place("local", offset)
        self.local_bytes = offset + variable.bytes
        if self.local_bytes > _MOST_LOCAL:
            raise Refused(
                f"{self.function.name} needs {self.local_bytes} bytes of local memory for a thread; "
                f"a GPU has {_MOST_LOCAL}."
            )

    def decode(self) -> list[Record]:
        records = self.records
        for instruction in self.function.body:
            context = Context(self, instruction, self.linker.operations)
            try:
                record = context.decode()
            except Unsupported as problem:
                place = instruction.location
                if problem.line is None and place is not None:
                    raise Unsupported(problem.what, place.file, place.line) from None
                raise
            except PtxError as problem:
                if problem.line is None:
                    place = instruction.location
                    source = f" (from {place.file}, line {place.line})" if place else ""
                    raise PtxError(f"{problem}{source}", instruction.ptx_line) from None
                raise
            records.append(record)
            self._note(context.category, instruction.location, instruction.opcode)
        last = Record(op=self.linker.operations["exit" if self.kernel else "leave"])
        self._note("", self.locations[-1] if self.locations else None, "ret")
        return [*records, last]

    def _note(self, category: str, location: Location | None, opcode: str) -> None:
        self.categories.append(category)
        self.locations.append(location)
        self.opcodes.append(opcode)

    # ---- what the handlers ask ----

    def index(self, scope: tuple[int, ...], label: str) -> int:
        target = self.function.target(scope, label)
        if target is None:
            raise PtxError(f"no label {label}")
        return self.entry + target

    def branch_table(self, instruction: Instruction) -> tuple[int, int]:
        """(first index, count) of a brx.idx's targets in the program's lists."""
        targets = [self.entry + target for target in table(self.function, instruction)]
        return self.keep_list(targets), len(targets)

    def keep_list(self, numbers: list[int]) -> int:
        """Where the program's lists, which lie one behind the other, begin to hold these numbers."""
        first = len(self.linker.lists)
        self.linker.lists += numbers
        return first

    def meeting(self, instruction: Instruction) -> int:
        return self.entry + self._meetings[id(instruction)]

    def is_compared(self, instruction: Instruction) -> bool:
        """Whether a compare-and-swap at the same address compares what this loads."""
        return id(instruction) in self._compared

    def code_address(self, name: str) -> int | None:
        """Of a function, None if there is none of this name."""
        if name in self.linker.module.declared and name not in self.linker.module.functions:
            raise Unsupported(f"address of {name}")
        return self.linker.module.addresses.get(name)

    def place(self, name: str) -> Place | None:
        """Where a variable lies, None if there is none of this name."""
        if name in self.places:
            return self.places[name]
        variable = self.function.variables.get(name) or self.linker.module.variables.get(name)
        if variable is None:
            return None
        if variable.space == "shared":
            return Place("shared", self.linker.shared[id(variable)])
        if variable.space in ("global", "const") and name in self.linker.addresses:
            return Place(variable.space, self.linker.addresses[name])
        return None

    def call(self, context: Context, callee: str, arguments: list[str], results: list[str]) -> None:
        module = self.linker.module
        record = context.record
        if callee in module.functions:
            function = module.functions[callee]
            if function.kernel:
                raise PtxError(f"call of the kernel {callee}")
            self.linker.calls = True
            offsets = signature(function)
            if len(arguments) != len(function.parameters) or len(results) != len(function.results):
                raise PtxError(f"call of {callee} with other arguments than it has")
            context.operation("call")
            record.target = self.linker.number(callee)
            record.immediate = len(self.linker.copies)
            record.vector, record.bytes = len(arguments), len(results)
            for name, parameter in zip(arguments, function.parameters, strict=True):
                source = self._local(name, parameter.bytes)
                self.linker.copies.append((source, offsets[parameter.name], parameter.bytes))
            for name, result in zip(results, function.results, strict=True):
                goal = self._local(name, result.bytes)
                self.linker.copies.append((offsets[result.name], goal, result.bytes))
        elif callee == "vprintf" and len(arguments) == 2:
            context.operation("print")
            record.a, record.b = (self._local(name, 8) for name in arguments)
            record.d = self._local(results[0], 4) if results else -1
        elif callee == "__assertfail" and arguments:
            context.operation("assert")
            record.a = self._local(arguments[0], 8)
        elif callee in DRIVER_FUNCTIONS:
            raise Unsupported(f"call of {callee}")
        else:
            raise Refused(
                f"The function {plain_name(callee)} is called and defined nowhere: a GPU's driver would not link "
                "this code."
            )

    def _local(self, name: str, size: int) -> int:
        """The offset of a .param variable of a call, which must have ``size`` bytes."""
        place, variable = self.places.get(name), self.function.variables.get(name)
        if place is None or place.space != "local" or variable is None:
            raise PtxError(f"{name} is no .param variable of this function")
        if variable.bytes != size:
            raise PtxError(f"{name} has {variable.bytes} bytes where {size} are passed")
        return place.offset


def plain_name(symbol: str) -> str:
    """The name in a simple C++ symbol, ``_Z4namefi``; other symbols as they are."""
    found = re.match(r"_Z(\d+)(\w+)", symbol)
    return found[2][: int(found[1])] if found else symbol


def signature(function: Function) -> dict[str, int]:
    """Where a device function keeps its parameters and results in its local frame."""
    offsets, end = {}, 0
    for variable in (*function.parameters, *function.results):
        offsets[variable.name] = align_up(end, variable.align)
        end = offsets[variable.name] + variable.bytes
    return offsets
