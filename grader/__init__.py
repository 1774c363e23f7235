"""The grader of the TensorRT plugin course: checks kernels and plugins, with or without a GPU."""

import logging

__version__ = "0.1.0"

# What the rooms log of their own faults is for a log file, where a command keeps one; never for a learner's screen.
logging.getLogger("grader").addHandler(logging.NullHandler())


def __getattr__(name: str):
    # `from grader import exercise` is what every chapter writes; the import is late so that children start fast.
    if name == "exercise":
        from grader.notebook import exercise

        return exercise
    raise AttributeError(f"module 'grader' has no attribute {name!r}")
