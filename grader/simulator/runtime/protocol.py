"""What the stand-in CUDA runtime (``cudart/``, in the plugin process) asks of the device process.

One socket, one request at a time. A request is ``REQUEST`` and a payload; the answer is ``REPLY`` and a payload.
``cudart/protocol.h`` says the same in C++; a test compares the two. Nothing that arrives is believed: a request that
makes no sense ends the connection, not the device process.

Streams and events are numbers that the device process gives out; stream 0 and 1 are the legacy default stream, 2 is
the calling thread's default stream (``cudaStreamLegacy``, ``cudaStreamPerThread``). The runtime turns 0 into 2 for
code that was compiled with per-thread default streams. Statuses are values of ``cudaError_t``.

A request names the CUDA function that the plugin called by its place in ``cudart/functions.inc``, the list of all that
libcudart 12 and 13 export; 0 where there is none. Each call of the plugin leaves at least one request.
"""

from __future__ import annotations

import functools
import re
import struct
from enum import IntEnum, IntFlag
from pathlib import Path

VERSION = 1
REQUEST = struct.Struct("<HHIQ8Q")  # call, CUDA function, number of the calling thread, payload bytes, arguments
REPLY = struct.Struct("<iIQ4Q")  # status, flags, payload bytes, values
DELIVERY = struct.Struct("<QQ")  # host address, bytes; the bytes follow

# Device addresses lie here. The plugin process reserves the range without access, so that the host cannot touch it.
DEVICE_BASE = 0x7000_0000_0000
DEVICE_BYTES = 8 << 40

LEGACY_STREAMS = (0, 1)
PER_THREAD_STREAM = 2


@functools.cache
def functions() -> tuple[str, ...]:
    """The names of all functions of the CUDA runtime; a request's function is its place, counted from 1."""
    listed = (Path(__file__).parent / "cudart" / "functions.inc").read_text()
    return tuple(re.findall(r"\bFUNCTION\((\w+)\)", listed))


def function_name(number: int) -> str:
    """ "" for 0 and for a number that is no function's."""
    return functions()[number - 1] if 1 <= number <= len(functions()) else ""


class Reply(IntFlag):
    DELIVERIES = 1  # the payload is a row of DELIVERY records: copies to the host that are done now
    HOST_FUNCTION = 2  # values[0]: token of a host function that runs now; report it done, then ask again


class Mode(IntFlag):
    """How a copy or a memset was asked for."""

    ASYNC = 1  # cudaMemcpyAsync and the like
    PINNED = 2  # the host's memory is page-locked


class Direction(IntEnum):
    """As cudaMemcpyKind; the runtime has resolved cudaMemcpyDefault."""

    HOST_TO_DEVICE = 1  # the bytes are the payload
    DEVICE_TO_HOST = 2  # the bytes come as a delivery, with this reply or with a later one
    DEVICE_TO_DEVICE = 3


class Note(IntEnum):
    """Why a ``NOTE`` comes."""

    ANSWERED = 0  # the runtime answered by itself: for the log
    NOT_SIMULATED = 1  # it returns cudaErrorNotSupported
    MAY_BE_CALLED = 2  # asks whether a call that is unsafe during a capture may be made now: the reply's status


class Call(IntEnum):
    """Comments: arguments -> values."""

    HELLO = 1  # VERSION

    MALLOC = 10  # bytes -> address
    FREE = 11  # address
    MALLOC_ASYNC = 12  # bytes, stream -> address
    FREE_ASYNC = 13  # address, stream
    MEMORY_INFO = 14  # -> free bytes, total bytes
    POINTER = 15  # address -> 1 if it lies in a live buffer, its base, its bytes
    COPY = 16  # Direction, destination, source, bytes, stream, Mode
    COPY_2D = 17  # Direction | Mode << 32, destination, its pitch, source, its pitch, width in bytes, height, stream
    #              from the host the payload is the rows without gaps; to the host every row is a delivery
    SET = 18  # destination, byte, bytes, stream, Mode
    SET_2D = 19  # destination, pitch, byte, width in bytes, height, stream, Mode

    MODULE = 30  # payload: a fat binary -> module
    MODULE_FREE = 31  # module
    KERNEL = 32  # module; payload: name -> kernel, static shared bytes, local bytes, most threads of a block (0: any)
    #              payload of the reply: u32 offset, u32 bytes for each parameter
    VARIABLE = 33  # module; payload: name -> address, bytes
    LAUNCH = 34  # kernel, grid x | y << 32, grid z | block x << 32, block y | z << 32,
    #              dynamic shared bytes | most of them << 32 (0: not set), stream, flags (1: cooperative)
    #              payload: the parameter block

    STREAM_CREATE = 50  # flags of cudaStreamCreateWithFlags, priority -> stream
    STREAM_DESTROY = 51  # stream
    STREAM_SYNCHRONIZE = 52  # stream
    STREAM_QUERY = 53  # stream; cudaErrorNotReady where work is left
    STREAM_WAIT_EVENT = 54  # stream, event, flags
    STREAM_FLAGS = 55  # stream -> flags, priority
    DEVICE_SYNCHRONIZE = 56
    HOST_FUNCTION = 57  # stream, token, flags (1: cudaStreamAddCallback, which a capture refuses)
    HOST_FUNCTION_DONE = 58  # token
    DEVICE_RESET = 59

    EVENT_CREATE = 70  # flags -> event
    EVENT_DESTROY = 71  # event
    EVENT_RECORD = 72  # event, stream, flags
    EVENT_SYNCHRONIZE = 73  # event
    EVENT_QUERY = 74  # event
    EVENT_ELAPSED = 75  # start, end -> bits of a float, milliseconds

    CAPTURE_BEGIN = 90  # stream, cudaStreamCaptureMode
    CAPTURE_END = 91  # stream -> graph
    CAPTURE_INFO = 92  # stream -> cudaStreamCaptureStatus, id
    CAPTURE_MODE = 93  # the thread's new mode -> its old one (cudaThreadExchangeStreamCaptureMode)
    GRAPH_INSTANTIATE = 94  # graph -> executable graph
    GRAPH_LAUNCH = 95  # executable graph, stream
    GRAPH_DESTROY = 96  # graph
    GRAPH_EXEC_DESTROY = 97  # executable graph
    GRAPH_NODES = 98  # graph -> number of nodes

    NOTE = 110  # Note, status that the runtime returns, then what the call was about (bytes, a value)
