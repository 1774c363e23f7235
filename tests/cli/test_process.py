"""The command as a real process: status, streams, and that it starts with little."""

import os
import subprocess
import sys


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
