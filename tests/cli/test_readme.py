"""The README promises only what is there."""

import re
from pathlib import Path

import pytest
import typer

from grader.cli.main import app
from grader.course import chapters

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_its_commands_exist():
    group = typer.main.get_command(app)
    named = set(re.findall(r"\bgrader ([a-z]+)\b", README))
    assert {"check", "hint", "list", "class"} <= named
    assert named <= set(group.list_commands(None))
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {"course", "demo", "test", "prove"} <= set(re.findall(r"\bmake ([a-z]+)\b", README)) & targets


def test_its_chapters_are_the_chapters():
    rows = re.findall(r"^\| (\d+) · (.+?) \| (\d+) min \| (\d+) min \|$", README, re.M)
    assert rows == [(str(c.number), c.title, str(c.core_minutes), str(c.full_minutes)) for c in chapters()]


def test_its_folders_and_links_exist():
    folders = [name for name in re.findall(r"`([a-z_]+/)`", README) if name != "my/"]
    assert len(folders) >= 6
    for name in [*folders, *re.findall(r"\]\(([^):]+)\)", README)]:
        assert (ROOT / name).exists(), name


def test_its_exercise_is_one():
    slugs = {exercise.slug for chapter in chapters() for exercise in chapter.exercises}
    assert set(re.findall(r'exercise\("([^"]+)"\)', README)) <= slugs


@pytest.mark.parametrize("page", ["README.md", "docs/plugin_conform.md"])
def test_the_report_that_is_shown_is_what_the_command_says(page):
    """The sentence, the belief and the source of the rule are the rule's."""
    from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)
    from grader.checks.conformance.rule import GROUPS, RULES

    rule, shown = RULES["stream"], " ".join((ROOT / page).read_text().split())
    assert f"✗ failed {rule.id} {GROUPS[rule.group]} {rule.sentence}" in shown
    assert f"Often believed: {rule.belief} The rule: {rule.source} ✓" in shown
