"""The memory-access map: which bytes the threads of one warp touch, sector by sector."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.view.picture import PALETTE, QUIET, Picture, figure

# The element that a thread of the warp touches: as a function of the thread's number, or one for each thread.
Index = Callable[[int], int | None] | Iterable[int | None]
SECTOR = 32  # bytes that the memory system moves at least
WARP = 32
_ROWS = 16  # sectors in one column of the picture
_MOST_SECTORS = 64
_LABEL, _HEIGHT = 0.5, 0.26  # inches: the room for a byte number, the height of a row


@dataclass(frozen=True)
class Access:
    """What one request of a warp touches. ``words[sector][slot]`` lists the threads at that place."""

    itemsize: int
    words: dict[int, dict[int, list[int]]]
    active: int

    @property
    def sectors(self) -> int:
        return len(self.words)

    @property
    def moved(self) -> int:
        """Bytes that the sectors hold."""
        return SECTOR * self.sectors

    @property
    def used(self) -> int:
        """Bytes among them that a thread asked for."""
        return self.itemsize * sum(len(slots) for slots in self.words.values())


def accesses(index: Index, itemsize: int = 4, first_byte: int = 0) -> Access:
    """Work out the sectors of one request.

    ``index``: the element that each thread touches, as a function of the thread's number in the warp or as a
    sequence of up to 32; ``None`` for a thread that does not take part. ``itemsize``: bytes of an element
    (1, 2, 4, 8 or 16). ``first_byte``: where element 0 lies, in bytes after a sector's border.
    """
    if itemsize not in (1, 2, 4, 8, 16):
        raise ValueError(f"itemsize is {itemsize}; a thread touches 1, 2, 4, 8 or 16 bytes at once")
    if first_byte % itemsize:
        raise ValueError(f"first_byte is {first_byte}: elements of {itemsize} bytes lie at multiples of {itemsize}")
    touched = [index(thread) for thread in range(WARP)] if callable(index) else list(index)
    if len(touched) > WARP:
        raise ValueError(f"{len(touched)} threads; a warp has {WARP}")
    words: dict[int, dict[int, list[int]]] = {}
    for thread, element in enumerate(touched):
        if element is not None:
            sector, byte = divmod(first_byte + int(element) * itemsize, SECTOR)
            words.setdefault(sector, {}).setdefault(byte // itemsize, []).append(thread)
    return Access(itemsize, dict(sorted(words.items())), sum(element is not None for element in touched))


def access_map(index: Index, itemsize: int = 4, *, first_byte: int = 0, title: str = "") -> Picture:
    """Draw which bytes a warp touches: a row for each 32-byte sector, in each place the thread that wants it.

    Filled places are asked for, hollow ones are moved all the same. The arguments are those of ``accesses``.

    >>> access_map(lambda t: t)            # neighbours: 4 sectors
    >>> access_map(lambda t: 32 * t)       # a column of a matrix: 32 sectors
    """
    access = accesses(index, itemsize, first_byte)
    slots = SECTOR // itemsize
    shown = list(access.words.items())[:_MOST_SECTORS]
    columns = max(1, -(-len(shown) // _ROWS))
    rows = max(1, -(-len(shown) // columns))
    cell = {1: 0.2, 2: 0.25}.get(itemsize, 0.32 * itemsize / 4)  # everything below is in inches
    pitch = _LABEL + slots * cell + 0.15
    fact, hollow = _fact(access), access.used < access.moved
    width, height = max(5.6, columns * pitch), rows * _HEIGHT + (0.78 if title else 0.58) + (0.25 if hollow else 0)
    with figure(width, height) as fig:
        fig.set_layout_engine("none")
        axes = fig.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        top = 0.2
        if title:
            axes.text(0, top, title, fontsize=11, va="center")
            top += 0.2
        axes.text(0, top, fact, fontsize=9.5, va="center")
        top += 0.18
        for position, (sector, places) in enumerate(shown):
            column, row = divmod(position, rows)
            _draw_sector(axes, column * pitch, top + row * _HEIGHT, sector, places, slots, cell)
        if hollow:
            key = "filled: asked for, by the thread in it; dotted: moved all the same"
            axes.text(0, top + rows * _HEIGHT + 0.14, key, fontsize=8, color=QUIET, va="center")
    alt = f"{title + ': ' if title else ''}memory-access map of one warp. {fact}. {_places(access)}"
    return Picture(fig, alt)


def _draw_sector(axes, left: float, y: float, sector: int, places: dict, slots: int, cell: float) -> None:
    """One row: the byte where the sector begins, then its places."""
    from matplotlib.patches import Rectangle

    middle = y + _HEIGHT / 2
    axes.text(left + _LABEL - 0.08, middle, f"{sector * SECTOR}", ha="right", va="center", color=QUIET, fontsize=8)
    for slot in range(slots):
        x = left + _LABEL + slot * cell
        threads = places.get(slot)
        style = {"facecolor": PALETTE[0], "edgecolor": PALETTE[0]} if threads else {
            "facecolor": "none", "edgecolor": QUIET, "linestyle": ":",
        }  # fmt: skip
        axes.add_patch(Rectangle((x + 0.015, y + 0.015), cell - 0.03, _HEIGHT - 0.03, linewidth=0.8, **style))
        if threads:
            style = {"ha": "center", "va": "center", "fontsize": 8 if cell > 0.3 else 6.5, "color": "white"}
            axes.text(x + cell / 2, middle + 0.008, _threads(threads), **style)


def _threads(threads: list[int]) -> str:
    """The threads at one place: "7"; "0-31" for a run; "×3" for several that are none."""
    if len(threads) == 1:
        return str(threads[0])
    if threads == list(range(threads[0], threads[-1] + 1)):
        return f"{threads[0]}-{threads[-1]}"
    return f"×{len(threads)}"


def _fact(access: Access) -> str:
    if not access.sectors:
        return "no thread takes part: no sector is moved"
    share = 100 * access.used / access.moved
    plural = "" if access.sectors == 1 else "s"
    return (
        f"{access.active} threads, {access.itemsize} byte{'' if access.itemsize == 1 else 's'} each: "
        f"{access.sectors} sector{plural}, {access.used} of {access.moved} bytes used ({share:.3g} %)"
    )


def _places(access: Access) -> str:
    starts = [sector * SECTOR for sector in access.words]
    some = ", ".join(map(str, starts[:8])) + (", and so on" if len(starts) > 8 else "")
    return f"The sectors begin at byte {some}." if starts else ""
