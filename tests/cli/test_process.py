"""The command as a real process: status, streams, that it starts with little, an exercise judged for real."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def grader(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "grader.cli.main", *arguments],
        capture_output=True, text=True, timeout=60, env=os.environ | environment,
    )  # fmt: skip


def test_a_wrong_id_is_2_and_a_sentence():
    done = grader("check", "no-such-exercise")
    assert done.returncode == 2
    assert 'no exercise "no-such-exercise"' in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


def test_help_is_0():
    done = grader("--help")
    assert done.returncode == 0 and "check" in done.stdout


def test_nothing_heavy_is_imported_before_work_begins():
    code = (
        "import sys, grader.cli.main, grader.cli.check\n"
        "print(sorted({'numpy', 'nbformat', 'nbgrader', 'IPython', 'matplotlib', 'cupy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_an_exercise_is_judged_for_real(tmp_path):
    cache = {"GRADER_DEVICE": "simulated"}
    right = grader("check", "0.index", "--dir", str(ROOT / "solutions" / "00_warm_up"), "--json", **cache)
    assert right.returncode == 0, right.stderr
    verdict = json.loads(right.stdout)
    assert verdict["exercise"] == "thread-index" and verdict["state"] == "pass"
    assert verdict["earned"] == verdict["possible"] > 0 and verdict["seed"] is not None

    started = grader("check", "0.index", "--dir", str(ROOT / "plugin_skeletons" / "00_warm_up"), **cache)
    assert started.returncode == 1
    assert "grader hint thread-index" in started.stdout

    (tmp_path / "thread_index.cu").write_text("#include <vector>\n__global__ void k( {\n")
    broken = grader("check", "0.index", "--dir", str(tmp_path), **cache)
    assert broken.returncode == 1 and "Traceback" not in broken.stdout + broken.stderr
    assert ">    1 | #include <vector>" in broken.stdout
