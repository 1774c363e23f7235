"""Chapter 3, interface-tests: the classes are what they are said to be, and the verdict is the compiler's."""

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest

from grader.exercises import check
from grader.exercises.ch03_interface_families import drawn, subjects
from grader.exercises.ch03_interface_families.subjects import METHODS, TESTS, WAYS, fresh, path, source
from grader.toolchain import locate
from grader.toolchain.tensorrt import find_headers, tensorrt_include
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = (ROOT / tree / "03_interface_families" for tree in ("plugin_skeletons", "solutions"))
FOUND, _ = find_headers()
needs_headers = pytest.mark.skipif(FOUND is None, reason="TensorRT's headers are not here: grader plugin-lane")
SOLUTION = (SOLUTIONS / "interface_tests.h").read_text()

CALLS = {  # how TensorRT asks, through the interface, and what the base class answers
    "limit": ("build.getFormatCombinationLimit()", "100"),
    "cache": ("(build.getTimingCacheID() != nullptr)", "0"),
    "workspace": ("build.getWorkspaceSize(nullptr, 0, nullptr, 0)", "0"),
    "count": ("build.getNbTactics()", "0"),
    "values": ("build.getValidTactics(nullptr, 0)", "0"),
    "set": ("runtime.setTactic(1)", "0"),
    "alias": ("build2.getAliasedInput(0)", "-1"),
}


def verdict(tmp_path, text: str, **options):
    (tmp_path / "interface_tests.h").write_text(text)
    return check("interface-tests", tmp_path, **options)


def failing(found) -> set[str]:
    return {c.check for c in found.checks if c.state is not State.PASS}


# The classes


def drawn_with(seed: int | None) -> list[subjects.Subject]:
    return drawn.visible() if seed is None else drawn.hidden(np.random.default_rng(seed))


@needs_headers
@pytest.mark.parametrize("seed", [None, 1, 2], ids=["visible", "hidden 1", "hidden 2"])
def test_tensorrt_reaches_what_it_is_said_to_reach(seed, tmp_path, monkeypatch):
    """A program that makes each class and calls its methods through the interface, as TensorRT does."""
    for method in ("values", "set"):  # their own answers are those of the base class, which cannot be told apart
        monkeypatch.setitem(METHODS, method, dataclasses.replace(METHODS[method], answer="7"))
    lines, body, expected = ["#include <NvInferRuntime.h>", "#include <cstdio>"], [], []
    for subject in drawn_with(seed):
        names = fresh()
        lines.append(source(subject, names))
        body.append(f"{{ {path(subject, names)} plugin;")
        for word in {"build", "build2", "runtime"} & set(subject.words):
            body.append(f"nvinfer1::{subjects.BASES[word]}& {word} = plugin;")
            body += ["nvinfer1::IPluginV3OneBuild& build = build2;"] if word == "build2" else []
        for method, (call, default) in CALLS.items():
            if subject.has(method):
                body.append(f'std::printf("%d\\n", int({call} != {default}));')
                expected.append(str(int(subject.reached(method))))
        body.append("}")
    program = tmp_path / "classes"
    program.with_suffix(".cpp").write_text("\n".join([*lines, "int main() {", *body, "}"]))
    folders = [str(folder) for folder in (tensorrt_include(), locate.cuda_include())]
    command = [str(locate.gxx()), "-std=c++17", "-w", "-isystem", folders[0], "-isystem", folders[1]]
    subprocess.run([*command, program.with_suffix(".cpp"), "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.split() == expected


def test_every_test_has_right_and_wrong_classes_and_each_way_comes_up():
    hidden = drawn_with(1)
    for classes in (drawn_with(None), hidden):
        for test in TESTS:
            own = [subject for subject in classes if subject.about == test]
            assert {subject.truth(test) for subject in own} == {True, False}
    assert {way for subject in hidden for way in subject.ways.values()} == set(WAYS)
    assert {subject.place for subject in hidden} == set(drawn.PLACES)


def test_names_are_fresh_and_no_class_is_known_by_its_dress():
    assert fresh() != fresh()
    for test in TESTS:
        own = [subject for seed in range(1, 9) for subject in drawn_with(seed) if subject.about == test]
        for dress in ("final", "struct", "place"):
            kinds = {getattr(subject, dress) for subject in own if subject.truth(test)}
            assert kinds == {getattr(subject, dress) for subject in own if not subject.truth(test)}


def test_a_subject_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="no such subject"):
        subjects.Subject("ownAlias", ("build",), {"getAliasedInput": "override"})


# The verdict


@needs_headers
def test_the_solution_passes_on_hidden_classes_too():
    for seed in (4, 5, 6):
        found = check("interface-tests", SOLUTIONS, seed=seed, hidden=True, tell=True)
        assert (found.earned, failing(found)) == (8, set()), [c.message for c in found.checks]


@needs_headers
def test_the_skeleton_is_told_of_a_class_that_it_gets_wrong():
    found = {c.check: c for c in check("interface-tests", SKELETONS).checks}
    assert found["compiles"].state is found["limit-wrong"].state is State.PASS
    limit = found["limit-right"].message
    assert "says false of a class of which true is right" in limit and "class Base0 : public IPluginV3OneBuild" in limit
    assert "says false" in found["cache-id-right"].message and "struct Plugin" in found["cache-id-right"].message


def constant(value: str) -> str:
    return "#pragma once\n" + "".join(
        f"template <class Plugin> constexpr bool {test}() {{ return {value}; }}\n" for test in TESTS
    )


@needs_headers
@pytest.mark.parametrize("value", ["true", "false", "sizeof(Plugin) > 8", "std::is_final_v<Plugin>"])
def test_an_answer_that_does_not_look_earns_nothing(value, tmp_path):
    found = verdict(tmp_path, constant(value).replace("once\n", "once\n#include <type_traits>\n"))
    assert found.earned == 0 and found.state is State.FAIL


@needs_headers
def test_an_answer_by_heart_does_not_pass_on_hidden_classes(tmp_path):
    """It counts the classes that it is asked of, and knows in order what is right of the visible ones."""
    parts = ["#pragma once\n#include <NvInferRuntime.h>\n"]
    for number, test in enumerate(TESTS):
        truths = [str(subject.truth(test)).lower() for subject in drawn.visible()]
        parts.append(
            f"constexpr bool truths{number}[] = {{{', '.join(truths)}}};\n"
            f"template <int N> struct Seen{number} {{ friend constexpr bool seen{number}(Seen{number}<N>); }};\n"
            f"template <int N> struct Mark{number}\n"
            f"{{ friend constexpr bool seen{number}(Seen{number}<N>) {{ return true; }} }};\n"
            f"template <class Plugin, int N = 0, bool = false> struct Count{number};\n"
            f"template <class Plugin, int N, class = void> struct Next{number}\n"
            f"{{ static constexpr int value = (sizeof(Mark{number}<N>), N); }};\n"
            f"template <class Plugin, int N> struct Next{number}<Plugin, N,\n"
            f"    std::enable_if_t<seen{number}(Seen{number}<N>())>> : Next{number}<Plugin, N + 1> {{ }};\n"
            f"template <class Plugin> constexpr bool {test}()\n"
            f"{{ return truths{number}[Next{number}<Plugin, 0>::value % {len(truths)}]; }}\n"
        )
    text = "".join(parts).replace("once\n", "once\n#include <type_traits>\n")
    found = verdict(tmp_path, text, seed=3, hidden=True, tell=True)
    assert found.earned == 0


@needs_headers
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("#define static_assert(...)", "is a name already"),
        ("#define override", "is a name already"),
        ("#define noexcept", "is a name already"),
        ("#define ownAlias ownFormatLimit", "is a name already"),
        ('#line 1 "harness/classes.cpp"', "not accepted"),
        ('# 1 "harness/classes.cpp"', "not accepted"),
        ("#pragma GCC system_header", "not accepted"),
        ("#pragma GCC poison static_assert", "not accepted"),
        ('#include "classes.cpp"', "cannot be included here"),
        ("#if 0", "unterminated"),
        ("namespace more {", "in the middle of a declaration"),
    ],
)
def test_what_would_reach_for_the_graders_own_lines_is_refused(line, told, tmp_path):
    found = verdict(tmp_path, f"{SOLUTION}\n{line}\n")
    (first, *_) = found.checks
    assert (first.state, found.earned) == (State.FAIL, 0) and told in first.message


@needs_headers
def test_turning_warnings_off_changes_nothing(tmp_path):
    quiet = '#pragma GCC diagnostic ignored "-Wall"\n#pragma GCC diagnostic ignored "-Wpedantic"\n'
    assert verdict(tmp_path, SOLUTION + quiet).earned == 8
    assert verdict(tmp_path, constant("true") + quiet).earned == 0


@needs_headers
def test_an_error_for_some_class_is_no_answer_even_where_one_is_given(tmp_path):
    """The error stands behind the return that decides, so that g++ evaluates the function all the same."""
    last = "    return Answer<AliasedInput, Plugin>::value;"
    early = "    if (!std::is_base_of_v<Aliasing, Plugin>) { return false; }\n    return AliasedInput<Plugin>::value;"
    found = verdict(tmp_path, SOLUTION.replace(last, early))
    said = {c.check: c.message for c in found.checks if c.state is not State.PASS}
    assert set(said) == {"alias-wrong", "alias-unknown"}
    assert "does not compile" in said["alias-unknown"] and "is not a member of" in said["alias-unknown"]
    assert "Plugin" in said["alias-unknown"] and "Kite" not in said["alias-unknown"]


@needs_headers
def test_an_error_that_comes_of_no_class_is_told_as_such(tmp_path):
    """The file compiles by itself, and not behind TensorRT's header."""
    late = SOLUTION.replace("#pragma once\n", "#pragma once\n#ifdef NV_INFER_RUNTIME_H\n#error late\n#endif\n")
    found = verdict(tmp_path, late)
    first, *others = found.checks
    assert first.state is State.PASS and found.earned == 0
    assert all("#error late, while the tests are tried on classes" in other.message for other in others)


@needs_headers
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("constexpr bool ownAlias()", "constexpr bool ownAliases()", "ownAlias"),
        ("constexpr bool ownAlias()", "constexpr int ownAlias()", "ownAlias must return bool"),
        ("constexpr bool ownAlias()", "bool ownAlias()", "constexpr"),
    ],
)
def test_a_test_of_another_form_is_told(old, new, told, tmp_path):
    first = verdict(tmp_path, SOLUTION.replace(old, new)).checks[0]
    assert first.state is State.FAIL and told in first.message
