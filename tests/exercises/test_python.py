"""A Python answer in its run child: plain values come back, everything else is told in a sentence."""

import numpy as np
import pytest

from grader.checks import Finding
from grader.exercises import check
from grader.exercises.python import PythonBench
from grader.sandbox import Limits
from grader.verdict import State


def call(source, *arguments, seconds=20.0):
    return PythonBench(source, Limits(wall_seconds=seconds, memory_bytes=400 << 20)).call("f", *arguments)


def test_values_and_arrays_come_back():
    (value,) = call("import numpy as np\ndef f(x):\n    return {'sum': int(x.sum()), 'x': x * 2}", (np.arange(4),))
    assert value["sum"] == 6 and (value["x"] == [0, 2, 4, 6]).all()


def test_a_cell_of_megabytes_is_an_error_of_its_author(tmp_path):
    verdict = check("masked-gelu-cases", tmp_path, cells={"masked-gelu-cases": "#" * (5 << 20)})
    assert verdict.state is State.ERROR and "larger than 1 MB" in verdict.checks[0].message and verdict.earned == 0


FORGE = """
import os, struct, sys
channel = int(sys.argv[-1].partition("=")[2])
def forge(header, size=0):
    os.write(channel, struct.pack("<QQ", len(header), size) + header)
    while size > 0:
        size -= os.write(channel, bytes(min(size, 1 << 20)))
    os._exit(0)
"""


@pytest.mark.parametrize(
    "reply",
    [
        """forge(b'{"error":"' + b"x" * 4_000_000 + b'"}')""",
        """forge(b'{"error":' + b"[" * 900 + b"]" * 900 + b"}")""",
        """forge(b'{"values":[]}', 1 << 30)""",
        """forge(b'{"values":[{"array":["(,)f4",[1],0]}]}', 64)""",
    ],
)
def test_a_forged_reply_is_an_error_of_its_author_and_takes_little(tmp_path, reply):
    verdict = check("masked-gelu-cases", tmp_path, cells={"masked-gelu-cases": FORGE + reply})
    assert verdict.state is State.ERROR and verdict.earned == 0 and len(verdict.to_json()) < 50_000


def test_the_child_has_no_other_names():
    (names,) = call("def f():\n    return sorted(k for k in globals() if not k.startswith('__'))", ())
    assert names == ["f"]


@pytest.mark.parametrize(
    ("source", "state", "words"),
    [
        ("def f():\n    return 1 / 0", State.ERROR, "ZeroDivisionError: division by zero (line 2 of the cell)"),
        ("def f():\n    import os\n    os._exit(0)", State.ERROR, "ended its Python process"),
        ("import sys\nsys.exit(0)", State.ERROR, "SystemExit"),
        ("def f():\n    return object()", State.ERROR, "type object"),
        ("class E(float):\n    __eq__ = lambda s, o: True\ndef f():\n    return E()", State.ERROR, "type E"),
        ("def f():\n    return {1}", State.ERROR, "f() returned a value of type set, and it must return what"),
        ("def f(:\n    pass", State.ERROR, "SyntaxError: invalid syntax (line 1 of the cell)"),
        ("def g():\n    pass", State.ERROR, "does not define a function f"),
        ("def f():\n    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)", State.CRASH, "SIGSEGV"),
        ("def f():\n    return len(bytearray(800 << 20)) and f()", State.OUT_OF_MEMORY, "memory"),
    ],
)
def test_what_goes_wrong_is_typed(source, state, words):
    finding = call(source, ())
    assert isinstance(finding, Finding) and finding.state is state and words in finding.message


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x =" + "-" * 200_000 + "1", ""),  # too deep for the parser
        ("x = " + "1+" * 100_000 + "1", ""),
        ('def f():\n    raise ValueError("\\ud800")', "ValueError"),
        ("def f():\n    x = []\n    for _ in range(490): x = [x]\n    return x", "nested more than 50 deep"),
        ("import numpy as np\ndef f():\n    return np.zeros(20_000_000)", "the largest that is taken has 64 MB"),
    ],
)
def test_strange_answers_are_the_answers_fault(source, words):
    finding = call(source, ())
    assert isinstance(finding, Finding) and finding.state not in (State.PASS, State.GRADER_FAULT)
    assert words in finding.message and finding.message.encode()


def test_a_cell_that_never_ends():
    finding = call("def f():\n    while True: pass", (), seconds=1.0)
    assert finding.state is State.TIMEOUT and "1 s" in finding.message


def test_an_adapter_stands_between_plain_data_and_the_function(monkeypatch):
    import json
    import sys
    import types

    from grader.exercises import python_child

    module = types.ModuleType("grader.exercises.adapters.shouting")
    module.call = lambda function, word: function(word.upper()).lower()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    sent = []

    class Wire:
        def receive(self):
            source = "def f(word):\n    assert word.isupper()\n    return word + '!'"
            return {"source": source, "function": "f", "calls": [["hello"]], "through": "shouting"}, b""

        def send(self, header, payload=b""):
            sent.append(json.loads(json.dumps(header)))

    python_child._answer(Wire())
    assert sent == [{"values": ["hello!"]}]
