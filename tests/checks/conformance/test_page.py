"""The page of the rules says what the rules say; sources can be looked up."""

import re
from pathlib import Path

import pytest

from grader.checks.conformance.page import markdown
from grader.checks.conformance.rule import GROUPS, RULES

PAGE = Path(__file__).parents[3] / "docs" / "plugin_rules.md"


def test_the_page_is_the_rules():
    again = "python -m grader.checks.conformance.page > docs/plugin_rules.md"
    assert PAGE.read_text() == markdown(), f"make it anew: {again}"


def test_every_rule_stands_on_the_page_once_and_in_its_theme():
    themes = re.split(r"^## ", markdown(), flags=re.MULTILINE)
    for each in RULES.values():
        (theme,) = (text for text in themes if f"**`{each.id}`**" in text)
        assert theme.startswith(GROUPS[each.group])


@pytest.mark.parametrize("id", RULES)
def test_a_source_names_a_version_a_section_or_a_report(id):
    source = RULES[id].source
    assert re.search(r"\d+\.\d+|[\w-]+/[\w-]+#\d+|dlopen\(3\)|reference", source)
    assert not re.search(r"(?<![\w/-])[\w-]+#\d", source), "a report has the name of its repository's owner"
