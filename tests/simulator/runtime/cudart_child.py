"""Runs a script in a process that has the stand-in CUDA runtime: cudart_child.py RUNTIME SCRIPT [--device=N].

The script finds ``cuda``, which calls the runtime's functions (numbers become 64-bit registers, which suits every
integer and pointer), ``ok`` (the same, but a status other than 0 ends the script), ``made`` (a function whose first
parameter is a pointer to what it makes, which is returned), ``say`` (a line of JSON for the test), and ctypes.
"""

import ctypes
import json
import sys
from ctypes import byref, c_float, c_int, c_uint64  # noqa: F401  for scripts


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def register(value):
    return ctypes.c_uint64(value & (1 << 64) - 1) if isinstance(value, int) else value


class Calls:
    def __init__(self, library, *, checked=False):
        self._library, self._checked = library, checked

    def __getattr__(self, name):
        function = getattr(self._library, name)

        def call(*arguments):
            status = function(*map(register, arguments))
            if self._checked and status != 0:
                raise SystemExit(f"{name} returned {status}")
            return status

        return call


library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
cuda, ok = Calls(library), Calls(library, checked=True)


def made(name, *arguments):
    value = ctypes.c_uint64()
    getattr(ok, name)(byref(value), *arguments)
    return value.value


def text(name, status):
    function = getattr(library, name)
    function.restype = ctypes.c_char_p
    return function(status).decode()


def say(value):
    print(json.dumps(value), flush=True)


def floats(*values):
    return (ctypes.c_float * len(values))(*values)


exec(compile(sys.argv[2], "script", "exec"))
