"""``cupy.ndarray`` and the functions that make one, over the memory of the simulated GPU.

An array here is dense and row-major: enough to carry data to a kernel and back. Arithmetic on arrays is
CuPy's own kernels, which only a GPU has; here one brings the data home with ``cp.asnumpy`` and uses NumPy.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from grader.gpu.mirror.context import Context, Memory, current
from grader.gpu.mirror.errors import NotInMirror


class MemoryPointer:
    """``x.data``: where an array begins. ``ptr`` is the device address, ``mem`` the allocation it lies in."""

    def __init__(self, mem: Memory, offset: int = 0):
        self.mem, self.ptr = mem, mem.ptr + offset


class ndarray:
    """A dense row-major array in device memory, with the part of ``cupy.ndarray``'s interface that copies data."""

    __array_priority__ = 100  # NumPy must not take over with its own operators

    def __init__(self, shape, dtype=float, memptr: MemoryPointer | None = None, *, _fill: int | None = None):
        self.shape = _shape(shape)
        self.dtype = _dtype(dtype)
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.dtype.itemsize
        if memptr is None:
            name = f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"
            memptr = MemoryPointer(current().allocate(self.nbytes, name, _fill))
        self.data = memptr

    # -- facts ----------------------------------------------------------------------------------------------
    ndim = property(lambda self: len(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(self.itemsize * math.prod(self.shape[axis + 1 :]) for axis in range(self.ndim))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    # -- copies to and from the host --------------------------------------------------------------------------
    def get(self) -> np.ndarray:
        """The data as a NumPy array: a copy on the host."""
        self.data.mem.check()
        data = self._context.read(self.data.ptr, self.nbytes)
        return np.frombuffer(bytearray(data), self.dtype).reshape(self.shape)

    def set(self, arr: np.ndarray) -> None:
        """Copy a NumPy array of the same shape and type to the device."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        self._write(arr)

    def fill(self, value) -> None:
        """Set every element to ``value``."""
        self._write(np.full(self.shape, value, self.dtype))

    def copy(self) -> ndarray:
        return array(self)

    def astype(self, dtype, copy: bool = True) -> ndarray:
        """The same values in another type."""
        dtype = _dtype(dtype)
        return self if dtype == self.dtype and not copy else array(self.get().astype(dtype))

    def item(self):
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __bool__(self) -> bool:
        return bool(self.get())

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    # -- views ------------------------------------------------------------------------------------------------
    def reshape(self, *shape) -> ndarray:
        """The same memory in another shape; one extent may be -1."""
        shape = list(_shape(shape[0] if len(shape) == 1 else shape, negative=True))
        if shape.count(-1) == 1:
            known = math.prod(extent for extent in shape if extent != -1)
            shape[shape.index(-1)] = self.size // known if known else 0
        if math.prod(shape) != self.size or min(shape, default=0) < 0:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(shape)}")
        return ndarray(shape, self.dtype, self.data)

    def ravel(self) -> ndarray:
        return self.reshape(-1)

    def view(self, dtype=None) -> ndarray:
        """The same bytes read as another type; the last extent changes with the size of an element."""
        dtype = _dtype(dtype or self.dtype)
        row = (self.shape[-1] if self.shape else 1) * self.itemsize
        if row % dtype.itemsize or not self.shape and dtype.itemsize != self.itemsize:
            raise ValueError("new type not compatible with array")
        return ndarray((*self.shape[:-1], row // dtype.itemsize)[: self.ndim], dtype, self.data)

    def __getitem__(self, key) -> ndarray:
        """A view of one stretch of memory: indices first, then at most one slice of step 1."""
        shape, offset = list(self.shape), 0
        axis = 0
        keys = key if isinstance(key, tuple) else (key,)
        if Ellipsis in keys:  # only where it changes nothing: x[...], x[i, ...]
            keys = keys[:-1] if keys[-1] is Ellipsis else keys
        for position, k in enumerate(keys):
            if axis >= len(shape) or isinstance(k, slice) and position != len(keys) - 1:
                raise self._unsupported_index(key)
            step = self.itemsize * math.prod(shape[axis + 1 :])
            if isinstance(k, slice):
                start, stop, stride = k.indices(shape[axis])
                if stride != 1:
                    raise self._unsupported_index(key)
                shape[axis] = max(0, stop - start)
                offset += start * step
                axis += 1
            elif isinstance(k, int | np.integer):
                extent = shape.pop(axis)
                if not -extent <= k < extent:
                    raise IndexError(f"Index {k} is out of bounds for axis {position} with size {extent}")
                offset += (int(k) % extent) * step
            else:
                raise self._unsupported_index(key)
        view = ndarray(shape, self.dtype, MemoryPointer(self.data.mem))
        view.data.ptr = self.data.ptr + offset
        return view

    def __setitem__(self, key, value) -> None:
        target = self[key]
        value = value.get() if isinstance(value, ndarray) else np.asarray(value)
        target._write(np.broadcast_to(value, target.shape).astype(self.dtype))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # -- within -----------------------------------------------------------------------------------------------
    @property
    def _context(self) -> Context:
        return self.data.mem.context

    def _write(self, values: np.ndarray) -> None:
        self.data.mem.check()
        if self.nbytes:
            self._context.write(self.data.ptr, np.ascontiguousarray(values))

    def _unsupported_index(self, key) -> NotInMirror:
        return NotInMirror(
            f"x[{key!r}] is no single stretch of memory; the mirror of CuPy has x[i], x[a:b], x[i, a:b] "
            "and x[...] only. Index on the host instead: cp.asnumpy(x)[...]."
        )

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotInMirror(
            f"cupy.ndarray.{name} needs real CuPy and a GPU: here no kernels run but yours. "
            f"Bring the array home and use NumPy: cp.asnumpy(x).{name}"
        )


def _refuse(symbol: str):
    def method(self, *others):
        raise NotInMirror(
            f"'{symbol}' on device arrays needs real CuPy and a GPU: here no kernels run but yours. "
            f"Compute on the host: cp.asnumpy(x) {symbol} ..."
        )

    return method


for _symbol, _names in {
    "+": "add radd iadd", "-": "sub rsub isub neg", "*": "mul rmul imul", "/": "truediv rtruediv itruediv",
    "//": "floordiv rfloordiv", "%": "mod rmod", "**": "pow rpow", "@": "matmul rmatmul", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge", "==": "eq", "!=": "ne", "&": "and rand", "|": "or ror", "^": "xor rxor", "~": "invert",
}.items():  # fmt: skip
    for _name in _names.split():
        setattr(ndarray, f"__{_name}__", _refuse(_symbol))
ndarray.__hash__ = None  # as in CuPy


# -- making arrays --------------------------------------------------------------------------------------------
def array(obj, dtype=None, copy=True, order="K", ndmin=0) -> ndarray:
    """A new device array with a copy of ``obj``: a list, a number, a NumPy array or a device array."""
    _row_major(order)
    host = obj.get() if isinstance(obj, ndarray) else np.asarray(obj)
    host = np.array(host, dtype=_dtype(dtype or host.dtype), ndmin=ndmin, order="C")
    result = ndarray(host.shape, host.dtype)
    result._write(host)
    return result


def asarray(a, dtype=None, order=None) -> ndarray:
    """``a`` on the device: itself where it is there already, in that type, else a copy."""
    if isinstance(a, ndarray) and (dtype is None or a.dtype == _dtype(dtype)):
        return a
    return array(a, dtype, order=order)


def ascontiguousarray(a, dtype=None) -> ndarray:
    return asarray(a, dtype)


def asnumpy(a, stream=None, order="C") -> np.ndarray:
    """``a`` as a NumPy array on the host."""
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def empty(shape, dtype=float, order="C") -> ndarray:
    """An array with nothing written to it; the simulated GPU fills it with the bytes 0xCD."""
    _row_major(order)
    return ndarray(shape, dtype)


def zeros(shape, dtype=float, order="C") -> ndarray:
    _row_major(order)
    return ndarray(shape, dtype, _fill=0)


def full(shape, fill_value, dtype=None, order="C") -> ndarray:
    _row_major(order)
    result = ndarray(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    result.fill(fill_value)
    return result


def ones(shape, dtype=float, order="C") -> ndarray:
    return full(shape, 1, dtype, order)


def empty_like(prototype, dtype=None) -> ndarray:
    return ndarray(prototype.shape, dtype or prototype.dtype)


def zeros_like(a, dtype=None) -> ndarray:
    return zeros(a.shape, dtype or a.dtype)


def ones_like(a, dtype=None) -> ndarray:
    return ones(a.shape, dtype or a.dtype)


def full_like(a, fill_value, dtype=None) -> ndarray:
    return full(a.shape, fill_value, dtype or a.dtype)


def arange(start, stop=None, step=1, dtype=None) -> ndarray:
    return array(np.arange(start, stop, step, dtype) if stop is not None else np.arange(0, start, step, dtype))


def linspace(start, stop, num=50, endpoint=True, dtype=None) -> ndarray:
    return array(np.linspace(start, stop, num, endpoint, dtype=dtype))


def _row_major(order) -> None:
    if order not in (None, "C", "K", "A"):
        raise NotInMirror("the mirror of CuPy has row-major arrays only (order='C')")


def _dtype(dtype) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.kind not in "?biufc":
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype.newbyteorder("=") if dtype.byteorder == ">" else dtype


def _shape(shape, negative: bool = False) -> tuple[int, ...]:
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    extents = tuple(operator.index(extent) for extent in extents)
    if not negative and min(extents, default=0) < 0:
        raise ValueError("Negative dimensions are not allowed")
    return extents
