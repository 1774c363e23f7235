"""A host exercise of several files: each harness is compiled with those that it includes."""

from importlib import resources

import pytest

from grader import sandbox
from grader.exercises.host import HostBench, _reached
from grader.verdict import State

REPORT = (resources.files("grader.exercises") / "harness" / "report.h").read_bytes()
MAIN = b"""#include "%s"
#include "report.h"
int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    harness::Report report;
    report.add("value", value());
    report.send(channel);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("harness", "reached"),
    [
        (b'#include "a.h"', {"a.h", "deep.h"}),
        (b'#  include "./b.h"\n#include <vector>', {"b.h"}),
        (b"int main() {}", {"a.h", "b.h", "deep.h"}),  # it includes none: all, as for units
    ],
)
def test_the_files_that_a_harness_reaches(harness, reached):
    files = {"a.h": b'#pragma once\n#include "deep.h"\n', "b.h": b"int b;", "deep.h": b""}
    assert set(_reached(files, harness)) == reached


def test_units_are_always_compiled():
    files = {"a.h": b"", "b.h": b"", "a.cpp": b'#include "b.h"\n'}
    assert set(_reached(files, b'#include "a.h"')) == {"a.h", "b.h", "a.cpp"}


def test_a_file_that_does_not_compile_spoils_no_other_harness():
    files = {"good.h": b"inline int value() { return 7; }\n", "bad.h": b"inline int value() { return }\n"}
    harnesses = {"good.cpp": MAIN % b"good.h", "bad.cpp": MAIN % b"bad.h", "report.h": REPORT}
    bench = HostBench(files, harnesses, sandbox.Limits())
    assert bench.run("good.cpp", fields={"value": int}) == {"value": 7}
    broken = bench.program("bad.cpp")
    assert (broken.state, broken.diagnostics[0].file) == (State.FAIL, "bad.h")
