"""What a library asks of the operating system that no plugin has a use for, told from its file alone."""

from __future__ import annotations

import re

from grader.toolchain.elf import Elf

# Memory that is executed or another process', processes, descriptors and connections, files, what loads code, signals.
_NAMES = """
mprotect pkey_mprotect mmap mmap64 mremap munmap process_vm_readv process_vm_writev ptrace memfd_create shm_open
fork vfork clone clone3 system popen posix_spawn posix_spawnp execl execlp execle execv execvp execvpe execve fexecve
kill tgkill raise prctl syscall setuid setgid seteuid setresuid setrlimit prlimit unshare setns daemon
read readv pread pread64 write writev pwrite pwrite64 send sendto sendmsg recv recvfrom recvmsg dprintf vdprintf
__dprintf_chk __vdprintf_chk __read_chk __recv_chk fdopen dup dup2 dup3 close ioctl fcntl fcntl64 pipe pipe2 splice
socket socketpair connect bind listen accept accept4 poll ppoll select epoll_create1 io_uring_setup
open open64 openat openat64 creat creat64 __open_2 __open64_2 __openat_2 fopen fopen64 freopen freopen64 opendir
unlink unlinkat remove rename mkdir rmdir symlink link truncate ftruncate chmod chown mkstemp tmpfile
dlopen dlmopen dlsym dlvsym dlinfo dl_iterate_phdr signal sigaction sigaltstack sigprocmask __sysv_signal
"""
_SYSTEM = frozenset(_NAMES.split())
_STREAMS = re.compile(r"_ZNK?St\w*?(?:basic_filebuf|basic_[io]?fstream|filesystem)")


def system_calls(elf: Elf) -> list[str]:
    """The functions of the system that a library is linked with and a plugin needs none of, sorted: "mprotect".

    A library that is out to deceive finds such functions without being linked with them; this keeps out the others.
    """
    names = {symbol.name for symbol in elf.undefined}
    files = {"std::fstream" for name in names if _STREAMS.match(name)}
    return sorted((names & _SYSTEM) | files)
