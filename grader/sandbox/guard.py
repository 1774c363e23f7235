"""Kills the children of a grader that was itself killed, even by SIGKILL.

One small shell process for each grader process waits at a pipe that ends when the grader does. It knows the
children that are running and kills their process groups then. What left its group survives that.
"""

from __future__ import annotations

import os
import subprocess
import threading

_SCRIPT = """
while read -r what pid; do
  case $what in
    add) all="$all $pid " ;;
    drop) case $all in *" $pid "*) all="${all%%" $pid "*}${all#*" $pid "}" ;; esac ;;
  esac
done
for pid in $all; do kill -s KILL -- "-$pid"; done
"""
_lock = threading.Lock()
_pipe: int | None = None
_owner = 0


def add(pid: int) -> None:
    """From now on the process group ``pid`` dies with this process."""
    _tell(f"add {pid}\n")


def drop(pid: int) -> None:
    """Forget a group. To be called before its leader is reaped: the number may be another's after that."""
    _tell(f"drop {pid}\n")


def _tell(line: str) -> None:
    global _pipe, _owner
    with _lock:
        if _owner != os.getpid():  # the first time, or in a fork of the process that started it
            _pipe, _owner = _start(), os.getpid()
        try:
            os.write(_pipe, line.encode())
        except OSError:  # somebody killed the guard: the children lose this protection, and nothing else
            pass


def _start() -> int:
    process = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT], start_new_session=True, cwd="/", env={},
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    pipe = os.dup(process.stdin.fileno())
    process.stdin.close()
    process.returncode = 0  # it outlives this process; nobody waits for it
    return pipe


def _after_fork() -> None:
    global _lock, _pipe
    _lock = threading.Lock()  # another thread may have held it
    if _pipe is not None:
        os.close(_pipe)  # it would keep the pipe of this process's parent from ending
        _pipe = None


os.register_at_fork(after_in_child=_after_fork)
