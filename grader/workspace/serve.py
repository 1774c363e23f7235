"""Serve JupyterLab on the learner's folder: `python -m grader.workspace.serve`.

Prints the address once the server answers, opens a browser where there is one, and serves until Ctrl-C.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path

from grader import course
from grader.workspace import jupyter_home
from grader.workspace.folder import locate

FIRST_PORT = 8888
PATIENCE = 90  # seconds until a slow machine's first start is given up


def main() -> int:
    """Serve until the server ends; its exit status, or 1 with a sentence where it does not start."""
    root = locate(course.authors_tree()).root
    if not (root / "index.ipynb").is_file():
        print(f"{root} has no index yet: run `grader start --all` first", file=sys.stderr)
        return 1
    _settle(Path(sys.prefix) / "share" / "jupyter" / "lab" / "settings" / "overrides.json")
    token = secrets.token_hex(24)
    log = root / ".grader" / "jupyter.log"
    log.parent.mkdir(exist_ok=True)
    home = jupyter_home.prepare(log.parent)
    with log.open("wb") as file:  # kernels and servers are talkative; what matters here is the address
        server = subprocess.Popen(
            command(root, home, free_port()), env=environment(token, home), stderr=file, stdout=file
        )
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        address = _wait_for(server)
        if address is None:
            print(log.read_text(errors="replace")[-3000:], file=sys.stderr)
            print(f"JupyterLab did not start; the lines above say why ({log}).", file=sys.stderr)
            return server.returncode or 1
        page = f"{address}lab/tree/index.ipynb?token={token}"
        print(welcome(page), flush=True)
        if has_browser():
            webbrowser.open(page)
        return server.wait()
    except KeyboardInterrupt:  # the terminal sent it to the server too, which ends by itself
        try:
            server.wait(timeout=15)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            pass
        print("\nThe course is closed. Your files are in", root)
        return 0
    finally:
        if server.poll() is None:
            server.terminate()


def command(root: Path, home: Path, port: int) -> list[str]:
    """What starts the server on `root`, set as in `home`.

    Should the port be taken in the meantime, it goes on to the next by itself.
    """
    program = Path(sys.executable).with_name("jupyter-lab")
    options = [
        f"--ServerApp.root_dir={root}", f"--ServerApp.port={port}", "--ServerApp.port_retries=100",
        "--LabApp.default_url=/lab/tree/index.ipynb", "--no-browser", "-y", *jupyter_home.options(home),
    ]  # fmt: skip
    if os.geteuid() == 0:  # in a container everyone is root
        options.append("--allow-root")
    return [str(program), *options]


def environment(token: str, home: Path) -> dict[str, str]:
    """The server's environment: our programs first, so that terminals and nbgrader find them.

    The token goes here and not on the command line, where every user of the machine could read it.
    """
    return os.environ | jupyter_home.variables(home) | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "JUPYTER_TOKEN": token,
    }


def free_port(first: int = FIRST_PORT) -> int:
    """The first port from `first` on that nobody listens on."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    return first


def has_browser() -> bool:
    """Whether there is a screen to open a browser on: not over SSH, not in a container."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not screen or os.environ.get("SSH_CONNECTION"):
        return False
    return any(map(shutil.which, ("xdg-open", "wslview", "firefox", "chromium", "google-chrome")))


def welcome(page: str) -> str:
    lines = ["", "The course is open. In your browser, go to", "", f"    {page}", ""]
    if os.environ.get("SSH_CONNECTION"):
        port = page.split(":")[2].split("/")[0]
        lines += [
            "You are on a remote machine. On your own, first run",
            "",
            f"    ssh -L {port}:localhost:{port} THIS_MACHINE",
            "",
        ]
    return "\n".join(
        [*lines, "Leave this window open while you work. Ctrl-C ends the course; your work is in files."]
    )


def _wait_for(server: subprocess.Popen) -> str | None:
    """The server's address once it answers; None if it ended or takes too long."""
    from jupyter_core.paths import jupyter_runtime_dir

    record = Path(jupyter_runtime_dir()) / f"jpserver-{server.pid}.json"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            address = json.loads(record.read_text())["url"]
            urllib.request.urlopen(f"{address}login", timeout=5).close()
            return address
        except urllib.error.HTTPError:
            return address  # it answers, whatever it says
        except (OSError, ValueError, KeyError):
            time.sleep(0.1)
    return None


# No question about news and no look for updates: the course needs no network. And the file browser shows the
# folder of the chapter that is open, where the files to fill in are.
_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/filebrowser-extension:browser": {"navigateToCurrentDirectory": True},
}


def _settle(path: Path) -> None:
    """Add our defaults to JupyterLab's; a learner's own settings go before them."""
    try:
        present = json.loads(path.read_text()) if path.exists() else {}
        if present | _SETTINGS != present:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(present | _SETTINGS, indent=1))
    except (OSError, ValueError, TypeError):
        pass  # a read-only or odd environment: JupyterLab works without


if __name__ == "__main__":
    sys.exit(main())
