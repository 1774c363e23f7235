"""A headless Chromium for tests, driven over the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

PROGRAM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
needs_chromium = pytest.mark.skipif(not PROGRAM, reason="no Chromium here; to have it: apt-get install chromium")


class Browser:
    """One page. `requests` are the addresses that it asked for, `said` what it wrote to its console and threw."""

    def __init__(self, folder: Path):
        import websocket

        folder.mkdir(parents=True, exist_ok=True)
        self.requests, self.said, self.dialogs, self._count = [], [], [], 0
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        options += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1200,1600"]
        options += [
            "--disable-background-networking",
            "--disable-component-update",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost",
        ]
        self._process = subprocess.Popen(
            [PROGRAM, *options, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(folder)}, start_new_session=True,
        )  # fmt: skip
        port, _ = self._await(lambda: (folder / "DevToolsActivePort").read_text().split()[:2])
        pages = self._await(lambda: self._pages(port))
        self._socket = websocket.create_connection(pages[0], timeout=30, suppress_origin=True)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    @staticmethod
    def _pages(port):
        from urllib.request import urlopen

        with urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as answer:
            found = json.loads(answer.read())
        return [page["webSocketDebuggerUrl"] for page in found if page["type"] == "page"] or None

    def _await(self, ask):
        for _ in range(300):
            assert self._process.poll() is None, "Chromium ended"
            try:
                if answer := ask():
                    return answer
            except (OSError, ValueError):
                pass
            time.sleep(0.1)
        raise AssertionError("Chromium did not start")

    def call(self, method, **parameters):
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]
            self._hear(message)

    def _hear(self, message):
        about = message.get("params", {})
        match message["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            case "Runtime.exceptionThrown":
                self.said.append(json.dumps(about["exceptionDetails"])[:500])
            case "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(each.get("value")) for each in about["args"]))
            case "Log.entryAdded":
                self.said.append(str({k: about["entry"].get(k) for k in ("text", "url", "lineNumber", "stackTrace")}))
            case "Page.javascriptDialogOpening":
                self.dialogs.append(about["message"])
                self._count += 1
                answer = {"id": self._count, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
                self._socket.send(json.dumps(answer))

    def open(self, url, ready="document.readyState == 'complete'"):
        self.requests.clear(), self.said.clear(), self.dialogs.clear()
        self.call("Page.navigate", url=url)
        self.wait(ready)

    def do(self, script):
        self.evaluate(f"{script}; undefined")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, script, seconds=90):
        for _ in range(int(seconds * 10)):
            try:
                if self.evaluate(f"Boolean({script})"):
                    return
            except AssertionError:
                pass  # between two pages
            time.sleep(0.1)
        here = self.evaluate("location.href + '\\n' + document.body.innerText.slice(0, 2000)")
        raise AssertionError(f"the page never came to: {script}; it said {self.said}; it is {here}")

    def picture(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
