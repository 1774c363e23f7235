"""The compile child of C++ and of plugins, ``python -I -m grader.toolchain.child``. It runs compilers on a learner's
sources and runs nothing of what they make. It imports little, to start fast. Request and reply: ``working.serve``.
"""

from __future__ import annotations

from grader.toolchain.working import call, serve, shortened, write


def gxx(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    """Write the files into the working folder, the child's own; compile each of ``units`` to assembly with
    ``compile``, look through that, and make ``program`` of all with ``link`` and ``flags``."""
    from grader.toolchain.assembly import reads_files

    write(files)
    status, log, outputs = 0, b"", []
    for number, unit in enumerate(request["units"]):
        outputs.append(f"unit{number}.s")
        code, said = call([*request["compile"], *request["flags"], "-S", unit, "-o", outputs[-1]])
        status, log = status or code, log + said
    if status == 0:
        for output in outputs:
            with open(output, encoding="utf-8", errors="replace") as file:
                if reads_files(file.read()):
                    return {"ok": False, "result": "assembly", "log": shortened(log)}, b""
        status, said = call([*request["link"], *outputs, *request["flags"], "-o", "program"])
        log += said
    program = b""
    if status == 0:
        with open("program", "rb") as file:
            program = file.read()
    return {"ok": status == 0, "result": str(status), "log": shortened(log)}, program


def library(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    from grader.toolchain.objects import build

    return build(request, files)


def main() -> None:
    serve({"gxx": gxx, "library": library})


if __name__ == "__main__":
    main()
