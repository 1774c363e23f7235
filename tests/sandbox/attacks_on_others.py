# ruff: noqa: F821 - run behind attacks.py, in one text with it
"""A hostile child, on: attacks on other processes, for rights, and on the kernel, as those of ``attacks.py``."""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import time

# ---- other processes ----


def reads_an_environment(given):
    return open(f"/proc/{given['parent']}/environ", "rb").read(1)


def reads_a_memory(given):
    return open(f"/proc/{given['parent']}/mem", "rb")


def sees_a_command_line(given):
    return open(f"/proc/{given['parent']}/cmdline", "rb").read(1)[0]


def sees_processes(given):
    return open(f"/proc/{os.getppid()}/cmdline", "rb").read(1)[0] if os.getppid() > 1 else refused_if(True)


def traces(given):
    refused_if(libc.ptrace(16, given["parent"], None, None) < 0)


def traces_itself(given):
    refused_if(libc.ptrace(0, 0, None, None) < 0)


def reads_foreign_memory(given):
    syscall({"x86_64": 310, "aarch64": 270}[os.uname().machine], given["parent"], None, 0, None, 0, 0)


def signals_the_parent(given):
    os.kill(given["parent"], 0)


def signals_another_child(given):
    os.kill(given["sibling"], signal.SIGKILL)


def signals_everybody(given):
    """Counts as refused where it finds nobody; the test looks whether all are alive."""
    os.kill(-1, signal.SIGURG)
    raise OSError("the test looks")


def signals_by_descriptor(given):
    signal.pidfd_send_signal(os.pidfd_open(given["parent"]), 0)


def limits_the_parent(given):
    import resource

    resource.prlimit(given["parent"], resource.RLIMIT_NOFILE, (8, 8))


def slows_the_parent(given):
    os.setpriority(os.PRIO_PROCESS, given["parent"], 19)


def slows_everything_of_its_user(given):
    os.setpriority(os.PRIO_USER, 0, 19)


def has_the_kernel_send_signals(given):

    fcntl.fcntl(0, fcntl.F_SETOWN, given["parent"])


def types_in_a_terminal(given):

    fcntl.ioctl(0, 0x5412, b"x")


def pins_the_parent(given):
    os.sched_setaffinity(given["parent"], {0})


def takes_a_descriptor(given):
    syscall(438, os.pidfd_open(given["parent"]), 0, 0)


def leaves_its_session(given):
    os.setsid()


def leaves_its_group(given):
    if os.fork() == 0:
        os.setpgid(0, 0)
        os._exit(os.getpgid(0) == os.getpid())
    if os.wait()[1] == 0:
        raise OSError("nothing changed")


# ---- rights and the kernel ----


def becomes_root(given):
    os.setgroups([0, 1])


def runs_su(given):

    if subprocess.run(["/bin/su", "-c", "true"], capture_output=True, stdin=subprocess.DEVNULL).returncode:
        raise OSError("refused")


def has_rights(given):
    if open("/proc/self/status").read().split("CapEff:\t")[1].split("\n")[0] == "0" * 16:
        raise OSError("none")


def makes_a_namespace(given):
    refused_if(libc.unshare(0x10000000))


def makes_a_namespace_by_clone(given):
    syscall({"x86_64": 56, "aarch64": 220}[os.uname().machine], 0x10000000 | 17, None, None, None, None)


def makes_a_namespace_by_clone3(given):
    syscall(435, (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17), 64)


def enters_a_namespace(given):
    refused_if(libc.setns(os.open("/proc/self/ns/net", os.O_RDONLY), 0))


def keeps_a_key(given):
    syscall({"x86_64": 248, "aarch64": 217}[os.uname().machine], b"user", b"x", b"secret", 6, -4)


def reads_keys(given):
    syscall({"x86_64": 250, "aarch64": 219}[os.uname().machine], 0, -3, 1)


def makes_memory_without_a_process(given):
    os.memfd_create("x")


def makes_shared_memory(given):
    refused_if(libc.shmget(0, 4096, 0o1600) < 0)


def makes_a_message_queue(given):
    refused_if(libc.msgget(0, 0o1600) < 0)


def makes_a_posix_queue(given):
    refused_if(ctypes.CDLL("librt.so.1", use_errno=True).mq_open(b"/x", 0o102, 0o600, None) < 0)


def loads_a_filter(given):
    syscall({"x86_64": 321, "aarch64": 280}[os.uname().machine], 0, None, 0)


def rings(given):
    syscall(425, 1, ctypes.create_string_buffer(120))


def faults(given):
    syscall({"x86_64": 323, "aarch64": 282}[os.uname().machine], 0)


def counts_events(given):
    syscall({"x86_64": 298, "aarch64": 241}[os.uname().machine], ctypes.create_string_buffer(120), 0, -1, -1, 0)


def reads_the_log(given):
    refused_if(libc.klogctl(3, ctypes.create_string_buffer(100), 100) < 0)


def sets_the_clock(given):
    time.clock_settime(time.CLOCK_REALTIME, time.time())


def sets_the_name(given):
    socket.sethostname("x")


def raises_its_limits(given):
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
