"""What a chapter's notebook imports: ``from grader import exercise; exercise("masked-gelu-forward").check()``."""

from grader.notebook.api import ExerciseHandle, NotPassed, exercise
from grader.notebook.panel import Panel

__all__ = ["ExerciseHandle", "NotPassed", "Panel", "exercise"]
