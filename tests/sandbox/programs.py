"""Children for the tests: ``python -I programs.py NAME --channel=N`` runs the function of that name."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time

from grader.sandbox import channel


def echo():
    pipe = channel()
    while (request := pipe.receive()) is not None:
        header, payload = request
        pipe.send({"echo": header}, payload[::-1])


def twice():
    pipe = channel()
    pipe.send({"answer": 1})
    pipe.send({"answer": 2}, b"last")


def environment():
    channel().send({
        "environment": dict(os.environ), "cwd": os.getcwd(), "session": os.getsid(0), "pid": os.getpid(),
        "stdin": os.readlink("/proc/self/fd/0"), "files": os.listdir("."),
    })  # fmt: skip


def limits():
    import resource

    channel().send(
        {"core": resource.getrlimit(resource.RLIMIT_CORE), "file": resource.getrlimit(resource.RLIMIT_FSIZE)}
    )


def prints():
    print("to stdout")
    print("to stderr", file=sys.stderr)


def prints_for_ever():
    os.write(1, b"first line\n")
    block = b"x" * 65536
    while True:
        os.write(1, block)
        os.write(2, block)


def exits_with_3():
    raise SystemExit(3)


def exits_at_once():
    os._exit(0)


def segfaults():
    os.kill(os.getpid(), signal.SIGSEGV)


def aborts():
    os.abort()


def sleeps():
    time.sleep(1000)


def ignores_sigterm():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    channel().send({"ready": True})
    while True:
        time.sleep(0.01)


def closes_channel():
    channel().close()
    time.sleep(1000)


def _raw() -> socket.socket:
    return socket.socket(fileno=int(sys.argv[-1].partition("=")[2]))


def sends_garbage():
    _raw().sendall(b"\xff" * 64)
    time.sleep(1000)


def sends_terabyte_length():
    _raw().sendall(struct.pack("<QQ", 2, 1 << 40) + b"{}")
    time.sleep(1000)


def sends_half_a_frame():
    _raw().sendall(struct.pack("<QQ", 2, 100) + b"{}half")


def sends_a_list():
    _raw().sendall(struct.pack("<QQ", 2, 0) + b"[]")


def sends_bad_json():
    _raw().sendall(struct.pack("<QQ", 2, 0) + b"{\xff")


def sends_deep_json():
    _raw().sendall(struct.pack("<QQ", 200000, 0) + b"[" * 200000)


def sends_garbage_and_crashes():
    _raw().sendall(struct.pack("<QQ", 2, 100) + b"{}")
    os.kill(os.getpid(), signal.SIGSEGV)


def allocates():
    hold = []
    for _ in range(300):  # 3 GB
        hold.append(b"\1" * (10 << 20))
    channel().send({"got": len(hold)})


def grandchild_allocates():
    if os.fork() == 0:
        allocates()
    os.wait()


def reserves_much():
    import mmap

    hold = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # NORESERVE
    hold[0] = 1
    channel().send({"ok": True})


def forks_a_sleeper():
    if os.fork() == 0:
        time.sleep(1000)
        os._exit(0)


def leaves_a_daemon():
    """A double fork into a session of its own: its parent is gone, its mark in the environment is not."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writer, str(os.getpid()).encode())
            time.sleep(1000)
        os._exit(0)
    os.wait()
    channel().send({"daemon": int(os.read(reader, 20))})


def scattering_fork_bomb():
    """Each process leaves the session of the one that started it."""
    fork_bomb(leave=True)


def fork_bomb(leave=False):
    """Every process forks as fast as it can, until there are 1000 of them or 20 seconds are over."""
    reader, writer = os.pipe()  # one byte for each process that may still be started
    os.write(writer, b"x" * 1000)
    os.set_blocking(reader, False)
    signal.alarm(20)
    while True:
        try:
            if os.read(reader, 1) and os.fork() == 0:
                signal.alarm(20)
                leave and os.setsid()
        except OSError:
            pass


def starts_many():
    hold = [subprocess.Popen(["sleep", "1000"]) for _ in range(30)]
    time.sleep(1000)
    del hold


def writes_a_large_file():
    with open("large", "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))


globals()[sys.argv[1]]()
