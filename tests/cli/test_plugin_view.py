"""A conformance report in the terminal: wide and narrow, with colours and without."""

import io

import pytest
from rich.console import Console

from grader.checks.base import failed, passed
from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)
from grader.checks.conformance.rule import RULES
from grader.checks.conformance.run import UNJUDGED, Report
from grader.cli.plugin_view import show
from grader.plugin.trace import Trace
from grader.verdict import State

LEFT = State.UNSUPPORTED_HERE


def shown(*results, width=80, full=False, colour=False, **rest):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, color_system="standard" if colour else None,
                      highlight=False)  # fmt: skip
    show(Report("/tmp/libmine.so", "L1", results, Trace(), 1.25, **rest), console, full=full)
    return out.getvalue()


def broken():
    return [
        RULES["loads"].result(passed()),
        RULES["stream"].result(failed("Kernel k went to \x1b[31mthe legacy default stream.")),
        RULES["capture"].blocked("stream", State.FAIL),
        RULES["blob-size"].result(failed("Not run: it is about V2 plugins.", state=LEFT)),
        RULES["blob-refuses"].result(failed("Not run: it is about V2 plugins.", state=LEFT)),
    ]


def test_what_failed_comes_first_and_the_verdict_last():
    text = shown(*broken())
    assert text.startswith("✗ failed  stream  Streams and CUDA graphs\n")
    assert f"Often believed: {RULES['stream'].belief}" in " ".join(text.split())
    assert "The rule: NvInferRuntime.h" in text
    assert "✓ 1 rule passed; --full shows which" in text
    assert "– 1 more rule waits for stream" in text
    assert "○ 2 rules not run: they are about V2 plugins." in text
    assert "Not conforming: stream. 1 rule passed, 1 failed, in 1.2 s" in text.splitlines()[-2]


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("width", [60, 80, 140])
def test_it_keeps_to_the_width_and_steers_no_terminal(width, full):
    text = shown(*broken(), width=width, full=full)
    assert max(map(len, text.splitlines())) <= width and "\x1b" not in text
    assert all(line == line.rstrip() or full for line in text.splitlines())
    assert "\x1b[31mthe legacy" not in shown(*broken(), colour=True)


def test_full_shows_every_rule_by_theme():
    text = shown(*broken(), full=True, width=120)
    assert text.count("blob-size") == 1 and "waits for stream" in text and "✓ loads" in text
    assert "failed, as told above" in text


def test_what_is_not_judged_is_shown_and_not_a_failure():
    text = shown(RULES["loads"].result(passed()), RULES["values"].result(failed(f"{UNJUDGED} y is 0.", state=LEFT)))
    assert "values" in text and "y is 0." in text
    assert "It keeps the rules that were run. 1 rule passed, 0 failed" in text


def test_what_does_not_load_has_no_level():
    text = shown(RULES["loads"].result(failed("It is no library.")))
    assert "0 rules passed, 1 failed, in 1.2 s: it does not load." in text


def test_where_no_plugin_was_found_nothing_is_said_of_kernels():
    waiting = RULES["stream"].blocked("exports", State.FAIL)
    text = " ".join(
        shown(RULES["loads"].result(passed()), RULES["exports"].result(failed("No getCreators.")), waiting).split()
    )
    assert "1 rule passed, 1 failed, in 1.2 s: it was loaded, and no plugin was found to drive." in text
    assert "at level" not in text
