"""The self-test: which of the six exercises are passed in this folder, and where to go with that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader import course
from grader.verdict import State

CHAPTER = 0
# What each exercise opens: the kernels chapter 10, the classes the chapters on TensorRT's interfaces.
KERNELS = ("thread-index", "bounds-guard", "grid-stride")
NEXT_FOR_KERNELS, NEXT_FOR_CLASSES = 10, (3, 4)


@dataclass(frozen=True)
class Start:
    """``states``: exercise to how it ended; ``advice``: sentences. A notebook shows both."""

    states: dict[str, State]
    titles: dict[str, str]
    advice: tuple[str, ...]

    def _repr_markdown_(self) -> str:
        rows = [
            f"| {self.titles[slug]} | {_WORDS.get(state, 'not yet')} |" for slug, state in self.states.items()
        ]
        return "\n".join(
            ["| exercise | your answer |", "|---|---|", *rows, "", *(f"{line}\n" for line in self.advice)]
        )

    def __repr__(self) -> str:
        rows = [f"{self.titles[slug]}: {_WORDS.get(state, 'not yet')}" for slug, state in self.states.items()]
        return "\n".join([*rows, *self.advice])


_WORDS = {
    State.PASS: "passed",
    State.UNSUPPORTED_HERE: "cannot be judged here",
    State.GRADER_FAULT: "the grader broke",
}


def where_to_start(directory: Path | str = ".") -> Start:
    """Check the six answers that lie in ``directory`` and say what they are a good start for."""
    from grader.exercises import check

    chapter = course.chapter(CHAPTER)
    states = {exercise.slug: check(exercise.slug, directory).state for exercise in chapter.exercises}
    titles = {exercise.slug: exercise.title for exercise in chapter.exercises}
    return Start(
        states, titles, tuple(advise(states, titles, {c.number: c.title for c in course.chapters()}))
    )


def advise(states: dict[str, State], titles: dict[str, str], written: dict[int, str]) -> list[str]:
    """What to do next. ``written``: the chapters that there are, number to title."""
    open_kernels = [titles[s] for s in KERNELS if states[s] is not State.PASS]
    open_classes = [titles[s] for s in states if s not in KERNELS and states[s] is not State.PASS]
    advice = []
    if open_kernels:
        advice.append(
            f"**Go on here**, with {_list(open_kernels)}: chapter {NEXT_FOR_KERNELS} builds on all "
            "three kernels."
        )
    elif NEXT_FOR_KERNELS in written:
        advice.append(
            f"**Your three kernels are right.** Chapter {NEXT_FOR_KERNELS}, "
            f"{written[NEXT_FOR_KERNELS]}, is yours."
        )
    later = [f"{number}, {written[number]}" for number in NEXT_FOR_CLASSES if number in written]
    what = (
        f"chapters {' and '.join(later)}"
        if later
        else "the chapters on TensorRT's interfaces (not written yet)"
    )
    if open_classes:
        advice.append(f"{_list(open_classes)} can wait until {what}.")
    else:
        advice.append(f"**Your three classes are right.** They are what you need for {what}.")
    return advice


def _list(titles: list[str]) -> str:
    quoted = [f"“{title}”" for title in titles]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
