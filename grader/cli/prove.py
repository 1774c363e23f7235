"""`grader prove`: hands over to the proof room."""

from __future__ import annotations

from grader import course
from grader.cli.guard import WrongUse


def run(names: list[str], as_json: bool) -> int:
    """Prove the named exercises, or all. Returns the exit status."""
    slugs = [course.find(name).slug for name in names]
    if course.pristine().root.name == "_course":
        raise WrongUse("`grader prove` is for authors: it needs the clone, with its solutions and variants")
    from grader.proof import prove

    return prove(slugs, as_json=as_json)
