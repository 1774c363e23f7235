"""The engine gives the same bits on every machine.

    python tests/simulator/replay/run.py [--record pytest's arguments]

Records the launches of the simulator's tests (every form of an instruction, whole kernels, faults) as the engine runs
them here, then runs them again with the engine built by other compilers, with other flags, and for ``aarch64``, where
qemu is the processor. All of memory, counters, faults and output must be equal.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
ENGINE = ROOT / "grader" / "simulator" / "engine"
NOT_RECORDED = ("test_process.py", "test_mutated.py", "test_replay.py", "test_big_indices.py", "test_parse.py")
# What no build may go without: the rest is free.
LANGUAGE = ("-std=c++17", "-ffp-contract=off", "-fno-math-errno", "-pthread")


@dataclass(frozen=True)
class Target:
    name: str
    compiler: str
    flags: tuple[str, ...]
    emulator: str = ""
    install: str = ""  # how to get what is missing
    machine: str = ""  # needed, where there is no emulator

    def missing(self) -> str | None:
        for tool in filter(None, (self.compiler, self.emulator)):
            if shutil.which(tool) is None:
                return f"{tool} is not here; install it with: {self.install}"
        if self.machine and os.uname().machine != self.machine:
            return f"this machine is no {self.machine}"
        return None


_GPP = "sudo apt-get install g++"
_CROSS = "sudo apt-get install g++-aarch64-linux-gnu qemu-user"
TARGETS = (
    Target("as the grader builds it", "g++", ("-O3", "-march=native"), install=_GPP),
    Target("x86-64 of 2003", "g++", ("-O2", "-march=x86-64", "-U__FLT16_MANT_DIG__"), "", _GPP, machine="x86_64"),
    Target("not optimised", "g++", ("-O0",), install=_GPP),
    Target("clang", "clang++", ("-O2",), install="sudo apt-get install clang"),
    Target("aarch64 in qemu", "aarch64-linux-gnu-g++", ("-O2", "-static"), "qemu-aarch64", _CROSS),
)


def build(target: Target, folder: Path) -> Path:
    """The driver and the engine as one program."""
    sources = [HERE / "replay.cpp", *sorted(ENGINE.glob("*.cpp"))]
    objects = [folder / f"{source.stem}.o" for source in sources]
    flags = [*LANGUAGE, *target.flags, f"-I{ENGINE}"]
    waiting = list(zip(sources, objects, strict=True))
    while waiting:
        some, waiting = waiting[: os.cpu_count() or 1], waiting[os.cpu_count() or 1 :]
        running = [subprocess.Popen([target.compiler, *flags, "-c", source, "-o", to]) for source, to in some]
        if any([process.wait() for process in running]):
            raise SystemExit(f"{target.compiler} could not build the engine")
    program = folder / "replay"
    subprocess.run([target.compiler, *flags, *objects, "-o", program], check=True)
    return program


def replay(target: Target, recording: Path) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        program = build(target, Path(folder))
        command = [*filter(None, [target.emulator]), program, recording]
        return subprocess.run(command, capture_output=True, text=True)


def record(arguments: list[str], path: Path) -> None:
    import pytest

    sys.path[:0] = [str(HERE), str(ROOT)]
    from record import recorded

    with recorded() as recording:
        usual = [str(path) for path in sorted(HERE.parent.glob("test_*.py")) if path.name not in NOT_RECORDED]
        if pytest.main(["-q", "--tb=no", "-p", "no:cacheprovider", *(arguments or usual)]):
            print("Some tests fail; their launches are recorded as they are.")
    recording.save(path)
    print(f"{len(recording.launches)} launches recorded, {recording.left_out} large ones left out, "
          f"{path.stat().st_size >> 20} MiB")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs="*", default=[], help="what pytest runs instead of the usual tests")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        record(options.record, recording)
        for target in TARGETS:
            if reason := target.missing():
                print(f"{target.name:24} skipped: {reason}")
                continue
            done = replay(target, recording)
            failed |= done.returncode != 0
            lines = (done.stdout + done.stderr).splitlines()
            print(f"{target.name:24} {lines[-1] if lines else f'ended with {done.returncode}'}", flush=True)
            print("\n".join(f"    {line}" for line in lines[:-1][:20]), end="\n" if lines[:-1] else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
