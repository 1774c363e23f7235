"""`my/index.ipynb`: the map of the course, what this machine can do, how far the learner is, the next step.

The notebook comes with its picture already in it, so that it shows something before anything is run.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from grader import course
from grader.course import Chapter, Exercise, Tree
from grader.workspace import notebooks
from grader.workspace.chapter_graph import draw
from grader.workspace.course_map_style import STYLE
from grader.workspace.examples import TITLES, bring_examples
from grader.workspace.files import write_atomically
from grader.workspace.folder import Workspace, locate
from grader.workspace.machine import Ability, abilities
from grader.workspace.progress import Entry, Progress, load

# What the index tries when it is drawn; `grader doctor` tries more.
_SHOWN = ("simulated-gpu", "host-compiler", "plugin-lane", "gpu", "tensorrt")
_CODE = "from grader.workspace import index\n\nindex()"
_METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
    "language_info": notebooks.LANGUAGE,
}

_LEGEND = (
    '<p class="small">Green outline: the core is done, and what comes after it is open. '
    "Filled: done in full. Core exercises come first; the others deepen a chapter.</p>"
)


def index() -> None:
    """Draw the map below a notebook's cell, up to date."""
    from IPython.display import HTML, display

    tree = course.authors_tree()
    display(HTML(render(tree, locate(tree), abilities(_SHOWN))))


def write_index(workspace: Workspace, tree: Tree) -> Path:
    """Write `index.ipynb` with the picture of this moment, the examples beside it. A learner's edits are not kept."""
    bring_examples(workspace, tree)
    picture = render(tree, workspace, abilities(_SHOWN))
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": _METADATA,
        "cells": [
            {
                "id": "index-title",
                "cell_type": "markdown",
                "metadata": {},
                "source": "# TensorRT plugin development\n\n"
                "Click a chapter to open it. To see your progress here after a while, "
                "click on the map and press *Ctrl+Enter*.",
            },
            {
                "id": "index-map",
                "cell_type": "code",
                "metadata": {"jupyter": {"source_hidden": True}, "editable": False, "deletable": False},
                "execution_count": 1,
                "source": _CODE,
                "outputs": [
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {"text/html": picture, "text/plain": "The map of the course"},
                    }
                ],
            },
        ],
    }
    path = workspace.root / "index.ipynb"
    write_atomically(path, notebooks.dump(notebook))
    _trust(path)
    return path


def _trust(path: Path) -> None:
    """Sign the notebook, so that JupyterLab shows the picture as it is; unsigned, it drops the style."""
    try:
        import nbformat
        from nbformat.sign import NotebookNotary

        NotebookNotary().sign(nbformat.read(path, as_version=4))
    except Exception:  # no home folder, a read-only one, a locked database: plain looks are no reason to stop
        pass


def finished(chapters: Sequence[Chapter], progress: Progress, *tracks: str) -> set[int]:
    """The numbers of the chapters whose exercises of `tracks` (by default the core) are all passed."""
    return {
        chapter.number
        for chapter in chapters
        if not any(exercise.track in (tracks or ("core",)) for exercise in _open(chapter, progress))
    }


def _open(chapter: Chapter, progress: Progress) -> list[Exercise]:
    """The chapter's exercises that are not passed yet."""
    return [exercise for exercise in chapter.exercises if not progress.of(exercise).passed]


def next_step(chapters: Sequence[Chapter], progress: Progress) -> tuple[Chapter, Exercise] | None:
    """The first unfinished exercise, core ones and chapters with their prerequisites done first."""
    done = finished(chapters, progress)
    unfinished = [
        (chapter, exercise)
        for track in ("core", "full", "bonus")
        for chapter in chapters
        for exercise in _open(chapter, progress)
        if exercise.track == track
    ]
    ready = [item for item in unfinished if done.issuperset(item[0].prerequisites)]
    return next(iter(ready or unfinished), None)


def render(tree: Tree, workspace: Workspace, machine: Sequence[Ability]) -> str:
    """The whole picture as HTML that needs nothing from the network."""
    chapters = course.chapters(tree)
    progress = load(workspace)
    parts = [f"<style>{STYLE}</style>", '<div class="tpc">']
    if progress.notice:
        parts.append(f'<p class="notice">{html.escape(progress.notice)}</p>')
    parts.append(_next(chapters, progress, workspace))
    core, full = finished(chapters, progress), finished(chapters, progress, "core", "full")
    parts.append(draw(chapters, core, full))
    parts.append(_LEGEND)
    titles = {chapter.number: chapter for chapter in chapters}
    for stage in course.STAGES:
        of_stage = [chapter for chapter in chapters if chapter.stage == stage]
        if of_stage:
            parts.append(f"<h2>{stage.capitalize()}</h2>")
            parts += [_chapter(chapter, titles, progress, workspace) for chapter in of_stage]
    parts.append(_examples(workspace))
    parts.append(_machine(machine))
    return "\n".join([*parts, "</div>"])


def _link(chapter: Chapter, text: str, workspace: Workspace) -> str:
    """A link that opens the chapter's notebook in JupyterLab, or the bare text where it is not started."""
    target = f"{chapter.name}/{chapter.name}.ipynb"
    text = html.escape(text)
    return f'<a href="{target}">{text}</a>' if (workspace.root / target).exists() else text


def _next(chapters: Sequence[Chapter], progress: Progress, workspace: Workspace) -> str:
    exercises = [exercise for chapter in chapters for exercise in chapter.exercises]
    passed = sum(progress.of(exercise).passed for exercise in exercises)
    share = 100 * passed // len(exercises) if exercises else 0
    step = next_step(chapters, progress)
    if step:
        chapter, exercise = step
        link = _link(chapter, f"{chapter.number} · {chapter.title}", workspace)
        words = (
            f"<b>Next:</b> {link}</p><p><b>{html.escape(exercise.title)}</b> "
            f"<span>{html.escape(exercise.summary)}</span>"
        )
        words += "".join(
            f'</p><p class="small">{_standing(earlier, progress)}: {_link(earlier, earlier.title, workspace)}'
            for earlier in chapters
            if earlier is not chapter and earlier.number in finished(chapters, progress) and _open(earlier, progress)
        )
    else:
        words = "<b>All exercises passed.</b>" if exercises else "There are no chapters yet."
    return (
        f'<div class="next"><p>{words}</p><div class="bar"><div style="width:{share}%"></div></div>'
        f"<p class=small>{passed} of {len(exercises)} exercises passed</p></div>"
    )


def _standing(chapter: Chapter, progress: Progress) -> str:
    """How far a chapter is, in words that tell the core from the whole."""
    still = len(_open(chapter, progress))
    if not still:
        return "Done in full"
    if finished([chapter], progress):
        return f"Core done, {still} more exercise{'' if still == 1 else 's'} if you want it in full"
    return f"{len(chapter.exercises) - still} of {len(chapter.exercises)} exercises passed"


def _chapter(chapter: Chapter, titles: dict[int, Chapter], progress: Progress, workspace: Workspace) -> str:
    needs = ", ".join(
        _link(titles[number], f"{number} · {titles[number].title}", workspace)
        for number in chapter.prerequisites
    )
    minutes = f"{chapter.core_minutes} min core, {chapter.full_minutes} min in full"
    exercises = "".join(_exercise(exercise, progress.of(exercise)) for exercise in chapter.exercises)
    return (
        f'<div class="chapter"><div class="number">{chapter.number}</div><div>'
        f"<h3>{_link(chapter, chapter.title, workspace)}</h3><p>{html.escape(chapter.summary)}</p>"
        f'<p class="small">{minutes}{f" · after {needs}" if needs else ""}'
        f" · {_standing(chapter, progress)}</p>"
        f'<ul class="plain">{exercises}</ul></div></div>'
    )


def _examples(workspace: Workspace) -> str:
    rows = "".join(
        f'<div class="chapter"><div class="number"></div><div><h3><a href="{name}">{html.escape(title)}</a></h3>'
        f"<p>{html.escape(words)}</p></div></div>"
        for name, (title, words) in TITLES.items()
        if (workspace.root / name).exists()
    )
    return f"<h2>Tools</h2>{rows}" if rows else ""


def _exercise(exercise: Exercise, entry: Entry) -> str:
    if entry.passed:
        mark, word = "✓", "passed"
    elif entry.attempts:
        mark, word = "◐", f"{entry.best_earned:g} of {entry.best_possible:g} points so far"
    else:
        mark, word = "○", f"{exercise.points:g} point{'' if exercise.points == 1 else 's'}"
    return (
        f'<li class="{"done" if entry.passed else "open"}"><span>{mark}</span> {html.escape(exercise.title)} '
        f'<span class="small">{word} · {exercise.track}</span></li>'
    )


def _machine(machine: Sequence[Ability]) -> str:
    rows = "".join(
        f'<li class="{"done" if item.ok else "open"}"><span>{"✓" if item.ok else "–"}</span> '
        f"<b>{html.escape(item.title)}</b>: {html.escape(item.found)}. "
        f'<span class="small">{"For" if item.ok else "Would be for"} {html.escape(item.unlocks)}</span></li>'
        for item in machine
    )
    more = '<p class="small">More: <code>grader doctor</code> in a terminal</p>'
    return f'<h2>This machine</h2><ul class="plain">{rows}</ul>{more}'
