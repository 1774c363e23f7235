"""How far a plugin library gets on a machine without a GPU, told from the file alone, and how to get further.

L1: its kernels run on the simulated GPU, which needs the CUDA runtime as a shared library (a stand-in takes its
place) and PTX. L0: it loads, and everything but ``enqueue`` can be checked. Below that it does not load.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from grader.toolchain import fatbin
from grader.toolchain.elf import Elf, ElfError, plain_name, read_elf
from grader.toolchain.tensorrt import exported_functions, tensorrt_include

# What stands in for these in the plugin process. Other libraries are the machine's or missing.
SUPPLIED = ("libcudart.so.12", "libcudart.so.13", "libnvinfer.so.10")
SHARED_RUNTIME = "nvcc -cudart shared, in CMake: set_target_properties(TARGET PROPERTIES CUDA_RUNTIME_LIBRARY Shared)"

_LIBRARIES = (  # what NVIDIA's libraries are called, and what one does without them
    (re.compile(r"libcublas(?:Lt)?\.so.*"), "cuBLAS", "write the product as a kernel of the plugin's own"),
    (re.compile(r"libcudnn.*\.so.*"), "cuDNN", "write that step as a kernel of the plugin's own"),
    (re.compile(r"lib(?:nvrtc.*|nvJitLink)\.so.*"), "NVRTC", "compile the kernels when the library is built"),
    (re.compile(r"libcuda\.so.*"), "the CUDA driver", "call the CUDA runtime (cuda...) in place of the driver (cu...)"),
    (re.compile(r"lib(cufft|curand|cusolver|cusparse|npp\w*|nccl|cutensor|cufile|nvjpeg)\.so.*"), "",
     "write that step as a kernel of the plugin's own"),
)  # fmt: skip
_TENSORRT = re.compile(r"libnvinfer(?:_\w+)?\.so\.(\d+)(?:\..*)?")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """``level`` "L1", "L0" or "none"; where it is not L1, ``reason`` is a sentence and ``rebuild`` another that says
    how to build the library so that it gets further (or "" where nobody knows). ``elf``: what the file holds."""

    level: str
    reason: str = ""
    rebuild: str = ""
    elf: Elf | None = None


def reach(library: Path) -> Reach:
    """Judge a library without loading it. Never raises for what is in the file."""
    try:
        elf = read_elf(library)
    except ElfError as error:
        return Reach(level="none", reason=str(error))
    level, reason, rebuild = _unloadable(elf) or _without_kernels(elf) or ("L1", "", "")
    return Reach(level=level, reason=reason, rebuild=rebuild, elf=elf)


def _unloadable(elf: Elf) -> tuple[str, str, str] | None:
    here = platform.machine()
    if elf.bits != 64:
        return "none", f"The library is for {elf.bits}-bit programs.", "Build it on this machine, for 64 bits."
    if elf.machine != here:
        return "none", f"The library is for {elf.machine}, and this machine is {here}.", "Build it on this machine."
    if elf.kind != "shared":
        made = {"object": "an object file (.o)", "program": "a program"}.get(elf.kind, "no library")
        return "none", f"The file is {made}.", "Link it with g++ -shared, and compile with -fPIC."
    for name in elf.needed:
        if (found := re.fullmatch(r"libcudart\.so\.(\d+)(?:\..*)?", name)) and name not in SUPPLIED:
            rebuild = "Build it with CUDA 12 or 13."
            return "none", f"The library needs the runtime of CUDA {found[1]} ({name}).", rebuild
        if (found := _TENSORRT.fullmatch(name)) and name not in SUPPLIED:
            if found[1] != "10":
                reason = f"The library is linked with TensorRT {found[1]} ({name}), whose interfaces differ."
                return "none", reason, "Build it with the headers and libraries of TensorRT 10."
            rebuild = (
                f"Link it without {name.partition('.so')[0].replace('lib', '-l', 1)}; write what it uses as its own."
            )
            return "none", f"The library needs {name}, which comes with the full TensorRT only.", rebuild
    if unresolved := unresolved_symbols(elf):
        more = f" and {len(unresolved) - 1} more" if len(unresolved) > 1 else ""
        name = plain_name(unresolved[0])
        reason = f"The library uses {name}{more}, which neither it nor CUDA, TensorRT or the C++ library defines."
        return "none", reason, "Add the file or the library that defines it to the link."
    return None


def _without_kernels(elf: Elf) -> tuple[str, str, str] | None:
    """Why the simulated GPU cannot run its kernels, though it loads."""
    if elf.static_cudart:
        reason = "The CUDA runtime is linked into the library (nvcc's default), so nothing can take its place."
        return "L0", reason, f"Link the shared runtime: {SHARED_RUNTIME}."
    for name in elf.needed:
        for pattern, library, advice in _LIBRARIES:
            if found := pattern.fullmatch(name):
                what = library or found[1]
                reason = f"The library calls {what} ({name}), which the simulated GPU does not have."
                return "L0", reason, f"To run it here, {advice}."
    held = list(fatbin.images(elf.fatbins))
    if elf.relocatable_device_code:
        reason = "The device code is relocatable (nvcc -rdc=true or -dc), so its parts are linked as machine code only."
        return "L0", reason, f"Build without -rdc, each kernel with what it calls in one file: nvcc {fatbin.REBUILD}."
    for image in held:
        try:
            fatbin.ptx_of(image)
        except fatbin.FatbinError as error:
            reason, _, rebuild = str(error).partition(fatbin.REBUILD_BEGINS)
            return "L0", reason.strip(), (fatbin.REBUILD_BEGINS + rebuild) if rebuild else ""
    return None


def unresolved_symbols(elf: Elf, supplied: Collection[str] = ()) -> list[str]:
    """Symbols that nothing defines, as far as can be told: those of versioned libraries (the C and C++ libraries,
    CUDA's runtime) are taken to be there, and a library that needs others may find them in those."""
    if any(not _is_ordinary(name) for name in elf.needed):
        return []
    include = tensorrt_include()
    known = {*supplied, *(exported_functions(include) if include else ())}
    return [
        one.name for one in elf.undefined
        if not one.version and not one.weak and one.name not in known and not _is_cuda(one.name)
    ]  # fmt: skip


def _is_ordinary(name: str) -> bool:
    return bool(
        re.match(r"lib(?:c|m|dl|rt|pthread|stdc\+\+|gcc_s|c\+\+|c\+\+abi|unwind|gomp|omp|cudart)\.so|ld-linux", name)
    )


def _is_cuda(name: str) -> bool:
    """Whether CUDA's runtime would define it: a library that is not linked with any leaves these open."""
    return bool(re.match(r"(?:cuda[A-Z]|__cuda[A-Z])", name))
