import gc
import os
import signal
import threading
import time
import weakref

import pytest

from grader.sandbox import Child, ChildEnded, Limits
from grader.verdict import State

LONG = Limits(wall_seconds=30.0)


def test_it_answers_again_and_again(program):
    with Child(program("echo"), limits=LONG) as child:
        for number in range(50):
            assert child.call({"n": number}, b"ab") == ({"echo": {"n": number}}, b"ba")
        assert child.outcome is None
    assert child.outcome.state is State.PASS


def test_closing_twice_and_calling_after(program):
    child = Child(program("echo"), limits=LONG)
    child.close()
    child.close()
    with pytest.raises(ChildEnded) as ended:
        child.call({})
    assert ended.value.outcome.state is not State.PASS


@pytest.mark.parametrize(
    "name, state",
    [
        ("exits_at_once", State.ERROR),
        ("exits_with_3", State.ERROR),
        ("segfaults", State.CRASH),
        ("closes_channel", State.ERROR),
        ("sends_garbage", State.ERROR),
        ("sends_terabyte_length", State.ERROR),
        ("sends_half_a_frame", State.ERROR),
        ("sends_garbage_and_crashes", State.CRASH),
        ("sends_a_list", State.ERROR),
        ("sleeps", State.TIMEOUT),
    ],
)
def test_a_child_that_does_not_answer_ends_the_call(program, name, state):
    with Child(program(name), limits=LONG) as child:
        with pytest.raises(ChildEnded) as ended:
            child.call({}, wall_seconds=1.0)
        assert ended.value.outcome.state is state and ended.value.outcome.message
        assert str(ended.value).startswith("the program ")
        with pytest.raises(ChildEnded) as again:  # and stays dead
            child.call({})
        assert again.value.outcome.state is state


def test_a_command_that_does_not_exist():
    with Child(["/nonexistent/program"], limits=LONG) as child, pytest.raises(ChildEnded) as ended:
        child.call({})
    assert ended.value.outcome.state is State.ERROR and "not found" in ended.value.outcome.stderr


def test_idle_time_is_not_limited_and_memory_is(program):
    with Child(program("echo"), limits=Limits(wall_seconds=0.3)) as child:
        assert child.call({})
        time.sleep(0.6)
        assert child.call({})
    with Child(program("allocates"), limits=Limits(memory_bytes=300 << 20)) as child:
        with pytest.raises(ChildEnded) as ended:
            child.call({})
        assert ended.value.outcome.state is State.OUT_OF_MEMORY


def test_calls_from_many_threads_get_their_own_answers(program):
    wrong = []

    def ask(child, number):
        for _ in range(20):
            if child.call({"n": number})[0] != {"echo": {"n": number}}:
                wrong.append(number)

    with Child(program("echo"), limits=LONG) as child:
        threads = [threading.Thread(target=ask, args=(child, number)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.fixture
def interrupts():
    """SIGINT raises KeyboardInterrupt, also where the tests were started by nohup, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupted_call_ends_the_child(program, interrupts):
    """As when the learner presses Stop: the late answer must not be taken for that of the next call."""
    child = Child(program("sleeps"), limits=LONG)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        child.call({})
    with pytest.raises(ChildEnded) as ended:
        child.call({})
    assert "interrupted" in str(ended.value)
    child.close()


def test_a_forgotten_child_is_killed(program):
    child = Child(program("sleeps"), limits=LONG)
    supervisor, gone = child._supervisor, weakref.ref(child)
    del child
    gc.collect()
    assert gone() is None and supervisor.done.wait(10)


def test_a_child_killed_from_outside(program):
    with Child(program("echo"), limits=LONG) as child:
        child.call({})
        os.kill(child._supervisor._process.pid, signal.SIGKILL)
        with pytest.raises(ChildEnded) as ended:
            child.call({})
    assert (ended.value.outcome.state, ended.value.outcome.signal) == (State.CRASH, "SIGKILL")


def test_an_answer_larger_than_allowed_ends_the_child(program):
    with Child(program("echo"), limits=Limits(reply_bytes=1000)) as child:
        assert child.call({}, bytes(1000))[1] == bytes(1000)
        with pytest.raises(ChildEnded) as ended:
            child.call({}, bytes(1001))
    assert ended.value.outcome.state is State.ERROR and "malformed" in ended.value.outcome.message
