"""Stand-ins for libraries that a plugin library is linked with and this machine lacks, so that it loads.

The loader refuses a library if one that it needs is missing, before any of it runs. What is checked without a GPU
seldom calls those: cuBLAS in ``enqueue`` only, and ``libnvinfer.so.10`` for ``getPluginRegistry`` only, which NVIDIA's
lean runtime has. So that file name leads to the lean runtime, and the others to small libraries in which every
function that this plugin library names returns an error (or, in TensorRT's, does nothing). The folder of all is for
``LD_LIBRARY_PATH``, which the loader asks first (but for a library's own DT_RPATH): on a machine that has cuBLAS the
outcome is the same.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.toolchain import locate
from grader.toolchain.cache import cache_folder
from grader.toolchain.elf import Elf, ElfError, read_elf
from grader.toolchain.levels import foreign, functions_of, is_tensorrt
from grader.toolchain.tensorrt import lean_library

_NAME = re.compile(r"[A-Za-z_]\w{0,500}")
_FILE = re.compile(r"[\w.+-]{1,100}")
_MOST = 20_000  # functions
_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE, and no success for any other library of NVIDIA's
_INITIALIZER = "initLibNvInferPlugins"  # what plugin libraries call of libnvinfer_plugin; its bool says "done"
_SECONDS = 60


def stand_ins(library: Path) -> Path | None:
    """The folder with stand-ins for what ``library`` needs; None where it needs none, or they cannot be made (then
    the loader names what is missing)."""
    try:
        elf = read_elf(library)
    except ElfError:
        return None
    links, texts = _plan(elf)
    if not (links or texts) or (texts and locate.gxx() is None):
        return None
    described = repr((sorted(map(str, links.items())), sorted(texts.items())))
    folder = cache_folder() / "standins" / hashlib.sha256(described.encode()).hexdigest()[:32]
    if not folder.is_dir():
        try:
            _make(folder, links, texts)
        except (OSError, subprocess.SubprocessError):
            return None
    return folder


def _plan(elf: Elf) -> tuple[dict[str, Path], dict[str, str]]:
    """What leads to another library, and the C text of those that are made, both by file name."""
    links, texts = {}, {}
    for name in filter(_FILE.fullmatch, elf.needed):
        if foreign(name):
            texts[name] = _text(functions_of(elf, name), _NO_DEVICE)
        elif name.startswith("libnvinfer.so.") and is_tensorrt(name):
            if lean := lean_library():
                links[name] = lean
        elif is_tensorrt(name) and name != (lean_library() or Path()).name:
            names = (one.name for one in elf.undefined if one.library == name or one.name == _INITIALIZER)
            texts[name] = _text(names, 1)
    return links, texts


def _text(names: Iterable[str], status: int) -> str:
    """C in which each function returns ``status``."""
    plain = sorted({name for name in names if _NAME.fullmatch(name)})[:_MOST]
    return "".join(f"int {name}(void) {{ return {status}; }}\n" for name in plain)


def _make(folder: Path, links: Mapping[str, Path], texts: Mapping[str, str]) -> None:
    """All or nothing: another process may make the same folder at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for name, target in links.items():
            (made / name).symlink_to(target)
        for name, text in texts.items():
            _compile(text, name, made / name)
        try:
            os.rename(made, folder)
        except OSError:
            if not folder.is_dir():
                raise


def _compile(text: str, name: str, path: Path) -> None:
    options: Sequence[str] = ("-x", "c", "-w", "-fno-builtin", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}")
    command = [str(locate.gxx()), *options, "-", "-o", str(path)]
    subprocess.run(command, input=text.encode(), capture_output=True, timeout=_SECONDS, check=True)
