"""The launches of counter_kernels.toml: their sources and their arguments, the same wherever they are made."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = HERE / "counter_kernels.toml"
MEASURED = HERE / "h200_counters.csv"

_TYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16,
}  # fmt: skip


@dataclass(frozen=True)
class Listed:
    """One launch of the table. Grid and block have three extents; ``shared`` is dynamic, in bytes."""

    name: str
    file: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: str
    defines: str = ""
    variant: str = ""
    shared: int = 0
    ptxas: str = ""  # why counters differ: the machine code does something else than the PTX
    open: str = ""  # why they differ otherwise, or what is not understood yet

    @property
    def options(self) -> list[str]:
        return [f"-D{define}" for define in self.defines.split()]

    @property
    def main(self) -> str:
        return Path(self.file).name

    def source(self) -> bytes:
        """The kernel file, with the variant's patch applied."""
        files = {self.main: (ROOT / self.file).read_bytes()}
        if self.variant:
            from grader.proof.patch import read_variant

            files = read_variant(ROOT / "tests" / "variants" / f"{self.variant}.patch").apply(files)
        return files[self.main]

    def make_arguments(self) -> list[np.ndarray | np.generic]:
        """Arrays are buffers, to be placed at multiples of 512 bytes; the others are numbers."""
        random = np.random.default_rng(int.from_bytes(self.name.encode()[-7:], "little"))
        return [_argument(text.split(), random) for text in self.arguments.split(",")]


def _argument(words: list[str], random: np.random.Generator) -> np.ndarray | np.generic:
    match words:
        case ["normal", kind, count]:
            return random.standard_normal(int(count)).astype(_TYPES[kind])
        case ["whole", kind, count, "below", limit]:
            return random.integers(0, int(limit), int(count)).astype(_TYPES[kind])
        case ["order", count]:
            return random.permutation(int(count)).astype(np.int32)
        case ["steps", count, "by", step, "below", limit]:
            return (np.arange(int(count), dtype=np.int64) * int(step) % int(limit)).astype(np.int32)
        case ["mask", count]:
            return (random.random(int(count)) < 0.7).astype(np.uint8)
        case ["zeros", count]:
            return np.zeros(int(count), np.uint8)
        case [kind, value]:
            return _TYPES[kind](float(value) if kind[0] == "f" else int(value))
    raise ValueError(f"no argument is made by {' '.join(words)!r}")


def launches() -> list[Listed]:
    """All of them, in the order of the table."""
    found = []
    for file, entry in tomllib.loads(TABLE.read_text()).items():
        for row in entry["launches"]:
            row = {"kernel": row["name"], **row}
            for key in ("grid", "block"):
                row[key] = (*row[key], 1, 1)[:3]
            found.append(Listed(file=file, **row))
    return found


def simulate(device, listed: Listed):
    """The ``Launch`` of a listed kernel on an empty simulated device."""
    from grader.toolchain.kernel import compile_kernel
    from grader.toolchain.records import Source

    device.reset()
    compiled = compile_kernel(Source(files={listed.main: listed.source()}, main=listed.main), options=listed.options)
    if not compiled.ptx:
        raise RuntimeError(f"{listed.name}: {compiled.message}")
    module = device.load(compiled.ptx)
    parameters = device.kernels(module)[listed.kernel].parameters
    data = bytearray(max((p.offset + p.size for p in parameters), default=0))
    for parameter, value in zip(parameters, listed.make_arguments(), strict=True):
        if isinstance(value, np.ndarray):
            address = device.alloc(value.nbytes)
            device.write(address, value)
            value = np.uint64(address)
        data[parameter.offset : parameter.offset + parameter.size] = value.tobytes()
    return device.launch(module, listed.kernel, listed.grid, listed.block, bytes(data), shared_bytes=listed.shared)
