"""Random programs of loads, stores, barriers, atomics and fences, and what the memory model says of them.

One kernel reads its program from memory, so that nothing is compiled for a program. A first launch, without the search
for races, tells which atomic saw which; from that ``Oracle`` computes every pair of accesses that nothing orders, from
the definition: events, program order, barriers, fences around atomics, and their transitive closure. The second launch
must report one of these pairs, or nothing where there is none. Weak accesses and the counters of atomics lie apart.

``python tests/simulator/race_oracle.py [COUNT [SEED]]`` compares COUNT programs and prints those judged wrongly.

Rules: PTX ISA 9.0, memory consistency model: causality order, morally strong operations, release and acquire patterns
made of fences. Who only arrives at a named barrier releases there and acquires nothing.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

THREADS, BLOCKS, WORDS, COUNTERS = 96, 2, 6, 2
WARPS = range(0, THREADS, 32)
STORE_SHARED, LOAD_SHARED, STORE_GLOBAL, LOAD_GLOBAL, BLOCK_BARRIER, WARP_BARRIER = range(6)
ADD_GLOBAL, FENCE_DEVICE, FENCE_BLOCK, VOLATILE_STORE, VOLATILE_LOAD, ADD_SHARED, NAMED_BARRIER = range(6, 13)
NAMES = """store_shared load_shared store_global load_global block_barrier warp_barrier add_global fence_device
fence_block volatile_store volatile_load add_shared named_barrier""".split()
TOUCHES = {
    STORE_SHARED: ("shared", True, False), LOAD_SHARED: ("shared", False, False),
    STORE_GLOBAL: ("global", True, False), LOAD_GLOBAL: ("global", False, False),
    VOLATILE_STORE: ("global", True, True), VOLATILE_LOAD: ("global", False, True), ADD_SHARED: ("shared", True, True),
}  # fmt: skip

KERNEL = """
extern "C" __global__ void run(int const* ops, int const* arguments, int* words, int* counters, int* seen, int steps)
{
    __shared__ int s[%d];
    int t = threadIdx.x, me = blockIdx.x * blockDim.x + t, sum = 0;
    if (t < %d)
        s[t] = 0;
    __syncthreads();
    for (int k = 0; k < steps; ++k)
    {
        int at = (blockIdx.x * steps + k) * blockDim.x + t, a = arguments[at], value = at + 1;
        switch (ops[k])
        {
        case 0: if (a >= 0) s[a] = value; break;
        case 1: if (a >= 0) sum += s[a]; break;
        case 2: if (a >= 0) words[a] = value; break;
        case 3: if (a >= 0) sum += words[a]; break;
        case 4: __syncthreads(); break;
        case 5: __syncwarp(a); break;
        case 6: if (a >= 0) seen[at] = atomicAdd(&counters[a], 1); break;
        case 7: if (a >= 0) __threadfence(); break;
        case 8: if (a >= 0) __threadfence_block(); break;
        case 9: if (a >= 0) *(volatile int*)&words[a] = value; break;
        case 10: if (a >= 0) sum += *(volatile int*)&words[a]; break;
        case 11: if (a >= 0) atomicAdd(&s[a], 1000); break;
        case 12: // number, threads that it counts, who only arrives
            if (a >= 0 && a >> 16)
                asm volatile("bar.arrive %%0, %%1;" ::"r"(a & 15), "r"(a >> 4 & 0xfff) : "memory");
            else if (a >= 0)
                asm volatile("bar.sync %%0, %%1;" ::"r"(a & 15), "r"(a >> 4 & 0xfff) : "memory");
        }
    }
    if (sum == -1)
        seen[me] = 0;
}
""" % (WORDS, WORDS)


@dataclass
class Program:
    ops: np.ndarray  # of each step
    arguments: np.ndarray  # block, step, thread: a word, a counter, a mask, -1: takes no part

    def __str__(self) -> str:
        lines = []
        for k, op in enumerate(self.ops):
            rows = []
            for b in range(BLOCKS):
                takes = [(t, int(a)) for t, a in enumerate(self.arguments[b, k]) if a != -1 or op == WARP_BARRIER]
                if op in (WARP_BARRIER, NAMED_BARRIER):
                    takes = sorted({(t // 32, hex(a & 0xFFFFFFFF)) for t, a in takes})
                rows.append(f"block {b}: {takes if len(takes) < 9 else f'{len(takes)} threads, {takes[:3]} ...'}")
            lines.append(f"{k:3} {NAMES[op]:13} " + ("" if op == BLOCK_BARRIER else "; ".join(rows)))
        return "\n".join(lines)


def make(random: np.random.Generator) -> Program:
    """Threads mostly keep to words of their own or have barriers between; some hand a word over to another thread."""
    steps: list[tuple[int, np.ndarray]] = []
    racy = float(random.choice([0.0, 0.0, 0.05, 0.3]))
    few = random.random() < 0.7
    length = int(random.integers(4, 16))
    while len(steps) < length:
        if random.random() < 0.25:
            steps += _handed_over(random)
        elif random.random() < 0.1:
            number = 1 + sum(op == NAMED_BARRIER for op, _ in steps)  # of 15 that there are
            steps.append(_named(random, number))
        else:
            steps.append(_step(random, racy, few))
    ops, arguments = zip(*steps, strict=True)
    return Program(np.array(ops, np.int32), np.ascontiguousarray(np.stack(arguments, 1)))


def _step(random: np.random.Generator, racy: float, few: bool) -> tuple[int, np.ndarray]:
    """One random step. ``racy``: how often a thread goes to another's word. ``few``: few threads, which often meet."""
    op = int(random.choice([0, 1, 2, 3, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11]))
    arguments = np.full((BLOCKS, THREADS), -1, np.int32)
    for b, row in enumerate(arguments):
        if op == WARP_BARRIER:
            row[:] = _masks(random)
        elif op in (FENCE_DEVICE, FENCE_BLOCK):
            row[:] = np.where(random.random(THREADS) < random.choice([0.1, 1.0]), 0, -1)
        elif op == ADD_GLOBAL:
            actors = random.choice(THREADS, int(random.integers(1, 4)), replace=False)
            row[actors] = random.integers(0, COUNTERS, actors.size)
        elif op != BLOCK_BARRIER and random.random() < 0.7:
            among, apart = (6, 16) if few else (THREADS, 1)
            for actor in random.choice(among, int(random.integers(1, 4)), replace=False) * apart:
                own = b * 3 + int(random.integers(0, 3))
                row[actor] = own if random.random() >= racy else int(random.integers(0, WORDS))
    return op, arguments


def _named(random: np.random.Generator, number: int) -> tuple[int, np.ndarray]:
    """Some warps of each block meet at a barrier of their own, which no other step uses; some of them only arrive."""
    arguments = np.full((BLOCKS, THREADS), -1, np.int32)
    for row in arguments:
        warps = random.choice(WARPS, int(random.integers(1, len(WARPS) + 1)), replace=False)
        for position, warp in enumerate(warps):
            arrives = position > 0 and random.random() < 0.5
            row[warp : warp + 32] = number | 32 * len(warps) << 4 | arrives << 16
    return NAMED_BARRIER, arguments


def _handed_over(random: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    """A word goes from one thread to another by fence, counter, counter, fence; at times a part of that is missing."""
    giver, taker = (int(random.integers(0, BLOCKS * THREADS)) for _ in range(2))
    word, counter = int(random.integers(0, WORDS)), int(random.integers(0, COUNTERS))
    writer = giver if random.random() < 0.5 else giver // THREADS * THREADS + int(random.integers(0, THREADS))
    reader = taker if random.random() < 0.5 else taker // THREADS * THREADS + int(random.integers(0, THREADS))
    fence = FENCE_DEVICE if random.random() < 0.8 else FENCE_BLOCK

    def by(thread: int, op: int, value: int) -> tuple[int, np.ndarray]:
        arguments = np.full((BLOCKS, THREADS), -1, np.int32)
        arguments[thread // THREADS, thread % THREADS] = value
        return op, arguments

    barrier = (BLOCK_BARRIER, np.full((BLOCKS, THREADS), -1, np.int32))
    steps = [
        by(writer, STORE_GLOBAL, word), barrier, by(giver, fence, 0), by(giver, ADD_GLOBAL, counter),
        by(taker, ADD_GLOBAL, counter), by(taker, fence, 0), barrier,
        by(reader, LOAD_GLOBAL if random.random() < 0.5 else STORE_GLOBAL, word),
    ]  # fmt: skip
    if random.random() < 0.3:
        del steps[int(random.integers(0, len(steps)))]
    return steps


def _masks(random: np.random.Generator) -> np.ndarray:
    """Of each thread: the whole warp, or its part of a partition in two."""
    masks = np.zeros(THREADS, np.int64)
    for w in WARPS:
        part = int(random.integers(1, 2**32 - 1)) if random.random() < 0.4 else 2**32 - 1
        if random.random() < 0.3 and part != 2**32 - 1:
            part = random.choice([0xFFFF, 0x55555555, 0xFF])
        for lane in range(32):
            masks[w + lane] = part if part >> lane & 1 else 2**32 - 1 - part
    return masks.astype(np.uint32).view(np.int32)


@dataclass
class Oracle:
    program: Program
    seen: np.ndarray  # what each atomic on a counter returned
    clock: dict = field(default_factory=dict)  # (thread, step) -> what happened before its end

    def __post_init__(self):
        self._order()

    def _order(self) -> None:
        """Vector clocks of all events, by repeated relaxation along program order, barriers and fences."""
        ops, arguments = self.program.ops, self.program.arguments
        steps, count = len(ops), BLOCKS * THREADS
        before = np.full((steps + 1, count, count), -1, np.int16)  # [k][t][u]: u's last step known to t before step k
        releases, acquires = self._patterns()
        while True:
            old = before.copy()
            for k, op in enumerate(ops):
                now = before[k].copy()
                now[np.arange(count), np.arange(count)] = k
                for b in range(BLOCKS):
                    first = b * THREADS
                    if op == BLOCK_BARRIER:
                        now[first : first + THREADS] = now[first : first + THREADS].max(0)
                    elif op == WARP_BARRIER:
                        for w in WARPS:
                            for mask in set(arguments[b, k, w : w + 32].tolist()):
                                lanes = [first + w + i for i in range(32) if mask >> i & 1]
                                now[lanes] = now[lanes].max(0)
                    elif op == NAMED_BARRIER:
                        row = arguments[b, k]
                        waits = first + np.nonzero((row >= 0) & (row < 1 << 16))[0]
                        now[waits] = now[first + np.nonzero(row >= 0)[0]].max(0)
                before[k + 1] = np.maximum(before[k + 1], now)
            for (t, k), (u, m) in self._synchronised(releases, acquires):
                # what t did before its fence at step k is known to u after its fence at step m
                known = before[k][t].copy()
                known[t] = k - 1
                before[m + 1][u] = np.maximum(before[m + 1][u], known)
            if np.array_equal(old, before):
                break
        self.before = before

    def _patterns(self):
        """Fences before and behind atomics: (counter, the atomic's place in its order, block, thread, step, device)."""
        ops, arguments = self.program.ops, self.program.arguments
        releases, acquires = [], []
        for b in range(BLOCKS):
            for t in range(THREADS):
                fences: list[tuple[int, bool]] = []
                atomics: list[tuple[int, int]] = []
                for k, op in enumerate(ops):
                    a = int(arguments[b, k, t])
                    if a < 0:
                        continue
                    if op in (FENCE_DEVICE, FENCE_BLOCK):
                        fences.append((k, op == FENCE_DEVICE))
                        acquires += [(c, place, b, b * THREADS + t, k, op == FENCE_DEVICE) for c, place in atomics]
                    elif op == ADD_GLOBAL:
                        place = int(self.seen[b, k, t])
                        atomics.append((a, place))
                        releases += [(a, place, b, b * THREADS + t, f, wide) for f, wide in fences]
        return releases, acquires

    def _synchronised(self, releases, acquires):
        for c, place, b, t, k, wide in releases:
            for d, other, e, u, m, wide_too in acquires:
                if c == d and place < other and t != u and (b == e or wide and wide_too):
                    yield (t, k), (u, m)

    def races(self) -> set[tuple[str, int, frozenset]]:
        """(space, word, the two threads) of every pair of accesses that race."""
        ops, arguments = self.program.ops, self.program.arguments
        touched: dict[tuple, list] = {}
        for k, op in enumerate(ops):
            if op not in TOUCHES:
                continue
            space, write, strong = TOUCHES[op]
            for b, t in zip(*np.nonzero(arguments[:, k] >= 0), strict=True):
                place = (space, b if space == "shared" else 0, int(arguments[b, k, t]))
                touched.setdefault(place, []).append((int(b) * THREADS + int(t), k, write, strong))
        found = set()
        for (space, _, word), accesses in touched.items():
            for i, (t, k, write, strong) in enumerate(accesses):
                for u, m, writes_too, strong_too in accesses[:i]:
                    if t == u or not (write or writes_too) or (strong and strong_too):
                        continue
                    if self.before[k][t][u] < m and self.before[m][u][t] < k:
                        found.add((space, word, frozenset((t, u))))
        return found


class Runner:
    def __init__(self, device, ptx: str):
        self._device, self._ptx, self.silent = device, ptx, 0

    def run(self, program: Program, races: bool):
        device = self._device
        device.reset()
        module = device.load(self._ptx)
        seen = np.full(program.arguments.shape, -1, np.int32)
        buffers = [program.ops, program.arguments, np.zeros(WORDS, np.int32), np.zeros(COUNTERS, np.int32), seen]
        addresses = []
        for data, name in zip(buffers, ("ops", "arguments", "words", "counters", "seen"), strict=True):
            addresses.append(device.alloc(data.nbytes, name=name))
            device.write(addresses[-1], np.ascontiguousarray(data))
        args = struct.pack("<5Qi", *addresses, len(program.ops))
        fault = device.launch(module, "run", BLOCKS, THREADS, args, races=races).fault
        seen = np.frombuffer(device.read(addresses[4], seen.nbytes), np.int32).reshape(seen.shape)
        return fault, seen

    def wrong(self, program: Program) -> str | None:
        """What is wrong in the verdict on a program; None if nothing."""
        fault, seen = self.run(program, races=False)
        if fault is not None:
            return f"without the search for races: {fault.sentence}"
        races = Oracle(program, seen).races()
        fault, _ = self.run(program, races=True)
        if fault is None:
            self.silent += not races
            return f"not found: {sorted((s, w, sorted(p)) for s, w, p in races)[:4]}" if races else None
        if fault.kind != "race":
            return f"{fault.kind}: {fault.sentence}"
        threads = frozenset(s.block[0] * THREADS + s.thread[0] for s in (fault, fault.other))
        place = (fault.space, (fault.address if fault.space == "shared" else fault.offset) // 4, threads)
        return None if place in races else f"false alarm, {len(races)} other races: {fault.sentence}"


def main(count: int, seed: int) -> None:
    from conftest import compile_text

    from grader.simulator import Device

    random, bad = np.random.default_rng(seed), 0
    with Device.in_process() as device:
        runner = Runner(device, compile_text(KERNEL))
        for number in range(count):
            program = make(random)
            if problem := runner.wrong(program):
                bad += 1
                print(f"--- program {number}: {problem}\n{program}")
    print(f"{count - bad} of {count} programs are judged rightly, {runner.silent} of them have no race.")


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent)]
    main(*map(int, [*sys.argv[1:], *("300", "1")[len(sys.argv) - 1 :]]))
