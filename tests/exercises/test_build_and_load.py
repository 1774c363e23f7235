"""Chapter 5: what its checks read in a library's file, and what the chapter says of registries."""

import dataclasses
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader import course
from grader.exercises.ch05_build_and_load import library_file, pictures
from grader.exercises.ch05_build_and_load.plugin_project import PLAN, TRIPLE
from grader.exercises.ch05_build_and_load.workshop import describe
from grader.plugin.application import Step
from grader.plugin.application import ask as ask_application
from grader.plugin.second_registry import ask
from grader.plugin.session import Session
from grader.simulator.runtime.build import build_cudart
from grader.toolchain import Source, compile_library, lane, locate
from grader.toolchain.elf import Elf, Symbol, read_elf
from grader.toolchain.tensorrt import lean_library, tensorrt_include
from grader.verdict import State

ROOT = Path(__file__).parents[2]
HALVE = ROOT / "grader/exercises/ch05_build_and_load/halve"
RIGHT = Elf(
    machine="x86_64", bits=64, kind="shared", soname="", compilers=(), fatbins=b"", relocatable_device_code=False,
    needed=("libcudart.so.13", "libstdc++.so.6", "libc.so.6"), exports=frozenset(library_file.ENTRY_POINTS),
    undefined=(Symbol("cudaGetLastError"), Symbol("strcmp", "GLIBC_2.2.5", "libc.so.6")), static_cudart=False,
)  # fmt: skip
with_lane = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


def failing(**changed):
    """The file checks that fail for a library whose file says this, with their messages."""
    bench = SimpleNamespace(reach=SimpleNamespace(elf=dataclasses.replace(RIGHT, **changed)))
    found = {check.id: check.run(bench, None) for check in library_file.CHECKS}
    return {id: finding.message for id, finding in found.items() if finding.state is State.FAIL}


def test_a_right_file_passes_and_one_that_cannot_be_read_is_left_to_others():
    assert failing() == {}
    nothing = SimpleNamespace(reach=SimpleNamespace(elf=None))
    assert all(check.run(nothing, None).state is State.PASS for check in library_file.CHECKS)


@pytest.mark.parametrize(
    ("changed", "check", "words"),
    [
        ({"undefined": (Symbol("_Z15scaleShiftFloatPKf"),)}, "sources", "It is in scale_shift_kernel.cu"),
        ({"undefined": (Symbol("_ZTV17ScaleShiftCreator"),)}, "sources", "It is in scale_shift.cpp"),
        ({"undefined": (Symbol("kIDENTITY"), Symbol("other"))}, "sources", "kIDENTITY and 1 more, and nothing"),
        ({"static_cudart": True, "needed": ("libc.so.6",)}, "runtime", "is inside the library"),
        ({"needed": ("libc.so.6",)}, "runtime", "The library needs libc.so.6: expected libcudart.so.13"),
        ({"needed": (*RIGHT.needed, "libnvinfer.so.10", "libcublas.so.13")}, "needs", "libnvinfer.so.10, libcublas.so"),
        ({"search": ("$ORIGIN/lib", "/build/cuda")}, "folders", "in /build/cuda (its RUNPATH)"),
        ({"exports": frozenset({"_Z11getCreatorsRi", "setLoggerFinder"})}, "linkage", "exports _Z11getCreatorsRi"),
        ({"exports": frozenset({"getCreators"})}, "visible", "The library exports getCreators: expected setLoggerFind"),
        ({"exports": frozenset()}, "visible", "The library exports nothing: expected getCreators"),
        ({"exports": RIGHT.exports | {"_Z6launchPf"}}, "nothing-else", "the library exports launch: expected none"),
    ],
)
def test_each_mistake_in_a_file_is_told_by_one_check(changed, check, words):
    found = failing(**changed)
    assert list(found) == [check] and words in found[check]


def test_what_a_compiler_exports_of_its_own_library_is_no_mistake():
    theirs = {"_ZNSt6vectorIfSaIfEE17_M_realloc_insert", "_ZTISt9exception", "_fini"}
    assert failing(exports=RIGHT.exports | theirs) == {}


def test_every_file_check_owns_a_misconception_and_the_rules_wait_for_it():
    checks = {check.id: check for check in PLAN.all_checks()}
    assert all(check.misconception and check.source for check in library_file.CHECKS)
    assert {check.id for check in library_file.CHECKS} < set(checks["reaches"].needs)


def test_the_pictures_say_what_they_show():
    assert "compute_80" in pictures.overview().alt and "null" in pictures.triple().alt


# What the chapter says


@pytest.fixture(scope="module")
def halve():
    """halve(old, new, flags): the worked example's library, one text of it changed."""

    def build(old="", new="", flags=()):
        paths = [path for path in HALVE.iterdir() if path.suffix in (".cpp", ".cu", ".h")]
        files = {path.name: path.read_bytes() for path in paths}
        kit = (ROOT / "plugin_skeletons" / "common").glob("*.h")
        files |= {f"common/{path.name}": path.read_bytes() for path in kit}
        text = files["halve.cpp"].decode()
        assert old in text
        files["halve.cpp"] = text.replace(old, new).encode() if old else files["halve.cpp"]
        library = compile_library(Source(files, "halve.cpp"), flags=flags)
        assert library.state is State.PASS, library.message
        return library.path

    return build


@with_lane
def test_a_triple_is_found_and_another_is_not(halve):
    with Session(halve()) as session:
        assert session.loaded.taken
        assert session.look_up("Halve", "1", "course.worked") is not None
        for other in (("Halve", "2", "course.worked"), ("Halve", "1", ""), ("halve", "1", "course.worked")):
            assert session.look_up(*other) is None


@with_lane
def test_a_library_without_a_logger_finder_is_not_taken(halve):
    entry = "IPluginCreatorInterface* const* getCreators(int32_t& n) { return kit::creators<HalveCreator>(n); }"
    with Session(halve("KIT_EXPORT(HalveCreator)", f'extern "C" {entry}')) as session:
        assert session.loaded.entries == ("getCreators",) and session.loaded.taken is False


@with_lane
def test_a_creator_with_a_namespace_that_registers_itself_is_found_under_none(halve):
    library = halve(flags=("-DSELF_REGISTERED",))
    with Session(library) as session:
        assert session.loaded.self_registered and session.loaded.taken is None
        assert session.look_up("Halve", "1", "course.worked") is None and session.look_up("Halve", "1", "") is None
    with Session(halve('"course.worked"', '""', flags=("-DSELF_REGISTERED",))) as session:
        assert session.look_up("Halve", "1", "") is not None


@with_lane
def test_the_registry_of_11_takes_entry_points_and_crashes_on_the_macro(halve):
    if (answer := ask(halve())).state is State.UNSUPPORTED_HERE:
        pytest.skip(answer.sentence)
    assert answer.state is State.PASS and [creator.name for creator in answer.creators] == ["Halve"]
    assert ask(halve(flags=("-DSELF_REGISTERED",))).state is State.CRASH


@with_lane
def test_an_entry_point_by_its_name_of_8_6_is_not_taken(halve):
    old = "#define getCreators getPluginCreators\nKIT_EXPORT(HalveCreator)"
    with Session(halve("KIT_EXPORT(HalveCreator)", old)) as session:
        assert session.loaded.taken is not True
    assert ask(halve("KIT_EXPORT(HalveCreator)", old)).state in (State.FAIL, State.UNSUPPORTED_HERE)


@with_lane
def test_data_that_is_undefined_is_found_when_the_library_is_loaded(tmp_path):
    """A function is found when it is called: the case bound-late of creator-not-found."""
    made, code = tmp_path / "libs.so", (ROOT / "tests/plugin/libraries/creators/creators.cpp").read_text()
    headers = [part for each in (tensorrt_include(), locate.cuda_include()) for part in ("-isystem", str(each))]
    command = [str(locate.gxx()), "-std=c++17", "-shared", "-fPIC", "-Wl,-z,lazy", '-DNAME="S"', *headers, "-xc++", "-"]
    code += "struct Base { virtual ~Base(); virtual void f(); };\nvoid* made() { return new Base; }\n"
    subprocess.run([*command, "-o", str(made)], input=code.encode(), check=True)
    (step,) = ask_application([Step("loadLibrary", made)], "S", "1", "").steps
    assert step.result == "null" and any("undefined symbol: _ZTV4Base" in text for text in step.said)


@with_lane
@pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])
def test_a_library_with_the_macro_needs_tensorrt_where_the_linker_sees_it(halve, mode):
    code = (
        f"import ctypes\nctypes.CDLL({str(build_cudart())!r}, ctypes.RTLD_GLOBAL)\n"
        f"ctypes.CDLL({str(lean_library(10))!r}, ctypes.{mode})\n"
        f"ctypes.CDLL({str(halve(flags=('-DSELF_REGISTERED',)))!r})\nprint('opened')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if mode == "RTLD_GLOBAL":
        assert done.stdout == "opened\n", done.stderr
    else:
        assert "undefined symbol: getPluginRegistry" in done.stderr


TWO = """
int launch() { return WHICH; }
inline int& counter() { static int count = 0; return count; }
#define ENTRY extern "C" __attribute__((visibility("default")))
ENTRY int launched() { return launch(); }
ENTRY int counted() { return ++counter(); }
"""


@pytest.mark.skipif(locate.gxx() is None or locate.gxx().name != "g++", reason="needs g++")
@pytest.mark.parametrize(
    ("mode", "flags", "launched", "counted"),
    [
        ("RTLD_GLOBAL", [], [1, 1], [1, 2]),
        ("RTLD_LOCAL", [], [1, 2], [1, 2]),
        ("RTLD_GLOBAL", ["-fvisibility=hidden"], [1, 2], [1, 1]),
    ],
)
def test_what_two_libraries_share(tmp_path, mode, flags, launched, counted):
    """The table of the chapter. ``extern "C"`` names are asked for library by library."""
    paths = [tmp_path / f"lib{which}.so" for which in (1, 2)]
    for which, path in enumerate(paths, 1):
        command = [str(locate.gxx()), "-shared", "-fPIC", "-xc++", "-", f"-DWHICH={which}", *flags, "-o", str(path)]
        subprocess.run(command, input=TWO.encode(), check=True)
    code = (
        f"import ctypes\nboth = [ctypes.CDLL(path, ctypes.{mode}) for path in {[*map(str, paths)]!r}]\n"
        "print([each.launched() for each in both], [each.counted() for each in both])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{launched} {counted}"


# What the project has to say


@with_lane
def test_a_project_that_does_not_say_where_the_headers_are_is_told():
    folder = ROOT / "solutions/05_build_and_load"
    files = {name: (folder / name).read_bytes() for name in ("CMakeLists.txt", "registration.cpp")}
    exercise = course.find("plugin-project")
    files["CMakeLists.txt"] = files["CMakeLists.txt"].replace(b" ${TENSORRT_INCLUDE}", b"")
    library = PLAN.build(files, exercise)
    assert library.state is State.FAIL and "does not say where TensorRT's headers are" in library.message
    assert "does not say where TensorRT's headers are" in library.diagnostics[0].message  # which is what a panel shows


@with_lane
def test_what_a_project_leaves_out_or_calls_otherwise_is_told():
    """No GPUs: nvcc's default, and not what other builds hand out. Another target, a library that is not there."""
    folder = ROOT / "solutions/05_build_and_load"
    files = {name: (folder / name).read_bytes() for name in ("CMakeLists.txt", "registration.cpp")}
    exercise, project = course.find("plugin-project"), files["CMakeLists.txt"]

    def built(old: bytes, new: bytes):
        assert old in project
        return PLAN.build(files | {"CMakeLists.txt": project.replace(old, new)}, exercise)

    library = built(b'CUDA_ARCHITECTURES "80;90-real"', b"")
    said = library_file.has_machine_code(read_elf(library.path)).message
    assert "compute_75" in said and "expected machine code for compute capability 8.0" in said
    assert "no shared library scale_shift; it makes scaling" in built(b"(scale_shift ", b"(scaling ").message
    library = built(b"CUDA::cudart)", b"CUDA::cudart nvinfer)")
    (told,) = library.diagnostics
    assert library.state is State.FAIL and "finds no library nvinfer" in told.message
    assert project.splitlines()[told.line - 1].startswith(b"target_link_libraries")


@with_lane
def test_a_description_names_what_the_library_looks_for_and_where(tmp_path, capsys):
    library = tmp_path / "libnothing.so"
    command = [str(locate.gxx()), "-shared", "-fPIC", "-xc++", "-", "-Wl,-rpath,/build/a:$ORIGIN", "-o", str(library)]
    subprocess.run(command, input=b"int nothing;", check=True)
    assert read_elf(library).search == ("/build/a", "$ORIGIN")
    describe(library)
    said = capsys.readouterr().out
    assert "exports: nothing" in said and "looks in: /build/a, $ORIGIN" in said


def test_the_contract_names_the_triple():
    text = (ROOT / "course/05_build_and_load/chapter.toml").read_text()
    assert all(f"`{part}`" in text for part in TRIPLE)
