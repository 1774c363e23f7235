"""Calls through a pointer and calls with a guard, in plainer PTX.

A call through a pointer becomes a comparison with the address of each function that it can mean, and a call
of that function: lanes with different pointers diverge and meet again as at any branch. Only functions whose
address is taken somewhere in the module come into question, and of these only those with the parameters of
the call's prototype (PTX ISA 9.0, `.callprototype`, `.calltargets`). The call itself stays behind the last
comparison: there, the pointer is that of no such function.
"""

from __future__ import annotations

from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.isa import HEAP_FUNCTIONS
from grader.simulator.ptx.model import Function, Group, Instruction, Module, Name, Sum, Variable

_FIRST_ADDRESS, _DISTANCE = 0x1000, 0x80  # of code: below everything that a pointer to data may hold
_MATCH = "%called"  # the register of the comparisons


def expand_calls(module: Module) -> None:
    """Rewrite the bodies of ``module``'s functions, and give each function its address."""
    module.addresses = {name: _FIRST_ADDRESS + _DISTANCE * k for k, name in enumerate(module.functions)}
    taken = None
    for function in module.functions.values():
        if not any(_is_special(function, instruction) for instruction in function.body):
            continue
        taken = _taken(module) if taken is None else taken
        _rewrite(module, function, taken)


def _callee(instruction: Instruction) -> tuple[int, str | None]:
    """The position of the called name among a call's operands."""
    position = int(bool(instruction.operands) and isinstance(instruction.operands[0], Group))
    if position < len(instruction.operands) and isinstance(operand := instruction.operands[position], Name):
        return position, operand.name
    return position, None


def _is_call(instruction: Instruction) -> bool:
    return instruction.opcode in ("call", "call.uni")


def _is_special(function: Function, instruction: Instruction) -> bool:
    if not _is_call(instruction):
        return False
    return instruction.guard is not None or _callee(instruction)[1] in function.registers


def _taken(module: Module) -> list[str]:
    """The functions whose address is a value somewhere, in the module's order."""
    found = {symbol for variable in module.variables.values() for _, symbol, _ in variable.references}
    for function in module.functions.values():
        for instruction in function.body:
            operands = instruction.operands
            if _is_call(instruction):
                operands = operands[_callee(instruction)[0] + 1 :]
            found.update(operand.name for operand in operands if isinstance(operand, Name | Sum))
    return [name for name in module.functions if name in found and _may_be_called(module.functions[name])]


def _may_be_called(function: Function) -> bool:
    """Not so the destructors that free their object: they stand in every table of virtual functions."""
    return not function.kernel and not any(
        _is_call(instruction) and _callee(instruction)[1] in HEAP_FUNCTIONS for instruction in function.body
    )


def _sizes(variables: list[Variable]) -> list[int]:
    return [variable.bytes for variable in variables]


def _candidates(module: Module, function: Function, call: Instruction, taken: list[str]) -> list[str]:
    if not isinstance(last := call.operands[-1], Name):
        raise PtxError("a call through a pointer without its prototype", call.ptx_line)
    if last.name in function.call_targets:
        return [name for name in function.call_targets[last.name] if name in module.functions]
    if last.name not in function.prototypes:
        raise PtxError("a call through a pointer without its prototype", call.ptx_line)
    results, parameters = function.prototypes[last.name]
    return [
        name
        for name in taken
        if _sizes(module.functions[name].parameters) == _sizes(parameters)
        and _sizes(module.functions[name].results) == _sizes(results)
    ]


def _rewrite(module: Module, function: Function, taken: list[str]) -> None:
    function.registers[_MATCH] = "pred"
    body: list[Instruction] = []
    moved = []  # where each old instruction begins now
    labels = {}

    for number, old in enumerate(function.body):
        moved.append(len(body))
        if not _is_special(function, old):
            body.append(old)
            continue

        def put(opcode: str, *operands, guard: str | None = None, negated: bool = False, old=old) -> None:
            body.append(Instruction(opcode, [*operands], guard, negated, old.location, old.ptx_line, old.scope))

        after = f"%after{number}"
        if old.guard is not None:
            put("bra", Name(after), guard=old.guard, negated=not old.guard_negated)
        position, pointer = _callee(old)
        if pointer not in function.registers:
            put(old.opcode, *old.operands)
        else:
            rest = old.operands[position + 1 : -1]  # the arguments; the prototype has done its work
            for k, name in enumerate(_candidates(module, function, old, taken)):
                put("setp.ne.u64", Name(_MATCH), Name(pointer), Name(name))
                put("bra", Name(f"%next{number}.{k}"), guard=_MATCH)
                put("call", *old.operands[:position], Name(name), *rest)
                put("bra.uni", Name(after))
                labels[old.scope, f"%next{number}.{k}"] = len(body)
            put("call", *old.operands[: position + 1])
        labels[old.scope, after] = len(body)
    moved.append(len(body))
    function.labels = {key: moved[index] for key, index in function.labels.items()} | labels
    function.body = body
