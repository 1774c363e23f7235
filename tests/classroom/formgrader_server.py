"""A Jupyter server with the formgrader, on the toy course, for tests."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent


def trust(classroom):
    config = classroom.tree.config
    config.write_text(config.read_text().replace("trust_submissions = False", "trust_submissions = True"))


def program(toy_root, start):
    """A Python program that runs `start` with the toy course in place of the real one."""
    return [
        sys.executable, "-c",
        f"import sys; sys.path.insert(0, {str(HERE)!r})\nimport pathlib, classroom_toy as toy\n"
        f"toy.patch(pathlib.Path({str(toy_root)!r}))\n{start}",
    ]  # fmt: skip


class Server:
    """A Jupyter server with the formgrader, in the instructor's tree."""

    def __init__(self, classroom, toy_root):
        home = classroom.tree.root.parent / "home"
        start = (
            "from jupyter_server.serverapp import ServerApp\n"
            "ServerApp.launch_instance(['--port=0', '--no-browser',"
            " '--allow-root', '--IdentityProvider.token=t', '--ServerApp.disable_check_xsrf=True',"
            " '--ServerApp.jpserver_extensions={\"nbgrader.server_extensions.formgrader\": True}'])"
        )
        environment = os.environ | {
            "HOME": str(home),
            "JUPYTER_CONFIG_DIR": str(home),
            "JUPYTER_RUNTIME_DIR": str(home / "run"),
        }
        self.log = (classroom.tree.root.parent / "server.log").open("w")
        self.process = subprocess.Popen(
            program(toy_root, start),
            cwd=classroom.tree.root,
            stdout=self.log,
            stderr=self.log,
            env=environment,
        )
        self.url = self._wait(home / "run")

    def _wait(self, runtime):
        """The server's address, once it answers: it tells the address before it listens."""
        for _ in range(600):
            assert self.process.poll() is None, Path(self.log.name).read_text()
            for path in runtime.glob("jpserver-*.json"):
                try:
                    url = json.loads(path.read_text())["url"]
                    urllib.request.urlopen(f"{url}api", timeout=60).close()
                    return url
                except (ValueError, urllib.error.URLError):
                    pass  # the file is still being written, or nobody listens yet
            time.sleep(0.1)
        raise AssertionError("the server did not start: " + Path(self.log.name).read_text())

    def press(self, address):
        """What the formgrader's page does when the button is pressed."""
        request = urllib.request.Request(
            f"{self.url}formgrader/api/{address}", method="POST", headers={"Authorization": "token t"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def get(self, address):
        request = urllib.request.Request(f"{self.url}{address}", headers={"Authorization": "token t"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def close(self):
        """End it, and first the kernels that a browser made it start, for which it would wait long."""
        try:
            for kernel in json.loads(self.get("api/kernels")):
                request = urllib.request.Request(
                    f"{self.url}api/kernels/{kernel['id']}", method="DELETE", headers={"Authorization": "token t"}
                )
                urllib.request.urlopen(request, timeout=60).close()
        finally:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.log.close()
