"""The learner's folder: start a chapter, reset, update; progress; the index."""

from grader.workspace.chapters import reset, start
from grader.workspace.course_map import index, write_index
from grader.workspace.folder import Change, Report, Workspace, WorkspaceError, containing, locate
from grader.workspace.progress import Entry, Progress, load, record, take_hint
from grader.workspace.updating import update

__all__ = [
    "Change", "Entry", "Progress", "Report", "Workspace", "WorkspaceError", "containing", "index", "load",
    "locate", "record", "reset", "start", "take_hint", "update", "write_index",
]  # fmt: skip
