"""Operands: edges against edges, random bits, ordinary numbers."""

from __future__ import annotations

import numpy as np

from opcode_cases.case import BYTES

COUNT = 4096  # elements of each input
BLOCK = 256

_INTEGER_EDGES = (
    0,
    1,
    2,
    3,
    5,
    7,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    -1,
    -2,
    -3,
)


def inputs(kind: str, position: int, ties: bool = False) -> np.ndarray:
    """``COUNT`` elements as unsigned bits, always the same: edges against edges, then random values.

    With ``ties``, each ends in 1 and zeros behind a random place, so that roundings meet the middle often.
    """
    data = _elements(kind, position)
    if ties:
        unsigned = data.dtype.type
        places = np.random.default_rng([position, len(data)]).integers(0, 8 * data.itemsize - 2, COUNT)
        places = np.minimum(places, 8 * data.itemsize - 3).astype(data.dtype)
        data = (data >> places | unsigned(1)) << places
    return data


def _elements(kind: str, position: int) -> np.ndarray:
    size = BYTES[kind]
    unsigned = np.dtype(f"u{size}")
    random = np.random.default_rng([size, position, len(kind)])
    data = random.integers(0, 1 << (8 * size), COUNT, dtype=np.uint64 if size == 8 else np.int64, endpoint=False)
    data = data.astype(unsigned)
    edges = _float_edges(kind) if kind.removesuffix("x2") in ("f16", "bf16", "f32", "f64") else _integer_edges(size)
    edges = edges.astype(unsigned)
    if kind.removesuffix("x2") in ("f16", "bf16", "f32", "f64"):
        usual = _usual_floats(kind, random)
        data[1::3] = usual[1::3]  # a third ordinary numbers, a third any bits, a third near ordinary ones
        data[2::3] = usual[2::3] ^ random.integers(0, 8, COUNT).astype(unsigned)[2::3]
    else:
        small = random.integers(0, 40, COUNT).astype(unsigned)
        data[1::3] = small[1::3]
    pairs = len(edges) ** 2
    index = np.arange(min(pairs, COUNT // 2))
    data[: len(index)] = edges[
        index // len(edges) if position == 1 else (index * (1 if position == 2 else 7)) % len(edges)
    ]
    return data


def _integer_edges(size: int) -> np.ndarray:
    top = 1 << (8 * size)
    values = [*_INTEGER_EDGES, top // 2, top // 2 - 1, top // 2 + 1, top - 1]
    return np.array([v % top for v in values], dtype=np.uint64)


_FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def _float_edges(kind: str) -> np.ndarray:
    base = kind.removesuffix("x2")
    exponent, fraction = _FORMATS[base]
    one = ((1 << (exponent - 1)) - 1) << fraction
    infinity = ((1 << exponent) - 1) << fraction
    values = [
        0,
        1,
        2,
        (1 << fraction) - 1,
        1 << fraction,
        (1 << fraction) + 1,
        one,
        one + 1,
        one - 1,
        one + (1 << fraction),
        one - (1 << fraction),
        one + (1 << (fraction - 1)),
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | 1 << (fraction - 1),
        one + (min(fraction, 30) << fraction) + 1,
        one - ((fraction + 1) << fraction),
    ]
    sign = 1 << (exponent + fraction)
    both = [v | s for v in values for s in (0, sign)]
    if kind.endswith("x2"):
        return np.array([v | w << 16 for v, w in zip(both, [*both[7:], *both[:7]], strict=True)], dtype=np.uint64)
    return np.array(both, dtype=np.uint64)


def _usual_floats(kind: str, random: np.random.Generator) -> np.ndarray:
    numbers = random.standard_normal(COUNT) * 2.0 ** random.integers(-6, 6, COUNT)
    if kind == "f64":
        return numbers.view(np.uint64)
    singles = numbers.astype(np.float32).view(np.uint32)
    if kind == "f32":
        return singles
    halves = (
        (singles >> 16) if kind.startswith("bf16") else numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
    )
    return halves | np.roll(halves, 1) << 16 if kind.endswith("x2") else halves.astype(np.uint16)
