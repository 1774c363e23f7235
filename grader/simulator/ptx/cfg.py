"""The flow graph of a function, and where the sides of a branch meet again."""

from __future__ import annotations

from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import Function, Instruction, Name


def reconvergence(function: Function) -> list[int]:
    """For each instruction the index of its block's immediate post-dominator's first instruction.

    ``len(function.body)`` stands for the function's end. Only the entries of branches are of use. A block
    from which the end cannot be reached (an endless loop) meets at the end.
    """
    count = len(function.body)
    starts, successors = _blocks(function)
    end = len(starts)
    after = _immediate_post_dominators(successors, end)
    result = [count] * count
    for block, first in enumerate(starts):
        last = starts[block + 1] if block + 1 < end else count
        where = after[block]
        meeting = count if where is None or where == end else starts[where]
        for k in range(first, last):
            result[k] = meeting
    return result


def targets(function: Function, index: int) -> list[int]:
    """The instructions that may follow a branch, a return or an exit, beside the next one."""
    instruction = function.body[index]
    root = instruction.opcode.split(".")[0]
    if root == "bra":
        label = instruction.operands[0]
        assert isinstance(label, Name)
        target = function.target(instruction.scope, label.name)
        assert target is not None  # the parser checked it
        return [target]
    if root == "brx":
        return table(function, instruction)
    if root == "trap":  # ends the launch: its side is no reason for the others not to meet
        return []
    return [len(function.body)]


def table(function: Function, instruction: Instruction) -> list[int]:
    """The targets of a ``brx.idx``."""
    name = instruction.operands[-1] if instruction.operands else None
    labels = function.branch_targets.get(name.name) if isinstance(name, Name) else None
    if not labels:
        raise PtxError("brx.idx without a list of targets", instruction.ptx_line)
    found = [function.target(instruction.scope, label) for label in labels]
    if None in found:
        raise PtxError("a branch to a label that does not exist", instruction.ptx_line)
    return [target for target in found if target is not None]


_ENDS = ("bra", "brx", "ret", "exit", "trap")


def _blocks(function: Function) -> tuple[list[int], list[list[int]]]:
    body = function.body
    count = len(body)
    leaders = {0, *function.labels.values()}
    ends = [k for k, ins in enumerate(body) if ins.opcode.split(".")[0] in _ENDS]
    for k in ends:
        leaders.add(k + 1)
        leaders.update(targets(function, k))
    starts = sorted(leader for leader in leaders if leader < count)
    number = {first: block for block, first in enumerate(starts)}
    number[count] = len(starts)
    jumps = set(ends)
    successors = []
    for block in range(len(starts)):
        last = (starts[block + 1] if block + 1 < len(starts) else count) - 1
        if last in jumps:
            following = [number[t] for t in targets(function, last)]
            if body[last].guard is not None:
                following.append(number[last + 1])
        else:
            following = [number[last + 1]]
        successors.append(following)
    return starts, successors


def _immediate_post_dominators(successors: list[list[int]], end: int) -> list[int | None]:
    """Cooper, Harvey and Kennedy's iteration on the reversed graph; None where the end cannot be reached."""
    predecessors: list[list[int]] = [[] for _ in range(end + 1)]
    for block, following in enumerate(successors):
        for other in following:
            predecessors[other].append(block)
    order: list[int] = []  # postorder of the reversed graph, from the end
    seen = [False] * (end + 1)
    seen[end] = True
    stack = [(end, iter(predecessors[end]))]
    while stack:
        block, rest = stack[-1]
        for other in rest:
            if not seen[other]:
                seen[other] = True
                stack.append((other, iter(predecessors[other])))
                break
        else:
            order.append(block)
            stack.pop()
    rank = {block: k for k, block in enumerate(order)}
    dominator: list[int | None] = [None] * (end + 1)
    dominator[end] = end
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == end:
                continue
            best: int | None = None
            for other in successors[block]:
                if dominator[other] is None:
                    continue
                best = other if best is None else _meet(dominator, rank, best, other)
            if best is not None and dominator[block] != best:
                dominator[block] = best
                changed = True
    return dominator[:end]


def _meet(dominator: list[int | None], rank: dict[int, int], x: int, y: int) -> int:
    while x != y:
        while rank[x] < rank[y]:
            x = dominator[x]  # type: ignore[assignment]
        while rank[y] < rank[x]:
            y = dominator[y]  # type: ignore[assignment]
    return x
