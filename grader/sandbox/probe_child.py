"""The child of a probe: ``python -I -m grader.sandbox.probe_child``. It reaches for what it must not have, and tells.

Request: ``secret`` a file and ``folder`` a folder of the parent's, ``home`` a file in the home folder, ``cases`` the
module of an exercise, the parent's ``process`` and an open TCP ``port``. Reply: ``reached``, in words; ``user``, its
number; ``rights``, whether it has any capability; ``filtered``, whether seccomp is on.
"""

from __future__ import annotations

import os

from grader.sandbox.wire import channel


def main() -> None:
    pipe = channel()
    asked, _ = pipe.receive()
    reached = [words for words, reach in _attempts(asked).items() if _succeeds(reach)]
    status = dict(line.split(":\t") for line in open("/proc/self/status") if ":\t" in line)
    pipe.send({
        "reached": reached, "user": os.getuid(), "rights": status["CapEff"].strip() != "0" * 16,
        "filtered": status["Seccomp"].strip() == "2",
    })  # fmt: skip


def _attempts(asked: dict) -> dict:
    import ctypes
    import socket

    libc = ctypes.CDLL(None, use_errno=True)
    return {
        "the network": lambda: socket.create_connection(("127.0.0.1", asked["port"]), 1),
        "files of yours": lambda: open(asked["secret"]),
        "the cases of exercises": lambda: open(asked["cases"]),
        "your home folder": lambda: open(asked["home"]),
        "folders to write in": lambda: open(os.path.join(asked["folder"], "written"), "w"),
        "other processes": lambda: open(f"/proc/{asked['process']}/environ").read(1),
        "signals to others": lambda: os.kill(asked["process"], 0),
        "memory without limit": lambda: os.memfd_create("probe"),
        "new namespaces": lambda: _checked(libc.unshare(0x10000000)),
        "the rights of root": lambda: os.setgroups([0]),
    }


def _checked(result: int) -> None:
    if result:
        raise OSError("refused")


def _succeeds(reach) -> bool:
    try:
        reach()
        return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
