"""Runs a kernel of the corpus on a device and says what was told about it, and whether that is right."""

from __future__ import annotations

import inspect
import struct
from dataclasses import dataclass, field

import numpy as np

from corpus.case import Case
from corpus.data import Contents, evaluate, wrong_result
from grader.simulator import Device, DeviceError, Fault
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source
from grader.verdict.records import State

BUDGET = 1_000_000  # warp instructions: several times what any of these kernels needs
_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


@dataclass
class Verdict:
    kind: str | None = None  # what was found; "refused" and "unsupported_here" where nothing ran
    line: int | None = None
    sentence: str = ""
    wrong: list[str] = field(default_factory=list)  # what should have been otherwise; empty: all is right


def judge(case: Case, device: Device) -> Verdict:
    device.reset()
    try:
        fault, buffers, values = _run(case, device, compiled(case))
    except DeviceError as error:
        kind = "refused" if error.state is State.ERROR else str(error.state)
        verdict = Verdict(kind, sentence=error.sentence)
        if kind not in case.kinds:
            verdict.wrong.append(f"{kind}: {error.sentence}")
        return verdict
    if fault is not None:
        verdict = Verdict(fault.kind, fault.line, fault.sentence)
        verdict.wrong = _wrong_fault(case, fault) if case.kinds else [f"false alarm: {_told(fault)}"]
    else:
        verdict = Verdict()
        wrong = _wrong_results(case, device, buffers, values)
        verdict.wrong = [f"not found: {' or '.join(case.kinds)}"] if case.kinds else wrong
    return verdict


def compiled(case: Case) -> str:
    """The kernel's PTX, as the grader compiles it."""
    result = compile_kernel(Source(files={case.file: case.text.encode()}, main=case.file))
    assert result.state is State.PASS, f"{case.name}: {result.message}"
    return result.ptx


def _run(case: Case, device: Device, ptx: str):
    module = device.load(ptx)
    ((kernel, info),) = device.kernels(module).items()
    values: dict = {}  # what expressions may use: the contents before the launch, the scalars
    given: list = []
    buffers: dict[str, tuple[int, int]] = {}
    for name, (role, expression) in case.arguments.items():
        if role == "scalar":
            values[name] = evaluate(expression, values)
            given.append(values[name])
            continue
        contents = evaluate(expression, values)
        if not isinstance(contents, Contents):
            contents = Contents(np.ascontiguousarray(contents), contents.nbytes)
        address = device.alloc(contents.nbytes, name=name, read_only=role == "in", sparse=contents.sparse)
        if contents.data.nbytes:
            device.write(address, contents.data)
        if role == "freed":
            device.free(address)
        values[name], values[f"{name}_at"] = contents.data, address
        buffers[name] = (address, contents.nbytes)
        given.append(address)
    options = {"budget": BUDGET}
    for part in case.launch:
        options |= evaluate(f"dict({part})", values)
    args = bytearray(max((p.offset + p.size for p in info.parameters), default=0))
    for parameter, value in zip(info.parameters, given, strict=True):
        args[parameter.offset : parameter.offset + parameter.size] = _packed(parameter, value)
    extra = {name: options[name] for name in ("blocks", "races") if name in options}
    if "races" not in inspect.signature(device.launch).parameters:
        extra.pop("races", None)
    launch = device.launch(
        module, kernel, options["grid"], options["block"], bytes(args), shared_bytes=options.get("shared", 0),
        instruction_budget=options["budget"], **extra,
    )  # fmt: skip
    return launch.fault, buffers, {**values, "output": launch.output}


def _packed(parameter, value) -> bytes:
    if isinstance(value, bytes):
        return value.ljust(parameter.size, b"\0")
    if parameter.type in _FLOATS:
        return struct.pack(_FLOATS[parameter.type], value)
    return (int(value) % (1 << 8 * parameter.size)).to_bytes(parameter.size, "little")


def _wrong_fault(case: Case, fault: Fault) -> list[str]:
    wrong = []
    if fault.kind not in case.kinds:
        wrong.append(f"{' or '.join(case.kinds)} expected: {_told(fault)}")
    lines = {fault.line, getattr(getattr(fault, "other", None), "line", fault.line)}
    if not lines <= set(case.lines) and (case.lines or fault.line is not None):
        wrong.append(f"line {' or '.join(map(str, case.lines))} expected: {_told(fault)}")
    if case.buffer is not None and fault.buffer != case.buffer:
        wrong.append(f"buffer {case.buffer} expected, {fault.buffer} told")
    return wrong + [f"the sentence does not say {w!r}: {fault.sentence}" for w in case.says if w not in fault.sentence]


def _told(fault: Fault) -> str:
    other = getattr(fault, "other", None)
    also = f" and line {other.line} of block {other.block} thread {other.thread}" if other else ""
    return f"{fault.kind} at line {fault.line} of block {fault.block} thread {fault.thread}{also}: {fault.sentence}"


def _wrong_results(case: Case, device: Device, buffers: dict, values: dict) -> list[str]:
    wrong = []
    for name, expression in case.results.items():
        if name == "output":
            if values["output"] != (wanted := evaluate(expression, values)):
                wrong.append(f"output {values['output']!r}, expected {wanted!r}")
            continue
        address, _ = buffers[name]
        expected, dtype = evaluate(expression, values), values[name].dtype

        def fetch(count: int, dtype, address=address) -> np.ndarray:
            return np.frombuffer(device.read(address, count * dtype.itemsize), dtype)

        if problem := wrong_result(case, name, expected, dtype, fetch):
            wrong.append(problem)
    return wrong
