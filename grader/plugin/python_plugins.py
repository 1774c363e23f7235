"""Class-based Python plugins (``IPluginV3`` in Python), driven by the same host and session as C++ libraries.

>>> with python_session(file) as session:
...     creator, = session.creators()
...     plugin = session.create(creator, fields)

``docs/python_plugins.md`` is the table of what works here and what does not, as measured.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from grader.plugin.build import HostUnavailable, build, build_host
from grader.plugin.python_child import BINDINGS
from grader.plugin.session import LIMITS, Session
from grader.plugin.trace import Trace
from grader.sandbox import Limits, python_child

BRIDGE = Path(__file__).parent / "tracer"
MISSING = (
    "Python plugins cannot be driven here: NVIDIA's lean bindings are missing. `grader plugin-lane` installs them"
    " (NVIDIA has them for Python 3.8 to 3.13)."
)

_OWNED = "the interpreter owns a Python plugin, so that TensorRT's side cannot tell when its memory goes"
# Rules that say nothing of a Python plugin, and why. Those of level L1 are beyond it anyway: a Python enqueue() gets
# device pointers and uses them through CuPy, PyTorch or Triton, which need a GPU (`grader plugin engine`).
UNSUPPORTED = {
    **dict.fromkeys(("leaks", "serialize-lifetime"), _OWNED),
    "exports": "a Python plugin is no library",
    "fields-null": "NVIDIA's bindings hand a plugin memory of their own where a field's pointer is null",
    "fields-lifetime": "NVIDIA's bindings copy a field's data before the plugin sees it",
}


def available() -> str | None:
    """None where Python plugins can be driven; else the sentence that says what is missing."""
    return None if any(map(importlib.util.find_spec, BINDINGS)) else MISSING


def python_session(file: Path, *, trace: Trace | None = None, limits: Limits = LIMITS, **more) -> Session:
    """A session with the plugin file. ``HostUnavailable`` where that cannot be; ``HostProblem`` names file and line."""
    if sentence := available():
        raise HostUnavailable(sentence)
    bridge = build(BRIDGE, shared=True)
    host = build_host(shared=True)
    program = [*python_child("grader.plugin.python_child"), str(host), str(bridge), str(Path(file).absolute())]
    return Session(bridge, program=program, trace=trace, limits=limits, **more)
