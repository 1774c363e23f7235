"""What the lanes of a warp do together."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import TYPES
from grader.simulator.ptx.model import SIZES, Name, Pair

# collectives.h: the number of each is ``Instruction::mode``.
SHUFFLES = ("idx", "up", "down", "bfly")
VOTES = ("all", "any", "uni", "ballot")
MATCHES = ("any", "all")
REDUCTIONS = ("add", "min", "max", "and", "or", "xor")


@handles("shfl")
def shuffle(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("sync")
    mode = modifiers.need(*SHUFFLES)
    kind = modifiers.need("b32")
    context.count(5)
    context.operation("shfl")
    record = context.record
    record.mode = SHUFFLES.index(mode)
    _result_and_predicate(context, kind)
    record.a, record.b = context.source(kind, 1), context.source(kind, 2)
    record.c, record.e = context.source(kind, 3), context.source(kind, 4)


def _result_and_predicate(context: Context, kind: str) -> None:
    target = context.operands[0]
    record = context.record
    if isinstance(target, Pair):
        record.d = -1 if target.first == "_" else context.frame.register(target.first, lane_bytes(kind))
        record.values[0] = -1 if target.second == "_" else context.frame.register(target.second, 0)
    else:
        record.d = context.destination(kind)


@handles("vote")
def vote(context: Context, modifiers: Modifiers) -> None:
    mode = modifiers.take(*VOTES)  # vote.ballot.sync: not in the manual, but ptxas takes it and CUB writes it
    modifiers.need("sync")
    mode = mode or modifiers.need(*VOTES)
    kind = modifiers.need("b32" if mode == "ballot" else "pred")
    context.count(3)
    context.operation("vote")
    record = context.record
    record.mode = VOTES.index(mode)
    record.d = context.written(kind)
    record.a, negated = context.predicate(1)
    record.flags = int(negated)
    record.e = context.source("b32", 2)


@handles("match")
def match(context: Context, modifiers: Modifiers) -> None:
    mode = modifiers.need(*MATCHES)
    modifiers.need("sync")
    kind = modifiers.need("b32", "b64")
    context.count(3)
    context.operation("match")
    record = context.record
    record.mode, record.bytes = MATCHES.index(mode), SIZES[kind]
    if mode == "any" and not isinstance(context.operands[0], Name):
        modifiers.refuse()
    _result_and_predicate(context, "b32")
    if record.d < 0:
        modifiers.refuse()
    record.a, record.e = context.source(kind, 1), context.source("b32", 2)


@handles("redux")
def reduce(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("sync")
    mode = modifiers.need(*REDUCTIONS)
    kind = modifiers.need("b32") if mode in ("and", "or", "xor") else modifiers.need("u32", "s32")
    context.count(3)
    context.operation("redux")
    record = context.record
    record.mode = REDUCTIONS.index(mode)
    record.type = TYPES["s32" if kind == "s32" else "u32"]
    record.d, record.a, record.e = context.written(kind), context.source(kind, 1), context.source("b32", 2)


@handles("activemask")
def active_mask(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b32")
    context.count(1)
    context.operation("activemask")
    context.record.d = context.written(kind)
