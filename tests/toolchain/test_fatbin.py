import random
import struct

import pytest
import zstandard

from grader.toolchain import fatbin
from grader.toolchain.fatbin import FatbinError

PTX = b".version 9.0\n.target sm_80\n.address_size 64\n" + b".visible .entry scale(.param .u64 y) { ret; }\n" * 40


def entry(kind=1, arch=80, payload=PTX, flags=0x11, size=0, compressed=0, name=b""):
    """An entry as nvcc 13.0.88 lays it out."""
    padded = payload + bytes(-len(payload) % 8)
    name += bytes(-len(name) % 8)
    header = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64 + len(name), len(padded), compressed, 64, 0, 9, arch, 64,
                         len(name), flags, 0, size)  # fmt: skip
    return header + name + padded


def image(*parts, version=1):
    body = b"".join(parts)
    return struct.pack("<IHHQ", 0xBA55ED50, version, 16, len(body)) + body


def zstd(data=PTX, flags=0x8011, **more):
    packed = zstandard.compress(data)
    return entry(payload=packed, flags=flags, size=len(data), compressed=len(packed), **more)


def test_the_ptx_is_found_however_it_is_packed():
    text = PTX.decode()
    assert fatbin.ptx_of(image(entry())) == text
    assert fatbin.ptx_of(image(zstd(name=b"k.cu\0"))) == text
    # LZ4: five literals, a match of 4 + 15 + 255 + 3 bytes at distance 2, three literals.
    block = b"\x5f" + b"abcde" + b"\x02\x00" + b"\xff\x03" + b"\x30" + b"xyz"
    whole = b"abcde" + (b"de" * 140)[:277] + b"xyz"
    packed = entry(payload=block, flags=0x2011, size=len(whole), compressed=len(block))
    assert fatbin.ptx_of(image(packed)) == whole.decode()


def test_a_long_run_of_literals_whose_last_length_byte_is_15():
    block = b"\xf0\x0f" + b"a" * 30
    assert fatbin.unpack_lz4(block, 30) == b"a" * 30


def test_the_newest_ptx_that_the_gpu_can_run_is_taken():
    parts = [entry(arch=70, payload=b"seventy"), zstd(b"eighty"), entry(arch=90, payload=b"ninety"),
             entry(arch=80, payload=b"special", flags=0x100011), entry(kind=2, payload=b"\x7fELF")]  # fmt: skip
    assert fatbin.ptx_of(image(*parts[:3], parts[4])) == "eighty"
    assert fatbin.ptx_of(image(*parts), capability=75) == "seventy"
    assert fatbin.ptx_of(image(*parts), capability=90) == "ninety"
    family = entry(arch=100, payload=b"family", flags=0x200011)
    assert fatbin.ptx_of(image(family), capability=103) == "family"
    with pytest.raises(FatbinError, match=r"compute_100f.*compute capability 12\.0"):
        fatbin.ptx_of(image(family), capability=120)


@pytest.mark.parametrize("parts, sentence", [
    ((), "holds no device code"),
    ((entry(kind=2, arch=86),), r"machine code only \(sm_86\), no PTX.*arch=compute_80,code=compute_80"),
    ((entry(kind=8),), r"\(lto_80\)"),
    ((entry(arch=90),), r"newer or other GPUs \(compute_90\)"),
    ((entry(payload=b"\xff\xfe\xff"),), "no text"),
    ((entry(flags=0x8011, size=99, compressed=9),), "damaged"),
    ((zstd(b"x" * (fatbin.MAX_TEXT + 1)),), "larger than 64 MB"),
])  # fmt: skip
def test_what_cannot_be_used_is_said_with_the_way_out(parts, sentence):
    with pytest.raises(FatbinError, match=sentence):
        fatbin.ptx_of(image(*parts))


def test_an_unknown_form_is_no_riddle():
    with pytest.raises(FatbinError, match="version 2"):
        fatbin.ptx_of(image(entry(), version=2))


def test_a_section_holds_an_image_for_each_source_file():
    one, two = image(entry()), image(zstd())
    section = bytes(8) + one + bytes(16) + two + bytes(3)
    assert list(fatbin.images(section)) == [one, two]
    assert list(fatbin.images(one[:-1])) == []


def test_no_damage_does_more_than_raise():
    dice = random.Random(5)
    block = b"\x5f" + b"abcde" + b"\x02\x00" + b"\xff\x03" + b"\x30" + b"xyz"
    lz4 = entry(payload=block, flags=0x2011, size=285, compressed=len(block))
    whole = image(entry(kind=2, payload=b"\x7fELF"), zstd(), lz4, entry(arch=75))
    for _ in range(3000):
        damaged = bytearray(whole[: dice.choice([len(whole), dice.randrange(len(whole))])])
        for _ in range(dice.randrange(1, 4) if damaged else 0):
            until = dice.choice([len(damaged), min(200, len(damaged))])
            damaged[dice.randrange(until)] = dice.randrange(256)
        for capability in (75, 80):
            try:
                assert isinstance(fatbin.ptx_of(bytes(damaged), capability), str)
            except FatbinError as error:
                assert str(error)
        assert all(len(part) <= len(damaged) for part in fatbin.images(bytes(damaged)))
