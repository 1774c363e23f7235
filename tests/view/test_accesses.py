import pytest

from grader.gpu import profile
from grader.view import access_map
from grader.view.accesses import accesses


@pytest.mark.parametrize(
    "index, itemsize, first_byte, sectors, used",
    [
        (lambda t: t, 4, 0, 4, 128),  # neighbours
        (lambda t: t, 4, 4, 5, 128),  # the same, one element late: a fifth sector
        (lambda t: 32 * t, 4, 0, 32, 128),  # a column
        (lambda t: t, 1, 0, 1, 32),
        (lambda t: t, 16, 0, 16, 512),  # float4
        (lambda t: 7, 4, 0, 1, 4),  # everybody wants the same word
        (lambda t: 31 - t, 4, 0, 4, 128),  # order within the warp does not matter
        ([0, None, 1], 2, 0, 1, 4),
    ],
)
def test_counts_sectors_as_the_hardware_does(index, itemsize, first_byte, sectors, used):
    access = accesses(index, itemsize, first_byte)
    assert (access.sectors, access.used) == (sectors, used)
    assert access.moved == 32 * sectors


def test_nobody_takes_part():
    assert accesses([None] * 32).sectors == 0
    assert "no sector" in access_map([None] * 32).alt


@pytest.mark.parametrize(
    "arguments, word",
    [({"itemsize": 3}, "itemsize"), ({"itemsize": 4, "first_byte": 2}, "multiples"), ({}, "33 threads")],
)
def test_refuses_what_no_warp_does(arguments, word):
    with pytest.raises(ValueError, match=word):
        accesses(range(33) if not arguments else (lambda t: t), **arguments)


def test_counters_make_no_map():
    with pytest.raises(TypeError, match=r"what trace_warp\(...\) gives, not a profile"):
        access_map(profile())


def test_the_alt_text_says_what_the_picture_shows():
    picture = access_map(lambda t: 32 * t, title="a column")
    assert "a column" in picture.alt and "32 sectors, 128 of 1024 bytes used (12.5 %)" in picture.alt


def test_many_sectors_still_fit():
    width, _ = access_map(lambda t: 1000 * t).fig.get_size_inches()
    assert width < 8


def test_banks_of_an_index():
    column = access_map(lambda t: 32 * t, space="shared")
    assert "32 threads, 4 bytes each: 32 wavefronts" in column.alt and "of bank 0." in column.alt
    padded = access_map(lambda t: 33 * t, space="shared")
    assert "1 wavefront" in padded.alt and column.fig.get_size_inches()[0] < 9
    assert "by quarters" in access_map(lambda t: t, 16, space="shared").alt
    assert "nothing is read" in access_map([None], space="shared").alt
