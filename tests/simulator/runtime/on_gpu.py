"""The same scripts on a GPU, with NVIDIA's runtime: do they say what they say here?

    on_gpu.py record FOLDER     here: runs the tests of the stand-in, keeps their scripts, libraries and what was said
    python3 FOLDER/on_gpu.py run FOLDER OUT.json    there: needs Python and a driver alone; OUT has what differs

What may differ: scripts that are about the simulated device (its size, its orders of work, connections, turns), what is
not simulated, and handles that do not exist, at which NVIDIA's runtime crashes.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEWER = {  # what CUDA 12 called a function that CUDA 13 has under another name
    "cudaEventElapsedTime_v2": "cudaEventElapsedTime",
    "cudaStreamGetCaptureInfo_v2(stream, byref(status), byref(id), ": "cudaStreamGetCaptureInfo(stream, byref(status), byref(id), None, ",
}  # fmt: skip


def record(folder: Path) -> None:
    sys.path.append(str(HERE))
    import cudart_process
    import pytest

    from grader.toolchain.locate import cuda_include

    folder.mkdir(parents=True)
    rows, plain = [], cudart_process.said

    def said(device, script, *, libraries=(), descriptors=()):
        answers = plain(device, script, libraries=libraries, descriptors=descriptors)
        if device is not None and not descriptors:
            test = os.environ["PYTEST_CURRENT_TEST"].split("::")[1]
            rows.append({"test": test, "script": script, "libraries": [x.name for x in libraries], "here": answers})
            for library in libraries:
                shutil.copy(library, folder)
        return answers

    cudart_process.said = said
    status = pytest.main(["-q", "-p", "no:cacheprovider", *map(str, sorted(HERE.glob("test_cudart*.py")))])
    assert status == 0, "only scripts that pass here are worth a GPU"
    (folder / "scripts.json").write_text(json.dumps(rows))
    for file in (Path(__file__), HERE / "cudart_child.py", cuda_include().parent / "lib" / "libcudart.so.13"):
        shutil.copy(file, folder)
    print(f"{len(rows)} scripts are in {folder}; libraries of CUDA 12 need a libcudart.so.12 beside them")


def run(folder: Path, out: Path) -> None:
    differing, rows = [], json.loads((folder / "scripts.json").read_text())
    for row in rows:
        script = row["script"]
        for old, new in NEWER.items():
            script = script.replace(old, new)
        prelude = "".join(
            f"{Path(name).stem} = Calls(ctypes.CDLL({str(folder.resolve() / name)!r}))\n" for name in row["libraries"]
        )
        command = [sys.executable, "-I", folder / "cudart_child.py", folder.resolve() / "libcudart.so.13"]
        environment = {**os.environ, "LD_LIBRARY_PATH": str(folder.resolve())}
        done = subprocess.run(
            [*map(str, command), prelude + script], capture_output=True, text=True, env=environment, timeout=60
        )
        there = [json.loads(line) for line in done.stdout.splitlines()]
        if there != row["here"]:
            differing.append({**row, "there": there, "exit": done.returncode, "error": done.stderr[-400:]})
    out.write_text(json.dumps(differing, indent=1))
    print(f"{len(rows)} scripts, {len(differing)} say something else")
    for row in differing:
        print(f"{row['test']}\n  here  {row['here']}\n  there {row['there']} exit {row['exit']}")


if __name__ == "__main__":
    record(Path(sys.argv[2])) if sys.argv[1] == "record" else run(Path(sys.argv[2]), Path(sys.argv[3]))
