"""Course data: where it lies, and what each `chapter.toml` says."""

from grader.course.catalogue import chapter, chapters, find
from grader.course.errors import CourseError
from grader.course.records import STAGES, Chapter, ContractRow, Exercise, Explain, Hint, Misconception
from grader.course.tree import KIT, Tree, authors_tree, pristine

__all__ = [
    "KIT", "STAGES", "Chapter", "ContractRow", "CourseError", "Exercise", "Explain", "Hint", "Misconception", "Tree",
    "authors_tree", "chapter", "chapters", "find", "pristine",
]  # fmt: skip
