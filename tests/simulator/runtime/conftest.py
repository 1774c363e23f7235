"""A device process, plugin processes in Python, and kernels for them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import plugin_kernels
from plugin_process import PluginProcess

from grader.simulator.runtime.client import RuntimeDevice


@pytest.fixture(scope="session")
def image() -> bytes:
    return plugin_kernels.image()


@pytest.fixture(scope="session")
def shared_device():
    with RuntimeDevice.start() as device:
        yield device


@pytest.fixture
def device(shared_device):
    """An empty device with nobody connected."""
    shared_device.restart()
    yield shared_device
    assert shared_device.defects() == []


@pytest.fixture
def join(device):
    """Makes plugin processes."""
    made = []

    def one(**options) -> PluginProcess:
        made.append(PluginProcess(device.connection(), **options))
        return made[-1]

    yield one
    for process in made:
        process.close()


@pytest.fixture
def process(join):
    return join()


@pytest.fixture
def kernels(process, image):
    """Numbers of the kernels of ``plugin_kernels`` in ``process``, by name."""
    module = process.ok_module(image)
    names = ("add", "biased", "wild", "trap", "race", "shared", "bounded")
    return {name: process.kernel(module, name) for name in names}

