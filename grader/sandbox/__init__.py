"""Child processes with limits, and the frames that they exchange with the grader.

Names are imported on first use, so that a child that needs only ``channel`` starts fast.
"""

from grader.sandbox.wire import Channel, WireError, channel

__all__ = [
    "Channel",
    "Child",
    "ChildEnded",
    "Limits",
    "Outcome",
    "WireError",
    "channel",
    "python_child",
    "run",
]

_HOME = {"Child": "child", "ChildEnded": "child", "python_child": "child", "run": "child",
         "Limits": "records", "Outcome": "records"}  # fmt: skip


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'grader.sandbox' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"grader.sandbox.{_HOME[name]}"), name)
