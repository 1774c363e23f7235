"""Plugin exercises: judged as any other, by the rules of a plugin library and by checks of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.exercises.plugin import PluginPlan, asked, theme
from grader.sandbox import confinement
from grader.toolchain import lane
from grader.verdict import State
from grader.verdict.records import verdict_from_dict

sys.path.append(str(Path(__file__).parent))
import plugin_course_tree as course_of_plugins  # noqa: E402
from plugin_course_tree import PROJECT, RELU, STATE, WRONG, skeleton, solution, wrong  # noqa: E402

pytestmark = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)
# Judges answers in one process that runs with the copy of the package: [[slug, files, hidden], ...] -> verdicts.
JUDGE = """
import json, sys, tempfile
from pathlib import Path
from grader.exercises import check
from grader.sandbox import confinement
confinement.use(sys.argv[1] or None)
for slug, files, hidden in json.load(sys.stdin):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        verdict = check(slug, folder, seed=11, hidden=hidden)
        print(json.dumps(json.loads(verdict.to_json())))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return course_of_plugins.make(tmp_path_factory.mktemp("course") / "copy")


@pytest.fixture(scope="module")
def judge(tree):
    """judge((slug, files), ...) -> their verdicts, the hidden cases among them."""

    def run(*answers, hidden=True, confined=""):
        asked_for = [[slug, {name: data.decode() for name, data in files.items()}, hidden] for slug, files in answers]
        done = subprocess.run(
            [course_of_plugins.python(tree), "-c", JUDGE, confined], input=json.dumps(asked_for), capture_output=True,
            text=True, cwd=tree,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [verdict_from_dict(json.loads(line)) for line in done.stdout.splitlines()]

    return run


def failed(verdict):
    return {c.check: c for c in verdict.checks if c.state is not State.PASS and not c.blocked_by}


@pytest.fixture(scope="module")
def verdicts(judge):
    """Of the skeleton, the solution, and the wrong answers of STATE."""
    answers = [skeleton(STATE), solution(STATE), *map(wrong, WRONG)]
    return judge(*((STATE, files) for files in answers))


def test_a_right_plugin_earns_everything_and_says_on_what_it_ran(verdicts):
    verdict = verdicts[1]
    assert verdict.passed and (verdict.earned, verdict.pending, verdict.device) == (10, 0, "simulated")
    assert verdict.seed == 11, "its results were compared with hidden values too"
    assert "tensorrt" in verdict.provenance and "g++" in verdict.provenance["compiler"]


def test_what_a_learner_starts_from_is_told_what_to_do_first(verdicts):
    found = failed(verdicts[0])
    assert list(found) == ["clone-equal"] and found["clone-equal"].message == "clone() returns null."
    assert found["clone-equal"].misconception == "clone-is-new"
    waiting = [check for check in verdicts[0].checks if check.blocked_by == "clone-equal"]
    assert {"attach", "serialize-complete", "values"} <= {check.check for check in waiting}
    assert all(check.state is State.ERROR for check in waiting)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_plugin_fails_the_check_that_owns_its_mistake(verdicts, name):
    verdict = verdicts[2 + list(WRONG).index(name)]
    assert set(failed(verdict)) == WRONG[name]
    [check] = failed(verdict).values()
    assert check.misconception and len(check.message) > 30 and check.source
    others = sum(
        group in {check.group for check in failed(verdict).values()} for group in ("fields", "state", "clones")
    )
    assert 0 < verdict.earned < 10 and others == 1


def test_a_whole_plugin_by_all_rules_its_own_checks_and_its_kernel(judge):
    text = solution(RELU)["relu_kernel.cu"].decode()
    every = text.replace("if (i < n)", "if (i < n / 256 * 256)", 1).encode()
    stream = text.replace("reluF32<<<grid, threads, 0, stream>>>", "reluF32<<<grid, threads>>>").encode()
    right, blocks, default, empty = judge(
        (RELU, solution(RELU)), (RELU, solution(RELU) | {"relu_kernel.cu": every}),
        (RELU, solution(RELU) | {"relu_kernel.cu": stream}), (RELU, skeleton(RELU)),
    )  # fmt: skip
    assert right.passed and len(right.checks) > 55
    assert "kernel" in failed(blocks) and failed(blocks)["kernel"].misconception == "whole-blocks"
    assert set(failed(default)) == {"stream"} and failed(default)["stream"].misconception == "one-stream"
    assert set(failed(empty)) == {"compiles"} and empty.earned == 0 and empty.pending == 0


FORGER = """
#include <cstdlib>
extern "C" long send(int, void const*, unsigned long, int);
__attribute__((constructor)) static void forge()
{
    char const answer[] = "all is well";
    send(3, answer, sizeof answer, 0);
    std::_Exit(0);
}
"""
V2 = b"""#include <NvInferRuntime.h>
using namespace nvinfer1;
class Creator final : public IPluginCreator
{
public:
    char const* getPluginName() const noexcept override { return "ScaleShift"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override { return nullptr; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override { return nullptr; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
private:
    PluginFieldCollection mNone{0, nullptr};
};
extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count)
{
    static Creator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    count = 1;
    return creators;
}
extern "C" void setLoggerFinder(ILoggerFinder*) {}
"""


def test_answers_that_dodge_the_rules_fail_and_are_not_pending(judge):
    right = solution(STATE)["scale_shift.cpp"]
    renamed = right.replace(b'kNAME = "ScaleShift"', b'kNAME = "Other"')
    calls, named, v2 = judge(
        (STATE, {"scale_shift.cpp": FORGER.encode() + right}), (STATE, {"scale_shift.cpp": renamed}),
        (STATE, {"scale_shift.cpp": V2}),
    )  # fmt: skip
    assert set(failed(calls)) == {"self-contained"}, "it was never loaded"
    assert "send" in failed(calls)["self-contained"].message
    assert set(failed(named)) == {"creators"} and "ScaleShift" in failed(named)["creators"].message
    assert set(failed(v2)) == {"interface"} and "IPluginV3" in failed(v2)["interface"].message
    assert all(verdict.pending == 0 and not verdict.passed for verdict in (calls, named, v2))


@pytest.mark.parametrize("kind", confinement.KINDS)
def test_a_strangers_plugin_is_judged_the_same_where_it_is_confined(judge, kind):
    if not (probe := confinement.probe(kind)).works:
        pytest.skip(probe.found)
    right, wrong_one = judge((STATE, solution(STATE)), (STATE, wrong("clone_forgets_shift")), confined=kind)
    assert right.passed and set(failed(wrong_one)) == WRONG["clone_forgets_shift"]


def test_a_plan_names_rules_that_there_are():
    with pytest.raises(ValueError, match="no rule clone-equals"):
        asked("clone-equals", group="g")
    with pytest.raises(ValueError, match="no theme clones"):
        theme("clones")
    with pytest.raises(ValueError, match="blob-size is not about V3"):
        PluginPlan(package="p", spec="s", group="g", rules=asked("blob-size", group="g"))
    assert "blob-size" in theme("serialization", "V2") and "blob-size" not in theme("serialization")


def test_a_project_is_built_by_its_own_cmake_with_supplied_files_and_the_kit(judge):
    text = solution(PROJECT)["CMakeLists.txt"].decode()
    linked = text.replace("CUDA_RUNTIME_LIBRARY Shared", "CUDA_RUNTIME_LIBRARY Static")
    static = {"CMakeLists.txt": linked.replace("CUDA::cudart", "CUDA::cudart_static").encode()}
    right, runtime, empty = judge((PROJECT, solution(PROJECT)), (PROJECT, static), (PROJECT, skeleton(PROJECT)))
    assert right.passed
    assert set(failed(runtime)) == {"reaches"} and "cudart" in failed(runtime)["reaches"].message
    assert set(failed(empty)) == {"compiles"} and len(failed(empty)["compiles"].message) > 20
