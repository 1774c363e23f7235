"""Makes the cases of ``preflight``: builds each case's library and keeps what its file says.

    python tests/exercises/not_found/gather_files.py       # writes the facts of both files anew

``made`` says how a library was built, ``target`` where it is to run, ``problems`` what is wrong with it there.
``test_preflight.py`` gathers the facts again and compares.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gather

from grader.toolchain import fatbin
from grader.toolchain.elf import read_elf

VISIBLE = gather.ROOT / "grader/exercises/ch05_build_and_load/preflight.jsonl"
HIDDEN = gather.ROOT / "solutions/05_build_and_load/preflight.jsonl"


def facts(made: dict, folder: Path) -> dict:
    """What the file of a library says, without loading it."""
    elf = read_elf(gather.build(folder, made))
    exports, undefined, needed = gather.file_facts(folder / made["file"])
    images = [[entry.target for entry in fatbin.entries(image)] for image in fatbin.images(elf.fatbins)]
    cuda = any(name.startswith("libcudart.so.") for name in needed)
    return {
        "exports": exports, "undefined": undefined, "needed": needed, "device_code": images,
        "cuda_runtime": "static" if elf.static_cudart else "shared" if cuda else "none",
    }  # fmt: skip


def write(path: Path) -> None:
    cases = gather.read(path)
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            case["facts"] = facts(case["made"], Path(folder).resolve())
        print(case["id"], case["problems"], case["facts"])
    gather.keep(path, cases)


if __name__ == "__main__":
    for each in sys.argv[1:] or (VISIBLE, HIDDEN):
        write(Path(each))
