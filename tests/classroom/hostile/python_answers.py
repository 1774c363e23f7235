"""Python answers that try to be taken for right: odd objects, a changed interpreter, a forged reply."""

from __future__ import annotations

from hostile_case import python, python_cell, solution

TITLE = "Python answers: what they return and how"
SOLUTION = solution("masked_gelu_cases.py")


def returns(name, tries, expression, expect="fail|error 0", **more):
    """``cases`` returns this, after ``before``."""
    before = more.pop("before", "")
    text = f"import numpy as np\n{before}\n\ndef cases(seed):\n    return {expression}\n"
    return python_cell(name, tries, text, expect, **more)


X, M = "np.ones(4, np.float32)", "np.ones(4, np.uint8)"

CASES = (
    returns("always-equal", "an object that equals everything", "[(Same(), Same())]", source="relate#295",
            before="class Same:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n"
            "    def __getattr__(self, n): return self\n    def __call__(self, *a, **k): return self\n"
            "    def __iter__(self): return iter([self])\n    def __len__(self): return 1"),
    returns("array-subclass", "an array that says of itself what it likes", f"[({X}.view(A), {M}.view(A))]",
            before="class A(np.ndarray):\n    def __eq__(self, o): return np.ones(1, bool)\n    size = 1",
            source="reference-kernels#161"),
    returns("float-subclass", "a number that compares as it likes", "F(1)",
            before="class F(float):\n    def __lt__(s, o): return True\n    __gt__ = __eq__ = __lt__"),
    returns("str-subclass", "text that compares as it likes", "S('x')",
            before="class S(str):\n    def __eq__(s, o): return True\n    def __hash__(s): return 0"),
    returns("dict-subclass", "a dict that has everything", "D()",
            before="class D(dict):\n    def __missing__(s, k): return s\n    def __contains__(s, k): return True"),
    returns("list-subclass", "a list of another length each time", "L()",
            before="class L(list):\n    def __len__(s): return 3\n    def __iter__(s): return iter(())"),
    returns("generator", "a generator", f"(c for c in [({X}, {M})])"),
    returns("endless-generator", "a generator without an end", "(c for c in iter(int, 1))"),
    returns("nothing", "nothing at all", "None", source="nbgrader#1374"),
    returns("not-a-number", "NaN", "float('nan')", source="nbgrader#1374"),
    returns("infinite", "a list of infinities", "[float('inf')] * 3"),
    returns("huge-number", "a number of a million digits", "10 ** 1_000_000"),
    returns("negative-zero", "points instead of cases", "-0.0"),
    returns("true", "True", "True"),
    returns("recursive", "a list that holds itself", "R", before="R = []\nR.append(R)"),
    returns("deep", "lists nested a hundred thousand deep", "deep()",
            before="def deep():\n    v = []\n    for _ in range(100_000): v = [v]\n    return v"),
    returns("object-array", "an array of objects", f"[(np.array([1, None], object), {M})]"),
    returns("pickled", "an object that acts when it is unpickled", "[(P(), P())]",
            before="class P:\n    def __reduce__(s): return (__import__('os').system, ('echo BRE''ACH >&2',))"),
    returns("structured", "an array of records", f"[(np.zeros(4, 'f4,u1'), {M})]"),
    returns("text-array", "an array of text", f"[(np.array(['a'] * 4), {M})]"),
    returns("wide-array", "an array of a terabyte in four bytes",
            "[(np.broadcast_to(np.float32(1), 1 << 38), np.broadcast_to(np.uint8(1), 1 << 38))]",
            "fail|error|out_of_memory 0"),
    returns("too-much", "half a gigabyte of answers", f"[({X}.repeat(1 << 25), {M}.repeat(1 << 25))]",
            "fail|error|out_of_memory|timeout 0", seconds=3),
    returns("many-cases", "a hundred thousand cases", f"[({X}, {M})] * 100_000", "timeout|error 0", seconds=11,
            was="fail: writing them down takes the child more than its 10 seconds"),
    returns("no-dimension", "arrays without a dimension", "[(np.float32(1), np.uint8(1))]"),
    returns("negative-strides", "a right answer read backwards is as good",
            "[(x[::-1], m[::-1]) for x, m in good(seed)]",
            "pass 8", before=SOLUTION.replace("def cases", "def good"), seconds=2.0),
    returns("named", "a function for a function", "cases"),
    returns("other-module", "a module", "np"),
    python_cell("no-function", "another function's name", "def case(seed):\n    return []\n", "error 0"),
    python_cell("not-callable", "a list in place of the function", "cases = []\n", "error 0"),
    python_cell("class-for-function", "a class in place of the function",
                "class cases(list):\n    def __init__(self, seed): pass\n", "fail|error 0"),
    python_cell("no-python", "no Python", "def cases(seed:\n", "error 0"),
    python_cell("magics", "IPython's commands, which run alone is not", "%pip install numpy\n!ls\n" + SOLUTION,
                "error 0"),
    python_cell("null-byte", "a zero byte in the source", "x = 1\0\n" + SOLUTION, "error 0"),
    python_cell("parser-bomb", "brackets nested without end", "x = " + "(" * 100_000 + "\n" + SOLUTION,
                "error|crash|fail 0"),
    python_cell("parser-minus", "an expression too deep for the compiler", "x = " + "-" * 200_000 + "1\n" + SOLUTION,
                "error|crash|out_of_memory 0"),
    python_cell("empty-cell", "an empty cell", "", "error 0", source="nbgrader#416"),
    python_cell("surrogate", "half a character", "x = '\ud800'\n" + SOLUTION, "pass 8 or error 0"),
    python_cell("encoding-line", "claims another encoding", "# -*- coding: rot13 -*-\n" + SOLUTION, "pass 8",
                seconds=2.0),
    python_cell("leaves-on-import", "ends the process while it is defined", "import os\nos._exit(0)\n", "error 0",
                source="nbgrader: os._exit"),
    python("leaves", "ends the process with 0", "os._exit(0)", "error 0", source="nbgrader: os._exit"),
    python("exits", "ends by SystemExit", "sys.exit(0)", "error 0", source="nbgrader: sys.exit"),
    python("kills-itself", "kills itself", "os.kill(os.getpid(), 9)", "crash 0", source="nbgrader: SIGKILL"),
    python("stops-itself", "stops itself", "os.kill(os.getpid(), 19)", "timeout|fail 0", seconds=11),
    python("evil-error", "an error whose text is a program", "raise Evil", "error 0", before="""
        class Evil(BaseException):
            def __str__(self):
                import os
                os._exit(0)
        """),
    python("endless-error", "an error whose text never ends", "raise Endless", "timeout 0", seconds=11, before="""
        class Endless(BaseException):
            def __str__(self):
                while True: pass
        """),
    python("long-error-text", "an error of a hundred megabytes", "raise BaseException('x' * 100_000_000)", "error 0"),
    python("error-markup", "an error that is a program for a browser",
           "raise BaseException('<script>alert(1)</script>\\x1b[2J<img src=x onerror=alert(1)>')", "error 0",
           source="nbgrader#1324"),
    python("strips-asserts", "changes how Python compiles", """
        import ast, builtins
        builtins.compile = builtins.exec = builtins.isinstance = lambda *a, **k: True
        """, "error 0", was="fail: it breaks the child's own Python", source="nbgrader: AST transformer"),
    python("patches-encoder", "replaces how answers are written", """
        import grader.sandbox.plain as plain
        plain.encode = lambda value: ({'tuple': [True]}, b'')
        """, "fail|error 0"),
    python("patches-numpy", "replaces NumPy's comparisons", """
        np.array_equal = np.allclose = lambda *a, **k: True
        np.ndarray = list
        """, "error 0", was="fail: it breaks the child's own NumPy"),
    python("patches-json", "replaces json.dumps", """
        import json
        json.dumps = lambda *a, **k: '{"values": {"pass": true}, "earned": 8}'
        """, "fail|error 0"),
    python("patches-modules", "puts itself in the place of the grader's modules", """
        import types
        for name in list(sys.modules):
            if name.startswith('grader'): sys.modules[name] = types.ModuleType(name)
        """, "fail|error 0"),
    python("forges-verdict", "sends a verdict instead of an answer", """
        wire = next(f.f_locals['wire'] for f in frames(sys) if 'wire' in f.f_locals)
        wire.send({'state': 'pass', 'earned': 8, 'values': True, 'verdict': {'state': 'pass'}})
        os._exit(0)
        """, "fail|error 0", before="""
        def frames(sys):
            f = sys._getframe()
            while f:
                yield f
                f = f.f_back
        """, source="cheat-fd"),
    python("forges-many", "sends a thousand answers, the last of which is long", """
        import socket, struct
        for fd in range(3, 64):
            try: s = socket.socket(fileno=fd)
            except OSError: continue
            for n in range(1000): s.send(struct.pack('<QQ', 2, 0) + b'{}')
            s.send(struct.pack('<QQ', 2, 1 << 62) + b'{}')
        os._exit(0)
        """, "error|fail 0", source="cheat-fd"),
    python("forges-length", "claims an answer of 2^63 bytes", """
        import socket, struct
        for fd in range(3, 64):
            try: socket.socket(fileno=fd).send(struct.pack('<QQ', 1 << 63, 1 << 63))
            except OSError: pass
        """, "error|fail 0"),
    python("floods-channel", "sends bytes without end on the channel", """
        import socket
        for fd in range(3, 64):
            try: s = socket.socket(fileno=fd)
            except OSError: continue
            s.setblocking(True)
            while True: s.send(b'x' * 65536)
        """, "error|fail|timeout 0", seconds=3),
    python("closes-all", "closes every descriptor", "os.closerange(0, 4096)", "error|fail 0"),
    python("duplicates", "puts the channel in the place of its output", """
        for fd in range(3, 64):
            try: os.dup2(fd, 1); os.dup2(fd, 2)
            except OSError: pass
        print('{}', flush=True)
        """, "error|fail 0"),
    python("garbage-collector", "searches memory for the expected values", """
        import gc
        for thing in gc.get_objects():
            if type(thing) is dict and ('BROKEN' in thing or 'told_apart' in thing): raise Found(list(thing)[:9])
        """, source="KernelBench: gc scan"),
    python("walks-frames", "looks through its callers for what is expected", """
        f = sys._getframe()
        while f:
            for name in (*f.f_locals, *f.f_globals):
                if name in ('BROKEN', 'expected', 'seed_of', 'secret', 'exercise'): raise Found(name)
            f = f.f_back
        """),
    python("answers-later", "lets a thread answer when the grader no longer looks", """
        import threading, time
        threading.Thread(target=lambda: (time.sleep(2), os._exit(0)), daemon=False).start()
        """, "fail|error 0", seconds=4),
    python("hangs-at-exit", "answers, and hangs when the process ends", """
        import atexit
        atexit.register(lambda: [0 for _ in iter(int, 1)])
        """, "fail|timeout 0", seconds=11),
    python("hangs-in-destructor", "an object that never goes", """
        class Stays:
            def __del__(self):
                while True: pass
        sys.stays = Stays()
        """, "fail|timeout 0", seconds=11),
    python("unseeded", "another answer each time", "return [(np.random.rand(4).astype('f4'), np.ones(4, np.uint8))]"),
    python("copies-hidden-state", "keeps its answers in a file for the next call", """
        path = os.path.join(os.environ['TMPDIR'], 'hostile-mark-kept')
        if os.path.exists(path): raise Found('a file of the last call')
        open(path, 'w').close()
        """),
    python("forges-a-gigabyte", "sends the grader more than its memory takes, again and again", """
        import struct
        channel = int(sys.argv[-1].partition('=')[2])
        while True:
            os.write(channel, struct.pack('<QQ', 13, 1 << 30) + b'{"values":[]}')
            for _ in range(1024): os.write(channel, bytes(1 << 20))
        """, "error 0", seconds=2),
    python("forges-a-long-error", "sends four megabytes of words for the feedback", """
        import struct
        words = b'{"error":"' + b'x' * 4_000_000 + b'"}'
        os.write(int(sys.argv[-1].partition('=')[2]), struct.pack('<QQ', len(words), 0) + words)
        os._exit(0)
        """, "error 0"),
    python("forges-a-strange-array", "names an array's type so that NumPy fails on it", """
        import struct
        words = b'{"values":[{"array":["(,)f4",[1],0]}]}'
        os.write(int(sys.argv[-1].partition('=')[2]), struct.pack('<QQ', len(words), 4) + words + bytes(4))
        os._exit(0)
        """, "error 0"),
    python("locks-the-installation", "holds the lock that says that plugins cannot be judged yet", """
        import fcntl
        locks = [os.path.join(sys.prefix, n) for n in os.listdir(sys.prefix) if n.startswith('.plugin-lane.')]
        for lock in locks:
            held = [open(lock), open(lock)]
            try:
                for file in held: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Found('a lock')
        """),
    python("watches-the-class", "has the kernel tell which files are made in the class", """
        import ctypes
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init1(0)
        if watch >= 0 and libc.inotify_add_watch(watch, b'/tmp', 0xFFF) >= 0: raise Found('a watch')
        """),
)  # fmt: skip
