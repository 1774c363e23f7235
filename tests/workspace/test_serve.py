"""JupyterLab on the learner's folder."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

from grader.course import chapters
from grader.workspace import jupyter_home, serve, start


def test_a_busy_port_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve.free_port(port) > port


def test_root_is_allowed_and_the_token_stays_off_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    command = serve.command(tmp_path, tmp_path, 8888)
    assert "--allow-root" in command and f"--ServerApp.root_dir={tmp_path}" in command
    assert not any("token" in word for word in command)
    assert serve.environment("abc", tmp_path)["JUPYTER_TOKEN"] == "abc"
    assert serve.environment("abc", tmp_path)["PATH"].split(os.pathsep)[0] == os.path.dirname(sys.executable)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "--allow-root" not in serve.command(tmp_path, tmp_path, 8888)


def test_no_browser_without_a_screen(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    assert not serve.has_browser()
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(serve.shutil, "which", lambda name: "/usr/bin/" + name)
    assert serve.has_browser()
    monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    assert not serve.has_browser()


def test_settings_are_added_and_others_kept(tmp_path):
    path = tmp_path / "lab" / "overrides.json"
    serve._settle(path)
    assert "@jupyterlab/filebrowser-extension:browser" in json.loads(path.read_text())
    path.write_text('{"theirs": 1}')
    serve._settle(path)
    assert json.loads(path.read_text()) == {"theirs": 1} | serve._SETTINGS
    path.write_text("{")
    serve._settle(path)
    assert path.read_text() == "{"


def test_a_server_that_does_not_start_is_told_with_its_words(tree, workspace, monkeypatch, capsys):
    for chapter in chapters(tree):
        start(chapter, workspace, tree)
    (workspace.root / "index.ipynb").write_text("{}")
    monkeypatch.setenv("GRADER_COURSE", str(tree.root))
    monkeypatch.chdir(tree.root)
    monkeypatch.setattr(serve, "_settle", lambda path: None)
    monkeypatch.setattr(serve, "command", lambda root, home, port: ["sh", "-c", "echo no sockets here >&2; exit 4"])
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert serve.main() == 4
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "no sockets here" in capsys.readouterr().err


def test_over_ssh_it_says_how_to_reach_it(monkeypatch):
    monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    assert "ssh -L 8890:localhost:8890" in serve.welcome("http://localhost:8890/lab/tree/index.ipynb?token=x")


def test_without_an_index_it_says_what_to_run(tree, monkeypatch, capsys):
    monkeypatch.setenv("GRADER_COURSE", str(tree.root))
    monkeypatch.chdir(tree.root)
    assert serve.main() == 1
    assert "grader start --all" in capsys.readouterr().err


def test_the_printed_address_answers(tree, workspace, tmp_path):
    for chapter in chapters(tree):
        start(chapter, workspace, tree)
    (workspace.root / "index.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    home = tmp_path / "home"
    home.mkdir()
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment |= {"GRADER_COURSE": str(tree.root), "HOME": str(home)}
    server = subprocess.Popen(
        [sys.executable, "-m", "grader.workspace.serve"],
        stdout=subprocess.PIPE, text=True, env=environment, cwd=tree.root, start_new_session=True,
    )  # fmt: skip
    try:
        address = next(line.strip() for line in server.stdout if "http://" in line)
        base, token = address.split("lab/tree/index.ipynb?token=")
        with urllib.request.urlopen(
            f"{base}api/contents/00_warm_up/00_warm_up.ipynb?token={token}", timeout=20
        ) as page:
            assert page.status == 200
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"JupyterLab" in page.read()
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            raise
        server.stdout.close()


def test_the_servers_folder_is_read_by_jupyter(tmp_path, monkeypatch):
    home = jupyter_home.prepare(tmp_path)
    assert jupyter_home.prepare(tmp_path) == home  # again, over what is there
    for name, value in jupyter_home.variables(home).items():
        monkeypatch.setenv(name, value)
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    kernel = KernelSpecManager().get_kernel_spec("python3")
    assert kernel.argv[0] == sys.executable and "from grader import exercise" in kernel.argv[-1]
    page = get_page_config(jupyter_path("labextensions"), str(tmp_path))
    assert "@jupyter/nbgrader:create-assignment" in page["disabledExtensions"]
    assert "@jupyter/nbgrader:validate-assignment" not in page["disabledExtensions"]
    extension = get_federated_extensions(jupyter_path("labextensions"))["tensorrt-plugin-course-cuda"]
    folder = home / "labextensions" / extension["name"]
    assert '"cu", "cuh"' in (folder / extension["jupyterlab"]["_build"]["load"]).read_text()
    assert jupyter_home.variables(home)["JUPYTER_PATH"] == os.pathsep.join([str(home)] * 2)  # theirs is kept


def test_a_terminal_finds_our_programs_whatever_the_shells_files_say(tmp_path, monkeypatch):
    home = jupyter_home.prepare(tmp_path / "it's here")
    monkeypatch.setenv("SHELL", "/bin/bash")
    (tmp_path / ".bashrc").write_text("export PATH=/usr/bin:/bin MINE=1\n")
    shown = subprocess.run(
        jupyter_home.shell(home), input='echo "$MINE:$PATH"\nexit\n', text=True,
        capture_output=True, timeout=20, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert f"1:{os.path.dirname(sys.executable)}:/usr/bin:/bin" in shown.stdout
    monkeypatch.setenv("SHELL", "/usr/sbin/nologin")
    assert jupyter_home.shell(home)[0].endswith("bash")
    monkeypatch.setattr(jupyter_home.shutil, "which", lambda name: None)
    assert jupyter_home.shell(home) == ["/bin/sh"]
