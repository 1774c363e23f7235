"""Show something and replace it when the answer is there; in a terminal, print only the answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class _Shown:
    """A place on the screen. Without IPython's display it prints what it is given last."""

    def __init__(self, handle=None):
        self._handle = handle

    def preview(self, thing) -> None:
        """Show what will be replaced soon; in a terminal, nothing."""
        if self._handle is not None:
            self.replace(thing)

    def replace(self, thing) -> None:
        if self._handle is not None:
            self._handle.update(_mime(thing), raw=True)
        else:
            print(repr(thing))


@contextlib.contextmanager
def show(first) -> Iterator[_Shown]:
    """Display ``first`` (in a notebook) and give a handle to replace it; it goes if the body raises."""
    handle = _notebook_display(first)
    shown = _Shown(handle)
    try:
        yield shown
    except BaseException:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)
        raise


def _mime(thing) -> dict[str, str]:
    return {"text/html": str(thing._repr_html_()), "text/plain": repr(thing)}


def _notebook_display(first):
    """A display handle, or None where no front end can show HTML."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return None
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a terminal
        return None
    return display(_mime(first), raw=True, display_id=True)
