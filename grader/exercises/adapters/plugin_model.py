"""A model of a PReLU plugin in Python: what it says to format negotiation, and what its kernel does in memory.

``call(function, row)``: ``row`` describes a plugin (see ``Model``), of which the function gets a ``Model``. What comes
back is what the function returns, or ``{"error": words, "line": line of the cell or None}``, so that one plugin on
which the function fails does not hide the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.plugin.layouts import LAYOUTS, from_layout, layout_bytes, padded_shape, to_layout
from grader.sandbox import foreign

CELL = "<answer>"  # as the run child names the cell
FLOATS = ("float32", "float16", "bfloat16")
Pair = tuple[str, str]


class Model:
    """One input x and one output y, each offered as a pair of type and format, position 0 and 1.

    ``row``: ``accepts``, the pairs that position 0 takes; ``output``, which pairs position 1 takes then: "same",
    "type" (the same type, any format that is accepted), "float" (any type of those, the same format), "none";
    ``peeks``, whether and how position 0 looks at position 1: "type", "format", "linear"; ``moody``, what changes its
    answers: "configure", or "last", where it goes by the x that it was asked for last; ``kernel``, the faults of its
    kernel, each with the types and formats that it is about.
    """

    TYPES = (*FLOATS, "int8", "int32", "int64", "bool", "uint8")
    FORMATS = ("linear", "chw2", "chw4", "hwc8", "chw32", "hwc")

    def __init__(self, row: dict):
        self.__row = row
        self.__accepts = {tuple(pair) for pair in row["accepts"]}
        self.__configured, self.__last = False, None

    def supports(self, pos: int, in_out: Sequence[Pair]) -> bool:
        """As supportsFormatCombination(): ``in_out`` are the pairs of x and y."""
        if pos not in (0, 1) or len(in_out) != 2:
            raise ValueError("supports(pos, in_out): pos is 0 for x or 1 for y; in_out has a (type, format) for each")
        x, y = (tuple(pair) for pair in in_out)
        moody = self.__row.get("moody")
        if moody == "configure" and self.__configured and x[0] == "float16":
            return False
        if pos == 0:
            self.__last = x
            return self.__takes_x(x, y)
        return self.__takes_y(self.__last if moody == "last" else x, y)

    def configure(self, in_out: Sequence[Pair]) -> None:
        """As configurePlugin() with this combination."""
        if len(in_out) != 2:
            raise ValueError("configure(in_out): in_out has a pair of (type, format) for x and for y")
        self.__configured = True

    def run(self, x: np.ndarray, slope: Sequence[float], in_out: Sequence[Pair]) -> np.ndarray:
        """As TensorRT uses the plugin: x, an array (N, C, H, W), is laid out in memory in its type and format, the
        kernel runs, and what it wrote is read in the type and format of y, an array of float32 again."""
        x, slope = np.asarray(x, np.float32), np.asarray(slope, np.float32).ravel()
        if x.ndim != 4 or 0 in x.shape or slope.size not in (1, x.shape[1]):
            raise ValueError("run(x, slope, in_out): x is an array (N, C, H, W), not empty; slope has 1 or C numbers")
        (kind, layout), (y_kind, y_layout) = in_out
        if kind not in FLOATS or y_kind not in FLOATS or layout not in self.FORMATS or y_layout not in self.FORMATS:
            raise ValueError(f"run() takes {', '.join(FLOATS)} in {', '.join(self.FORMATS)}, not {in_out}")
        faults = {each["does"]: each for each in self.__row["kernel"] if self.__concerns(each, (kind, layout))}
        y = _prelu(_read(to_layout(x, kind, layout), x.shape, kind, layout, faults), slope, faults, layout)
        written = _write(y, y_kind, y_layout, faults)
        size = layout_bytes(x.shape, y_kind, y_layout)
        return np.asarray(from_layout(written[:size].ljust(size, b"\0"), x.shape, y_kind, y_layout), np.float32)

    def __takes_x(self, x: Pair, y: Pair) -> bool:
        peeks = self.__row.get("peeks")
        looked = {"type": x[0] == y[0], "format": x[1] == y[1], "linear": y[1] == "linear"}
        if not looked.get(peeks, True):
            return False
        return x in self.__accepts

    def __takes_y(self, x: Pair, y: Pair) -> bool:
        rule = self.__row.get("output", "same")
        if x not in self.__accepts or rule == "none":
            return False
        if rule == "type":
            return y in self.__accepts and y[0] == x[0]
        if rule == "float":
            return y[0] in {kind for kind, _ in self.__accepts} and y[1] == x[1]
        return x == y

    @staticmethod
    def __concerns(fault: dict, pair: Pair) -> bool:
        kinds, formats = fault.get("types"), fault.get("formats")
        return (kinds is None or pair[0] in kinds) and (formats is None or pair[1] in formats)


def _read(data: bytes, shape: tuple[int, ...], kind: str, layout: str, faults: dict) -> np.ndarray:
    """What the kernel takes for x."""
    kind, layout = faults.get("reads-type", {}).get("as", kind), faults.get("reads-format", {}).get("as", layout)
    whole = padded_shape(shape, layout)
    if "no-padding" in faults:  # as if the channels were whole vectors
        rows = np.frombuffer(data, np.uint8)
        width = len(rows) // (whole[0] * whole[1] * whole[2] * whole[3])
        taken = rows[: shape[0] * shape[1] * shape[2] * shape[3] * width].tobytes()
        plain = from_layout(taken, (shape[0], shape[2], shape[3], shape[1]), kind, "linear")
        return np.moveaxis(np.asarray(plain, np.float32), -1, 1)
    size = layout_bytes(shape, kind, layout)
    return np.asarray(from_layout(data[:size].ljust(size, b"\0"), shape, kind, layout), np.float32)


def _prelu(x: np.ndarray, slope: np.ndarray, faults: dict, layout: str) -> np.ndarray:
    slopes = np.broadcast_to(slope, x.shape[1]).copy()
    if "first-slope" in faults:
        slopes[:] = slopes[0]
    if "forgets-slope" in faults:
        slopes[:] = 1
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.where(x < 0, slopes[:, None, None] * x, x)
    if "first-image" in faults:
        y[1:] = 0
    if "first-vector" in faults:
        y[:, LAYOUTS[layout].vector if layout in LAYOUTS else 32 :] = 0
    if "whole-rows" in faults:  # two elements at a time, and the last of an odd number is left
        y[:, :, :, y.shape[3] // 2 * 2 :] = 0
    return y


def _write(y: np.ndarray, kind: str, layout: str, faults: dict) -> bytes:
    """The bytes that the kernel leaves where y is expected."""
    kind = faults.get("reads-type", {}).get("as", kind)
    layout = faults.get("writes-format", {}).get("as", faults.get("reads-format", {}).get("as", layout))
    with np.errstate(over="ignore", invalid="ignore"):
        if "no-padding" in faults:
            return to_layout(np.moveaxis(y, 1, -1), kind, "linear")
        return to_layout(y, kind, layout)


def call(function, row: dict):
    try:
        return function(Model(row))
    except BaseException as error:  # SystemExit too
        return {"error": foreign.words(error), "line": foreign.line(error, CELL)}
