"""The device process of a plugin run: ``python -I -m grader.simulator.runtime.process --door=M --channel=N``.

It answers the parent on the channel, and every plugin process on a socket of its own, which the parent hands in through
the door. It loads no code of a learner's; PTX is interpreted. A request that makes no sense ends its connection alone.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import traceback
from pathlib import Path

from grader.sandbox.wire import Channel, channel
from grader.simulator.backend import SimulatedBackend
from grader.simulator.native import Engine
from grader.simulator.runtime.connection import Connection
from grader.simulator.runtime.context import Refused
from grader.simulator.runtime.control import Control
from grader.simulator.runtime.machine import Machine


class Server:
    """One loop for the parent and all plugin processes: what one of them asks is answered before the next."""

    def __init__(self, machine: Machine, parent: Channel, door: socket.socket):
        self._machine, self._parent = machine, parent
        self._control = Control(machine, door, self._connect, self._disconnect)
        self._connections: list[Connection] = []
        self._selector = selectors.DefaultSelector()
        self._selector.register(parent.fileno(), selectors.EVENT_READ, None)

    def run(self) -> None:
        """Until the parent ends."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    if key.data in self._connections:  # nobody ended it meanwhile
                        self._attend(key.data)
                    continue
                if (request := self._parent.receive()) is None:
                    return
                self._parent.send(*self._control.answer(*request))

    def _connect(self, connection: socket.socket) -> int:
        fresh = Connection(self._machine, connection)
        self._connections.append(fresh)
        self._selector.register(fresh, selectors.EVENT_READ, fresh)
        return fresh.context.number

    def _attend(self, connection: Connection) -> None:
        try:
            if connection.sending:
                connection.send()
                goes_on = True
            else:
                goes_on = connection.receive()
        except (Refused, OSError):
            goes_on = False
        except Exception:  # a defect of ours: the parent is told, and the process asks in vain
            self._machine.defects.append(traceback.format_exc(limit=8))
            goes_on = False
        if goes_on:
            event = selectors.EVENT_WRITE if connection.sending else selectors.EVENT_READ
            if self._selector.get_key(connection).events != event:
                self._selector.modify(connection, event, connection)
            return
        self._end(connection)

    def _disconnect(self) -> None:
        for connection in list(self._connections):
            self._end(connection)

    def _end(self, connection: Connection) -> None:
        self._connections.remove(connection)
        self._selector.unregister(connection)
        try:
            connection.close()
        except Exception:
            self._machine.defects.append(traceback.format_exc(limit=8))


def main() -> None:
    parent = channel()
    door = next(a.partition("=")[2] for a in sys.argv if a.startswith("--door="))
    os.set_inheritable(int(door), False)
    if (request := parent.receive()) is None:
        return
    machine = Machine(SimulatedBackend(Engine(Path(request[0]["engine"]))))
    server = Server(machine, parent, socket.socket(fileno=int(door)))
    parent.send({"ok": True})
    server.run()


if __name__ == "__main__":
    main()
