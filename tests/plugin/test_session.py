"""The plugin process: what a library does to it becomes words and a state, never a dead grader."""

import building
import pytest

from grader.plugin.lastwords import last_words
from grader.plugin.records import Field
from grader.plugin.session import PluginEnded, Session
from grader.sandbox import Limits, Outcome
from grader.toolchain import tensorrt
from grader.verdict import State

pytestmark = pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)
QUICK = Limits(wall_seconds=1.0, memory_bytes=512 << 20, processes=16, output_bytes=1 << 16)
FIELDS = [Field("mode", 6, 4, b"four")]


@pytest.fixture(scope="module")
def library():
    folder = building.PLUGINS.parent / "libraries" / "misbehaving"
    return building.compiled(building.sources(folder), "misbehaving.cpp")


def behave(library, *how: str) -> PluginEnded:
    with Session(library, limits=QUICK) as session:
        [creator] = session.creators()
        with pytest.raises(PluginEnded) as ended:
            for each in how:
                session.create(creator, FIELDS, layer=each)
        assert session.over
    return ended.value


@pytest.mark.parametrize(
    "how, state, kind, words",
    [
        ("exit", State.ERROR, "exit", "exit code 3"),
        ("abort", State.CRASH, "crash", "SIGABRT in createPlugin()"),
        ("hang", State.TIMEOUT, "timeout", "createPlugin() did not return"),
        ("throw", State.CRASH, "exception", "std::runtime_error: no such mode"),
        ("null", State.CRASH, "crash", "null pointer"),
        ("device", State.CRASH, "device", "touched device memory on the host"),
        ("eat", State.OUT_OF_MEMORY, "memory", "too much memory"),
        ("past-end", State.CRASH, "past-end", "past the end of a field's data: byte 4 of 4"),
        ("past-fields", State.CRASH, "past-end", "past the end of the fields"),
    ],
)
def test_what_a_plugin_does_to_its_process_is_told(library, how, state, kind, words):
    ended = behave(library, how)
    assert (ended.outcome.state, ended.words.kind) == (state, kind)
    assert words in ended.words.sentence


@pytest.mark.parametrize(
    "what, words", [("collection", "the field collection"), ("name", "a field's name"), ("data", "a field's data")]
)
def test_fields_that_are_used_after_the_call_are_told(library, what, words):
    ended = behave(library, "keep", f"use-{what}")
    assert ended.words.kind == "over" and words in ended.words.sentence


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("getFieldsToSerialize", "or reading what it returned, crashed: a null pointer was used"),
        ("getFieldsToSerialize", "in members of the plugin"),
        ("getFieldNames", "in members of the creator"),
        ("clone", "clone() crashed: it used a null pointer."),
    ],
)
def test_a_list_that_cannot_be_read_is_told_apart_from_a_call_that_crashed(method, words):
    crash = Outcome(state=State.CRASH, stderr="grader-host: fault 8 other\n")
    assert words in last_words(crash, method).sentence


def test_an_answer_that_the_plugin_forges_ends_the_session(library):
    with Session(library, limits=QUICK) as session:
        [creator] = session.creators()
        with pytest.raises(PluginEnded):
            session.create(creator, FIELDS, layer="forge")
            session.creators()  # the real answer of the call before comes now, one too late
            raise AssertionError("nobody noticed")


def test_what_a_plugin_prints_harms_nobody(library):
    with Session(library, limits=QUICK) as session:
        [creator] = session.creators()
        assert session.create(creator, FIELDS, layer="talk") is None


def test_a_library_that_does_not_load_is_told_by_the_linker(tmp_path):
    nothing = tmp_path / "nothing.so"
    nothing.write_bytes(b"no library")
    with Session(nothing) as session:
        assert "nothing.so" in session.loaded.error
        assert session.creators() == ()


def test_a_right_plugin_lives_its_life():
    from grader.plugin import life

    spec = building.spec("scale_shift")
    with Session(building.built("scale_shift")) as session:
        plugin = life.create(session, spec, {"shift": 7.0})
        stored = life.build(plugin, spec)
        assert [field.name for field in stored.fields] == ["scale", "shift"]
        assert stored.shapes.extents(0, {"N": 2, "L": 7}) == (2, 3, 7)
    with Session(building.built("scale_shift"), trace=session.trace) as later:
        rebuilt = life.revive(later, stored)
        assert rebuilt.serialized() == stored.fields
        context = life.attach(rebuilt)
        life.end(context, rebuilt)
        well, grown = later.many_lives(later.creators()[0], stored.fields, 100)
        assert (well, grown) == (100, 0)
        assert later.unload()
    methods = [call.method for call in session.trace.calls]
    assert methods.index("configurePlugin") < methods.index("getFieldsToSerialize") < methods.index("attachToContext")
    assert {call.process for call in session.trace.calls} == {1, 2}
