"""Python answers that act on the machine: start, kill, write, fill. One that gets through says so.

Python can do what native code can (``ctypes`` makes any system call), so these stand for both.
"""

from __future__ import annotations

from hostile_case import python

TITLE = "Python answers: what they do to the machine"

_CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*a):
    return libc.syscall(*[ctypes.c_long(v) if isinstance(v, int) else v for v in a])
"""


CASES = (
    # what it does to processes
    python("parents-memory", "writes into its parent's memory", """
        with open(f'/proc/{os.getppid()}/mem', 'r+b', 0) as memory: raise Found('opened')
        """),
    python("reads-process", "reads another process by process_vm_readv", """
        class V(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('len', ctypes.c_size_t)]
        import re
        for pid in {os.getppid(), 1}:
            at = 0x400000
            try: at = int(re.search('[0-9a-f]+', open(f'/proc/{pid}/maps').read())[0], 16)
            except Exception: pass
            buffer = ctypes.create_string_buffer(16)
            here, there = V(ctypes.addressof(buffer), 16), V(at, 16)
            if call(310, pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0: raise Found(pid)
        """, "fail|crash 0", before=_CALL),
    python("traces-parent", "attaches to its parent as a debugger", """
        if call(101, 16, os.getppid(), 0, 0) == 0:
            call(101, 17, os.getppid(), 0, 0)
            raise Found('attached')
        """, "fail|crash 0", before=_CALL),
    python("kills-parent", "kills its parent", "os.kill(os.getppid(), 9)", "fail|crash|error 0",
           source="nbgrader: kills parent"),
    python("kills-everybody", "kills every process that it may", "os.kill(-1, 9)", "fail|crash|error 0",
           source="nbgrader: kills parent"),
    python("kills-by-list", "kills every process that it can see", """
        for pid in sorted((int(p) for p in os.listdir('/proc') if p.isdigit()), reverse=True):
            if pid not in (os.getpid(), 1):
                try: os.kill(pid, 9)
                except OSError: continue
        """, "fail|crash|error 0"),
    python("stops-parent", "stops its parent", "os.kill(os.getppid(), 19)", "fail|crash|error 0"),
    python("stops-group", "stops its group", "os.killpg(0, 19)", "timeout|fail|crash 0", seconds=11),
    python("limits-parent", "lowers its parent's limits", """
        import resource
        resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))
        raise Found('limited')
        """, "fail|crash|error 0"),
    python("fork-bomb", "starts processes without end", """
        while True: os.fork()
        """, "fail|error|timeout|crash|out_of_memory 0", source="nbgrader: forks", seconds=3),
    python("daemon", "leaves a process behind, in a session of its own", """
        import time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
        """, "fail|error|timeout 0", source="nbgrader: forks", seconds=2),
    python("threads", "starts threads without end", """
        import threading, time
        while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        """, "fail|error|timeout|crash|out_of_memory 0", seconds=11),
    python("shell", "runs a shell", "raise Found(__import__('subprocess').check_output(['/bin/sh', '-c', 'id; ls /']))",
           "fail|error 0"),
    python("runs-itself", "runs another Python", """
        import subprocess
        raise Found(subprocess.check_output([sys.executable, '-c', 'print(1)']))
        """, "fail|error 0"),
    python("becomes-another", "becomes another program", "os.execv('/bin/cat', ['cat', '/etc/passwd'])",
           "fail|error|crash 0"),
    python("setuid-program", "runs programs that have more rights", """
        import glob, stat, subprocess
        for path in ('/bin/su', '/usr/bin/sudo', '/bin/mount', '/usr/bin/passwd', '/usr/bin/newuidmap'):
            if os.path.exists(path):
                subprocess.run([path, '--version'], timeout=2, check=True)
                raise Found(path)
        """, "fail|error 0"),
    python("becomes-root", "takes the rights of root", """
        before = os.getresuid()
        os.setresuid(0, 0, 0)
        if before != (0, 0, 0): raise Found(before)
        """, "fail|crash 0", was="where nobody else may read Python, a child of root stays root, without any right"),
    python("is-root", "uses the rights of root", """
        for path in ('/etc/shadow', '/etc/passwd', '/root/hostile-mark', '/usr/bin/hostile-mark'):
            try: open(path, 'a').close()
            except OSError: continue
            raise Found(path)
        """, was="os.access was asked, which knows nothing of Landlock"),
    python("slows-others", "slows other processes down, and ties them to one processor", """
        for pid in {os.getppid(), *(int(p) for p in os.listdir('/proc') if p.isdigit())} - {os.getpid(), 1}:
            for way in (lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), lambda: os.sched_setaffinity(pid, {0}),
                        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))):
                try: way()
                except OSError: continue
                if pid != os.getppid() or pid > 2: raise Found(pid)
        """, "fail|crash 0"),
    python("marks-others", "makes the kernel end others first when memory is short", """
        for pid in os.listdir('/proc'):
            if pid.isdigit() and int(pid) not in (1, os.getpid()):
                try: open(f'/proc/{pid}/oom_score_adj', 'w').write('1000')
                except OSError: continue
                raise Found(pid)
        """),
    python("has-rights", "keeps rights of the machine", """
        for line in open('/proc/self/status'):
            if line.startswith('CapEff') and int(line.split()[1], 16): raise Found(line)
            if line.startswith('NoNewPrivs') and line.split()[1] != '1': raise Found(line)
        """),
    python("namespaces", "makes namespaces, where it would be root", """
        for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000):
            if call(272, flag) == 0: raise Found(hex(flag))
        """, "fail|crash 0", before=_CALL),
    python("mounts", "mounts a file system", """
        if call(165, b'none', os.environ['HOME'].encode(), b'tmpfs', 0, None) == 0: raise Found('mounted')
        """, "fail|crash 0", before=_CALL),
    python("odd-calls", "tries system calls that have been holes: io_uring, userfaultfd, bpf, perf, keyrings, modules",
           """
        tried = {'io_uring_setup': (425, 8, ctypes.create_string_buffer(120)), 'userfaultfd': (323, 0),
                 'bpf': (321, 0, ctypes.create_string_buffer(120), 72), 'keyctl': (250, 0, -3, 1),
                 'add_key': (248, b'user', b'hostile-mark', b'x', 1, -4),
                 'perf_event_open': (298, ctypes.create_string_buffer(b'\\0\\0\\0\\0p', 120), 0, -1, -1, 0),
                 'open_by_handle_at': (304, -100, ctypes.create_string_buffer(32), 0),
                 'init_module': (175, b'', 0, b''), 'kexec_load': (246, 0, 0, None, 0), 'swapon': (167, b'/x', 0)}
        for name, (number, *rest) in tried.items():
            if call(number, *rest) >= 0: raise Found(name)
        """, "fail|crash 0", before=_CALL),
    python("old-calls", "makes system calls by the 32-bit door, where numbers mean others", """
        import mmap
        code = bytes.fromhex('b814000000cd80c3')  # getpid by int 0x80
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(code)
        at = ctypes.addressof(ctypes.c_char.from_buffer(page))
        if ctypes.CFUNCTYPE(ctypes.c_int)(at)() > 0: raise Found('int 0x80')
        """, "fail|crash 0", before=_CALL),
    python("settings", "changes the machine's settings", """
        for path in ('/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper'):
            try: open(path, 'w').close()
            except OSError: continue
            raise Found(path)
        """),
    python("core-dump", "leaves its memory behind as a file", "os.abort()", "crash 0"),
    # what it writes
    python("writes-gradebook", "gives itself points in the gradebook", """
        import sqlite3
        book = sqlite3.connect('@CLASS@/gradebook.db', timeout=2)
        book.execute('update grade set manual_score = 5')
        book.commit()
        raise Found('written')
        """, source="nbgrader: edits gradebook.db"),
    python("writes-results", "writes a result beside its own", """
        os.makedirs('@CLASS@/results/hostile-mark', exist_ok=True)
        raise Found('written')
        """, source="nbgrader#1386"),
    python("writes-package", "changes what judges the next student", """
        for place in ('@PACKAGE@/hostile_mark.py', np.__file__.replace('__init__', 'hostile_mark')):
            try: open(place, 'w').close()
            except OSError: continue
            os.unlink(place)
            raise Found(place)
        """),
    python("writes-cache", "puts another program into the grader's cache", """
        for place in ('@HOME@/.cache', '/root/.cache'):
            for here, folders, files in os.walk(place):
                if 'grader' in here: raise Found(here)
        """),
    python("writes-everywhere", "leaves files wherever it may, for the next", """
        for place in ('/tmp', '/var/tmp', '/dev/shm', '/run', '/etc', '/usr/lib', '/run/lock', '/dev/mqueue'):
            try: open(place + '/hostile-mark-' + str(os.getpid()), 'w').close()
            except OSError: continue
        """),
    python("start-up-files", "leaves files that Python reads when it starts", """
        home = os.environ['HOME']
        for name in ('sitecustomize.py', 'usercustomize.py', 'numpy.py', 'json.py', '.pythonrc'):
            open(f'{home}/{name}', 'w').write('raise SystemExit("BRE" + "ACH")')
        os.environ['PYTHONPATH'] = home
        """),
    python("deep-folders", "makes folders inside folders that nobody can remove", """
        for _ in range(20_000):
            os.mkdir('d')
            os.chdir('d')
        """, seconds=2),
    python("closed-folders", "makes folders that nobody can open", """
        os.makedirs('a/b/c')
        open('a/b/c/f', 'w').close()
        os.chmod('a/b/c', 0), os.chmod('a/b', 0), os.chmod('a', 0)
        """),
    python("odd-names", "makes files whose names are no text", """
        for name in (b'\\xff\\xfe', b'a\\nb', b'-rf', b'\\x1b[2J', b'x' * 255):
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        """),
    python("links", "leaves links to the class for whoever tidies up", """
        os.symlink('@CLASS@', 'class')
        os.symlink('@CLASS@/class_secret', 'secret')
        os.symlink('.', 'loop')
        """),
    python("many-files", "makes files without end", """
        n = 0
        while True:
            os.close(os.open(f'f{n}', os.O_CREAT | os.O_WRONLY))
            n += 1
        """, "fail|timeout 0", seconds=12),
    python("large-file", "fills the disk", """
        block = b'x' * (1 << 20)
        with open('large', 'wb', 0) as f:
            while True: f.write(block)
        """, "fail|crash|out_of_memory 0"),
    python("large-files", "fills the disk with many files", """
        block = b'x' * (1 << 20)
        for n in range(100_000):
            with open(f'f{n}', 'wb', 0) as f:
                for _ in range(50): f.write(block)
        """, "fail|crash|timeout|out_of_memory|error 0", seconds=12),
    python("sparse-file", "makes a file of a terabyte that holds nothing", """
        with open('sparse', 'wb') as f: f.truncate(1 << 40)
        raise Found(os.path.getsize('sparse'))
        """, "fail|crash 0"),
    python("links-hard", "links a file of the class into its folder",
           "os.link('@CLASS@/class_secret', 'own'); raise Found('linked')"),
    python("suid-file", "makes a program with the rights of its owner", """
        import shutil
        shutil.copy('/bin/true', 'mine')
        os.chmod('mine', 0o6755)
        if os.stat('mine').st_uid == 0: raise Found('a program of root')
        """),
    python("device-file", "makes a device", "os.mknod('disk', 0o60666, os.makedev(8, 0)); raise Found('made')",
           "fail|crash 0"),
    # what it takes
    python("memory", "takes memory without end", """
        hold = []
        while True: hold.append(bytearray(1 << 26))
        """, "fail|out_of_memory|crash|error 0", source="nbgrader#1429", seconds=3),
    python("mapped-memory", "maps memory without end and touches it", """
        import mmap
        hold = []
        while True:
            hold.append(mmap.mmap(-1, 1 << 28))
            for at in range(0, 1 << 28, 4096): hold[-1][at] = 1
        """, "fail|out_of_memory|crash|error|timeout 0", seconds=4),
    python("memory-file", "keeps memory in a file without a name", """
        fds, block = [], b'x' * (1 << 24)
        while True:
            fds.append(os.memfd_create('x'))
            for _ in range(3): os.write(fds[-1], block)
        """, "fail|out_of_memory|crash|error|timeout 0", seconds=4),
    python("shared-memory", "keeps memory in /dev/shm", """
        block = b'x' * (1 << 24)
        for n in range(10_000):
            with open(f'/dev/shm/hostile-mark-{n}', 'wb', 0) as f:
                for _ in range(3): f.write(block)
        """, "fail|out_of_memory|crash|error|timeout 0", seconds=4),
    python("system-v", "keeps memory in a segment that outlives it", """
        for n in range(64):
            at = libc.shmget(0x484f5354 + n, 1 << 24, 0o1666)
            if at >= 0: libc.shmat.restype = ctypes.c_void_p; libc.shmat(at, None, 0)
        libc.msgget(0x484f5354, 0o1666), libc.semget(0x484f5354, 1, 0o1666)
        """, "fail|crash 0", before=_CALL),
    python("pipes", "keeps memory in pipes", """
        while True:
            r, w = os.pipe()
            os.set_blocking(w, False)
            try:
                while True: os.write(w, b'x' * 65536)
            except BlockingIOError: pass
        """),
    python("output-flood", "prints without end", "while True: print('all work and no play' * 1000)", "timeout 0",
           seconds=11,
           source="nbgrader: 500 MB output"),
    python("error-flood", "prints without end to stderr", "while True: os.write(2, b'y' * 65536)", "timeout 0",
           seconds=11,
           source="nbgrader: 500 MB output"),
    python("sleeps", "sleeps", "import time\ntime.sleep(10_000)", "timeout 0", seconds=11, source="nbgrader#427"),
    python("loops", "never ends", "while True: pass", "timeout 0", seconds=11, source="nbgrader#427"),
    python("deaf-loop", "never ends and hears no signal", """
        import signal
        for n in range(1, 65):
            try: signal.signal(n, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True: pass
        """, "timeout 0", seconds=11, source="nbgrader: ignoring SIGINT"),
    python("c-loop", "never ends in C, where Python's signals do not come", "sum(iter(int, 1))", "timeout 0",
           seconds=11),
    python("stack", "runs out of stack", """
        sys.setrecursionlimit(1 << 30)
        def deep(f): return [deep(f)]
        class A: pass
        for _ in range(10_000_000): A = type('A', (A,), {'__call__': None})
        """, "fail|crash|out_of_memory|timeout|error 0", seconds=11),
    python("null", "writes to null", "ctypes.memset(0, 1, 1)", "crash 0", before=_CALL, source="cocalc#4588"),
    python("illegal", "an instruction that there is not", """
        import mmap
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(b'\\x0f\\x0b')
        ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
        """, "crash|fail 0", before=_CALL),
)  # fmt: skip
