"""`grader plugin conform` and `grader plugin spec` on a library with two versions of a plugin, and on hostile use."""

import json
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.main import app
from grader.plugin.spec import load_spec
from grader.toolchain import tensorrt

sys.path.append(str(Path(__file__).parents[1] / "plugin"))  # building
import building

pytestmark = pytest.mark.skipif(tensorrt.lean_library() is None, reason="no plugin registry")
QUICK = ["--level", "L0", "--only", "identity", "--only", "fields-null"]


def command(*arguments):
    return CliRunner().invoke(app, ["plugin", *map(str, arguments)])


@pytest.fixture(scope="module")
def library():
    return building.built("two_versions")


def test_without_a_spec_each_plugin_of_the_library_is_checked_in_turn(library):
    found = json.loads(command("conform", library, *QUICK, "--json").stdout)
    plugins = [each["plugin"] for each in found["plugins"]]
    assert len(plugins) == 2 and plugins[0] != plugins[1] and found["state"] == "pass"


def test_one_plugin_is_chosen_by_name_and_version(library):
    name = building.spec("two_versions").name or "Clamp"
    result = command("conform", library, *QUICK, "--json", "--creator", f"{name}:2")
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (found["plugin"]["name"], found["plugin"]["version"]) == (name, "2")
    assert found["versions"]["grader"]


@pytest.mark.parametrize(
    "options, word",
    [
        (["--creator", "Nobody"], "no creator Nobody"),
        (["--only", "strem"], "did you mean"),
        (["--skip", "nothing"], "there is no rule"),
        (["--level", "L7"], "L0, L1 or L2"),
        (["--json", "--sarif"], "one at a time"),
        (["--trace", "no/such/folder/calls.json"], "there is no folder"),
    ],
)
def test_wrong_use_is_told_with_exit_status_2(library, options, word):
    result = command("conform", library, "--level", "L0", "--only", "loads", *options)
    assert result.exit_code == 2 and word in result.output


def test_rules_that_no_document_demands_can_be_left_out(library):
    from grader.checks.conformance import rules  # noqa: F401  (fills RULES)
    from grader.checks.conformance.rule import RULES

    recommended = {each.id for each in RULES.values() if each.recommended}
    assert {"fields-null", "capture"} <= recommended and "values" not in recommended
    found = command("conform", library, "--level", "L0", "--required", "--json").stdout
    checks = set(re.findall(r'"check": "([\w-]+)"', found))
    assert "identity" in checks and not recommended & checks


def test_a_rule_that_is_skipped_is_not_in_the_report(library):
    found = json.loads(command("conform", library, *QUICK, "--skip", "fields-null", "--json").stdout)
    assert "fields-null" not in {each["check"] for each in found["plugins"][0]["results"]}


def test_junit_counts_what_it_holds(library):
    suites = xml.fromstring(command("conform", library, *QUICK, "--junit").stdout)
    assert suites.tag == "testsuites"
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))


def test_sarif_is_one_run_with_a_rule_for_each_result(library):
    log = json.loads(command("conform", library, *QUICK, "--sarif").stdout)
    [run] = log["runs"]
    assert log["version"] == "2.1.0" and run["invocations"][0]["executionSuccessful"]
    assert {each["id"] for each in run["tool"]["driver"]["rules"]} >= {"identity", "fields-null"}


def test_what_is_missing_for_more_rules_is_said(library):
    result = command("conform", library, "--level", "L0", "--only", "shapes")
    assert "grader plugin spec" in result.output


@pytest.mark.parametrize("name", ["scale_shift", "channel_bias_v2", "non_zero", "top1"])
def test_a_spec_to_begin_with_is_one_that_is_read_again(name, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(command("spec", building.built(name)).stdout)
    made, real = load_spec(file), building.spec(name)
    assert made.name == (real.name or made.name)
    assert {each.name for each in real.attributes} <= {each.name for each in made.attributes}
    assert len(made.inputs) == len(real.inputs) and len(made.outputs) == len(real.outputs)
    assert [each.size_tensor for each in made.outputs] == [each.size_tensor for each in real.outputs]


def test_a_spec_goes_on_from_the_attributes_of_another(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[[attribute]]\nname = "scale"\ntype = "float32"\nvalue = 3.5\n')
    assert "value = 3.5" in command("spec", building.built("scale_shift"), "--spec", file).stdout


def test_a_plugin_of_an_older_interface_is_named_and_not_blamed(tmp_path):
    source = building.PLUGINS.parent / "libraries" / "older" / "older.cpp"
    made = building.compiled({source.name: source.read_bytes()}, source.name, strict=False)
    result = command("conform", made, "--level", "L0")
    assert "IPluginV2IOExt" in result.output and " 0 failed" in result.output


def test_a_level_that_is_asked_for_and_not_reached_is_no_success(tmp_path):
    source = building.PLUGINS.parent / "libraries" / "older" / "older.cpp"
    made = building.compiled({source.name: source.read_bytes()}, source.name, strict=False)
    assert command("conform", made, "--level", "L2", "--only", "loads").exit_code != 0


def test_the_class_is_no_part_of_it():
    assert "Grade a class" not in command("--help").output
    assert command("class", "init").exit_code == 2
