"""A hostile child: run as source in a child, which calls ``main``, is sent names of attacks and tells which worked.

Each function tries one thing and returns what it got; an exception means that it was refused.
"""

import ctypes
import os
import signal
import socket
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)


def refused_if(failed):
    if failed:
        raise OSError(ctypes.get_errno(), "refused")


def syscall(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    refused_if(result < 0)
    return result


# ---- the network ----


def tcp(given):
    socket.create_connection(("127.0.0.1", given["port"]), 1)


def udp(given):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", given["port"]))


def listens(given):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()


def abstract_socket(given):
    socket.socket(socket.AF_UNIX).connect(given["abstract"])


def unix_socket(given):
    socket.socket(socket.AF_UNIX).connect(given["unix"])


def netlink(given):
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).send(b"x")


def packet(given):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


def socket_pair(given):
    socket.socketpair()


def passes_a_descriptor(given):
    socket.send_fds(socket.socket(fileno=os.dup(given["channel"])), [b""], [0])


# ---- files ----


def reads_shadow(given):
    return open("/etc/shadow").read()


def reads_passwd(given):
    return open("/etc/passwd").read()


def reads_a_file_of_the_grader(given):
    return open(given["canary"]).read()


def reads_a_file_by_a_link(given):
    os.symlink(given["canary"], "link")
    return open("link").read()


def links_a_file(given):
    os.link(given["canary"], "hard")
    return open("hard").read()


def lists_the_home_of_the_grader(given):
    return [name for name in os.listdir(given["home"]) if name not in given["shown"]][0]


def reads_the_home_of_another_child(given):
    return open(given["other"]).read()


def lists_temporary_files(given):
    return [name for name in os.listdir("/tmp") if name not in (*given["shown"], os.path.basename(os.getcwd()))][0]


def reads_the_cases(given):
    return open(os.path.join(given["package"], "exercises", "ch00_warm_up", "__init__.py")).read()


def reads_the_classroom(given):
    return open(os.path.join(given["package"], "classroom", "secret.py")).read()


def imports_the_cases(given):
    import grader.exercises.ch00_warm_up  # noqa: F401


def writes_outside(given):
    open(os.path.join(given["open"], "written"), "w")


def writes_to_tmp(given):
    open("/tmp/written", "w")


def writes_to_shm(given):
    open("/dev/shm/written", "w")


def writes_to_the_package(given):
    open(os.path.join(given["package"], "sandbox", "written.py"), "w")


def writes_to_python(given):
    open(os.path.join(sys.prefix, "written"), "w")


def writes_to_root(given):
    os.mkdir("/written")


def removes_a_file(given):
    os.unlink(given["canary"])


def renames_a_file(given):
    os.rename(given["canary"], "mine")


def truncates_a_file(given):
    os.truncate(given["canary"], 0)


def changes_a_mode(given):
    """May be answered with success, and must not happen: the test looks at the file."""
    os.chmod(given["canary"], 0o777)
    raise OSError("the test looks")


def makes_a_device(given):
    os.mknod("device", 0o20600, os.makedev(1, 1))
    open("device", "rb").read(1)


def opens_the_disk(given):
    return [open(path, "rb") for path in ("/dev/vda", "/dev/sda", "/dev/mem", "/dev/kmsg")]


def opens_by_handle(given):
    syscall({"x86_64": 304, "aarch64": 265}[os.uname().machine], -100, b"\0" * 32, 0)


def changes_the_kernel(given):
    open("/proc/sys/kernel/core_pattern", "w").write("|/tmp/x")


def remounts(given):
    refused_if(libc.mount(b"none", b"/", None, 32 | 4096, None))


def mounts_a_tmpfs(given):
    os.makedirs("mine", exist_ok=True)
    refused_if(libc.mount(b"tmpfs", b"mine", b"tmpfs", 0, None))


def unmounts(given):
    refused_if(libc.umount2(b"/proc", 2))


def leaves_the_root(given):
    os.chroot(".")


def watches_a_folder(given):
    """Landlock does not cover it, and it tells the names of new files: students', in a class."""
    queue = libc.inotify_init1(0)
    refused_if(queue < 0)
    refused_if(libc.inotify_add_watch(queue, given["open"].encode(), 0xFFF) < 0)


def lists_mounts(given):
    syscall(458, struct.pack("IIQQQ", 32, 0, (1 << 64) - 1, 0, 0), ctypes.create_string_buffer(800), 100, 0)


def takes_a_lease(given):
    """Who opens the file then waits up to 45 seconds: all other children, for one that they must read."""
    import fcntl

    open("leased", "w").close()
    fcntl.fcntl(os.open("leased", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)


def asks_for_signals_of_a_folder(given):
    import fcntl

    fcntl.fcntl(os.open(".", os.O_RDONLY), fcntl.F_NOTIFY, 1)


def locks_what_others_lock(given):
    """Answered with success, and not done: a second lock would be refused."""
    import fcntl

    try:
        for _ in range(2):
            fcntl.flock(os.open(sys.executable, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "locked"
    raise OSError("nothing is locked")


def changes_the_flags_of_a_file(given):
    """Asks for no right to write to it, only that it is of the same user."""
    import fcntl

    open("flagged", "w").close()
    fcntl.ioctl(os.open("flagged", os.O_RDONLY), 0x40086602, struct.pack("q", 0x40))


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
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETOWN, given["parent"])


def types_in_a_terminal(given):
    import fcntl

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
    import subprocess

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


def main():
    from grader.sandbox import channel

    wire = channel()
    given = wire.receive()[0]
    given["channel"] = wire.fileno()
    worked = {}
    for name in given["attacks"]:
        try:
            worked[name] = str(globals()[name](given))[:80]
        except (OSError, ValueError, ImportError, RuntimeError, IndexError, KeyError) as error:
            given["refused"] = str(error)
    wire.send({"worked": worked, "files": os.listdir("."), "environment": dict(os.environ), "user": os.getuid()})
