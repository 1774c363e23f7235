"""The child in which a project's own CMake runs, ``python -I -m grader.toolchain.cmake_child``.

A ``CMakeLists.txt`` may run any command, so this is no compile child: it runs an author's code, within limits, on a
copy of the files, and what it answers is a claim.

Request: ``files`` as for the compile child; the programs ``cmake``, ``cxx`` and, or null, ``ninja``; ``nvcc``,
``include`` and ``runtime`` of a CUDA, or nulls; ``headers``, TensorRT's folder, or null; ``target``, or null;
``warnings``, the C++ compiler's options for messages. Reply: ``ok``; ``result`` ("0", or what failed: "configure",
"build", "target", "files"; "cmake": CMake is not whole); ``log``; ``names`` of the shared libraries that the project
makes; the library as payload.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from grader.toolchain.view import arrange, is_complete
from grader.toolchain.working import read_without_folder, serve, shortened, write


def build(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    home = Path.cwd()
    write({f"project/{name}": data for name, data in files.items()})
    environment = _environment(home, request)
    query = home / "build" / ".cmake" / "api" / "v1" / "query" / "codemodel-v2"
    query.parent.mkdir(parents=True)
    query.write_bytes(b"")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={request['ninja']}"] if request["ninja"] else []
    configure = [request["cmake"], "-S", "project", "-B", "build", *generator]
    configure += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_SKIP_RPATH=ON"]  # a library must not remember this folder
    log = b""
    steps = ("configure", configure), ("build", [request["cmake"], "--build", "build", "--parallel"])
    for step, command in steps:
        status, said = _call(command, environment)
        log += said.replace(f"{home}/project/".encode(), b"").replace(f"{home}/".encode(), b"")
        if status and _call([request["cmake"], "-P", os.devnull], environment)[0]:  # no project can say this
            return {"ok": False, "result": "cmake", "log": shortened(log), "names": []}, b""
        if status:
            return {"ok": False, "result": step, "log": shortened(log), "names": []}, b""
    try:
        libraries = _libraries(home / "build")
        wanted = request["target"]
        chosen = [path for name, path in libraries if wanted in (None, name)]
        reply = {"result": "0", "log": shortened(log), "names": [name for name, _ in libraries]}
        if len(chosen) != 1 or not chosen[0].is_file():
            return {**reply, "ok": False, "result": "target"}, b""
        return {**reply, "ok": True}, read_without_folder(str(chosen[0]), str(home / "project"))
    except Exception:  # what lies there is the project's to change, and the fault is not the machine's
        return {"ok": False, "result": "files", "log": shortened(log), "names": []}, b""


def _environment(home: Path, request: dict) -> dict[str, str]:
    """What makes an ordinary ``CMakeLists.txt`` find CUDA and TensorRT: variables that CMake knows, and TENSORRT_ROOT.
    ``CUDAARCHS`` and the flags are defaults, which a project may set otherwise."""
    found = {"CXX": request["cxx"], "CUDAHOSTCXX": request["cxx"], "CUDAARCHS": "80-virtual", "CUDAFLAGS": "-lineinfo"}
    prefixes, first = [], ""
    if request["nvcc"]:
        nvcc, include, runtime = (Path(request[name]) for name in ("nvcc", "include", "runtime"))
        nvcc = nvcc if is_complete(runtime) else arrange(home / "cuda", nvcc, include, runtime)
        found |= {"CUDACXX": str(nvcc), "CUDAToolkit_ROOT": str(nvcc.parent.parent)}
    if request["headers"]:
        root = home / "tensorrt"
        root.mkdir()
        (root / "include").symlink_to(request["headers"])
        found["TENSORRT_ROOT"] = str(root)
        prefixes.append(str(root))
        # A copy that is no system folder: in one, g++ does not say what a method hides. It must be a copy, since g++
        # leaves out a folder that it is given as a system folder too.
        shutil.copytree(request["headers"], home / "headers")
        first = f"-I{home / 'headers'}"
    found |= {"CXXFLAGS": " ".join([*request["warnings"], first]), "CMAKE_PREFIX_PATH": os.pathsep.join(prefixes)}
    return {**os.environ, **found}


def _call(command: list[str], environment: dict[str, str]) -> tuple[int, bytes]:
    import subprocess

    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    return done.returncode, done.stdout


def _libraries(folder: Path) -> list[tuple[str, Path]]:
    """The shared libraries that the project makes, as CMake's file API tells: (target, path)."""
    replies = folder / ".cmake" / "api" / "v1" / "reply"
    found = []
    for path in sorted(replies.glob("target-*.json")):
        facts = json.loads(path.read_text())
        if facts.get("type") in ("SHARED_LIBRARY", "MODULE_LIBRARY"):
            found.append((facts["name"], folder / facts["artifacts"][0]["path"]))
    return found


def main() -> None:
    serve({"cmake": build})


if __name__ == "__main__":
    main()
