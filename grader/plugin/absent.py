"""Stands in for packages that compute on a GPU and are not installed, so that a Python plugin's file can be imported.

All that a plugin does outside ``enqueue`` is checked without a GPU, and ``enqueue`` is not called there. But plugin
files import CuPy, PyTorch or Triton at their top, and compile kernels in ``on_shape_change``. Where such a package is
missing, its name gets a module in which everything exists and nothing happens.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

PACKAGES = ("cupy", "cupyx", "torch", "triton", "numba", "cuda", "pycuda")


class Nothing:
    """Whatever is asked of an absent package: it can be called, entered, subscripted and derived from."""

    def __call__(self, *args, **kwargs):
        return Nothing()

    def __getattr__(self, name: str):
        if name.startswith("__"):  # what Python asks for by itself is not there
            raise AttributeError(name)
        return Nothing()

    def __getitem__(self, key):
        return Nothing()

    def __enter__(self):
        return Nothing()

    def __exit__(self, *exception):
        return False

    def __iter__(self):
        return iter(())

    def __mro_entries__(self, bases):
        return (object,)


class _Module(ModuleType):
    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class _Finder:
    """Asked by Python after all others: it finds the absent packages and everything below them."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None):
        if name.partition(".")[0] in PACKAGES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def install() -> None:
    """From now on the missing ones of ``PACKAGES`` can be imported; those that are installed are as ever."""
    sys.meta_path.append(_Finder())
