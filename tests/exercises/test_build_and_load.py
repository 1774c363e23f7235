"""Chapter 5: what its checks read in a library's file, and what the chapter says of registries."""

import dataclasses
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.exercises.ch05_build_and_load import library_file, pictures
from grader.exercises.ch05_build_and_load.plugin_project import PLAN, TRIPLE
from grader.exercises.ch05_build_and_load.workshop import describe
from grader.plugin.second_registry import ask
from grader.plugin.session import Session
from grader.toolchain import Source, compile_library, lane, locate
from grader.toolchain.elf import Elf, Symbol, read_elf
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
        ({"exports": RIGHT.exports | {"_Z6launchPf"}}, "nothing-else", "the library exports launch, 1 in all"),
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
