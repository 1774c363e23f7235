"""The simulator's tests with an engine built with ASan and UBSan.

    python tests/simulator/sanitized.py [pytest's options]

Left out are tests of the device process, which starts with an environment of its own.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent)]

from grader.simulator import build  # noqa: E402

if __name__ == "__main__":
    if "LD_PRELOAD" not in os.environ:
        build.build(build.SANITIZED)
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | build.sanitizer_environment())
    import pytest

    from grader.simulator import Device

    build.build = functools.partial(build.build, build.SANITIZED)  # type: ignore[assignment]
    Device.simulated = lambda **options: pytest.skip("its process has no ASan")  # type: ignore[method-assign,assignment]
    ignored = [f"--ignore={HERE / name}" for name in ("test_process.py", "test_mutated.py")]
    sys.exit(pytest.main([str(HERE), *ignored, "-q", *sys.argv[1:]]))
