"""What the sizes of a launch may be."""

from __future__ import annotations

from grader.simulator.decode.program import Program

MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_SHARED = 48 << 10  # bytes of a block, static and dynamic, unless the kernel asks for more dynamic ones
# That it can ask for, by the target that the code is compiled for (CUDA C++ Programming Guide 13.0, "Technical
# Specifications per Compute Capability": "Maximum amount of shared memory per thread block").
MAX_ASKED = {"sm_75": 64 << 10, "sm_80": 163 << 10, "sm_86": 99 << 10, "sm_89": 99 << 10, "sm_90": 227 << 10}


def configuration_problem(program: Program, target: str, grid, block, dynamic: int, asked: int | None) -> str | None:
    """What a launch's sizes break, in one sentence; None if nothing.

    ``target`` is the PTX's. ``asked`` is the kernel's MaxDynamicSharedMemorySize, None where it was not set.
    """
    for what, unit, size, most in (("grid", "blocks", grid, MAX_GRID), ("block", "threads", block, MAX_BLOCK)):
        for axis, extent, limit in zip("xyz", size, most, strict=True):
            if extent < 1:
                return (
                    f"The {what} has {extent} in {axis}: every extent must be at least 1. "
                    "Launch nothing when there is nothing to do."
                )
            if extent > limit:
                return f"The {what} has {extent} {unit} in {axis}; the most is {limit}."
    threads = block[0] * block[1] * block[2]
    if threads > MAX_THREADS:
        return f"A block has {threads} threads; the most is {MAX_THREADS}."
    if program.max_threads is not None and threads > program.max_threads:
        most = program.max_threads
        return f"A block has {threads} threads; the kernel's __launch_bounds__ promise at most {most}."
    return _shared_problem(program.shared_bytes, dynamic, asked, target)


def asking_problem(static: int, asked: int, target: str) -> str | None:
    """What is wrong with a kernel's MaxDynamicSharedMemorySize beside its static shared memory."""
    most = _most_shared(target) - static
    if 0 <= asked <= most:
        return None
    return (
        f"A kernel cannot ask for {asked} bytes of dynamic shared memory; beside its {static} static ones the most is "
        f"{most}, as the code is compiled for {target}."
    )


def _most_shared(target: str) -> int:
    return MAX_ASKED.get(target.rstrip("af"), MAX_SHARED)


def _shared_problem(static: int, dynamic: int, asked: int | None, target: str) -> str | None:
    if dynamic < 0:
        return f"A block cannot have {dynamic} bytes of dynamic shared memory."
    if asked is not None and (problem := asking_problem(static, asked, target)):
        return problem
    if asked is not None and dynamic > asked:
        return (
            f"A block uses {dynamic} bytes of dynamic shared memory; the kernel's attribute MaxDynamicSharedMemorySize "
            f"allows {asked}."
        )
    total = static + dynamic
    if total > (most := _most_shared(target)):
        return f"A block uses {total} bytes of shared memory; the most is {most}, as the code is compiled for {target}."
    if asked is None and total > MAX_SHARED:
        return (
            f"A block uses {total} bytes of shared memory; the most is {MAX_SHARED}, unless the kernel asks for more: "
            "cudaFuncSetAttribute with MaxDynamicSharedMemorySize, in CuPy kernel.max_dynamic_shared_size_bytes = "
            f"{dynamic}."
        )
    return None
