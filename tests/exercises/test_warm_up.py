"""Chapter 0: right answers pass, the files as shipped do not, and what the learner reads is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import course
from grader.checks import compare
from grader.exercises import check
from grader.exercises.ch00_warm_up import scale
from grader.exercises.ch00_warm_up.start import KERNELS, Start, advise, where_to_start
from grader.exercises.host import last_words
from grader.exercises.runner import plan_of
from grader.proof.patch import read_variant
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = (ROOT / tree / "00_warm_up" for tree in ("plugin_skeletons", "solutions"))
HARNESS = ROOT / "grader" / "exercises" / "ch00_warm_up" / "harness"
EXERCISES = course.chapter(0).exercises
SLUGS = [exercise.slug for exercise in EXERCISES]
TITLES = {exercise.slug: exercise.title for exercise in EXERCISES}


@pytest.mark.parametrize("slug", SLUGS)
def test_the_solution_passes_with_hidden_cases_too(slug):
    verdict = check(slug, SOLUTIONS, seed=7, hidden=True, reveal=True, device="simulated")
    assert verdict.passed, [(c.check, c.message) for c in verdict.checks if c.state is not State.PASS]
    assert verdict.earned == course.find(slug).points


@pytest.mark.parametrize("slug", SLUGS)
def test_the_skeleton_compiles_and_does_not_pass(slug):
    verdict = check(slug, SKELETONS, device="simulated")
    by_id = {c.check: c for c in verdict.checks}
    assert by_id["compiles"].state is State.PASS
    assert not verdict.passed and verdict.state not in (State.GRADER_FAULT, State.UNSUPPORTED_HERE)
    assert all(c.message for c in verdict.checks if c.state is not State.PASS)


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_variants_and_misconceptions_agree(slug):
    exercise = course.find(slug)
    owners = {c.id: c.misconception for c in plan_of(exercise).all_checks()}
    groups = {c.group for c in plan_of(exercise).all_checks()}
    assert groups == {g.id for g in exercise.groups}
    named = {m.id for m in exercise.misconceptions}
    assert {m for m in owners.values() if m} == named
    solution = {name: (SOLUTIONS / name).read_bytes() for name in exercise.files}
    variants = [read_variant(path) for path in sorted((ROOT / "tests" / "variants" / slug).glob("*.patch"))]
    assert {v.misconception for v in variants if not v.alternative} == named
    assert any(v.alternative for v in variants)
    for variant in variants:
        assert variant.apply(solution) != solution
        if not variant.alternative:
            assert owners[variant.owner] == variant.misconception
            assert variant.also <= owners.keys()


def test_what_the_learner_reads_is_what_the_grader_compiles():
    for name in ("layer.h", "device.h", "launch.h"):
        assert (SKELETONS / name).read_bytes() == (HARNESS / name).read_bytes(), name


def test_an_answer_that_ends_the_process_gets_no_point(tmp_path):
    """exit(0) before the harness reports: no report, no pass."""
    (tmp_path / "scale_enqueue.h").write_text(
        '#pragma once\n#include "launch.h"\n#include <cstdlib>\n'
        "inline std::int32_t enqueue(float const*, float*, std::int64_t, Stream) noexcept { std::exit(0); }\n"
    )
    verdict = check("return-status", tmp_path)
    assert verdict.earned == 0
    assert {c.state for c in verdict.checks if c.check != "compiles"} == {State.ERROR}


def test_a_forged_report_gets_no_point(tmp_path, monkeypatch):
    """An answer that finds the pipe and reports by itself is no pass and no fault of the grader, even where it was not
    refused (see tests/toolchain/test_aloof.py)."""
    monkeypatch.setattr("grader.toolchain.aloof.check_names", lambda *_: ())
    monkeypatch.setattr("grader.toolchain.aloof.foreign_functions", lambda *_: [])
    (tmp_path / "scale_enqueue.h").write_text(
        '#pragma once\n#include "launch.h"\n#include <cstdlib>\n'
        'extern "C" long write(int, void const*, unsigned long);\n'
        "inline std::int32_t enqueue(float const*, float*, std::int64_t, Stream) noexcept {\n"
        '    char frame[16 + 12 + 1] = "\\x0c\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0" "{\\"status\\":0}";\n'
        "    for (int fd = 3; fd < 64; ++fd) write(fd, frame, sizeof frame - 1);\n"
        "    std::_Exit(0);\n}\n"
    )
    verdict = check("return-status", tmp_path)
    assert verdict.earned == 0
    assert {c.state for c in verdict.checks if c.check != "compiles" and not c.blocked_by} == {State.ERROR}


def test_a_missing_file_is_named(tmp_path):
    verdict = check("thread-index", tmp_path)
    assert verdict.state is State.ERROR and "thread_index.cu" in verdict.checks[0].message


def test_cases_are_exact_and_windows_stand_where_they_say():
    import numpy as np

    case = scale.case("k", np.random.default_rng(1), 2**33, 3, 256, window=(2**32, 10))
    assert case.inputs[0].start == case.outputs[0].start == 2**32 and case.inputs[0].total == 2**33
    right = (2 * case.inputs[0].data + 1).astype(np.float32)
    assert compare(case, {"y": right}).state is State.PASS
    right[3] = np.nextafter(right[3], np.float32(9))
    assert compare(case, {"y": right}).state is State.FAIL


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("", ""),
        (
            "0af3.bin: answer/a.h:3: int f(): Assertion `n > 0' failed.\n",
            "a.h:3: int f(): Assertion `n > 0' failed.",
        ),
        (
            "noise\nterminate called after throwing an instance of 'int'\n",
            "terminate called after throwing an instance of 'int'",
        ),
        (
            "terminate called after throwing X\n  what():  no\n",
            "terminate called after throwing X what():  no",
        ),
    ],
)
def test_last_words(stderr, words):
    assert last_words(stderr) == words


def states(**failed) -> dict[str, State]:
    return {slug: failed.get(slug.replace("-", "_"), State.PASS) for slug in SLUGS}


def test_advice_is_honest_about_what_is_written():
    done = " ".join(advise(states(), TITLES, {0: "Warm-up", 10: "Masked GELU"}))
    assert "Chapter 10, Masked GELU" in done and "not written yet" in done
    assert "chapters 3, Families" in " ".join(advise(states(), TITLES, {10: "G", 3: "Families"}))
    assert "Chapter 10" not in " ".join(advise(states(), TITLES, {0: "Warm-up"}))


def test_advice_names_what_is_open():
    text = " ".join(advise(states(grid_stride=State.FAIL, ownership=State.CRASH), TITLES, {10: "G"}))
    assert f"“{TITLES['grid-stride']}”" in text and f"“{TITLES['ownership']}” can wait" in text
    assert "is yours" not in text
    assert set(KERNELS) < set(SLUGS)


def test_a_start_shows_every_exercise():
    start = Start(states(ownership=State.FAIL), TITLES, ("Go.",))
    for title in TITLES.values():
        assert title in start._repr_markdown_() and title in repr(start)
    assert start._repr_markdown_().count("passed") == 5


def test_where_to_start_checks_the_folder(tmp_path):
    (tmp_path / "scale_enqueue.h").write_bytes((SOLUTIONS / "scale_enqueue.h").read_bytes())
    start = where_to_start(tmp_path)
    assert [slug for slug, state in start.states.items() if state is State.PASS] == ["return-status"]
