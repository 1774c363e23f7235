"""The plugin process of a Python plugin: an interpreter with the plugin's file, and the C++ host as a library in it.

    python -I -m grader.plugin.python_child HOST.so BRIDGE.so FILE.py REGISTRY CUDA [--device=N] --channel=N

The file is imported with ``tensorrt`` resolved to ``grader.plugin.tensorrt_shim``. Its creators are real
``IPluginCreatorV3One`` objects: NVIDIA's bindings translate each C++ call to a Python one. The bridge (``tracer/``)
takes them over from the registry and stands for them as a plugin library would, so that the host loads, calls and
records them like any other. It also keeps the host from deleting plugins that belong to the interpreter.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
import warnings
from pathlib import Path

from grader.plugin import absent
from grader.plugin.python_file import import_plugin, told
from grader.plugin.values import decode, encode
from grader.sandbox import channel

BINDINGS = ("tensorrt_lean_bindings", "tensorrt_lean")  # the lean package's two wheels: bindings alone, or both


def main() -> None:
    host, bridge, file, registry, *rest = sys.argv[1:]
    problem = ""
    try:
        # Before the bindings: there is one registry in the process, and all find it.
        ctypes.CDLL(registry, mode=ctypes.RTLD_GLOBAL)
        tensorrt = _bindings()
        stand = ctypes.CDLL(bridge, mode=ctypes.RTLD_GLOBAL)
        stand.watch()
        absent.install()
        kept = import_plugin(Path(file), tensorrt)  # the creators, alive as long as the process
        if stand.standForNewcomers() == 0:
            problem = f"{Path(file).name} defines no plugin creator: derive one from trt.IPluginCreatorV3One"
    except BaseException as error:  # a file that ends the process says so too
        problem, kept = told(error, Path(file)), None
    if problem:
        _answer(problem)
        return
    arguments = [argument.encode() for argument in ("host", registry, *rest)]
    run = ctypes.CDLL(host, mode=ctypes.RTLD_GLOBAL).main
    _inside_a_bound_call(tensorrt, lambda: run(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments)))
    del kept


def _bindings():
    from grader.plugin import tensorrt_shim

    for name in BINDINGS:
        if importlib.util.find_spec(name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return tensorrt_shim.install(importlib.import_module(name))
    raise ImportError("NVIDIA's lean bindings are not installed")


def _inside_a_bound_call(tensorrt, call) -> None:
    """Make ``call`` while a function of the bindings is running.

    The bindings turn what a plugin returns into C++ (``PluginFieldCollection``) with a temporary that pybind11 keeps
    for the bound function that is running, and refuse it where there is none. In TensorRT there is one: the
    application is inside ``build_serialized_network``. Here it is the constructor of a collection, which asks an
    iterator for its items.
    """

    def once():
        call()
        return
        yield

    tensorrt.PluginFieldCollection(once())


def _answer(problem: str) -> None:
    """To every command: there is no plugin. The form is that of ``host/main.cpp``."""
    wire = channel()
    while request := wire.receive():
        number = decode(request[1])[2]
        wire.send({}, encode([number, None, 0.0, [], problem]))


if __name__ == "__main__":
    main()
