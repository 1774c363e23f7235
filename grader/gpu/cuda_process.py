"""The device process of a real GPU: ``python -I -m grader.gpu.cuda_process --channel=N``.

It loads no code of a learner's but the PTX that it launches on the GPU.
"""

from __future__ import annotations

from grader.sandbox.wire import channel
from grader.simulator.serve import serve
from grader.verdict.records import State


def main() -> None:
    connection = channel()
    if connection.receive() is None:
        return
    try:
        from grader.gpu.cuda_backend import CudaBackend

        backend = CudaBackend()
    except Exception as error:  # CuPy and the driver fail in many ways; each is told to the one who asked
        sentence = f"The GPU cannot be used: {type(error).__name__}: {error}"
        connection.send({"ok": False, "state": str(State.UNSUPPORTED_HERE), "sentence": sentence})
        return
    connection.send({"ok": True})
    serve(backend, connection)


if __name__ == "__main__":
    main()
