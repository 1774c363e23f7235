"""What a plugin library's file tells before anybody loads it: the checks that read it, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.checks import Check, Finding, failed, passed
from grader.toolchain import fatbin
from grader.toolchain.elf import Elf, plain_name
from grader.toolchain.levels import unresolved_symbols

ENTRY_POINTS = ("getCreators", "setLoggerFinder")
OLD_NAME = "getPluginCreators"
GPUS = (80, 90)  # compute capabilities that the contract wants machine code for
NEWEST_PTX = 80  # of the simulated GPU

# Who defines what: by a symbol as the linker knows it.
_FILES = {"scaleShift": "scale_shift_kernel.cu", "ScaleShift": "scale_shift.cpp", "kIDENTITY": "registration.cpp"}
_USUAL = re.compile(r"lib(?:cudart|stdc\+\+|gcc_s|c|m|dl|rt|pthread)\.so(?:\.\d+)*|ld-linux\S*")
_BY_THE_LINKER = {"_init", "_fini", "_edata", "_end", "__bss_start"}
_OF_THE_CXX_LIBRARY = re.compile(r"_Z(?:T[VISTC])?N?K?S[tabsiod]|_Z\w*St\d*")


def _of_file(look):
    """``look(elf)`` as the run of a check. A file that cannot be read is left to "reaches"."""

    def run(bench, rng) -> Finding:
        elf = bench.reach.elf
        return passed() if elf is None else look(elf)

    return run


def all_sources(elf: Elf) -> Finding:
    missing = unresolved_symbols(elf)
    if not missing:
        return passed()
    symbol = missing[0]
    name = plain_name(symbol)
    shown = symbol if name == symbol else f"{name} ({symbol})"
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    file = next((file for part, file in _FILES.items() if part in symbol), None)
    whose = f"It is in {file}: is that file among the sources of add_library()?" if file else "No given file has it."
    return failed(
        f"The library uses {shown}{more}, and nothing defines it. The linker of a shared library does not mind; it "
        f"shows when somebody loads the library, or only when a missing function is called. {whose}"
    )


def shared_runtime(elf: Elf) -> Finding:
    if elf.static_cudart:
        return failed(
            "CUDA's runtime is inside the library: expected a library that needs libcudart.so.13. CMake and nvcc link "
            "the static one unless they are told otherwise; in CMake it is the property CUDA_RUNTIME_LIBRARY."
        )
    if not any(name.startswith("libcudart.so") for name in elf.needed):
        return failed(
            f"The library needs {', '.join(elf.needed) or 'no library'}: expected libcudart.so.13 among them, since it "
            "launches kernels. Link the shared runtime."
        )
    return passed()


def _held(elf: Elf) -> Iterator[tuple[list[fatbin.Entry], str]]:
    """The device code of each source file that has some, and what it is for in words."""
    for image in fatbin.images(elf.fatbins):
        try:
            found = fatbin.entries(image)
        except fatbin.FatbinError:
            continue  # which "reaches" tells
        if found:
            yield found, ", ".join(dict.fromkeys(each.target for each in found))


def has_ptx(elf: Elf) -> Finding:
    for found, held in _held(elf):
        if not any(each.kind == "ptx" and fatbin.runs_on(each, NEWEST_PTX) for each in found):
            return failed(
                f"The kernels are there as {held}: expected PTX for compute capability 8.0 (compute_80) among them. A "
                "GPU that is newer than all machine code in a library can run only what is there as PTX, and so can "
                "the simulated one. See CUDA_ARCHITECTURES."
            )
    return passed()


def has_machine_code(elf: Elf) -> Finding:
    for found, held in _held(elf):
        for gpu in GPUS:
            if not any(each.kind == "cubin" and _native(each, gpu) for each in found):
                return failed(
                    f"The kernels are there as {held}: expected machine code for compute capability {gpu // 10}."
                    f"{gpu % 10} (sm_{gpu}) as well. Without it the driver compiles the PTX when the library is first "
                    "used on such a GPU. See CUDA_ARCHITECTURES."
                )
    return passed()


def _native(entry: fatbin.Entry, gpu: int) -> bool:
    """Machine code runs on GPUs of its own major compute capability, from its minor one on."""
    return entry.arch == gpu or (not entry.suffix and entry.arch // 10 == gpu // 10 and entry.arch <= gpu)


def needs_little(elf: Elf) -> Finding:
    others = [name for name in elf.needed if not _USUAL.fullmatch(name)]
    if not others:
        return passed()
    return failed(
        f"The library needs {', '.join(others)}: expected CUDA's runtime and the C and C++ libraries alone. Whoever "
        "loads it must have all of them, in these versions. With the entry points a plugin calls nothing of TensorRT's "
        "by name, so leave TensorRT out of target_link_libraries()."
    )


def remembers_no_folder(elf: Elf) -> Finding:
    own = [folder for folder in elf.search if not folder.startswith("$ORIGIN")]
    if not own:
        return passed()
    return failed(
        f"The library looks for what it needs in {', '.join(own)} (its RUNPATH): expected no folder of the machine "
        "that built it. On another machine it is not there, or somebody else's. A folder beside the library is "
        "$ORIGIN."
    )


def c_linkage(elf: Elf) -> Finding:
    for entry in ENTRY_POINTS:
        mangled = elf.exports_mangled(entry)
        if entry not in elf.exports and mangled:
            return failed(
                f"The library exports {mangled}: expected {entry}. That is its name in C++, with its parameters in it; "
                f'loadLibrary() asks for the plain one. Write extern "C" in front of it.'
            )
    return passed()


def visible(elf: Elf) -> Finding:
    for entry in ENTRY_POINTS:
        if entry not in elf.exports and not elf.exports_mangled(entry):
            shown = ", ".join(sorted(elf.exports)[:4]) or "nothing"
            if entry == "getCreators" and OLD_NAME in elf.exports:
                return failed(
                    f"The library exports {OLD_NAME}, the name that TensorRT 8.6 asked for: expected getCreators. "
                    "For the old name alone, loadLibrary() of 10.16 and 11.4 gives null."
                )
            return failed(
                f"The library exports {shown}: expected {entry}. Either nobody defines it (registration.cpp does), or "
                "it is hidden: where -fvisibility=hidden is the rule, a function is seen from outside only with "
                '__attribute__((visibility("default"))).'
            )
    return passed()


def nothing_else(elf: Elf) -> Finding:
    expected = {*ENTRY_POINTS, *filter(None, map(elf.exports_mangled, ENTRY_POINTS)), *_BY_THE_LINKER}
    others = sorted(name for name in elf.exports - expected if not _OF_THE_CXX_LIBRARY.match(name))
    if not others:
        return passed()
    names = ", ".join(dict.fromkeys(map(plain_name, others[:3])))
    more = f" and more, {len(others)} in all" if len(others) > 3 else ""
    return failed(
        f"Besides its entry points the library exports {names}{more}: expected none. Where "
        "a program is linked with two libraries that offer the same name, or opens them with "
        "RTLD_GLOBAL, both end up with the function of one. Hide all but the entry points, in C++ and in CUDA files: "
        "see CXX_VISIBILITY_PRESET."
    )


def _check(id: str, group: str, misconception: str, look, sentence: str, needs=(), source: str = "") -> Check:
    return Check(
        id=id, sentence=sentence, misconception=misconception, group=group, run=_of_file(look), needs=needs,
        source=source,
    )  # fmt: skip


CHECKS = (
    _check(
        "sources", "build", "one-source", all_sources,
        "Every symbol that the library uses is defined: all its source files are in it.",
        source="ld(1), --no-undefined: not the default for a shared library; contract, “sources”",
    ),
    _check(
        "runtime", "build", "static-runtime", shared_runtime,
        "The library uses CUDA's runtime as a shared library.", needs=("sources",),
        source="nvcc 13.0, --cudart (static by default); CMake, CUDA_RUNTIME_LIBRARY; contract, “CUDA's runtime”",
    ),
    _check(
        "ptx", "build", "machine-code-only", has_ptx,
        "Every kernel is there as PTX for compute capability 8.0.", needs=("sources",),
        source="CUDA C++ Programming Guide 13.0, PTX Compatibility; contract, “GPUs”",
    ),
    _check(
        "machine-code", "build", "ptx-is-enough", has_machine_code,
        "Every kernel is there as machine code for compute capabilities 8.0 and 9.0.", needs=("sources",),
        source="CUDA C++ Programming Guide 13.0, Binary Compatibility and Just-in-Time Compilation; contract, “GPUs”",
    ),
    _check(
        "needs", "file", "links-tensorrt", needs_little,
        "The library needs CUDA's runtime and the C and C++ libraries, and nothing else.",
        source="ld(1), DT_NEEDED; NVIDIA/TensorRT#2908; contract, “what it needs”",
    ),
    _check(
        "folders", "file", "build-folder", remembers_no_folder,
        "The library remembers no folder of the machine that built it.",
        source="ld.so(8), DT_RUNPATH; contract, “what it needs”",
    ),
    _check(
        "linkage", "file", "mangled", c_linkage,
        "The entry points have C linkage.", needs=("sources",),
        source="NVIDIA/TensorRT#4121; IPluginRegistry::loadLibrary, run in TensorRT 10.16; contract, “entry points”",
    ),
    _check(
        "visible", "file", "hidden", visible,
        "Both entry points are exported.", needs=("sources",),
        source="GCC, Code Gen Options, -fvisibility; IPluginRegistry::loadLibrary, run in TensorRT 10.16; contract, "
        "“entry points”",
    ),
    _check(
        "nothing-else", "file", "everything-public", nothing_else,
        "Nothing but the entry points is exported.", needs=("sources",),
        source="ld.so(8): a symbol is taken from the first library that has it; contract, “exports”",
    ),
)  # fmt: skip
