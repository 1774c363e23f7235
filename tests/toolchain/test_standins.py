"""Libraries that a machine lacks are stood in for, so that what is linked with them loads."""

import json
import subprocess
import sys

import pytest

from grader.toolchain import locate
from grader.toolchain.levels import reach
from grader.toolchain.standins import stand_ins
from grader.toolchain.tensorrt import lean_library

PLUGIN = """
extern "C" void* getPluginRegistry();
extern "C" int cublasCreate_v2(void**);
extern "C" int cuInit(unsigned);
extern "C" bool initLibNvInferPlugins(void*, const char*);
extern "C" void* registry() { return getPluginRegistry(); }
extern "C" int statuses() {
  return cublasCreate_v2(nullptr) == 0 || cuInit(0) == 0 || !initLibNvInferPlugins(nullptr, "");
}
"""
NEEDED = ("libnvinfer.so.10", "libnvinfer_plugin.so.10", "libcublas.so.13", "libcuda.so.1")
CALL = """
import ctypes, json, sys
lean = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
plugin = ctypes.CDLL(sys.argv[2])
for function in (lean.getPluginRegistry, plugin.registry):
    function.restype = ctypes.c_void_p
print(json.dumps([lean.getPluginRegistry() == plugin.registry(), plugin.statuses()]))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if locate.gxx() is None or lean_library() is None:
        pytest.skip("needs g++ and NVIDIA's lean runtime")
    folder = tmp_path_factory.mktemp("linked")
    functions = ("getPluginRegistry", "initLibNvInferPlugins", "cublasCreate_v2", "cuInit")
    for name, function in zip(NEEDED, functions, strict=True):
        (folder / "one.c").write_text(f"int {function}(void) {{ return 0; }}\n")
        subprocess.run(
            ["gcc", "-shared", "-w", folder / "one.c", f"-Wl,-soname,{name}", "-o", folder / name], check=True
        )
    (folder / "plugin.cpp").write_text(PLUGIN)
    needed = [f"-l:{name}" for name in NEEDED]
    command = ["g++", "-shared", "-fPIC", folder / "plugin.cpp", f"-L{folder}", *needed, "-o", folder / "plugin.so"]
    subprocess.run(command, check=True)
    for name in NEEDED:
        (folder / name).unlink()
    return folder / "plugin.so"


def test_a_library_loads_whose_own_libraries_are_missing(library):
    found = reach(library)
    assert (found.level, found.loads) == ("L0", True) and "cuBLAS" in found.reason
    folder = stand_ins(library)
    assert {path.name for path in folder.iterdir()} == set(NEEDED)
    command = [sys.executable, "-c", CALL, lean_library(), library]
    alone = subprocess.run(command, capture_output=True, text=True)
    assert alone.returncode != 0 and "libnvinfer.so.10: cannot open" in alone.stderr
    told = subprocess.run(command, capture_output=True, text=True, env={"LD_LIBRARY_PATH": str(folder)})
    assert json.loads(told.stdout) == [True, 0], told.stderr
    assert stand_ins(library) == folder  # made once


def test_a_library_that_needs_nothing_gets_nothing(tmp_path):
    (tmp_path / "text.so").write_text("hello")
    assert stand_ins(tmp_path / "text.so") is None
    assert stand_ins(lean_library()) is None
