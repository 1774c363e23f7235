"""Numbers of the engine by name: what a fault's record says. ``tests/simulator/test_abi.py`` compares the two sides."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class FaultKind(IntEnum):
    """abi.h. ``faults.SENTENCES`` says of each what a learner is told."""

    OUT_OF_BOUNDS = 1
    MISALIGNED = 2
    NULL_POINTER = 3
    FREED_POINTER = 4
    READ_ONLY = 5
    SHARED_OUT_OF_BOUNDS = 6
    LOCAL_OUT_OF_BOUNDS = 7
    UNINITIALISED_SHARED = 8
    BARRIER = 9
    SHUFFLE = 10
    BUDGET = 11
    TRAP = 12
    ASSERT = 13
    STACK = 14
    UNSUPPORTED = 15
    RACE = 20
    UNINITIALISED_GLOBAL = 21
    DEADLOCK = 30
    BAD_CALL = 40
    ASYNC_COPY = 50


class Space(IntEnum):
    """abi.h."""

    GENERIC = 0
    GLOBAL = 1
    SHARED = 2
    LOCAL = 3
    PARAM = 4
    CONST = 5


# ``FaultRecord.detail``, by kind.


class BarrierDetail(IntEnum):
    """barriers.cpp: of BARRIER."""

    NOT_BY_ALL = 0
    TWO_BARRIERS = 1
    BAD_OPERAND = 2


class BudgetDetail(IntEnum):
    """launch.cpp: of BUDGET; 0 where nothing more is known."""

    LATER_BLOCKS_MISSING = 1
    ONLY_SOME_FIT = 2
    MANY_BLOCKS = 3


class ShuffleDetail(IntEnum):
    """waits.h: of SHUFFLE."""

    ABSENT = 0
    NOT_NAMED = 1
    NOT_ALL = 2
    SHORT_WARP = 3
    OTHER_OPERANDS = 4
    NO_PARTNER = 5
    OTHER_MASK = 6
    OTHER_CALL = 7


class CopyDetail(IntEnum):
    """async_copy.cpp: of ASYNC_COPY."""

    READS_TOO_MUCH = 1
    NOT_COMMITTED = 2


class RaceDetail(IntFlag):
    """races.cpp: of RACE."""

    WRITES = 1
    OTHER_WRITES = 2
    LOCKSTEP = 4
