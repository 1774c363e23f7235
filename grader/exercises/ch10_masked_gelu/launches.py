"""Checks that the forward and the backward kernels share: they run, they write everything, they leave inputs alone."""

from __future__ import annotations

import numpy as np

from grader.checks import Finding, failed, passed, unwritten
from grader.exercises.ch10_masked_gelu import inputs


def runs(kernels, make, room: int, output: str):
    """Every kernel comes to its end on one block and writes every element of ``output``; inputs may be written."""

    def run(bench, rng) -> Finding:
        for kernel in kernels:
            each = make(kernel, inputs.BLOCK, rng).with_room(room).with_writable_inputs()
            done = bench.launch(each)
            if done.finding:
                return done.finding
            if (missing := np.flatnonzero(unwritten(done.outputs[output]))).size:
                return failed(
                    f"{kernel} never writes {output}[{missing[0]}]; {each.label}.",
                    case={"kernel": kernel, "label": each.label},
                )
        return passed()

    return run


def leaves_inputs(kernels, make, room: int):
    """No kernel writes to an input: a write to one is a fault."""

    def run(bench, rng) -> Finding:
        cases = [make(kernel, inputs.BLOCK, rng).with_room(room) for kernel in kernels]
        return next(filter(None, (bench.launch(case).finding for case in cases)), passed())

    return run
