"""What a notebook front end is told, in the order it is told."""

import sys
from types import SimpleNamespace

import pytest

from grader import exercises
from grader.notebook.api import ExerciseHandle
from grader.notebook.display import show
from grader.verdict import State


class Screen:
    """Stands for IPython's display: keeps every state of the one output."""

    def __init__(self):
        self.states = []

    def display(self, data, raw, display_id):
        self.states.append(data)
        return self

    def update(self, data, raw):
        self.states.append(data)


@pytest.fixture
def screen(monkeypatch):
    screen = Screen()
    shell = SimpleNamespace(kernel=1, user_ns={})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=screen.display))
    return screen


def test_checking_then_the_visible_verdict_then_the_whole(screen, exercise, verdict, tmp_path, monkeypatch):
    def check(*args, on_visible, **options):
        on_visible(verdict())
        return verdict(rest={"seed": 3})

    monkeypatch.setattr(exercises, "check", check)
    ExerciseHandle(exercise, tmp_path).check(seed=3)
    waiting, visible, whole = (state["text/html"] for state in screen.states)
    assert "Checking Masked GELU, forward" in waiting and 'role="status"' in waiting
    assert "Trying fresh random cases" in visible and "Trying fresh" not in whole and "seed 3" in whole
    assert "Passed" in screen.states[-1]["text/plain"]


def test_a_failure_is_shown_at_once(screen, exercise, verdict, tmp_path, monkeypatch):
    monkeypatch.setattr(exercises, "check", lambda *args, **options: verdict(mask={"state": State.FAIL}))
    with pytest.raises(Exception, match="2 of 3 checks passed"):
        ExerciseHandle(exercise, tmp_path).check()
    assert len(screen.states) == 2 and "Not there yet" in screen.states[-1]["text/html"]


def test_an_interrupted_check_leaves_no_note_behind(screen):
    with pytest.raises(KeyboardInterrupt), show(SimpleNamespace(_repr_html_=lambda: "<p>…</p>")):
        raise KeyboardInterrupt
    assert screen.states[-1] == {"text/plain": ""}
