"""Graphs: what a capture recorded, and its replay.

A node is a work with the nodes that it follows. A launch replays the nodes with the arguments that they were captured
with, on whatever the memory holds by then. Rules: CUDA C++ Programming Guide 13.0, "CUDA Graphs".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.simulator.runtime.context import CudaError
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import Event, Operation, Stream
from grader.simulator.runtime.work import HostFunction, Nothing, Renew, Return, WaitForEvent, Work

if TYPE_CHECKING:
    from grader.simulator.runtime.context import Context
    from grader.simulator.runtime.machine import Machine


@dataclass(eq=False, slots=True)
class Node:
    work: Work
    after: list[Node]
    others: bool  # captured from a stream that the parent did not make
    context: Context | None
    thread: int
    call: str
    arguments: dict[str, Any] = field(default_factory=dict)
    event: Event | None = None  # external: recorded or waited for at every launch


@dataclass(eq=False, slots=True)
class Graph:
    """``nodes`` stand behind all that they follow."""

    nodes: list[Node] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Executable:
    nodes: list[Node]  # the graph's own: it does not change any more
    last: Operation | None = None  # the end of its newest launch: launches of one graph follow each other

    @property
    def calls_host(self) -> bool:
        return any(isinstance(node.work, HostFunction) for node in self.nodes)


def instantiate(graph: Graph) -> Executable:
    return Executable(graph.nodes)


def launch(machine: Machine, context: Context | None, executable: Executable, stream: Stream) -> Operation:
    """Queue every node; the operation that ends the launch. Memory that the graph allocates and does not free must have
    been freed before it is launched again: else ``CudaError``."""
    taken = {(n.context, n.work.address) for n in executable.nodes if isinstance(n.work, Renew)}
    if any(of is not None and address in of.graph_live for of, address in taken):
        raise CudaError(Status.INVALID_VALUE)
    given = {(n.context, n.work.address) for n in executable.nodes if isinstance(n.work, Return)}
    for of, address in taken - given:
        of.graph_live.add(address)
    before = [*machine.waits_of(context, stream), executable.last]
    operations: dict[Node, Operation] = {}
    followed: set[Node] = set()
    for node in executable.nodes:
        waits = [operations[n] for n in node.after] or before
        if isinstance(node.work, WaitForEvent):
            waits = [*waits, node.event.recorded]
        followed.update(node.after)
        record = machine.log.add(
            node.context.number if node.context else 0, node.thread, node.call, stream.number,
            {**node.arguments, "replayed": True},
        )  # fmt: skip
        operations[node] = machine.submit(
            node.work, waits, owner=node.context, others=node.others or stream.owner is not None, record=record
        )  # fmt: skip
        if node.event is not None and not isinstance(node.work, WaitForEvent):
            node.event.recorded, node.event.captured = operations[node], None
    ends = [operations[n] for n in executable.nodes if n not in followed] or before
    end = machine.submit(Nothing(), ends, owner=context, others=stream.owner is not None, record=None)
    executable.last = stream.last = end
    return end
