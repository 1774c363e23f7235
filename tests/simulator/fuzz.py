"""Mutated PTX for the simulated GPU.

    python tests/simulator/fuzz.py --count 100000 --seed 1 [--jobs 2] [--sanitize]

Each input is loaded and, if that goes well, launched with small buffers. Right ends are a typed refusal, a fault, or
a normal end. Everything else is a finding: a crash, a hang, a defect of ours told as such, too much memory, a byte
changed outside of the buffers. Inputs run in child processes that are watched; findings are made smaller and kept as
files. Input k of a seed is always the same. ``--sanitize`` takes an engine built with ASan and UBSan, for which the
gaps between buffers are poison. ``--file F`` runs a kept file again.
"""

from __future__ import annotations

import argparse
import collections
import json
import mmap
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from grader.simulator import Device, DeviceError  # noqa: E402
from grader.simulator.backend import SimulatedBackend  # noqa: E402
from grader.simulator.build import FLAGS, SANITIZED, build, sanitizer_environment  # noqa: E402
from grader.simulator.device import InProcess  # noqa: E402
from grader.simulator.memory import BASE, PARAMETERS, Memory  # noqa: E402
from grader.simulator.native import Engine  # noqa: E402
from grader.verdict.records import State  # noqa: E402

CPU_SECONDS = 20  # of one input; its process is ended after that. Processor time, since others use the machine, too
WALL_SECONDS = 300  # the same on the clock, for a process that waits
SLOW_SECONDS = 5  # of processor time
MEMORY_BYTES = 3 << 30  # of a process, at any time
REFUSALS = (State.ERROR, State.UNSUPPORTED_HERE, State.OUT_OF_MEMORY)
QUICK = ("compute_80",)

SMALL = ((1,), (2,), (32,), (33,), (64,), (32, 2), (7, 3, 2), (256,))
ODD = ((0,), (1024,), (1025,), (2**31 - 1,), (2**31,), (-1,), (1, 65535), (1, 70000), (1, 1, 65))
SHARED = (0, 4, 100, 4096, 16 << 10)
ODD_SHARED = (48 << 10, 1 << 20, -4, 2**31)
BUDGETS = (1, 100, 3000, 10_000, 10_000, 10_000)
NUMBERS = (0, 1, 7, 32, 64, 100, 1000, 2**31 - 1, 2**32 - 1)
ADDRESSES = (0, 1, 0x6F00_0000_0010, 0x6E00_0000_0010, 0x7FFF_FFFF_F000, 2**64 - 4)
# (bytes, options) of each buffer: zeros, numbers, an odd size, an input, poison, a freed one; then an enormous one.
BUFFERS = (
    (16384, {"fill": 0}), (16384, {"fill": 0x3F}), (1000, {"fill": 0}), (512, {"read_only": True, "fill": 1}),
    (2048, {}), (64, {}),
)  # fmt: skip
READ_ONLY, FREED = 3, 5
ENORMOUS = 6 << 30
MARGIN = 512  # bytes in front of and behind each buffer that must stay zero


# ---- one input ----


class Trial:
    """A device, and what becomes of a module and of one launch of each of its first kernels."""

    def __init__(self, backend: SimulatedBackend, memory: Memory, *, margins: bool = True):
        """``margins``: look for changes around buffers. Not where ASan does so."""
        self.device, self.memory, self.margins = Device(InProcess(backend), "simulated"), memory, margins

    def run(self, text: str, chance: Random) -> tuple[list[str], str | None]:
        """(how it ended, the finding or None)."""
        began = time.process_time()
        ends: list[str] = []
        try:
            finding = self._run(text, chance, ends)
        except Exception as problem:  # a device raises nothing but DeviceError
            finding = f"{type(problem).__name__}: {problem}"
        if finding is None and (seconds := time.process_time() - began) > SLOW_SECONDS:
            finding = f"slow: {seconds:.1f} s"
        if finding is None and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 > MEMORY_BYTES:
            finding = "memory: too much"
        return ends, finding

    def _run(self, text: str, chance: Random, ends: list[str]) -> str | None:
        device = self.device
        device.reset()
        buffers = [device.alloc(size, **options) for size, options in BUFFERS]
        device.write(buffers[1], chance.randbytes(8192))
        device.free(buffers[FREED])
        try:
            module = device.load(text)
            kernels = device.kernels(module)
        except DeviceError as problem:
            ends.append(f"load: {problem.state}")
            return None if problem.state in REFUSALS else problem.sentence
        pointers = [*buffers, device.alloc(ENORMOUS, sparse=True)]
        for name, info in list(kernels.items())[:4]:
            grid, block, shared = (
                chance.choice(usual if chance.random() < 0.98 else odd)
                for usual, odd in ((SMALL, ODD), (SMALL, ODD), (SHARED, ODD_SHARED))
            )
            try:
                launch = device.launch(
                    module, name, grid, block, _arguments(info, pointers, chance), shared_bytes=shared,
                    instruction_budget=chance.choice(BUDGETS), count=chance.random() < 0.9,
                    blocks=(0, 1) if chance.random() < 0.05 else None, workers=2 if chance.random() < 0.1 else None,
                )  # fmt: skip
            except DeviceError as problem:
                ends.append(f"launch: {problem.state}")
                if problem.state not in REFUSALS:
                    return problem.sentence
                continue
            ends.append(f"fault: {launch.fault.kind}" if launch.fault else "normal end")
            if launch.fault and not (launch.fault.sentence and launch.fault.kernel == name):
                return "a fault without a sentence or a kernel"
            for number, base in enumerate(buffers):
                if not self._intact(number, base):
                    return f"bytes changed outside of buffer {number}, or in it and it is an input"
        return None

    def _intact(self, number: int, base: int) -> bool:
        """Nothing around a buffer has changed, nor what a kernel may not write."""
        size = BUFFERS[number][0]
        kept = {READ_ONLY: b"\1", FREED: b"\0\xcd"}.get(number)
        spans = [(base, base + size, kept)] if kept else []
        if self.margins:
            spans += [(base - MARGIN, base, b"\0"), (base + size, base + size + MARGIN, b"\0")]
        view = self.memory._view
        return not any(
            view[max(first - PARAMETERS, 0) : last - PARAMETERS].tobytes().strip(kept) for first, last, kept in spans
        )


def _arguments(info, buffers: list[int], chance: Random) -> bytes:
    size = max((p.offset + p.size for p in info.parameters), default=0)
    args = bytearray(chance.randbytes(size) if chance.random() < 0.1 else size)
    for p in info.parameters:
        if p.size == 8:
            pointer = chance.choice(buffers if chance.random() < 0.9 else ADDRESSES)
            pointer += chance.choice((4, 1, 1000, -4)) if chance.random() < 0.1 else 0
            struct.pack_into("<Q", args, p.offset, pointer & (2**64 - 1))
        elif p.size == 4:
            struct.pack_into("<I", args, p.offset, chance.choice((*NUMBERS, chance.getrandbits(32))))
    return bytes(args)


# ---- the process that runs inputs ----


def child(options: argparse.Namespace) -> None:
    """The parent sees the number of the input that runs in a mapped file, and findings and a summary on stdout."""
    import mutations

    backend = SimulatedBackend(Engine(build(SANITIZED if options.sanitize else FLAGS)))
    if options.sanitize:
        poison_gaps(backend._memory)
    trial = Trial(backend, backend._memory, margins=not options.sanitize)
    architectures = QUICK if options.quick else mutations.ARCHITECTURES
    kept = Path(options.file).read_text() if options.file else None
    progress = mmap.mmap(os.open(options.progress, os.O_RDWR), 8)
    ends: collections.Counter = collections.Counter()
    for index in range(options.first, options.first + options.count):
        progress[:] = struct.pack("<q", index)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        text = mutations.mutated(Random(f"{options.seed}:{index}"), architectures) if kept is None else kept
        how, finding = trial.run(text, Random(f"{options.seed}:{index}:launch"))
        ends.update(how)
        if finding:
            print(json.dumps({"index": index, "finding": finding}), flush=True)
    print(json.dumps({"ends": ends}), flush=True)


def poison_gaps(memory: Memory) -> None:
    """Tell ASan that in the first part of device memory nothing but buffers may be touched."""
    import ctypes

    runtime = ctypes.CDLL(None)
    poison, clear = runtime.__asan_poison_memory_region, runtime.__asan_unpoison_memory_region
    poison.argtypes = clear.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    start, room = memory.host_offset + BASE, 4 << 20
    reserve, reset = memory.alloc, memory.reset

    def alloc(nbytes: int, **options) -> int:
        clear(memory.host_offset + memory._next, min(max(nbytes, 0), room))
        return reserve(nbytes, **options)

    def empty() -> None:
        clear(start, room)
        reset()
        poison(start, room)

    memory.alloc, memory.reset = alloc, empty  # type: ignore[method-assign]


# ---- the process that watches ----


@dataclass
class Report:
    seed: int
    inputs: int = 0
    seconds: float = 0.0
    ends: collections.Counter = field(default_factory=collections.Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)  # (index, what)

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.inputs} inputs in {self.seconds:.1f} s, {len(self.findings)} findings"]
        lines += [f"{count:9} {end}" for end, count in self.ends.most_common()]
        kinds = {kind_of(what): (index, what) for index, what in reversed(self.findings)}
        return "\n".join(lines + [f"input {index}: {what.strip()[-1500:]}" for index, what in kinds.values()])


def kind_of(finding: str) -> str:
    """The same for findings with the same cause, usually: the last line without the numbers in it."""
    return "".join(c for c in finding.strip().split("\n")[-1][:60] if not c.isdigit())


class Watched:
    """A child process over a range of inputs."""

    def __init__(self, seed: int, first: int, count: int, *, quick=False, sanitize=False, file: Path | None = None):
        self.folder = tempfile.TemporaryDirectory()
        self.progress, self.output = Path(self.folder.name) / "progress", Path(self.folder.name) / "output"
        self.progress.write_bytes(struct.pack("<q", first))
        command = [sys.executable, __file__, "--child", f"--seed={seed}", f"--first={first}", f"--count={count}"]
        command += [f"--progress={self.progress}", *["--quick"] * quick, *["--sanitize"] * sanitize]
        command += [f"--file={file}"] if file else []
        environment = os.environ | (sanitizer_environment() if sanitize else {})
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        self.first, self.last, self.end = first, first, first + count
        self._since = time.monotonic()

    def ended(self) -> bool:
        """Whether the process is over; one that hangs is ended."""
        if self.process.poll() is not None:
            self.last = struct.unpack("<q", self.progress.read_bytes())[0]
            return True
        at = struct.unpack("<q", self.progress.read_bytes())[0]
        if at != self.last:
            self.last, self._since = at, time.monotonic()
        elif time.monotonic() - self._since > WALL_SECONDS:
            self.process.send_signal(signal.SIGKILL)
        return False

    def collect(self, report: Report) -> None:
        """Add what it found, and how it ended if that was not by itself."""
        finished, others = False, []
        for line in self.output.read_text("utf-8", "replace").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                others.append(line)
                continue
            if "ends" in record:
                report.ends.update(record["ends"])
                finished = True
            else:
                report.findings.append((record["index"], record["finding"]))
        report.inputs += self.last + 1 - self.first
        if not finished:
            hangs = self.process.returncode in (-signal.SIGKILL, -signal.SIGPROF)
            what = "hangs" if hangs else f"ended with {self.process.returncode}"
            report.findings.append((self.last, "\n".join([f"crash: the process {what}", *others[-40:]])))
        self.folder.cleanup()


def fuzz(count: int, seed: int, *, first: int = 0, jobs: int = 1, quick=False, sanitize=False) -> Report:
    """Run inputs ``first`` to ``first + count`` of a seed. After a crash the next input begins a new process."""
    report, began = Report(seed), time.monotonic()
    share = -(-count // jobs)
    spans = [(start, min(share, first + count - start)) for start in range(first, first + count, share)]
    running: list[Watched] = []
    while spans or running:
        while spans and len(running) < jobs:
            start, length = spans.pop()
            running.append(Watched(seed, start, length, quick=quick, sanitize=sanitize))
        time.sleep(0.05)
        for watched in [one for one in running if one.ended()]:
            running.remove(watched)
            watched.collect(report)
            if watched.last + 1 < watched.end:
                spans.append((watched.last + 1, watched.end - watched.last - 1))
    report.seconds = time.monotonic() - began
    return report


# ---- findings ----


def finding_of(text: str, seed: int, index: int, folder: Path, **options) -> str:
    """The kind of finding that a text gives; "" for none."""
    file = folder / "candidate.ptx"
    file.write_text(text)
    report, watched = Report(seed), Watched(seed, index, 1, file=file, **options)
    while not watched.ended():
        time.sleep(0.01)
    watched.collect(report)
    return kind_of(report.findings[0][1]) if report.findings else ""


def smaller(text: str, seed: int, index: int, seconds: float = 60, **options) -> str:
    """Fewer lines with the same finding."""
    lines, until = text.split("\n"), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        wanted = finding_of(text, seed, index, Path(name), **options)
        step = len(lines) // 2
        while wanted and step and time.monotonic() < until:
            at = 0
            while at < len(lines) and time.monotonic() < until:
                fewer = lines[:at] + lines[at + step :]
                if finding_of("\n".join(fewer), seed, index, Path(name), **options) == wanted:
                    lines = fewer
                else:
                    at += step
            step //= 2
    return "\n".join(lines)


def keep(report: Report, folder: Path, *, quick=False, sanitize=False) -> None:
    """Write the smaller input of each kind of finding to a file that ``--file`` takes."""
    import mutations

    kinds: set[str] = set()
    folder.mkdir(parents=True, exist_ok=True)
    for index, what in report.findings:
        if kind_of(what) in kinds:
            continue
        kinds.add(kind_of(what))
        text = mutations.mutated(Random(f"{report.seed}:{index}"), QUICK if quick else mutations.ARCHITECTURES)
        target = folder / f"seed{report.seed}_input{index}.ptx"
        target.write_text(smaller(text, report.seed, index, quick=quick, sanitize=sanitize))
        print(f"kept: python {__file__} --seed {report.seed} --first {index} --count 1 --file {target}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sanitize", action="store_true", help="engine with ASan and UBSan")
    parser.add_argument("--quick", action="store_true", help="compile the CUDA files for compute_80 only")
    parser.add_argument("--file", type=Path, help="run this PTX instead of mutated ones")
    parser.add_argument("--keep", type=Path, help="folder for the inputs of findings, made smaller")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options)
        return 0
    build(SANITIZED if options.sanitize else FLAGS)  # here, so that no input's time is spent on it
    common = {"quick": options.quick, "sanitize": options.sanitize}
    if options.file:
        report, watched = Report(options.seed), Watched(options.seed, options.first, 1, file=options.file, **common)
        while not watched.ended():
            time.sleep(0.01)
        watched.collect(report)
    else:
        report = fuzz(options.count, options.seed, first=options.first, jobs=options.jobs, **common)
    print(report)
    if options.keep and report.findings:
        keep(report, options.keep, **common)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
