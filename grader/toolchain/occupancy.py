"""How many blocks of a kernel run on one multiprocessor at once, and what keeps more of them out.

The limits are those of the CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications
per Compute Capability"; the granularities are those of ``cuda_occupancy.h`` of the CUDA toolkit 13.0, against which
the tests hold every number here.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.toolchain.resources import Resources

WARP = 32
MAX_THREADS = 1024  # of a block
_PARTITIONS = 4  # of a multiprocessor; each has a quarter of its registers, and a warp lives in one of them
_REGISTERS = 65536  # of a multiprocessor; a block may have them all
_REGISTER_UNIT = 256  # a warp gets registers in units of so many


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor has. Shared memory in bytes, at its largest share of the L1 cache."""

    warps: int
    blocks: int
    shared: int
    shared_unit: int  # a block gets shared memory in units of so many bytes
    reserved: int  # bytes of shared memory that the driver adds to every block
    barriers: int | None = None  # that all blocks have together, where they can run out


_KB = 1024
MULTIPROCESSORS = {
    "7.5": Multiprocessor(warps=32, blocks=16, shared=64 * _KB, shared_unit=256, reserved=0),
    "8.0": Multiprocessor(warps=64, blocks=32, shared=164 * _KB, shared_unit=128, reserved=_KB),
    "8.6": Multiprocessor(warps=48, blocks=16, shared=100 * _KB, shared_unit=128, reserved=_KB),
    "8.9": Multiprocessor(warps=48, blocks=24, shared=100 * _KB, shared_unit=128, reserved=_KB),
    "9.0": Multiprocessor(warps=64, blocks=32, shared=228 * _KB, shared_unit=128, reserved=_KB, barriers=64),
}


@dataclass(frozen=True)
class Occupancy:
    """``fraction`` is of the warps that a multiprocessor can hold. Nothing runs where ``blocks`` is 0."""

    blocks: int  # at once, on one multiprocessor
    warps: int
    fraction: float
    limited_by: tuple[str, ...]  # of "threads", "warps", "blocks", "registers", "shared memory", "barriers"


def occupancy(
    resources: Resources, block_threads: int, dynamic_shared: int = 0, capability: str = "8.0"
) -> Occupancy:
    """``dynamic_shared`` in bytes a block. ``ValueError`` for a ``capability`` that is not in ``MULTIPROCESSORS``, a
    block without threads, or negative bytes."""
    if capability not in MULTIPROCESSORS:
        raise ValueError(f"no limits are known for compute capability {capability!r}: {', '.join(MULTIPROCESSORS)}")
    if block_threads < 1 or dynamic_shared < 0:
        raise ValueError("a block has at least one thread and no negative shared memory")
    sm = MULTIPROCESSORS[capability]
    warps = -(-block_threads // WARP)
    limits = {
        "warps": sm.warps // warps,
        "blocks": sm.blocks,
        "registers": _by_registers(resources.registers, warps),
        "shared memory": _by_shared(sm, resources.shared_bytes + dynamic_shared),
    }
    if sm.barriers and resources.barriers:
        limits["barriers"] = sm.barriers // resources.barriers
    if block_threads > MAX_THREADS:
        limits["threads"] = 0
    blocks = min(limits.values())
    return Occupancy(
        blocks=blocks, warps=blocks * warps, fraction=blocks * warps / sm.warps,
        limited_by=tuple(name for name, limit in limits.items() if limit == blocks),
    )  # fmt: skip


def _by_registers(registers: int, warps: int) -> int:
    if registers == 0:
        return MAX_THREADS  # more than anything else allows
    of_a_warp = -(-registers * WARP // _REGISTER_UNIT) * _REGISTER_UNIT
    # The launch is checked as if every partition held the same number of the block's warps.
    if of_a_warp * (-(-warps // _PARTITIONS) * _PARTITIONS) > _REGISTERS:
        return 0
    return _REGISTERS // _PARTITIONS // of_a_warp * _PARTITIONS // warps


def _by_shared(sm: Multiprocessor, used: int) -> int:
    taken = -(-(used + sm.reserved) // sm.shared_unit) * sm.shared_unit
    return sm.shared // taken if taken else MAX_THREADS
