"""The compile child's work for a library: each source file to an object, all objects to one library.

What a compiler makes of a source is looked through as assembly before the assembler reads it, also what nvcc makes
of a kernel file's host code. Files that do not depend on each other are compiled at the same time.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from grader.toolchain.assembly import reads_files
from grader.toolchain.working import call, read_without_folder, shortened, write


def build(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    """``files``: the sources as ``answer/...`` and the objects that are known already as ``out/...``.

    ``units``: for each file to compile its ``steps``, the commands that lead to the assembly ``out/N.s``;
    ``assemble``: the command that makes an object of it; ``link``: the command that makes ``out/library`` of all
    (left out when a unit fails). Commands run in ``answer``. Reply: ``units`` with ``ok``, ``result``, ``log`` and
    ``bytes`` for each; ``bytes`` of the library; the payload is the new objects and the library.
    """
    write(files)
    os.makedirs("out", exist_ok=True)
    os.makedirs("answer", exist_ok=True)
    os.chdir("answer")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = list(
            pool.map(lambda unit: _object(unit["number"], unit["steps"], request["assemble"]), request["units"])
        )
    units = [{"ok": ok, "result": result, "log": log, "bytes": len(data)} for ok, result, log, data in made]
    objects = b"".join(data for _, _, _, data in made)
    if not all(unit["ok"] for unit in units):
        return {"ok": False, "result": "units", "log": "", "units": units, "bytes": 0}, objects
    status, log = call(request["link"])
    library = read_without_folder("../out/library", os.getcwd()) if status == 0 else b""
    reply = {"ok": status == 0, "result": str(status), "log": shortened(log), "units": units, "bytes": len(library)}
    return reply, objects + library


def _object(number: int, steps: list[list[str]], assemble: list[str]) -> tuple[bool, str, str, bytes]:
    assembly, target, log = f"../out/{number}.s", f"../out/{number}.o", b""
    for step in steps:
        status, said = call(step)
        log += said
        if status:
            return False, str(status), shortened(log), b""
    with open(assembly, encoding="utf-8", errors="replace") as file:
        if reads_files(file.read()):
            return False, "assembly", shortened(log), b""
    status, said = call([*assemble, assembly, "-o", target])
    data = read_without_folder(target, os.getcwd()) if status == 0 else b""
    return status == 0, str(status), shortened(log + said), data
