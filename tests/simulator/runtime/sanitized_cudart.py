"""The stand-in runtime under the sanitizers for addresses and undefined behaviour: its own tests, in a minute."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))


if __name__ == "__main__":
    import cudart_process

    cudart_process.SANITIZE = True
    sys.exit(pytest.main(["-q", *map(str, sorted(HERE.glob("test_cudart*.py")))]))
