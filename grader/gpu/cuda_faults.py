"""What a GPU's errors, a damaged canary and a changed input mean, as faults with a sentence each."""

from __future__ import annotations

from grader.simulator.device import Fault

_SEE_MORE = "The simulated GPU can name the thread and the line: GRADER_DEVICE=simulated."

# cudaError / CUresult -> (kind of fault, sentence)
_ERRORS = {
    1: ("launch", "CUDA refuses the launch: an argument of the launch is not valid."),
    9: ("launch", "CUDA refuses the launch: the grid or the block has an extent that is zero or too large."),
    700: ("out_of_bounds", "The kernel accessed memory that belongs to nothing."),
    701: ("launch", "CUDA refuses the launch: such a block needs more registers or shared memory than there are."),
    702: ("budget", "The kernel ran too long and was stopped by the driver. Does its loop end?"),
    710: ("assert", "An assertion in the kernel failed."),
    715: ("trap", "The kernel executed an instruction that is not valid."),
    716: ("misaligned", "The kernel accessed memory at an address that is no multiple of the access's size."),
    717: ("out_of_bounds", "The kernel accessed memory of another kind than its address belongs to."),
    718: ("trap", "The kernel jumped to where there is no code."),
    719: ("trap", "The kernel ended with an error that the GPU does not tell more of."),
}


def cuda_fault(status: int, words: str, kernel: str) -> Fault:
    """The fault of a CUDA error. An error without an entry is a trap that quotes CUDA's words."""
    kind, sentence = _ERRORS.get(status, ("trap", f"The GPU reports an error: {words}."))
    more = "" if kind == "launch" else f" CUDA says: {words}. {_SEE_MORE}"
    return _fault(kind, sentence + more, kernel)


def never_ended(kernel: str, seconds: float) -> Fault:
    return _fault("budget", f"The kernel had not ended after {seconds:.0f} s. Does its loop end? {_SEE_MORE}", kernel)


def broken_canary(kernel: str, name: str, address: int, nbytes: int, offset: int) -> Fault:
    """``offset``: the first damaged byte, counted from the buffer's start; negative before it."""
    if offset < 0:
        where = f"{-offset:,} bytes before the start of"
    else:
        where = f"{offset - nbytes:,} bytes past the end of" if offset > nbytes else "right past the end of"
    sentence = f"The kernel wrote {where} {name or 'a buffer'} ({nbytes:,} bytes long). {_SEE_MORE}"
    return _fault(
        "out_of_bounds", sentence, kernel, address=address + offset, space="global", buffer=name or None, offset=offset,
        buffer_bytes=nbytes,
    )  # fmt: skip


def changed_input(kernel: str, name: str, address: int, nbytes: int) -> Fault:
    sentence = f"The kernel wrote to {name or 'an input'}, which it may only read. {_SEE_MORE}"
    return _fault("read_only", sentence, kernel, space="global", buffer=name or None, buffer_bytes=nbytes)


def _fault(kind: str, sentence: str, kernel: str, **facts) -> Fault:
    empty = dict.fromkeys(
        ("block", "thread", "file", "line", "address", "size", "space", "buffer", "offset", "buffer_bytes")
    )  # fmt: skip
    return Fault(kind=kind, sentence=sentence, kernel=kernel, **{**empty, **facts})
