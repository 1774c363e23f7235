"""The exercises: one folder a chapter, and the runner that judges an answer."""


def __getattr__(name: str):
    # Late, so that the run child, which lives in this package too, starts without the compilers and devices.
    if name == "check":
        from grader.exercises.runner import check

        return check
    raise AttributeError(f"module 'grader.exercises' has no attribute {name!r}")
