"""Libraries whose kernels cannot run on the simulated GPU: the level is stated with a reason and what would change it,
what needs no kernels is checked all the same, and nothing fails for want of a GPU."""

import subprocess

import building
import pytest

from grader.checks.conformance.run import conform
from grader.toolchain import fatbin, locate, tensorrt
from grader.toolchain.levels import SHARED_RUNTIME
from grader.verdict import State

pytestmark = pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None or locate.toolkit() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)
PLUGIN = "channel_bias_v3"  # its clones take device memory when they are attached
FOLDER = building.PLUGINS / PLUGIN


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """Links the plugin as anyone might, its kernels by nvcc's defaults; ``calls`` is put into its enqueue()."""
    cuda, folder = locate.toolkit(), tmp_path_factory.mktemp("linked")
    include = ["-isystem", tensorrt.tensorrt_include(), "-isystem", cuda.include]
    kernel = folder / "kernel.o"
    command = [cuda.nvcc, "-Xcompiler", "-fPIC", "-c", FOLDER / "channel_bias_kernel.cu", "-o", kernel]
    subprocess.run(command, check=True)

    def link(name, *options, declared="", calls=""):
        text = (FOLDER / f"{PLUGIN}.cpp").read_text()
        at = "        int64_t inner = 1;\n"
        assert text.count(at) == 1
        (folder / f"{name}.cpp").write_text(declared + text.replace(at, calls + at))
        path = folder / f"{name}.so"
        command = ["g++", "-std=c++17", "-shared", "-fPIC", "-I", FOLDER, *include, folder / f"{name}.cpp", kernel]
        command += [f"-L{folder}", f"-L{cuda.runtime.parent}", *options, "-o", path]
        subprocess.run(command, check=True, capture_output=True)
        return path

    return link


def other(folder, name, function):
    """A library of this name with one function, for the linker: it is gone when the plugin is loaded."""
    (folder / "other.c").write_text(f"int {function}(void* p) {{ return 0; }}")
    command = ["gcc", "-shared", "-fPIC", folder / "other.c", f"-Wl,-soname,{name}", "-o", folder / name]
    subprocess.run(command, check=True)
    return folder / name


def says(library, level, reason, rebuild):
    """The report: of this level, for this reason; what needs kernels was not run, and nothing failed."""
    report = conform(library, building.spec(PLUGIN))
    assert (report.level, reason in report.reason, rebuild in report.rebuild) == (level, True, True), report
    assert not [(each.check, each.message) for each in report.failed]
    states = {each.check: each.state for each in report.results}
    assert states["stream"] is states["values"] is State.UNSUPPORTED_HERE
    assert states["registry"] is states["fields-null"] is states["formats-complete"] is State.PASS
    return report, states


def test_machine_code_alone_reaches_l0():
    library = building.compiled(building.sources(FOLDER), f"{PLUGIN}.cpp", arch="sm_80")
    _, states = says(library, "L0", "machine code only (sm_80), no PTX.", fatbin.REBUILD)
    assert states["attach"] is State.PASS  # the shared runtime has memory for it


def test_the_cuda_runtime_inside_reaches_l0(link):
    library = link("static", "-l:libcudart_static.a", "-lrt", "-lpthread", "-ldl")
    says(library, "L0", "CUDA runtime is linked into the library", SHARED_RUNTIME)


def test_cublas_inside_reaches_l0(link, tmp_path):
    blas = other(tmp_path, "libcublas.so.13", "cublasCreate_v2")
    library = link(
        "blas", f"-L{tmp_path}", "-l:libcublas.so.13", "-l:libcudart.so.13",
        declared='extern "C" int cublasCreate_v2(void**);\n',
        calls="void* handle = nullptr; if (cublasCreate_v2(&handle) != 0) return -1;\n",
    )  # fmt: skip
    blas.unlink()
    _, states = says(library, "L0", "calls cuBLAS (cublasCreate_v2)", "as a kernel of the plugin's own")
    assert states["loads"] is State.PASS


def test_an_older_cuda_reaches_nothing(link, tmp_path):
    old = other(tmp_path, "libcudart.so.11.0", "cudaOfOld")
    library = link(
        "old", f"-L{tmp_path}", "-l:libcudart.so.11.0", "-l:libcudart.so.13",
        declared='extern "C" int cudaOfOld(void*);\n', calls="if (cudaOfOld(nullptr) != 0) return -1;\n",
    )  # fmt: skip
    old.unlink()
    report = conform(library, building.spec(PLUGIN))
    assert {each.check for each in report.failed} == {"loads"}
    assert "runtime of CUDA 11" in report.reason and "CUDA 12 or 13" in report.rebuild
    assert {each.blocked_by for each in report.results if each.blocked_by} == {"loads"}
