"""Hidden cases that nobody can draw at random: cards, logs, models that people made, with their answers.

They lie in ``solutions/NN_name/``, so they are in the clone and with an instructor, and in no class release.
"""

from __future__ import annotations

from grader import course


def hidden_bank(chapter: str, name: str) -> bytes | None:
    """The file ``name`` of the bank of a chapter (its folder's name), or None where the course came without solutions.
    A file that lacks in a clone is the course's fault: ``FileNotFoundError``."""
    folder = course.pristine().solutions(chapter)
    return (folder / name).read_bytes() if folder else None
