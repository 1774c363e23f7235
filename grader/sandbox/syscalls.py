"""The numbers of the system calls that a confined child may not make, or only in part.

Each line: name, number on x86-64, number on aarch64 (None where that machine has no such call). They are Linux's and
never change; a test compares them with the kernel's headers.
"""

from __future__ import annotations

# What reaches beyond the child, makes memory that no look at its processes finds, or has defects to be used.
REFUSED = """
socketpair 53 199, connect 42 203, accept 43 202, accept4 288 242
sendmsg 46 211, sendmmsg 307 269
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, process_mrelease 448 448
kcmp 312 272, pidfd_getfd 438 438, pidfd_send_signal 424 424
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429
fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, open_tree_attr 467 467
unshare 272 97, setns 308 268
keyctl 250 219, add_key 248 217, request_key 249 218
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282
memfd_create 319 279, memfd_secret 447 447
shmget 29 194, shmat 30 196, shmctl 31 195, shmdt 67 197
semget 64 190, semop 65 193, semctl 66 191, semtimedop 220 192
msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187
mq_open 240 180, mq_unlink 241 181, mq_timedsend 242 182, mq_timedreceive 243 183, mq_notify 244 184
mq_getsetattr 245 185
name_to_handle_at 303 264, open_by_handle_at 304 265, fanotify_init 300 262, fanotify_mark 301 263
inotify_init 253 None, inotify_init1 294 26, inotify_add_watch 254 27, statmount 457 457, listmount 458 458
lookup_dcookie 212 18, nfsservctl 180 42, uselib 134 None, modify_ldt 154 None
swapon 167 224, swapoff 168 225, reboot 169 142, sethostname 170 161, setdomainname 171 162
iopl 172 None, ioperm 173 None, init_module 175 105, finit_module 313 273, delete_module 176 106
kexec_load 246 104, kexec_file_load 320 294, acct 163 89, quotactl 179 60, quotactl_fd 443 443
settimeofday 164 170, clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266
syslog 103 116, vhangup 153 58, migrate_pages 256 238, move_pages 279 239, setsid 112 157
setpriority 141 140, ioprio_set 251 30
"""

# Refused too, but where NVIDIA's driver must work: that waits at a local socket.
SOCKET = "socket 41 198"
WAITING = "bind 49 200, listen 50 201"

# Refused as if the kernel were older, so that programs do without.
ABSENT = """
clone3 435 435, io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, io_setup 206 0
"""

# Answered with success and not done: build programs (ninja, the linker) go on, and nothing changes. Who can read a file
# could lock it, and the grader waits for some locks.
PRETENDED = "setpgid 109 154, sync 162 81, syncfs 306 267, flock 73 32"
# The same where the child runs as the grader's own user: these need no right to open the file.
METADATA = """
chmod 90 None, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452
chown 92 None, fchown 93 55, lchown 94 None, fchownat 260 54
utime 132 None, utimes 235 None, futimesat 261 None, utimensat 280 88
setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466, file_setattr 469 469
"""

# Allowed for the process itself alone, which their first argument names.
OF_ITSELF = """
prlimit64 302 261, sched_setparam 142 118, sched_setscheduler 144 119, sched_setattr 314 274, sched_setaffinity 203 122
"""
SIGNALS = "kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240"

# Refused with some values of the second argument: they would have the kernel send signals, make all who open a file
# wait (a lease, which its owner may take who can only read it), watch a folder, or type in a terminal.
FCNTL = "fcntl 72 25"
FCNTL_REFUSED = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
IOCTL = "ioctl 16 29"
IOCTL_REFUSED = (
    0x8901, 0x8902, 0x5412, 0x541C,  # FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX
    # What changes a file without a right to write to it, where it is of the child's user: FS_IOC_SETFLAGS (two),
    # FS_IOC_FSSETXATTR, FS_IOC_SETVERSION (two), EXT4_IOC_SETVERSION, and what sets up encryption and verity.
    0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x40086604, 0x800C6613, 0xC0506617, 0x40806685,
)  # fmt: skip

CLONE = "clone 56 220"
PRCTL = "prctl 157 167"
PROCESSES = "fork 57 None, vfork 58 None, execve 59 221, execveat 322 281"

_COLUMN = {"x86_64": 1, "aarch64": 2}


def numbers(table: str, machine: str) -> list[int]:
    """The numbers of a table's calls on a machine, ``x86_64`` or ``aarch64``."""
    calls = [call.split() for call in table.replace("\n", ",").split(",") if call.strip()]
    return [int(call[_COLUMN[machine]]) for call in calls if call[_COLUMN[machine]] != "None"]
