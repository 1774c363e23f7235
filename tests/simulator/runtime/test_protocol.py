"""protocol.py and cudart/protocol.h say the same; functions.inc lists what the real library exports."""

import re

import pytest

from grader.simulator.runtime import build, protocol

TEXT = (build.SOURCES / "protocol.h").read_text()


def enumerators(name: str) -> dict[str, int]:
    body = re.search(rf"enum (?:class )?{name} : \w+ \{{(.*?)\}};", TEXT, re.S)[1]
    return {found[1]: int(found[2]) for found in re.finditer(r"(\w+) = (\d+)", body)}


@pytest.mark.parametrize("name", ["Call", "Reply", "Mode", "Direction", "Note"])
def test_numbers_are_the_same_on_both_sides(name):
    assert enumerators(name) == {entry.name: int(entry) for entry in getattr(protocol, name)}


@pytest.mark.parametrize("name", ["VERSION", "DEVICE_BASE", "DEVICE_BYTES", "PER_THREAD_STREAM"])
def test_constants_are_the_same_on_both_sides(name):
    text = re.search(rf"{name} = (.*?);", TEXT)[1]
    value = eval(re.sub(r"uint64_t\{(\d+)\}|'", r"\1", text))
    assert value == getattr(protocol, name)


def test_records_have_the_same_size():
    sizes = dict(re.findall(r"sizeof\((\w+)\) == (\d+)", TEXT))
    records = {"Request": protocol.REQUEST, "ReplyHeader": protocol.REPLY, "Delivery": protocol.DELIVERY}
    assert {name: int(size) for name, size in sizes.items()} == {name: r.size for name, r in records.items()}


def test_every_function_of_the_real_library_is_listed():
    elf = pytest.importorskip("elftools.elf.elffile")
    from grader.toolchain.locate import cuda_include

    real = next((cuda_include().parent / "lib").glob("libcudart.so.13"), None)
    if real is None:
        pytest.skip("the real libcudart.so.13 is not here")
    with open(real, "rb") as file:
        symbols = elf.ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        exported = {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["type"] == "STT_FUNC"}
    assert len(exported) > 400 and exported <= set(protocol.functions())


def test_a_function_is_known_by_its_place():
    assert protocol.function_name(0) == protocol.function_name(10_000) == ""
    place = protocol.functions().index("cudaMalloc") + 1
    assert protocol.function_name(place) == "cudaMalloc"
