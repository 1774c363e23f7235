"""A Python plugin on a real GPU: its enqueue runs a CuPy kernel, called through NVIDIA's bindings. Do the rules pass?

On a machine with the plugin lane:   python benchmarks/python_plugin_on_a_gpu.py pack build/gpu BINDINGS.whl
On the machine with the GPU:         python benchmarks/python_plugin_on_a_gpu.py run build/gpu OUT

BINDINGS.whl is tensorrt-lean-cu13-bindings 10.16.1.11 for the second machine's Python, which needs CuPy, NumPy, g++, a
driver and the CUDA runtime. `run` makes an environment of its own in OUT, and writes OUT/python_plugin.json.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "tests" / "plugin" / "python" / "cupy_scale.py"


def pack(folder: Path, bindings: Path) -> None:
    """TensorRT's headers, NVIDIA's registry and bindings: keep the folder to yourself."""
    from grader.toolchain import tensorrt

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(tensorrt.tensorrt_include(), folder / "tensorrt" / "include")
    registry = tensorrt.lean_library()
    with zipfile.ZipFile(folder / "site.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(registry, f"{registry.parent.name}/{registry.name}")
        elftools = Path(importlib.util.find_spec("elftools").origin).parent
        for file in elftools.rglob("*.py"):
            archive.write(file, str(file.relative_to(elftools.parent)))
        with zipfile.ZipFile(bindings) as wheel:
            for name in wheel.namelist():
                archive.writestr(name, wheel.read(name))


def run(folder: Path, out: Path) -> None:
    """Children start isolated, so that what they import must lie in an environment: one is made."""
    venv.create(out / "venv", system_site_packages=True, symlinks=True)
    (site,) = (out / "venv" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(folder / "site.zip") as archive:
        archive.extractall(site)
    own = [entry for entry in sys.path if entry.endswith("-packages")]  # this Python may be an environment's itself
    (site / "project.pth").write_text("\n".join([str(ROOT), *own, ""]))
    environment = os.environ | {"TENSORRT_ROOT": str(folder / "tensorrt"), "GRADER_CACHE": str(out / "cache")}
    subprocess.run([out / "venv" / "bin" / "python", __file__, "judge", out], env=environment, check=True)
    for name in ("venv", "cache"):
        shutil.rmtree(out / name)


def judge(out: Path) -> None:
    from grader.checks.conformance.run import conform
    from grader.plugin.spec import load_spec

    logging.getLogger("grader").addHandler(logging.StreamHandler())  # a rule's own failure, with its traceback
    report = conform(PLUGIN, load_spec(PLUGIN.with_suffix(".toml")), level="L2")
    rows = [{"rule": r.check, "state": str(r.state), "message": r.message} for r in report.results]
    for row in rows:
        print(row["state"], row["rule"], row["message"], flush=True)
    told = {"plugin": PLUGIN.stem, "level": report.level, "seconds": round(report.seconds, 2), "rules": rows}
    (out / "python_plugin.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pack", folder, bindings]:
            pack(Path(folder), Path(bindings))
        case ["run", folder, out]:
            run(Path(folder).resolve(), Path(out).resolve())
        case ["judge", out]:
            judge(Path(out))
        case _:
            sys.exit(__doc__)
