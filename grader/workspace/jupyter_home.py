"""What the course's own JupyterLab is set to: `my/.grader/jupyter/`, written anew at each start.

It serves this course alone: another JupyterLab of the same user, or of the same environment, keeps its own looks,
tabs and kernels.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

# What only an instructor needs; Validate, in a notebook's toolbar, stays.
_FOR_INSTRUCTORS = ("menu", "create-assignment", "course-list", "assignment-list", "formgrader")
_PAGE = {"disabledExtensions": {f"@jupyter/nbgrader:{name}": True for name in _FOR_INSTRUCTORS}}

# A check cell may be run before the cell that imports it: `exercise` is there from the start.
_KERNEL_START = "--IPKernelApp.code_to_run=from grader import exercise"

# JupyterLab knows no .cu files. This extension tells its editor that they are C++; it is what a bundler would make
# of ten lines, written by hand: a container with `init` and `get`, and the modules of JupyterLab that it is given.
_CUDA = """\
(() => {
  let scope;
  const given = async name => (await Object.values(scope[name])[0].get())();
  const plugin = async () => {
    const { IEditorLanguageRegistry } = await given("@jupyterlab/codemirror");
    const activate = (app, languages) => {
      const cpp = languages.findByName("C++");
      const cuda = { name: "CUDA", displayName: "CUDA", mime: "text/x-cuda", extensions: ["cu", "cuh"] };
      if (cpp) languages.addLanguage({ ...cuda, load: async () => (cpp.load ? cpp.load() : cpp.support) });
    };
    return { id: "NAME:plugin", autoStart: true, requires: [IEditorLanguageRegistry], activate };
  };
  const get = async () => { const made = await plugin(); return () => ({ __esModule: true, default: made }); };
  (window._JUPYTERLAB ||= {})["NAME"] = { init: shared => { scope = shared; }, get };
})();
"""
_CUDA_NAME = "tensorrt-plugin-course-cuda"
_CUDA_PACKAGE = {
    "name": _CUDA_NAME,
    "version": "1.0.0",
    "description": "Colours for CUDA files",
    "jupyterlab": {"extension": True, "_build": {"load": "static/cuda.js", "extension": "./extension"}},
}

_SHELLS = ("bash", "zsh", "fish", "ksh")


def prepare(records: Path) -> Path:
    """Write the folder in `my/.grader/` (`records`); returns it. Raises `OSError` where that cannot be written."""
    home = records / "jupyter"
    extension = Path("labextensions", _CUDA_NAME)
    for folder in ("labconfig", "workspaces", extension / "static"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "labconfig" / "page_config.json").write_text(json.dumps(_PAGE, indent=1))
    (home / extension / "package.json").write_text(json.dumps(_CUDA_PACKAGE, indent=1))
    (home / extension / "static" / "cuda.js").write_text(_CUDA.replace("NAME", _CUDA_NAME))
    programs = shlex.quote(str(Path(sys.executable).parent))
    # A ~/.bashrc may put other programs first, so ours come after it.
    (home / "bashrc").write_text(f'[ -f ~/.bashrc ] && . ~/.bashrc\nexport PATH={programs}:"$PATH"\n')
    _kernel(home / "kernels" / "python3")
    return home


def _kernel(folder: Path) -> None:
    """The notebooks' kernel: this Python, whatever other `python3` kernel the user has installed."""
    from ipykernel.kernelspec import write_kernel_spec

    shutil.rmtree(folder, ignore_errors=True)
    write_kernel_spec(folder, extra_arguments=[_KERNEL_START])


def options(home: Path) -> list[str]:
    """The server's options for this folder."""
    terminal = json.dumps({"shell_command": shell(home)})
    return [f"--LabApp.workspaces_dir={home / 'workspaces'}", f"--ServerApp.terminado_settings={terminal}"]


def shell(home: Path) -> list[str]:
    """What a terminal runs. Never a login shell: its /etc/profile would set PATH anew, without `grader`."""
    own = os.environ.get("SHELL", "")
    chosen = own if os.path.basename(own) in _SHELLS and shutil.which(own) else None
    chosen = chosen or shutil.which("bash") or shutil.which("sh") or "/bin/sh"
    return [chosen, "--rcfile", str(home / "bashrc"), "-i"] if os.path.basename(chosen) == "bash" else [chosen]


def variables(home: Path) -> dict[str, str]:
    """What the server's environment needs to find the folder; the user's own paths come after it."""
    return {
        name: os.pathsep.join(filter(None, [str(home), os.environ.get(name)]))
        for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
    }
