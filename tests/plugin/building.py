"""The right plugins of ``plugins/``, built: what the tests of the plugin host are about."""

from __future__ import annotations

import functools
from pathlib import Path

from grader.plugin.spec import load_spec
from grader.plugin.spec_records import Spec
from grader.toolchain import Source, compile_library
from grader.verdict import State

PLUGINS = Path(__file__).parent / "plugins"
_SOURCES = {".cpp", ".cu", ".cuh", ".h", ".hpp"}


def names() -> list[str]:
    """The right plugins, by folder."""
    return sorted(folder.name for folder in PLUGINS.iterdir() if (folder / f"{folder.name}.toml").exists())


def sources(folder: Path) -> dict[str, bytes]:
    """The files of a plugin that a compiler reads."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.suffix in _SOURCES}


def compiled(files: dict[str, bytes], main: str, **options) -> Path:
    """The library of these files; fails with the compiler's words where there is none."""
    library = compile_library(Source(files, main), **options)
    assert library.state is State.PASS, f"{library.message}\n{library.log}"
    return library.path


@functools.cache
def built(name: str) -> Path:
    """A right plugin's library, from the cache or compiled now."""
    return compiled(sources(PLUGINS / name), f"{name}.cpp")


@functools.cache
def spec(name: str) -> Spec:
    return load_spec(PLUGINS / name / f"{name}.toml")
