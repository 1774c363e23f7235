"""`grader plugin build`: a plugin library from its files, with the plugin lane, as the grader builds answers."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, keep_log
from grader.cli.lane import ensure
from grader.cli.verdict_view import diagnostics_parts
from grader.toolchain import Source, compile_library, library, locate, tensorrt
from grader.toolchain.cache import write_atomically
from grader.toolchain.levels import reach
from grader.verdict import State

_UNITS, _HEADERS = {".cu", ".cpp", ".cc", ".cxx"}, {".h", ".hpp", ".cuh", ".inl"}
_ARCH = re.compile(r"(?:compute|sm)_\d{2,3}[af]?")


def run(files: Sequence[Path], output: Path, arch: str, headers: Path | None) -> int:
    """Print the commands, compile, say what is wrong or how far the library gets; the exit status. ``WrongUse``."""
    found = _with_headers(files)
    _right_use(output, arch, headers)
    log = keep_log()
    if headers is None and (
        tensorrt.tensorrt_include() is None or not (toolkit := locate.toolkit()) or not toolkit.nvcc
    ):
        ensure(Console(highlight=False, stderr=True))
    console = Console(highlight=False)
    main = next(name for name, path in found.items() if path.suffix in _UNITS)
    source = Source({name: path.read_bytes() for name, path in found.items()}, main)
    for command in library.commands(source, found, output, arch=arch, headers=headers):
        console.print(Text(shlex.join(command), "dim"), soft_wrap=True)
    built = compile_library(source, arch=arch, headers=headers)
    sources = {name: data.decode("utf-8", "replace") for name, data in source.files.items()}
    for part in diagnostics_parts([dataclasses.asdict(each) for each in built.diagnostics], sources):
        console.print(Padding(part, (0, 0, 0, 2)))
    if built.state is State.UNSUPPORTED_HERE:
        raise WrongUse(built.message)
    if built.state is not State.PASS:
        console.print(Text("Not built." if built.diagnostics else f"Not built. {built.message}", "bold red"))
        if built.state is State.GRADER_FAULT:
            console.print(Text(f"The details are in {log}.", "dim"), soft_wrap=True)
            return FAULT
        return NOT_PASSED
    write_atomically(output, built.path.read_bytes(), mode=0o755)
    far = reach(output)
    if far.level == "L1":
        kernels = "Its kernels can run on the simulated GPU." if far.elf and far.elf.fatbins else "It has no kernels."
        console.print(Text(f"{output} is built. {kernels}", "bold green"), soft_wrap=True)
    else:
        console.print(Text(f"{output} is built. {far.reason} {far.rebuild}".strip(), "yellow"), soft_wrap=True)
    console.print(Text(f"Check it: grader plugin conform {shlex.quote(str(output))}", "dim"), soft_wrap=True)
    return OK


def _right_use(output: Path, arch: str, headers: Path | None) -> None:
    if not _ARCH.fullmatch(arch):
        raise WrongUse(f"--arch is compute_80 or the like (PTX), or sm_80 or the like (machine code), not {arch}")
    if not output.resolve().parent.is_dir():
        raise WrongUse(f"there is no folder {output.parent} for {output.name}")
    if output.is_dir() or output.suffix != ".so":
        raise WrongUse(f"-o names the library, such as libmine.so, not {output}")
    if headers is not None and (why := tensorrt.judge_headers(headers)[1]):
        raise WrongUse(f"--headers {headers}: {why}")


def _with_headers(files: Sequence[Path]) -> dict[str, Path]:
    """The files by name, and the headers that lie beside them."""
    for path in files:
        if not path.is_file():
            raise WrongUse(f"there is no file {path}")
        if path.suffix not in _UNITS | _HEADERS:
            raise WrongUse(f"{path} is neither C++ nor CUDA: {' '.join(sorted(_UNITS | _HEADERS))} are")
    if not any(path.suffix in _UNITS for path in files):
        raise WrongUse("there is nothing to compile: name a .cpp or a .cu file")
    folders = dict.fromkeys(path.parent for path in files)
    beside = [path for folder in folders for path in sorted(folder.iterdir()) if path.suffix in _HEADERS]
    found: dict[str, Path] = {}
    for path in dict.fromkeys([*files, *(path for path in beside if path.is_file())]):
        if path.name in found and path.resolve() != found[path.name].resolve():
            raise WrongUse(f"{found[path.name]} and {path} have one name, and files are compiled side by side")
        found.setdefault(path.name, path)
    return found
