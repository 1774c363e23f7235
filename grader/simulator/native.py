"""The engine, loaded by ctypes: its plain C interface as Python records."""

from __future__ import annotations

import ctypes
from pathlib import Path

from grader.simulator.records import DeviceError
from grader.verdict.records import State

# The fields of abi.h, LaunchRequest, in its order.
_POINTERS = "code functions specials copies images params allocations counters fault output lists trace"
_NUMBERS = """host_offset written_offset budget code_count allocation_count params_bytes output_bytes output_used
    first_block last_block"""
_SIZES = "shared_bytes local_limit dynamic_shared_bytes checks workers"

CALLERS = 8  # kCallers


class FaultRecord(ctypes.Structure):
    """abi.h, FaultRecord."""

    _fields_ = [
        *((name, ctypes.c_int32) for name in ("kind", "pc", "thread", "space", "bytes", "detail")),
        ("block", ctypes.c_int32 * 3),
        ("other_pc", ctypes.c_int32),
        ("other_thread", ctypes.c_int32),
        ("other_block", ctypes.c_int32 * 3),
        ("callers", ctypes.c_int32 * CALLERS),
        ("address", ctypes.c_uint64),
    ]


class LaunchRequest(ctypes.Structure):
    """abi.h, LaunchRequest."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in _POINTERS.split()),
        *((name, ctypes.c_int64) for name in _NUMBERS.split()),
        ("grid", ctypes.c_int32 * 3),
        ("block", ctypes.c_int32 * 3),
        *((name, ctypes.c_int32) for name in _SIZES.split()),
    ]


COUNTER_FIELDS = (
    "executions",
    "lanes",
    "requests",
    "sectors",
    "shared_requests",
    "wavefronts",
    "local_requests",
    "local_sectors",
    "copy_sectors",
)  # abi.h, Counter

CHECK_RACES = 1  # abi.h, CheckFlag
_OUT_OF_MEMORY = -1  # abi.h, kOutOfMemory


class Engine:
    """The loaded library."""

    def __init__(self, library: Path):
        from grader.simulator.decode.types import RECORD

        self._library = ctypes.CDLL(str(library))
        self._library.simulator_op_name.restype = ctypes.c_char_p
        self._library.simulator_launch.argtypes = [ctypes.POINTER(LaunchRequest)]
        if self._library.simulator_instruction_bytes() != RECORD.size:
            raise DeviceError(
                State.GRADER_FAULT, "the simulated GPU's engine and its decoder do not fit together"
            )
        if self._library.simulator_request_bytes() != ctypes.sizeof(LaunchRequest):
            raise DeviceError(
                State.GRADER_FAULT, "the simulated GPU's engine and its launcher do not fit together"
            )
        self.operations: dict[str, int] = {}
        while (name := self._library.simulator_op_name(len(self.operations))) is not None:
            self.operations[name.decode()] = len(self.operations)

    def launch(self, request: LaunchRequest) -> int:
        """Run to the end: the kind of fault (abi.h, FaultKind), 0 for none."""
        kind = self._library.simulator_launch(ctypes.byref(request))
        if kind == _OUT_OF_MEMORY:
            sentence = "The simulated GPU needs more memory than there is to run this launch."
            raise DeviceError(State.OUT_OF_MEMORY, sentence)
        return kind
