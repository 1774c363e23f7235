"""The device process of the simulated GPU: ``python -I -m grader.simulator.process --channel=N``.

It loads no code of a learner's; the PTX that it is given is interpreted.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from grader.sandbox.wire import channel
from grader.simulator.backend import SimulatedBackend
from grader.simulator.native import Engine
from grader.simulator.serve import serve


@functools.cache
def _engine(path: str) -> Engine:
    return Engine(Path(path))


def prepare(engine: str) -> None:
    """Load the engine before anybody asks for a device."""
    _engine(engine)


def main() -> None:
    connection = channel()
    request = connection.receive()
    if request is None:
        return
    backend = SimulatedBackend(_engine(request[0]["engine"]))
    connection.send({"ok": True})
    serve(backend, connection)
    os._exit(0)  # at once: nobody needs what is taken apart at an ordinary end


if __name__ == "__main__":
    main()
