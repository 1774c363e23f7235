"""Python answers that look around or call out: for secrets, for what judges them, for somebody to talk with.

Python can do what native code can (``ctypes`` makes any system call), so these stand for both.
"""

from __future__ import annotations

from hostile_case import python

TITLE = "Python answers: what they read, and whom they reach"

_CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*a):
    return libc.syscall(*[ctypes.c_long(v) if isinstance(v, int) else v for v in a])
"""


def reads(name, tries, path, **more):
    """Opens a file that it must not be able to open."""
    return python(name, tries, f"raise Found(open({path!r}, 'rb').read(200))", **more)


def connects(name, tries, family, kind, address, **more):
    return python(
        name,
        tries,
        f"""
        import socket
        s = socket.socket({family}, {kind})
        s.settimeout(2)
        s.connect({address})
        s.send(b'GET /taken HTTP/1.0\\r\\n\\r\\n')
        raise Found('connected')
        """,
        source=more.pop("source", "nbgrader: network"),
        **more,
    )


def covert(name, tries, look, leave, **more):
    """Two students who talk: whoever comes second finds the mark of the first."""
    return python(
        name,
        tries,
        f"""
        if {look}: raise Found('a mark of another student')
        {leave}
        import time
        time.sleep(0.5)
        """,
        copies=2,
        **more,
    )


CASES = (
    # what it reads
    reads("reads-secret", "reads the class secret", "@CLASS@/class_secret"),
    reads("reads-gradebook", "reads the gradebook", "@CLASS@/gradebook.db", source="nbgrader#483"),
    reads("reads-neighbour", "reads another student's answer", "@CLASS@/submitted/a-right/00_warm_up/thread_index.cu",
          source="nbgrader#978"),
    reads("reads-release", "reads the class's source folder", "@CLASS@/source/10_masked_gelu/10_masked_gelu.ipynb",
          source="nbgrader: reads ../../../source"),
    reads("reads-results", "reads the seeds of other students", "@CLASS@/results/a-right/10_masked_gelu/result.json"),
    reads("reads-home", "reads a file of the instructor's home", "@HOME@/canary.txt", source="nbgrader: canary file"),
    reads("reads-solution", "reads the course's solution", "@COURSE@/solutions/10_masked_gelu/masked_gelu_cases.py",
          source="otter#495"),
    reads("reads-exercise", "reads what judges it", "@PACKAGE@/exercises/ch10_masked_gelu/masked_gelu_cases.py",
          source="ok-client#411"),
    reads("reads-variants", "reads the wrong variants", "@COURSE@/tests/variants/masked-gelu-cases/survivors.toml"),
    reads("reads-shadow", "reads the machine's passwords", "/etc/shadow"),
    reads("reads-memory", "reads the machine's memory", "/proc/kcore"),
    python("imports-exercise", "imports what judges it", """
        from grader.exercises.ch10_masked_gelu import models
        raise Found(models.BROKEN[0].name)
        """, source="ok-client#411"),
    python("reads-environment", "looks for secrets in its environment", """
        for name, value in os.environ.items():
            if 'CANARY' in name or 'canary' in value or '@CLASS@' in value: raise Found(name)
        """, source="nbgrader: env"),
    python("reads-parents-environment", "looks for secrets in the environment of every process", """
        for pid in os.listdir('/proc'):
            if pid.isdigit():
                try: text = open(f'/proc/{pid}/environ', 'rb').read()
                except OSError: continue
                if b'HOSTILE_CANARY' in text: raise Found(pid)
        """),
    python("reads-command-lines", "looks for the class in the command lines of every process", """
        for pid in os.listdir('/proc'):
            if pid.isdigit():
                try: text = open(f'/proc/{pid}/cmdline', 'rb').read()
                except OSError: continue
                if b'@CLASS@' in text: raise Found(text)
        """),
    python("lists-class", "lists the class's folder", "raise Found(os.listdir('@CLASS@'))"),
    python("finds-class", "searches the machine for classes", """
        for top in ('/tmp', '/root', '/home', '/var/tmp', '/srv'):
            for here, folders, files in os.walk(top):
                if 'gradebook.db' in files or 'class_secret' in files:
                    raise Found(here)
        """, seconds=2),
    python("parents-files", "goes through the open files and the folder of its parent", """
        parent = os.getppid()
        for place in ('cwd', 'root', 'exe'):
            try: there = os.listdir(f'/proc/{parent}/{place}/')
            except OSError: continue
            if place == 'cwd' and there: raise Found(there)
        for fd in range(64):
            try: open(f'/proc/{parent}/fd/{fd}', 'rb')
            except OSError: continue
            raise Found(fd)
        """),
    python("inherited-files", "looks what descriptors it was left", """
        for fd in range(3, 256):
            try: target = os.readlink(f'/proc/self/fd/{fd}')
            except OSError: continue
            if target.startswith('/') and not target.startswith(('/dev/null', '/dev/urandom', '/proc')) \\
                    and os.environ['HOME'] not in target: raise Found(target)
        """),
    # whom it talks with
    connects("connects", "connects to a server of this machine", "socket.AF_INET", "socket.SOCK_STREAM",
             "('127.0.0.1', @PORT@)"),
    connects("connects-6", "connects by IPv6", "socket.AF_INET6", "socket.SOCK_STREAM", "('::1', @PORT@)"),
    connects("connects-udp", "sends a datagram", "socket.AF_INET", "socket.SOCK_DGRAM", "('127.0.0.1', @PORT@)"),
    connects("connects-away", "asks a name server of the network", "socket.AF_INET", "socket.SOCK_DGRAM",
             "('8.8.8.8', 53)"),
    connects("connects-unix", "connects to a socket in the file system", "socket.AF_UNIX", "socket.SOCK_STREAM",
             "'@HOME@/socket'"),
    connects("connects-abstract", "connects to a socket without a file", "socket.AF_UNIX", "socket.SOCK_STREAM",
             "'\\0hostile-mark-@PORT@'"),
    python("raw-sockets", "opens every other kind of socket", """
        import socket
        for family, kind in ((17, 3), (16, 3), (40, 1), (38, 5), (31, 3), (29, 3), (2, 3), (44, 3)):
            try: s = socket.socket(family, kind, 0)
            except OSError: continue
            raise Found((family, kind))
        """),
    python("listens", "waits for somebody to connect", """
        import socket
        s = socket.socket()
        s.bind(('0.0.0.0', 0))
        s.listen()
        raise Found(s.getsockname())
        """),
    python("resolves", "asks for an address by name",
           "import socket\nraise Found(socket.getaddrinfo('example.com', 80))", seconds=2),
    covert("marks-tmp", "two students talk by a file in /tmp", "os.path.exists('/tmp/hostile-mark-talk')",
           "open('/tmp/hostile-mark-talk', 'w').close()"),
    covert("marks-home", "two students talk by a file in their home",
           "os.path.exists(os.environ['HOME'] + '/hostile-mark-talk')",
           "open(os.environ['HOME'] + '/hostile-mark-talk', 'w').close()"),
    covert("marks-shm", "two students talk by /dev/shm", "os.path.exists('/dev/shm/hostile-mark-talk')",
           "open('/dev/shm/hostile-mark-talk', 'w').close()"),
    covert("marks-socket", "two students talk by a socket without a file",
           "'hostile-mark-talk' in open('/proc/net/unix').read()",
           "import socket; s = socket.socket(1); s.bind('\\0hostile-mark-talk'); sys.kept = s"),
    covert("marks-system-v", "two students talk by a segment of memory", "libc.shmget(0x484f5355, 4096, 0o666) >= 0",
           "libc.shmget(0x484f5355, 4096, 0o1666)", before=_CALL, expect="fail|crash 0"),
    covert("marks-process", "two students see each other's processes",
           "sum(b'python' in open(f'/proc/{p}/cmdline', 'rb').read() and os.stat(f'/proc/{p}').st_uid == os.getuid() "
           "for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid(), os.getppid()))",
           "pass", was="the child's own launcher, process 1 of its namespace, was not thought of"),
)  # fmt: skip
