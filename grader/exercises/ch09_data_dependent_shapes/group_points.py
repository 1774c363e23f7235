"""group-points: points are grouped by their cell, in a hash table that all threads fill at once.

Both kernels work on memory that holds something before, so they are launched here, on the simulated GPU whatever the
device is: only there is a race a fault. The order of rows is free, so what is checked is what any order has in common.
``claim`` is judged by the table that it fills, ``assign`` on tables that are filled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from grader.checks import Check, Finding, In, failed, passed
from grader.exercises.bench import pack
from grader.exercises.kernel import KernelPlan, Signature
from grader.verdict import State

FREE = OUTSIDE = -1
CAS = "CUDA C++ Programming Guide 13.0, Atomic Functions, “atomicCAS()”"
ADD = "CUDA C++ Programming Guide 13.0, Atomic Functions, “atomicAdd()”"
_BUDGET = 400_000  # warp instructions; the largest launch here needs a tenth
_BLOCK = 64
_ROOM = 64  # points behind the last one, in all checks but that of the bounds
_STATES = {"budget": State.TIMEOUT, "trap": State.CRASH, "assert": State.CRASH, "unsupported": State.UNSUPPORTED_HERE}
_PAST_INT = 3 << 30
_WIDTHS = (1, 2, 4)  # points that one thread may take in a step


class Fault(Exception):
    """A launch that went wrong."""

    def __init__(self, finding: Finding):
        super().__init__(finding.message)
        self.finding = finding


def home(cells: np.ndarray, capacity: int) -> np.ndarray:
    """As in the file that the learner gets."""
    wide = np.asarray(cells, np.int64) * 2654435761 & 0xFFFFFFFF
    return wide >> 16 & capacity - 1


def with_home(wanted: int, capacity: int, number: int, rng) -> np.ndarray:
    """As many different cells whose search begins at one slot."""
    drawn = rng.permutation(1 << 16)
    return drawn[home(drawn, capacity) == wanted][:number].astype(np.int32)


@dataclass
class Table:
    slots: np.ndarray  # (capacity): the cell in each
    rows: np.ndarray  # (capacity)
    cells: np.ndarray  # by row
    count: int = 0

    @classmethod
    def of(cls, cells: np.ndarray, capacity: int, rng) -> Table:
        """A right one, filled in a drawn order."""
        made = cls(np.full(capacity, FREE, np.int32), np.full(capacity, -7, np.int32), np.unique(cells[cells >= 0]))
        rng.shuffle(made.cells)
        for row, cell in enumerate(made.cells):
            slot = int(home(cell, capacity))
            while made.slots[slot] != FREE:
                slot = (slot + 1) % capacity
            made.slots[slot], made.rows[slot] = cell, row
        made.count = len(made.cells)
        return made


class Launcher:
    """The learner's two kernels on the simulated GPU."""

    def __init__(self, bench):
        self._device, _ = bench.device("simulated")
        self._module = self._device.load(bench.compilation.ptx)  # anew: a fault may have taken it away
        self._kernels = self._device.kernels(self._module)

    def claim(self, cells: np.ndarray, capacity: int, *, rows: int | None = None, **how) -> Table:
        """``rows``: for how many there is room."""
        rows = len(cells) if rows is None else rows
        slots, free, of, count = self._launch(
            "claim", cells, how,
            (("slot_cell", np.full(capacity, FREE, np.int32)), ("slot_row", None, capacity), np.int32(capacity),
             ("cells", None, rows), ("count", np.zeros(1, np.int32))),
        )  # fmt: skip
        return Table(slots, free, of, int(count[0]))

    def assign(self, cells: np.ndarray, table: Table, **how) -> tuple[np.ndarray, np.ndarray]:
        """The row of each point, and the sizes."""
        capacity = len(table.slots)
        _, _, row_of, size = self._launch(
            "assign", cells, how,
            (("slot_cell", table.slots), ("slot_row", table.rows), np.int32(capacity),
             ("row_of", None, len(cells)), ("size", np.zeros(max(1, table.count), np.int32))),
        )  # fmt: skip
        return row_of, size

    def _launch(self, kernel, cells, how, others) -> list[np.ndarray]:
        """What the buffers of ``others`` hold after the launch: (name, contents), or (name, None, number)."""
        blocks, threads = how.get("blocks") or -(-max(1, len(cells)) // _BLOCK), how.get("threads", _BLOCK)
        start, label = how.get("start", 0), how["label"]
        n, room = start + len(cells), 0 if how.get("exact") else _ROOM
        places = [self._buffer("cell", cells, start, read_only=True, room=room)]
        for each in others:
            if isinstance(each, tuple):
                name, data, *size = each
                long = name == "row_of" and start
                data = np.full(size[0], -9, np.int32) if data is None else data
                fresh = bool(size) and not long
                read_only = kernel == "assign" and name.startswith("slot")
                more = room if name == "row_of" else 0
                places.append(
                    self._buffer(name, data, start if long else 0, fresh=fresh, read_only=read_only, room=more)
                )
        stub = np.zeros(0, np.int32)
        arguments = (In("cell", stub), np.int64(n), *(In(e[0], stub) if isinstance(e, tuple) else e for e in others))
        block, pointers = pack(self._kernels[kernel].parameters, arguments)
        block = bytearray(block)
        for name, address, _, _ in places:
            block[pointers[name] : pointers[name] + 8] = int(address).to_bytes(8, "little")
        for only in how.get("ranges", (None,)):
            done = self._device.launch(
                self._module, kernel, (blocks, 1, 1), (threads, 1, 1), bytes(block),
                instruction_budget=_BUDGET, count=False, blocks=only,
            )  # fmt: skip
            if done.fault:
                self._device.reset()
                state = _STATES.get(done.fault.kind, State.FAIL)
                why = " The search never ends." if done.fault.kind == "budget" else ""
                raise Fault(failed(f"{done.fault.sentence}{why} ({kernel}, {label})", state=state))
        found = []
        for _, address, offset, size in places[1:]:
            found.append(np.frombuffer(self._device.read(address + offset, 4 * size), np.int32))
        for _, address, _, _ in places:
            self._device.free(address)
        return found

    def _buffer(self, name, data, start, *, fresh=False, read_only=False, room=0):
        """``room``: elements behind the data, as of points outside: a step past the end does no harm there."""
        sparse = start > 0
        size = 4 * (start + len(data) + room)
        address = self._device.alloc(size, name=name, read_only=read_only, sparse=sparse, fill=None)
        if len(data) and not fresh:
            self._device.write(address + 4 * start, np.ascontiguousarray(data, np.int32).tobytes())
        if room and not fresh:
            self._device.write(address + 4 * (start + len(data)), np.full(room, OUTSIDE, np.int32).tobytes())
        return name, address, 4 * start, len(data)


Cases = Iterable[tuple[np.ndarray, dict]]


def _capacity(cells: np.ndarray, how: dict) -> tuple[int, dict]:
    """The number of slots, a power of two with room by default, and the rest of how to launch."""
    return how.get("capacity") or 1 << (4 * len(cells) + 8).bit_length(), {
        key: value for key, value in how.items() if key != "capacity"
    }


def _claims(cases: Callable[..., Cases], judge: Callable[[np.ndarray, Table], str | None]):
    """``cases(rng)`` gives cells and how to launch, ``capacity`` among it."""

    def run(bench, rng) -> Finding:
        launcher = Launcher(bench)
        for cells, how in cases(rng):
            capacity, how = _capacity(cells, how)
            try:
                table = launcher.claim(cells, capacity, **how)
            except Fault as fault:
                return fault.finding
            if problem := judge(cells, table):
                return failed(f"{problem} ({how['label']})", case={"label": how["label"]})
        return passed()

    return run


def _assigns(cases: Callable[..., Cases], judge: Callable[..., str | None]):
    def run(bench, rng) -> Finding:
        launcher = Launcher(bench)
        for cells, how in cases(rng):
            capacity, how = _capacity(cells, how)
            table = Table.of(cells, capacity, rng)
            try:
                row_of, size = launcher.assign(cells, table, **how)
            except Fault as fault:
                return fault.finding
            if problem := judge(cells, table, row_of, size):
                return failed(f"{problem} ({how['label']})", case={"label": how["label"]})
        return passed()

    return run


def one_slot_each(cells: np.ndarray, table: Table) -> str | None:
    """Every cell that holds a point stands in one slot, in reach of its home, and nothing else does."""
    taken = table.slots[table.slots != FREE]
    for cell in np.unique(cells[cells >= 0]):
        there = np.flatnonzero(table.slots == cell)
        if len(there) != 1:
            many = "no slot" if not len(there) else f"{len(there)} slots, {', '.join(map(str, there[:3]))}"
            return f"After claim, cell {cell} has {many}: it must have exactly one."
        at, capacity = int(home(cell, len(table.slots))), len(table.slots)
        while at != there[0]:
            if table.slots[at] == FREE:
                return f"Cell {cell} is in slot {there[0]}, and slot {at} on the way there from its home is free."
            at = (at + 1) % capacity
    strange = np.setdiff1d(taken, cells)
    return f"After claim, a slot holds {strange[0]}, and no point has that cell." if len(strange) else None


def rows_in_use(cells: np.ndarray, table: Table) -> str | None:
    """Rows are 0 to count - 1, one for each cell, and ``cells`` names it."""
    if problem := one_slot_each(cells, table):
        return problem
    wanted = len(np.unique(cells[cells >= 0]))
    if table.count != wanted:
        return f"After claim, *count is {table.count}; the points lie in {wanted} cells."
    used = table.slots != FREE
    rows = table.rows[used]
    if sorted(rows.tolist()) != list(range(wanted)):
        return f"The rows of {wanted} cells must be 0 to {wanted - 1}, each once; slot_row has {_some(rows)}."
    for cell, row in zip(table.slots[used].tolist(), rows.tolist(), strict=True):
        if table.cells[row] != cell:
            return f"slot_row says that cell {cell} has row {row}, and cells[{row}] is {table.cells[row]}."
    return None


def _some(numbers) -> str:
    listed = ", ".join(str(each) for each in sorted(numbers.tolist())[:8])
    return f"{listed} …" if len(numbers) > 8 else listed


def rows_of_points(cells, table: Table, row_of, size) -> str | None:
    for p, cell in enumerate(cells.tolist()):
        right = OUTSIDE if cell == OUTSIDE else table.rows[np.flatnonzero(table.slots == cell)[0]]
        if row_of[p] != right:
            told = "lies outside" if cell == OUTSIDE else f"lies in cell {cell}, whose row is {right}"
            return f"Point {p} {told}; row_of[{p}] is {row_of[p]}."
    return None


def sizes(cells, table: Table, row_of, size) -> str | None:
    if problem := rows_of_points(cells, table, row_of, size):
        return problem
    for row, cell in enumerate(table.cells.tolist()):
        if size[row] != (right := int((cells == cell).sum())):
            return f"{right} points lie in cell {cell}, which has row {row}; size[{row}] is {size[row]}."
    return None


# Cases. All but the last two fill their blocks, and all but one leave most of the table free.


def _apart(number: int, rng) -> np.ndarray:
    """Different cells whose homes, in the table that they get, are all different: nobody meets anybody."""
    capacity = 1 << (4 * number + 8).bit_length()
    drawn = rng.permutation(1 << 16).astype(np.int32)
    _, first = np.unique(home(drawn, capacity), return_index=True)
    return drawn[np.sort(first)][:number]


def _one_point(rng):
    cells = np.array([int(rng.integers(1, 1000))], np.int32)
    yield cells, {"label": "one point", "threads": 1, "blocks": 1}


def _one_cell(rng):
    cell = int(rng.integers(1, 1000))
    yield np.full(4 * _BLOCK, cell, np.int32), {"label": f"{4 * _BLOCK} points in one cell"}


def _many_cells(rng):
    yield _apart(2 * _BLOCK, rng), {"label": f"{2 * _BLOCK} points in as many cells"}


def _crowd(rng):
    """Several points in each cell; nobody meets anybody else."""
    cells = np.repeat(_apart(_BLOCK, rng), 4)
    yield rng.permutation(cells), {"label": f"{len(cells)} points in {_BLOCK} cells"}


def _same_home(rng):
    capacity = 1024
    cells = with_home(int(rng.integers(100, 500)), capacity, _BLOCK, rng)
    told = f"{_BLOCK} points in as many cells, whose search begins at one slot of {capacity}"
    yield cells, {"capacity": capacity, "label": told}


def _at_the_end(rng):
    for capacity in (8, 64):
        cells = with_home(capacity - 1, capacity, 4, rng)
        told = f"4 cells, whose search begins at the last slot of {capacity}"
        yield cells, {"capacity": capacity, "label": told, "threads": 4, "blocks": 1}
    cells = rng.permutation(1 << 12)[:_BLOCK].astype(np.int32)
    yield cells, {"capacity": _BLOCK, "label": f"{_BLOCK} cells fill all {_BLOCK} slots"}


def _outside(rng):
    cells = _apart(2 * _BLOCK, rng)
    cells[rng.permutation(len(cells))[:_BLOCK]] = OUTSIDE
    yield cells, {"label": f"{_BLOCK} of {2 * _BLOCK} points lie outside"}
    yield np.full(_BLOCK, OUTSIDE, np.int32), {"label": "all points lie outside"}


def _small_grid(rng):
    cells = _apart(4 * 3 * 32, rng)
    yield cells, {"blocks": 3, "threads": 32, "label": f"{len(cells)} points, 3 blocks of 32 threads"}
    cells = _apart(2 * 2 * 96, rng)
    yield cells, {"blocks": 2, "threads": 96, "label": f"{len(cells)} points, 2 blocks of 96 threads"}


def _sizes(rng):
    for n in (0, 1, 33, 257, 1009, int(rng.integers(300, 900))):
        cells = rng.integers(0, max(1, n // 3) + 1, n).astype(np.int32)
        blocks = -(-n // _BLOCK) + n % 2 or 1
        told = f"n = {n}, {blocks} block{'s' * (blocks > 1)} of {_BLOCK}"
        yield cells, {"blocks": blocks, "exact": True, "label": told}


def _past_int(rng):
    cells, start = _apart(4 * _BLOCK, rng), _PAST_INT - 4 * _BLOCK
    spans = [_BLOCK * width for width in _WIDTHS]
    ranges = [(start // span, (_PAST_INT - 1) // span + 1) for span in spans]
    how = {"start": start, "blocks": _PAST_INT // _BLOCK, "ranges": ranges}
    yield cells, {**how, "label": f"the last {len(cells)} of {_PAST_INT:,} points"}


def _last_claimed(bench, rng) -> Finding:
    """Other points of the sparse buffer, all in cell 0, may have been looked at: that cell is nobody's here."""
    [(cells, how)] = _past_int(rng)
    try:
        table = Launcher(bench).claim(cells, 4096, rows=len(cells) + 1, **how)
    except Fault as fault:
        return fault.finding
    missing = np.setdiff1d(cells, table.slots)
    return failed(f"Cell {missing[0]} has no slot ({how['label']}).") if len(missing) else passed()


def _last_assigned(bench, rng) -> Finding:
    [(cells, how)] = _past_int(rng)
    table = Table.of(np.append(cells, 0).astype(np.int32), 4096, rng)
    try:
        row_of, _ = Launcher(bench).assign(cells, table, **how)
    except Fault as fault:
        return fault.finding
    problem = rows_of_points(cells, table, row_of, None)
    return failed(f"{problem} ({how['label']})") if problem else passed()


def _both(first, second):
    def run(bench, rng) -> Finding:
        finding = first(bench, rng)
        return finding if finding.state is not State.PASS else second(bench, rng)

    return run


def _check(id, misconception, group, sentence, run, source, needs=()) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, sentence=sentence, run=run, source=source, seeded=True,
        needs=needs,
    )  # fmt: skip


_POINTERS = ("pointer", "long long", "pointer", "pointer", "int", "pointer", "pointer")

PLAN = KernelPlan(
    kernels={
        "claim": Signature("claim(int const* cell, long long n, int* slot_cell, int* slot_row, int capacity, "
                           "int* cells, int* count)", _POINTERS),
        "assign": Signature("assign(int const* cell, long long n, int const* slot_cell, int const* slot_row, "
                            "int capacity, int* row_of, int* size)", _POINTERS),
    },
    group="claim",
    checks=(
        _check("one-point", None, "claim", "A single point gets a slot for its cell.",
               _claims(_one_point, one_slot_each), "contract: table"),
        _check("one-winner", "look-then-take", "claim", "Of many points in one cell, exactly one takes the slot.",
               _claims(_one_cell, one_slot_each), CAS, ("one-point",)),
        _check("rows", "plus-is-one-step", "claim", "Cells get the rows from 0 on, each one its own; *count counts.",
               _claims(_many_cells, rows_in_use), ADD, ("one-point",)),
        _check("same-home", "hash-is-the-place", "claim", "Cells whose search begins at the same slot all find one.",
               _claims(_same_home, rows_in_use), "contract: search", ("one-winner", "rows")),
        _check("around-the-end", "table-goes-on", "claim", "Behind the last slot the search goes on at slot 0.",
               _claims(_at_the_end, rows_in_use), "contract: search", ("same-home",)),
        _check("outside", "outside-is-a-cell", "claim", "Points outside the grid take no slot and no row.",
               _claims(_outside, rows_in_use), "contract: outside", ("rows",)),
        _check("row-of-point", "slot-is-the-row", "assign", "assign gives each point the row of its cell.",
               _assigns(_many_cells, rows_of_points), "contract: rows"),
        _check("sizes", "counting-is-private", "assign", "size[row] is the number of points in that row's cell.",
               _assigns(_crowd, sizes), ADD, ("row-of-point",)),
        _check("searches-again", "home-is-enough", "assign", "assign searches as claim did: on from home, and around.",
               _both(_assigns(_same_home, rows_of_points), _assigns(_at_the_end, rows_of_points)),
               "contract: search", ("row-of-point",)),
        _check("outside-again", "outside-is-forgotten", "assign", "A point outside has row -1, and counts nowhere.",
               _assigns(_outside, sizes), "contract: outside", ("row-of-point",)),
        _check("grid-stride", "one-point-each", "launch", "A grid with fewer threads than points does all the work.",
               _both(_claims(_small_grid, rows_in_use), _assigns(_small_grid, sizes)), "contract: launch",
               ("rows", "row-of-point")),
        _check("bounds", "end-of-points", "launch", "Every number of points works: 0, 1, primes, threads to spare.",
               _both(_claims(_sizes, rows_in_use), _assigns(_sizes, sizes)), "contract: launch",
               ("same-home", "one-winner", "around-the-end", "sizes", "searches-again")),
        _check("past-int", "index-32", "launch", "The last of 3 · 2³⁰ points is done, which no int can count.",
               _both(_last_claimed, _last_assigned), "contract: launch", ("one-winner", "rows", "sizes")),
    ),
)  # fmt: skip
