"""An application that loads plugin libraries in its own way: what NVIDIA's registry (10.16) makes of it."""

from pathlib import Path

import pytest
from building import compiled

from grader.plugin.application import Step, ask

SOURCE = Path(__file__).parent / "libraries/creators/creators.cpp"
SELF = ("-DREGISTERS_ITSELF", "-DNO_ENTRIES")


def library(name: str, *flags: str) -> Path:
    return compiled({"creators.cpp": SOURCE.read_bytes()}, "creators.cpp", flags=[f'-DNAME="{name}"', *flags])


def look(*steps, name="Mish", version="1", namespace="", listens=True):
    return ask([Step(*step) for step in steps], name, version, namespace, listens=listens)


def test_a_creator_is_found_with_its_file():
    mish = library("Mish")
    answer = look(("loadLibrary", mish))
    assert (Path(answer.found), answer.said, answer.ended) == (mish, (), "")
    assert [c.name for c in answer.creators if c.file == str(mish)] == ["Mish"]


def test_what_nobody_loaded_is_not_found():
    answer = look()
    assert answer.found is None and "Cannot find plugin: Mish, version: 1" in answer.said[0]
    assert look(listens=False).said == ()


def test_a_library_that_is_given_back_is_gone():
    mish = library("Mish")
    assert look(("loadLibrary", mish), ("deregisterLibrary", mish)).found is None


def test_dlopen_registers_only_what_registers_itself():
    assert look(("dlopen", library("Mish"))).found is None
    assert look(("dlopen", library("Mish", *SELF))).found is not None


def test_a_taken_triple_costs_the_whole_library():
    mish, both = library("Mish"), library("Mish", '-DSECOND="Swish"')
    answer = look(("loadLibrary", mish), ("loadLibrary", both), name="Swish")
    assert [done.result for done in answer.steps] == ["handle", "null"] and answer.found is None
    assert "creator of Mish exists already" in answer.steps[1].said[0]
    assert look(("loadLibrary", both), name="Swish").found == str(both)


def test_a_registrar_forgets_the_namespace():
    """REGISTER_TENSORRT_PLUGIN registers without one; the creator then says another, and is found under neither."""
    mish = library("Mish", *SELF, '-DSPACE="acme"')
    asked = look(("dlopen", mish), namespace="acme")
    assert ("Mish", "acme") in {(c.name, c.namespace) for c in asked.creators} and asked.found is None
    assert "is in namespace: acme, not in namespace: " in look(("dlopen", mish)).said[0]


def test_a_library_that_registers_itself_must_not_go_through_load_library_alone():
    """loadLibrary finds no getCreators and closes it; the registry keeps the creator, whose memory is gone."""
    assert "SIGSEGV" in look(("loadLibrary", library("Mish", *SELF))).ended
    assert "SIGSEGV" in look(("loadLibrary", library("Mish", "-DREGISTERS_ITSELF"))).ended


def test_there_are_three_ways():
    with pytest.raises(ValueError, match="no way 'open'"):
        look(("open", "libmish.so"))
