"""What the chapter tries out: a plugin in one type and format at given extents, what it accepts, bits as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from grader.checks.conformance.rules.formats import accepted, text
from grader.checks.conformance.run import open_bench
from grader.checks.conformance.runs import run_revived
from grader.plugin.execute import make_case
from grader.plugin.layouts import layout_bytes
from grader.plugin.spec_records import Combination, Spec
from grader.plugin.types import TYPES
from grader.toolchain.levels import reach


class Built(Protocol):
    """What ``grader.notebook.plugin.Draft`` is."""

    library: Path
    spec: Spec | None
    title: str


def offers(plugin: Built) -> None:
    """Print the complete combinations of x and y that a plugin accepts, out of those that TensorRT documents."""
    with open_bench(plugin.library, plugin.spec, reach(plugin.library)) as bench:
        found = accepted(bench)
    print(f"{plugin.title}: {len(found)} combinations")
    for combination in found:
        print(f"    x {text(combination).replace(', ', ', y ')}")


def try_out(plugin: Built, kind: str, layout: str, **extents: int) -> None:
    """Run a plugin with x and y of one type and format, and print how much of y is right."""
    if plugin.spec is None:
        raise ValueError("the plugin needs its spec, a .toml file")
    combination = Combination((kind, kind), (layout, layout))
    with open_bench(plugin.library, plugin.spec, reach(plugin.library)) as bench:
        case = make_case(plugin.spec, combination, extents, np.random.default_rng(7))
        run = run_revived(bench, bench.runtime(), bench.stored(combination), case)
        [right] = bench.expected(case)
    print(f"{plugin.title}, {kind} {layout}, x of shape {case.inputs[0].shape}:")
    stored = layout_bytes(case.inputs[0].shape, kind, layout) // TYPES[kind].size
    print(f"    {right.size} elements, {stored} stored with padding")
    if not run.well:
        print(f"    {run.fault.sentence if run.fault else f'enqueue() returned {run.status}'}")
        return
    wrong = ~np.isclose(np.asarray(run.outputs[0], np.float64), right, rtol=4e-3, atol=2e-3)
    print(f"    {int(wrong.sum())} elements of y are wrong ({wrong.mean():.1%})")


def bits(value: float) -> None:
    """Print a number as BF16 and FP16 store it, and what its bits mean when read as the other one."""
    single = int(np.float32(value).view(np.uint32))
    as_bfloat = (single + 0x7FFF + ((single >> 16) & 1)) >> 16
    as_half = int(np.float16(value).view(np.uint16))
    read_half = float(np.array(as_bfloat, np.uint16).view(np.float16))
    read_bfloat = float(np.array(as_half << 16, np.uint32).view(np.float32))
    print(f"{value} as BF16: {as_bfloat:016b}, which read as FP16 is {read_half:g}")
    print(f"{value} as FP16: {as_half:016b}, which read as BF16 is {read_bfloat:g}")
