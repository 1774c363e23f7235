"""The code that an answer compiles to: two answers with the same code behave the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.verdict import State

_LINES = re.compile(r"^\s*\.section\s+\.debug_", re.MULTILINE)
# Where files and lines are told, or the file itself: not what is run.
_APART = {".note.gnu.build-id", ".nv_fatbin"}


def compiled_code(slug: str, kind: str, files: Mapping[str, bytes]) -> str | None:
    """What is compiled from an answer, without file and line numbers; None where there is no such thing, or it does not
    compile. Kernels as PTX, libraries as a hash."""
    if kind == "kernel":
        from grader import toolchain

        compilation = toolchain.compile_kernel(toolchain.Source(dict(files), next(iter(files))))
        return None if compilation.ptx is None else _without_lines(compilation.ptx)
    if kind == "plugin":
        from grader import course
        from grader.exercises.runner import plan_of

        exercise = course.find(slug)
        plan = plan_of(exercise)
        library = plan.build(dict(files), exercise)
        if library.path and library.cached and not plan.cmake:
            # Linked anew from the objects that are kept now: another object of the same file can be in the kept
            # library, and nvcc's names of what is in an unnamed namespace tell the folder of the build.
            library.path.with_suffix(".entry").unlink(missing_ok=True)
            library = plan.build(dict(files), exercise)
        if library.state is State.PASS:
            return hashlib.sha256("\n".join(_parts(library.path)).encode()).hexdigest()
    return None


def _without_lines(ptx: str) -> str:
    code = _LINES.split(ptx, maxsplit=1)[0]
    lines = (line.split("//")[0].strip() for line in code.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith((".loc", ".file")))


def _parts(library: Path) -> Iterator[str]:
    """What is loaded of a library, section by section, and its kernels."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    from grader.toolchain.elf import read_elf
    from grader.toolchain.fatbin import images, ptx_of

    with library.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section.name not in _APART:
                data = b"" if section["sh_type"] == "SHT_NOBITS" else section.data()
                yield f"{section.name} {section['sh_size']} {hashlib.sha256(data).hexdigest()}"
    yield from (_without_lines(ptx_of(image)) for image in images(read_elf(library).fatbins))
