"""The memory-access map: which bytes the threads of one warp touch, by sector or by bank."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.gpu.traces import WarpTrace
from grader.simulator.trace import Step
from grader.view.bank_map import bank_map
from grader.view.picture import PALETTE, QUIET, Picture, sheet

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


def access_map(
    what: Index | WarpTrace, itemsize: int = 4, *, line: int | None = None, number: int = 0, kind: str = "",
    space: str = "", first_byte: int = 0, title: str = "",
) -> Picture:  # fmt: skip
    """Draw which bytes a warp touches in one request, and what that costs.

    ``what`` is an index function or a sequence, with ``itemsize`` and ``first_byte`` as in ``accesses``, or a
    ``WarpTrace``: then ``line`` chooses the line of the source, ``number`` one of the accesses that the warp makes
    there, in the order in which it makes them, and ``kind`` ("load", "store", ...) and ``space`` ("global",
    "shared") which of them count.

    Global memory has a row for each 32-byte sector, and in each place the thread that wants it: filled places are
    asked for, hollow ones are moved all the same. Shared memory (``space="shared"``) has a column for each bank and
    a row for each pass: words of one bank stand on top of each other.

    >>> access_map(lambda t: t)                         # neighbours: 4 sectors
    >>> access_map(lambda t: 32 * t, space="shared")    # a column of a tile: 32 passes
    >>> access_map(trace_warp(kernel, grid, block, args), line=12, kind="store")
    """
    if isinstance(what, WarpTrace):
        step = choose(what, line, number, kind, space)
        space, kind, itemsize = step.space, step.kind, min(step.width, SECTOR)
        start = step.addresses[step.touching[0]]
        buffer, offset = what.trace.buffer_at(start) if space == "global" else ("shared memory", start)
        base = start - offset
        title = title or f"line {step.line}, {step.kind}, {buffer}: {what.name}"
        elements = [None] * WARP
        for lane in step.touching:
            elements[lane], first_byte = divmod(step.addresses[lane] - base, itemsize)
        what = elements
    elif not callable(what) and not isinstance(what, Iterable):
        raise TypeError(
            f"access_map takes an index function, a sequence of elements or what trace_warp(...) gives, not a "
            f"{type(what).__name__}: counters do not tell who touched what"
        )
    if space == "shared":
        return bank_map(_bytes(what, itemsize, first_byte), itemsize, title=title, load=kind in ("", "load"))
    return _sector_map(accesses(what, itemsize, first_byte), title)


def choose(view: WarpTrace, line: int | None, number: int = 0, kind: str = "", space: str = "") -> Step:
    """One access to global or shared memory of a trace; ``ValueError`` says what there is to choose from."""
    steps = [s for s in view.steps if s.space in ("global", "shared") and s.addresses and not s.fault]
    fitting = [s for s in steps if line in (None, s.line) and kind in ("", s.kind) and space in ("", s.space)]
    different = dict.fromkeys((s.line, s.kind, s.space) for s in fitting)
    if len(different) > 1 or not fitting:
        all_of_them = dict.fromkeys((s.line, s.kind, s.space) for s in steps)
        there = ", ".join(f"line {at} ({what}, {where})" for at, what, where in all_of_them)
        raise ValueError(
            f"{'several accesses fit' if fitting else 'no access fits'}: choose with line=, kind= and space=. "
            f"The warp's accesses: {there or 'none'}"
        )
    if not -len(fitting) <= number < len(fitting):
        raise ValueError(f"number is {number}; the warp makes {len(fitting)} such accesses")
    return fitting[number]


def _bytes(index: Index, itemsize: int, first_byte: int) -> dict[int, int]:
    """Lane -> byte, of those that take part."""
    touched = [index(lane) for lane in range(WARP)] if callable(index) else list(index)
    return {lane: first_byte + int(item) * itemsize for lane, item in enumerate(touched) if item is not None}


def _sector_map(access: Access, title: str) -> Picture:
    itemsize = access.itemsize
    slots = SECTOR // itemsize
    shown = list(access.words.items())[:_MOST_SECTORS]
    columns = max(1, -(-len(shown) // _ROWS))
    rows = max(1, -(-len(shown) // columns))
    cell = {1: 0.2, 2: 0.25}.get(itemsize, 0.32 * itemsize / 4)  # everything below is in inches
    pitch = _LABEL + slots * cell + 0.15
    fact, hollow = _fact(access), access.used < access.moved
    width, height = max(5.6, columns * pitch), rows * _HEIGHT + (0.78 if title else 0.58) + (0.25 if hollow else 0)
    with sheet(width, height, title, fact) as (fig, axes, top):
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
