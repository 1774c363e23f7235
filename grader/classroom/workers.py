"""`grader class workers`: a Dask scheduler and workers, with the settings that grading needs.

`dask scheduler` and `dask worker` would do; but by themselves they listen to the whole network, without encryption, and
whoever reaches them can run any program.
"""

from __future__ import annotations

import ctypes
import importlib.util
import ipaddress
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from grader.classroom.errors import ClassroomError

PR_SET_PDEATHSIG = 1
ADDRESS = "127.0.0.1:8786"
PATIENCE = 15.0  # seconds for a program to end when it is asked to


def scheduler_address(text: str) -> str:
    """`tcp://HOST:PORT` or `tls://HOST:PORT`. `ClassroomError` for what is neither, or another machine without TLS."""
    parts = urlsplit(text if "://" in text else f"tcp://{text}")
    try:
        complete = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    except ValueError:  # a port that is no number
        complete = False
    if not complete:
        raise ClassroomError(f"{text!r} is not the address of a Dask scheduler: write HOST:PORT or tls://HOST:PORT")
    if parts.scheme != "tls" and not is_loopback(parts.hostname):
        raise ClassroomError(
            f"{text} is reached over a network without TLS: whoever can reach a Dask scheduler can run programs on all "
            "of its workers and on this machine. Set up certificates as the instructor's guide tells, and write tls://"
        )
    return f"{parts.scheme}://{parts.netloc}"


def need_dask() -> None:
    """`ClassroomError` where it is not installed."""
    if importlib.util.find_spec("distributed") is None:
        raise ClassroomError(
            "Dask is not installed in this environment; `make setup` installs it, and so does  pip install distributed"
        )


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def commands(address: str, *, scheduler: bool, workers: int, gpu: bool) -> list[list[str]]:
    """What is to be started, the scheduler first. With `gpu` one of the workers offers this machine's GPU: one timed
    job runs at a time."""
    address = scheduler_address(address)
    parts = urlsplit(address)
    quiet = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]  # else it listens to the network all the same
    found = []
    if scheduler:
        place = ["--host", parts.hostname, "--port", str(parts.port), "--protocol", parts.scheme]
        found.append([sys.executable, "-m", "distributed.cli.dask_scheduler", *place, *quiet])
    for count, resources in ((workers - gpu, []), (int(gpu), ["--resources", "GPU=1"])):
        if count:
            # The limits that matter are those of the processes that judge; a worker itself only waits for them.
            shape = ["--nworkers", str(count), "--nthreads", "1", "--memory-limit", "0", *resources]
            place = ["--host", parts.hostname] if is_loopback(parts.hostname) else []
            worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--protocol", parts.scheme]
            found.append([*worker, *place, *shape, *quiet])
    return found


def run(address: str, *, scheduler: bool, workers: int, gpu: bool, say: Callable[[str], None]) -> int:
    """Start them, and stay until interrupted or until one of them ends. The exit status: 0 when interrupted."""
    need_dask()
    wanted = commands(address, scheduler=scheduler, workers=workers, gpu=gpu)
    if not wanted:
        raise ClassroomError("nothing to start: add --scheduler, --workers N or both")
    ends = signal.signal(signal.SIGTERM, signal.default_int_handler)
    started: list[subprocess.Popen] = []
    try:
        # Sessions of their own: an interrupt at the terminal comes here alone, and ends them in order.
        started += [subprocess.Popen(command, start_new_session=True, preexec_fn=end_with_parent) for command in wanted]
        say(f"Grade with:  grader autograde --dask {scheduler_address(address)}")
        while not (over := [process for process in started if process.poll() is not None]):
            time.sleep(0.2)
        say(f"{' '.join(map(str, over[0].args[2:4]))} ended with status {over[0].returncode}; so the others are ended")
        return 3
    except KeyboardInterrupt:
        return 0
    finally:
        end(started)
        signal.signal(signal.SIGTERM, ends)


def end_with_parent() -> None:
    """In a child before its program: have it asked to end when the process that started it is gone, however it went."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end(started: list[subprocess.Popen]) -> None:
    """Ask them to end, the last first, so that no worker waits for a scheduler that is gone; kill who does not."""
    for process in reversed(started):
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
