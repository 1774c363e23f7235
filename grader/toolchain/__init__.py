"""The compilers: NVRTC for kernel files, g++ for host C++, nvcc and g++ for plugin libraries, all in a compile child,
with a cache.

Names are imported on first use, so that the compile child, which needs none of them, starts fast.
"""

__all__ = [
    "Compilation", "CompilerFacts", "HostProgram", "Library", "Source", "cache_folder", "compile_host",
    "compile_kernel", "compile_library", "cuda_include", "host_compiler", "kernel_resources", "nvrtc_version",
    "supplied_include",
]  # fmt: skip

_HOME = {
    "Source": "records", "Compilation": "records", "HostProgram": "records", "CompilerFacts": "records",
    "Library": "records", "compile_library": "library",
    "compile_kernel": "kernel", "compile_host": "host", "cache_folder": "cache", "nvrtc_version": "probes",
    "host_compiler": "probes", "cuda_include": "locate", "supplied_include": "locate",
    "kernel_resources": "resources",
}  # fmt: skip


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'grader.toolchain' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"grader.toolchain.{_HOME[name]}"), name)
