"""`grader plugin spec`: a spec to begin with, from the library."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from rich.console import Console

from grader.cli.guard import OK, WrongUse, keep_log
from grader.cli.lane import ensure
from grader.cli.plugin import named_spec
from grader.plugin.build import HostUnavailable
from grader.plugin.life import LifeProblem
from grader.plugin.session import PluginEnded, Session
from grader.plugin.spec_records import Spec
from grader.plugin.spec_writer import write_spec
from grader.toolchain import tensorrt
from grader.toolchain.levels import reach


def run(library: Path, creator: str | None, file: Path | None) -> int:
    """Print it to standard output. ``WrongUse`` where the library has no such creator, or cannot be asked."""
    if not library.is_file():
        raise WrongUse(f"there is no library {library}")
    if library.suffix == ".py":
        raise WrongUse("a spec is begun from a compiled library; for a Python plugin see docs/python_plugins.md")
    keep_log()
    console = Console(highlight=False, stderr=True)
    if tensorrt.tensorrt_include() is None or tensorrt.lean_library() is None:
        ensure(console)
    known = reach(library)
    if known.level == "none":
        raise WrongUse(f"{known.reason} {known.rebuild}".strip())
    spec = named_spec(library, file, creator) or Spec(library)
    try:
        with contextlib.ExitStack() as stack, console.status("Asking the plugin …"):
            from grader.simulator.runtime.client import RuntimeDevice

            device = RuntimeDevice.start()
            stack.callback(device.close)
            text = write_spec(lambda: Session(library, device=device), spec, device if known.level == "L1" else None)
    except (PluginEnded, LifeProblem) as problem:
        raise WrongUse(getattr(problem, "sentence", None) or problem.words.sentence) from None
    except HostUnavailable as problem:
        raise WrongUse(problem.sentence) from None
    sys.stdout.write(text)
    return OK
