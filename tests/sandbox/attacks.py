"""A hostile child: run as source in a child, which calls ``main``, is sent names of attacks and tells which worked.

Each function tries one thing and returns what it got; an exception means that it was refused.
"""

import ctypes
import os
import socket
import struct
import sys

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
