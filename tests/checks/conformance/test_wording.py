"""Findings speak of the methods that the plugin's family has."""

import pytest

from grader.checks.base import failed
from grader.checks.conformance.kept import Kept
from grader.checks.conformance.rules.serialization import _appended
from grader.checks.conformance.wording import worded
from grader.plugin.life import LifeProblem
from grader.plugin.records import Field


class Family:
    """As much of a bench as the wording asks for."""

    def __init__(self, v3):
        self.v3 = v3

    @property
    def is_v3(self):
        if self.v3 is None:
            raise LifeProblem("getCreators", "There is none.")
        return self.v3

    def once(self, key, make):
        return make()


@pytest.mark.parametrize(("v3", "told"), [
    (True, "getOutputShapes() gives output y no shape."),
    (False, "getOutputDimensions() gives output y no shape."),
    (None, "getOutputShapes() gives output y no shape."),
])  # fmt: skip
def test_methods_are_those_of_the_family(v3, told):
    assert worded(failed("getOutputShapes() gives output y no shape."), Family(v3)).message == told


def test_a_message_has_an_end_and_can_be_printed():
    message = worded(failed("\x1b[2J" + "x" * 5000), Family(True)).message
    assert len(message) < 2100 and "\x1b" not in message


@pytest.mark.parametrize(("now", "told"), [
    (2, "the field 'k' comes 2 times, after 1 in the first answer"),
    (0, "the field 'k' was 1 (int32) and is missing"),
])  # fmt: skip
def test_a_list_that_grows_is_said_to_grow(now, told):
    field = Field("k", 5, 1, b"\1\0\0\0")
    assert _appended(Kept((field,)), Kept((field,) * now)) == told
