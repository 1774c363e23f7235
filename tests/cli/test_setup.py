"""Set-up: the script with a made-up Python, the Makefile with an empty environment."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    "awk", "bash", "cat", "chmod", "cp", "cut", "dirname", "env", "grep", "head", "id", "mkdir", "rm",
    "sha256sum", "tail", "tee",
)  # fmt: skip

# Stands for a Python: says its version, can make virtual environments or not, notes what pip is asked.
FAKE_PYTHON = """#!/bin/bash
case "$*" in
  *version_info*) echo "@VERSION@" ;;
  *ensurepip*) exit @NO_VENV@ ;;
  "-m venv --clear "*)
    echo "@VERSION@: $*" >>calls
    mkdir -p .venv/bin && cp "$0" .venv/bin/python
    printf '#!%s/.venv/bin/python\\n' "$PWD" >.venv/bin/pip ;;
  "-m pip install"*)
    echo "pip $* constraint=$PIP_CONSTRAINT index=$PIP_INDEX_URL target=${PIP_TARGET-none}" >>calls
    echo "Collecting numpy==2.4"
    [ ! -e fail ] || { echo "ERROR: no such hash"; exit 1; } ;;
  *abilities*) [ ! -e no_gpu ] || { echo "g++ said no" >&2; exit 1; } ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""


@pytest.fixture
def place(tmp_path):
    """A folder with the set-up script, and a PATH of chosen tools without any real Python."""
    shutil.copytree(ROOT / "setup", tmp_path / "setup")
    (tmp_path / "requirements.lock").write_text("numpy==2.4 \\\n    --hash=sha256:0\n")
    (tmp_path / "pyproject.toml").write_text("")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for tool in TOOLS:
        (bin_ / tool).symlink_to(shutil.which(tool))
    for tool in ("g++", "make"):
        executable(bin_ / tool, "#!/bin/bash\n")
    return tmp_path


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


def python(place, name, version, venv=True):
    text = FAKE_PYTHON.replace("@VERSION@", version).replace("@NO_VENV@", "0" if venv else "1")
    executable(place / "bin" / name, text)


def set_up(place, **environment):
    return subprocess.run(
        [str(place / "setup" / "environment.sh")],
        capture_output=True, text=True, timeout=30, cwd="/", env={"PATH": str(place / "bin")} | environment,
    )  # fmt: skip


def calls(place):
    path = place / "calls"
    return path.read_text().splitlines() if path.exists() else []


def test_scripts_are_well_formed():
    for script in ("setup/environment.sh", ".ci/run"):
        assert os.access(ROOT / script, os.X_OK)
        assert subprocess.run(["bash", "-n", str(ROOT / script)]).returncode == 0
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[0] == "#!/usr/bin/env bash" and len(lines) == 2 and lines[1].endswith("test")


def test_it_installs_by_hash_then_the_package(place):
    python(place, "python3", "3.12")
    done = set_up(place)
    assert done.returncode == 0, done.stderr
    venv, lock, package = calls(place)
    assert venv == "3.12: -m venv --clear .venv"
    assert "--require-hashes -r requirements.lock" in lock
    assert "--no-deps --no-build-isolation -e ." in package


def test_a_second_run_installs_nothing_until_the_lock_changes(place):
    python(place, "python3", "3.12")
    set_up(place)
    count = len(calls(place))
    assert set_up(place).returncode == 0
    assert len(calls(place)) == count
    (place / "requirements.lock").write_text("numpy==2.5\n")
    assert set_up(place).returncode == 0
    assert len(calls(place)) == count + 2  # pip twice; the environment itself stays


def test_a_class_release_installs_its_wheel(place):
    python(place, "python3", "3.12")
    (place / "pyproject.toml").unlink()
    (place / "wheels").mkdir()
    (place / "wheels" / "course-1-py3-none-any.whl").write_text("x")
    assert set_up(place).returncode == 0
    assert "--force-reinstall wheels/course-1-py3-none-any.whl" in calls(place)[-1]


def test_the_newest_python_that_can_is_taken(place):
    python(place, "python3.14", "3.14", venv=False)
    python(place, "python3.13", "3.13")
    python(place, "python3.12", "3.12")
    set_up(place)
    assert calls(place)[0].startswith("3.13:")


def test_python_can_be_named(place):
    python(place, "python3.13", "3.13")
    python(place, "mine", "3.11")
    set_up(place, PYTHON=str(place / "bin" / "mine"))
    assert calls(place)[0].startswith("3.11:")
    python(place, "old", "")
    done = set_up(place, PYTHON=str(place / "bin" / "old"))
    assert done.returncode == 1 and "no Python 3.11 to 3.14" in done.stderr


@pytest.mark.parametrize(
    "manager, command",
    [("apt-get", "apt install python3.12-venv"), ("zypper", "zypper install python312-venv"),
     (None, "install the package python3.12-venv with your system's package manager")],
)  # fmt: skip
def test_without_venv_it_stops_with_the_one_command(place, manager, command):
    python(place, "python3", "3.12", venv=False)
    if manager:
        executable(place / "bin" / manager, "#!/bin/bash\n")
    done = set_up(place)
    assert done.returncode == 1
    assert command in done.stderr and "virtual environments" in done.stderr
    assert not (place / ".venv").exists()


def test_without_python_or_a_compiler_it_says_so(place):
    executable(place / "bin" / "apt-get", "#!/bin/bash\n")
    done = set_up(place)
    assert done.returncode == 1 and "PYTHON=" in done.stderr and "apt install python3" in done.stderr
    (place / "bin" / "g++").unlink()
    done = set_up(place)
    assert done.returncode == 1 and "apt install g++" in done.stderr


def test_a_moved_folder_is_set_up_anew(place):
    python(place, "python3", "3.12")
    set_up(place)
    moved = place.with_name(place.name + "_moved")
    place.rename(moved)
    assert set_up(moved).returncode == 0
    assert sum("-m venv" in call for call in calls(moved)) == 2


def test_a_failing_pip_is_a_failure_with_its_last_words(place):
    python(place, "python3", "3.12")
    (place / "fail").touch()
    done = set_up(place)
    assert done.returncode == 1
    assert "ERROR: no such hash" in done.stderr and "set-up.log" in done.stderr
    (place / "fail").unlink()
    assert set_up(place).returncode == 0  # and the next run goes on


def test_a_simulated_gpu_that_does_not_run_is_a_failure(place):
    python(place, "python3", "3.12")
    (place / "no_gpu").touch()
    done = set_up(place)
    assert done.returncode == 1 and "g++ said no" in done.stderr


def test_the_last_step_runs_with_what_the_package_offers():
    script = (ROOT / "setup" / "environment.sh").read_text()
    program = script.partition(".venv/bin/python -c '")[2].partition("'")[0]
    assert "abilities" in program
    tried = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (tried.returncode, tried.stderr) == (0, "")


def test_foreign_pip_settings_do_not_leak_in_but_an_index_does(place):
    python(place, "python3", "3.12")
    set_up(
        place,
        PIP_CONSTRAINT="/their/constraints",
        PIP_TARGET="/elsewhere",
        PIP_INDEX_URL="https://index.example/simple",
    )
    for call in calls(place)[1:]:
        assert "constraint=/dev/null index=https://index.example/simple target=none" in call


def make(*arguments):
    return subprocess.run(
        [shutil.which("make"), "-C", str(ROOT), "--no-print-directory", *arguments],
        capture_output=True, text=True, timeout=30, env={},
    )  # fmt: skip


def test_make_alone_lists_its_commands():
    done = make()
    assert done.returncode == 0
    for target in ("course", "plugin-lane", "test", "prove", "demo", "clean"):
        assert f"make {target}" in done.stdout


def test_a_class_release_offers_only_what_it_has(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    done = subprocess.run([shutil.which("make")], cwd=tmp_path, capture_output=True, text=True, timeout=30, env={})
    assert "make course" in done.stdout and "make test" not in done.stdout
    done = subprocess.run(
        [shutil.which("make"), "test"], cwd=tmp_path, capture_output=True, text=True, timeout=30, env={}
    )
    assert done.returncode == 2


def test_an_empty_environment_has_a_path_without_the_working_folder():
    done = make("--eval", "show: ; @echo $$PATH", "show")
    parts = done.stdout.strip().split(":")
    assert parts[0] == str(ROOT / ".venv" / "bin") and "/usr/bin" in parts and "" not in parts


def test_every_command_sets_up_first():
    for target in ("course", "test", "prove", "demo"):
        assert make("-n", target).stdout.splitlines()[0].startswith("bash setup/environment.sh")


def test_plugins_follow_in_the_background_and_come_before_the_tests():
    course = make("-n", "course").stdout.splitlines()
    assert course.index("grader plugin-lane --background") < course.index("python -m grader.workspace.serve")
    test = make("-n", "test").stdout.splitlines()
    assert test[2] == "grader plugin-lane" and test[-1] == "python tests/side_by_side.py"
    assert make("-n", "test", "PYTEST_ARGS=-x").stdout.splitlines()[-1] == "python -m pytest -x"


def test_only_setup_itself_says_what_comes_next():
    assert "Next: make course" in make("-n", "setup").stdout
    assert "grader class init DIR" in make("-n", "setup").stdout
    assert "Next:" not in make("-n", "course").stdout
    assert "class init" not in make("-n", "course").stdout


def test_the_lock_names_no_index():
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        assert not line.lstrip().startswith(("-i", "--index", "--extra-index", "--find-links", "--trusted"))
        assert "://" not in line


def test_the_lock_of_what_tests_alone_need_agrees_with_the_others():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["test"]
    text = (ROOT / "tests" / "requirements.lock").read_text()
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    pinned = dict(re.findall(r"^([\w-]+)==([\w.]+)", text, re.M))
    assert {re.split(r"[=<>;]", requirement)[0] for requirement in wanted} <= pinned.keys()
    first = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "requirements.lock").read_text(), re.M))
    assert all(first.get(name, version) == version for name, version in pinned.items())  # one environment, one version


def test_the_conda_environment_agrees_with_the_package():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, last = environment["dependencies"]
    lines = {re.split(r"[=<>]", line)[0].removesuffix("-base"): line for line in conda + last["pip"]}
    for name in (
        "jupyterlab",
        "tensorrt-cu13",
        "cupy",
        "numpy",
        "nbgrader",
        "pytest",
        "matplotlib",
        "python",
    ):
        assert name in lines
    for requirement in [*wanted["dependencies"], *wanted["optional-dependencies"]["tensorrt"]]:
        requirement = requirement.split(";")[0]
        assert lines[re.split(r"[=<>]", requirement)[0]].replace("-base", "") == requirement
    assert "-e .[plugin,class]" in last["pip"]
    assert "CI has none of them" in (ROOT / "environment.yml").read_text()
