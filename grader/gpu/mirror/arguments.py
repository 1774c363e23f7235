"""How CuPy turns Python values into a kernel's arguments, and what the simulated GPU can check beside it.

CuPy passes an array as its address, a Python ``int`` (and ``bool``) as a 64-bit integer, a ``float`` as a
64-bit double, a NumPy scalar as it is. CUDA then copies as many bytes as the kernel's parameter has from
where the value begins, without looking: a ``float`` given to a ``float`` parameter arrives as half of a
double. The mirror knows the sizes from the PTX, so it lets pass what arrives whole and refuses the rest.
"""

from __future__ import annotations

import numpy as np

from grader.gpu.mirror.errors import ArgumentError
from grader.simulator.device import KernelInfo, Parameter

_SCALARS = tuple({np.dtype(code).type for code in "?bhilqBHILQefdFD"})


def pack(args, info: KernelInfo) -> bytes:
    """Lay out a kernel's parameter block. ``ArgumentError`` says which argument would not arrive, and why."""
    if len(args) != len(info.parameters):
        raise ArgumentError(
            f"kernel {info.name} has {_count(len(info.parameters), 'parameter')} "
            f"({', '.join(map(describe, info.parameters)) or 'none'}), "
            f"but {_count(len(args), 'argument')} came. CuPy would launch it all the same, with garbage."
        )
    block = bytearray(max((p.offset + p.size for p in info.parameters), default=0))
    for position, (value, parameter) in enumerate(zip(args, info.parameters, strict=True), 1):
        data = _fit(value, parameter, f"argument {position} of kernel {info.name}")
        block[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(block)


def describe(parameter: Parameter) -> str:
    """A parameter in C's words, as far as PTX still knows them: "a 4-byte float"."""
    kind = _kind(parameter)
    word = {"float": "floating-point number", "integer": "integer", "struct": "value (a struct, or __half)"}[kind]
    if kind == "integer" and parameter.size == 8:
        word = "pointer or integer"
    return f"{parameter.size}-byte {word}"


def marshal(value) -> tuple[bytes, str]:
    """A value's bytes as CuPy passes them, and what they are: "pointer", "integer", "float" or "struct"."""
    from grader.gpu.mirror.core import MemoryPointer, ndarray

    if value is None:
        return bytes(8), "pointer"
    if isinstance(value, ndarray):
        value.data.mem.check()
        return value.data.ptr.to_bytes(8, "little"), "pointer"
    if isinstance(value, MemoryPointer):
        return value.ptr.to_bytes(8, "little"), "pointer"
    if isinstance(value, np.ndarray):
        if value.size != 1:
            raise ArgumentError(
                f"You are trying to pass a numpy.ndarray of shape {value.shape} as a kernel parameter. Only "
                "numpy.ndarrays of size one can be passed by value. If you meant to pass a pointer to device "
                "memory, you need to pass a cupy.ndarray instead: cp.asarray(x)."
            )
        return value.tobytes(), {"f": "float", "i": "integer", "u": "integer", "b": "integer"}.get(
            value.dtype.kind, "struct"
        )
    if type(value) not in _SCALARS:
        if isinstance(value, int):  # bool too
            value = np.int64(value)
        elif isinstance(value, float):
            value = np.float64(value)
        elif isinstance(value, complex):
            value = np.complex128(value)
        else:
            raise ArgumentError(f"Unsupported type {type(value)}")
    return value.tobytes(), {"f": "float", "c": "struct"}.get(value.dtype.kind, "integer")


def _fit(value, parameter: Parameter, where: str) -> bytes:
    try:
        data, kind = marshal(value)
    except ArgumentError as error:
        raise ArgumentError(f"{where}: {error}") from None
    except OverflowError:
        raise OverflowError(f"{where}: {value} does not fit in 64 bits") from None
    size, wanted = parameter.size, _kind(parameter)
    given = f"{_name(value)} (CuPy passes {_article(len(data))} {len(data)}-byte {kind})"
    problem = f"{where} is {given}, but the parameter is {_article(size)} {describe(parameter)}"
    if kind == "pointer":
        if size != 8 or wanted != "integer":
            raise ArgumentError(f"{problem}.")
        return data
    if kind == "integer" and wanted == "integer" and len(data) > size:
        number = int(value) if not isinstance(value, np.ndarray) else int(value.reshape(()))
        # Little-endian: the low bytes arrive. That is the number itself, as long as it fits.
        if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
            raise ArgumentError(f"{problem}: {number} would lose its upper bytes without a word.")
        return data[:size]
    if len(data) != size:
        lost = "only a part of it would arrive" if len(data) > size else "the kernel would read past its end"
        raise ArgumentError(f"{problem}: {lost}.{_advice(value, wanted, size)}")
    if {kind, wanted} == {"float", "integer"} and size > 2:
        raise ArgumentError(f"{problem}: its bits would be taken for another number.{_advice(value, wanted, size)}")
    return data


def _kind(parameter: Parameter) -> str:
    letters = parameter.type.lstrip(".")
    if letters.startswith("f") and letters[1:] in ("32", "64"):
        return "float"
    if letters[:1] in "usb" and letters[1:].isdigit() and int(letters[1:]) == 8 * parameter.size:
        return "integer"
    return "struct"


def _advice(value, wanted: str, size: int) -> str:
    if value is None or wanted == "struct" and size != 2:
        return ""
    name = {"float": f"float{8 * size}", "integer": f"int{8 * size}", "struct": "float16"}[wanted]
    return f" Write np.{name}({value!r})." if type(value) in (int, float, bool) else f" Convert it to np.{name}."


def _name(value) -> str:
    kind = type(value)
    if kind.__module__ == "builtins":
        return f"a Python {kind.__name__}"
    return f"a NumPy {value.dtype}" if isinstance(value, np.generic | np.ndarray) else "an array on the device"


def _article(size: int) -> str:
    return "an" if size == 8 else "a"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
