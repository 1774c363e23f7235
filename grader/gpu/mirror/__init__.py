"""A mirror of the part of CuPy that the chapters use, on the simulated GPU.

Code written for it is plain CuPy: ``asarray``, ``asnumpy``, ``empty`` and their kin carry data, ``RawModule``
and ``RawKernel`` run CUDA C++. What only a GPU has is refused with a sentence, never imitated.
"""

import numpy as _np
from numpy import (
    bool_,
    complex64,
    complex128,
    dtype,
    e,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)

from grader.gpu.mirror import cuda
from grader.gpu.mirror.core import (
    arange,
    array,
    asarray,
    ascontiguousarray,
    asnumpy,
    empty,
    empty_like,
    full,
    full_like,
    linspace,
    ndarray,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from grader.gpu.mirror.errors import NotInMirror
from grader.gpu.mirror.raw import RawKernel, RawModule

__all__ = [
    "RawKernel", "RawModule", "arange", "array", "asarray", "ascontiguousarray", "asnumpy", "bool_", "complex128",
    "complex64", "cuda", "dtype", "e", "empty", "empty_like", "finfo", "float16", "float32", "float64", "full",
    "full_like", "get_array_module", "iinfo", "inf", "int16", "int32", "int64", "int8", "linspace", "nan", "ndarray",
    "newaxis", "ones", "ones_like", "pi", "uint16", "uint32", "uint64", "uint8", "zeros", "zeros_like",
]  # fmt: skip

finfo, iinfo = _np.finfo, _np.iinfo


def get_array_module(*args):
    """This module if any argument is a device array, else NumPy."""
    import sys

    return sys.modules[__name__] if any(isinstance(arg, ndarray) for arg in args) else _np


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    hint = f" On the host, numpy.{name} does it: bring the data home with cp.asnumpy." if hasattr(_np, name) else ""
    raise NotInMirror(
        f"cupy.{name} needs real CuPy and a GPU. The simulated GPU runs your kernels; of CuPy it has "
        f"{', '.join(n for n in __all__ if n not in ('e', 'dtype'))}.{hint}"
    )
