"""The statuses of CUDA's runtime (``cudaError_t``, ``driver_types.h`` of CUDA 13.0) that the device process answers."""

from __future__ import annotations

from enum import IntEnum

from grader.simulator.decode.program import Program
from grader.simulator.limits import configuration_problem


class Status(IntEnum):
    SUCCESS = 0
    INVALID_VALUE = 1
    MEMORY_ALLOCATION = 2
    INVALID_PITCH = 12
    INVALID_SYMBOL = 13
    INVALID_DEVICE_FUNCTION = 98
    NO_KERNEL_IMAGE = 209
    INVALID_PTX = 218
    DEVICES_UNAVAILABLE = 46
    INVALID_RESOURCE_HANDLE = 400
    ILLEGAL_STATE = 401
    SYMBOL_NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_TIMEOUT = 702
    ASSERT = 710
    MISALIGNED_ADDRESS = 716
    LAUNCH_FAILURE = 719
    NOT_SUPPORTED = 801
    CAPTURE_UNSUPPORTED = 900
    CAPTURE_INVALIDATED = 901
    CAPTURE_MERGE = 902
    CAPTURE_UNMATCHED = 903
    CAPTURE_UNJOINED = 904
    CAPTURE_ISOLATION = 905
    CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    CAPTURE_WRONG_THREAD = 908


# What a GPU answers to each kind of fault, once and for ever: the error is sticky, the process must start anew. Kinds
# that are not here are silent on a GPU: the fault is kept for the parent, and the calls go on.
FAULT_STATUS = {
    "out_of_bounds": Status.ILLEGAL_ADDRESS, "null_pointer": Status.ILLEGAL_ADDRESS,
    "freed_pointer": Status.ILLEGAL_ADDRESS, "host_pointer": Status.ILLEGAL_ADDRESS,
    "shared_out_of_bounds": Status.ILLEGAL_ADDRESS, "stack": Status.ILLEGAL_ADDRESS,
    "misaligned": Status.MISALIGNED_ADDRESS, "assert": Status.ASSERT, "trap": Status.LAUNCH_FAILURE,
    "bad_call": Status.LAUNCH_FAILURE, "budget": Status.LAUNCH_TIMEOUT, "deadlock": Status.LAUNCH_TIMEOUT,
    "barrier": Status.LAUNCH_TIMEOUT, "shuffle": Status.LAUNCH_FAILURE, "launch": Status.INVALID_VALUE,
    "unsupported": Status.NOT_SUPPORTED,
}  # fmt: skip
SILENT = {"race", "async_copy", "uninitialised_shared", "uninitialised_global", "read_only"}


def launch_status(program: Program, target: str, grid, block, dynamic: int, asked: int | None) -> Status:
    """What cudaLaunchKernel answers to a launch's sizes before anything runs.

    An H200 with CUDA 13.0 answers cudaErrorInvalidValue to every one of them, where driver_types.h would let expect
    cudaErrorInvalidConfiguration or cudaErrorLaunchOutOfResources (tests/simulator/runtime/h200_statuses.csv).
    """
    problem = configuration_problem(program, target, grid, block, dynamic, asked)
    return Status.INVALID_VALUE if problem else Status.SUCCESS
