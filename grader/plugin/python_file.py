"""Imports a Python plugin's file and finds its creators, in the plugin process here and in TensorRT's on a GPU."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

NAME = "plugin_under_test"


def import_plugin(file: Path, tensorrt: Any) -> list[object]:
    """Run the file as a module, and register the creators that it defines but does not register itself.

    Returns what must live as long as the process: the module and its creators. Whatever the file raises goes on.
    """
    registry = tensorrt.get_plugin_registry()
    before = _identities(registry)
    spec = importlib.util.spec_from_file_location(NAME, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    kept: list[object] = [module]
    for kind in _creators_of(module, tensorrt.IPluginCreatorV3One):
        creator = kind()
        kept.append(creator)
        if _identity(creator) not in _identities(registry) - before:
            registry.register_creator(creator, creator.plugin_namespace or "")
    return kept


def told(error: BaseException, file: Path) -> str:
    """ "scale.py, line 12: NameError: name 'np' is not defined"."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        lines = [error.lineno]
    where = f"{file.name}, line {lines[-1]}: " if lines else f"{file.name}: "
    return f"{where}{type(error).__name__}: {error}"[:2000]


def _creators_of(module: ModuleType, base: type) -> list[Any]:
    kinds = [value for value in vars(module).values() if isinstance(value, type)]
    return [kind for kind in kinds if issubclass(kind, base) and kind.__module__ == NAME]


def _identity(creator: Any) -> tuple:
    return creator.name, creator.plugin_version, creator.plugin_namespace


def _identities(registry: Any) -> set[tuple]:
    return {_identity(creator) for creator in registry.all_creators}
