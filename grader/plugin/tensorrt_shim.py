"""The module ``tensorrt`` of a Python plugin's process: NVIDIA's lean bindings, and what a plugin needs that they lack.

A plugin file says ``import tensorrt as trt``. Where the full package is not, that name gets this module: all of
``tensorrt_lean_bindings`` (10.16.1: plugin interfaces, registry, fields, descriptors, expressions) and

* ``TensorFormat``, which the lean bindings leave out, so that reading ``PluginTensorDesc.format`` raises a
  ``TypeError``: an enumeration of our own with the numbers of ``NvInferRuntimeBase.h`` (10.14), and a property that
  reads and writes the C++ object's own field. That its place in memory is right is checked before it is used;
* ``init_libnvinfer_plugins``, which does nothing: the standard plugins come with the full package.

Everything else that the full package has (``Builder``, ``OnnxParser``, ...) raises an ``AttributeError`` that says so.
"""

from __future__ import annotations

import ctypes
import enum
import sys
from types import ModuleType

_POINTER_AT = 16  # of a pybind11 instance: reference count, type, then the pointer to the C++ object
_TYPE_AT, _FORMAT_AT = 72, 76  # in nvinfer1::PluginTensorDesc: after Dims64 (int32 and padding, 8 x int64), DataType


class TensorFormat(enum.IntEnum):
    """nvinfer1::TensorFormat, by the names of the full Python package."""

    LINEAR = 0
    CHW2 = 1
    HWC8 = 2
    CHW4 = 3
    CHW16 = 4
    CHW32 = 5
    DHWC8 = 6
    CDHW32 = 7
    HWC = 8
    DLA_LINEAR = 9
    DLA_HWC4 = 10
    HWC16 = 11
    DHWC = 12


def install(bindings: ModuleType) -> ModuleType:
    """Put the module into ``sys.modules["tensorrt"]`` and return it. ``ImportError`` for bindings of another layout."""
    module = ModuleType("tensorrt", __doc__)
    module.__dict__.update({name: value for name, value in vars(bindings).items() if not name.startswith("__")})
    module.__version__ = bindings.__version__
    module.__path__ = []  # so that import tensorrt.plugin fails as a missing module, not as a strange one
    if not hasattr(bindings, "TensorFormat"):
        _give_formats(bindings.PluginTensorDesc, bindings.DataType)
        module.TensorFormat = TensorFormat
    module.init_libnvinfer_plugins = lambda logger, namespace: True
    module.__getattr__ = _missing
    sys.modules["tensorrt"] = module
    return module


def _missing(name: str):
    raise AttributeError(
        f"tensorrt.{name} is not here: a plugin is driven with NVIDIA's lean bindings, which have the plugin interfaces"
        " but no builder and no parser. Keep what builds networks behind: if __name__ == '__main__':"
    )


def _give_formats(descriptor: type, types: type) -> None:
    probe = descriptor()
    for value in (types.HALF, types.INT32):
        probe.type = value
        if _number(probe, _TYPE_AT).value != int(value) or _number(probe, _FORMAT_AT).value != 0:
            raise ImportError("these TensorRT bindings keep PluginTensorDesc in another layout than those of 10.16.1")
    descriptor.format = property(
        lambda self: TensorFormat(_number(self, _FORMAT_AT).value),
        lambda self, value: setattr(_number(self, _FORMAT_AT), "value", int(value)),
    )


def _number(instance: object, offset: int) -> ctypes.c_int32:
    """A 32-bit field of the C++ object behind a pybind11 instance."""
    pointer = ctypes.c_void_p.from_address(id(instance) + _POINTER_AT).value
    return ctypes.c_int32.from_address(pointer + offset)
