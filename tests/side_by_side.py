"""All tests in two halves at the same time, since most of a test is one process that computes: half the time on two
processors. What the second half printed follows when both are done.

    python tests/side_by_side.py [pytest's options]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The other half. Together these take as long as the rest.
SECOND = ("plugin", "proof", "sandbox", "simulator", "toolchain", "verdict", "view", "workspace")


def main(options: list[str]) -> int:
    second = [str(HERE / name) for name in SECOND]
    first = [str(path) for path in sorted(HERE.iterdir()) if str(path) not in second and _holds_tests(path)]
    pytest = [sys.executable, "-m", "pytest", f"--rootdir={HERE.parent}", *options]
    with tempfile.TemporaryFile() as said:
        other = subprocess.Popen(
            [*pytest, "-p", "no:cacheprovider", *second],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        try:
            status = subprocess.run([*pytest, *first]).returncode
            other.wait()
        finally:
            other.kill()
        said.seek(0)
        print("\n==> The tests of " + ", ".join(SECOND), flush=True)
        sys.stdout.buffer.write(said.read())
        sys.stdout.flush()
    return status or other.returncode


def _holds_tests(path: Path) -> bool:
    return path.name.startswith("test_") if path.is_file() else any(path.rglob("test_*.py"))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
