"""What a child is told about the machine: never the whole environment, which may hold secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

_KEPT = (
    "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH",
    "CUDA_MPS_PIPE_DIRECTORY", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "CONDA_PREFIX",
    "TENSORRT_ROOT", "GRADER_DEVICE", "TZ",
)  # fmt: skip


def clean_environment(home: str, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A short environment whose home and temporary folder are ``home``."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    return {**kept, "PATH": path, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", **(extra or {})}
