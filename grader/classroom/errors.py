"""The errors of this room."""


class ClassroomError(Exception):
    """Something that an instructor must put right. The text says what, and what to do."""


class Stopped(ClassroomError):
    """Grading ended before its end, and what was graded is kept. The text says why.

    `status` is the command's exit status.
    """

    def __init__(self, text: str, status: int = 3):
        super().__init__(text)
        self.status = status
