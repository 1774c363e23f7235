"""The one error of this room."""


class ClassroomError(Exception):
    """Something that an instructor must put right. The text says what, and what to do."""
