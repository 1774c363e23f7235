"""The one error of this room."""


class CourseError(Exception):
    """Course data is missing or wrong, or a name is unknown. The text says which and what to do."""
