"""Models of plugins, right and wrong ones, for a test to be tried on: what each computes in a sequence of runs.

A model stands for RelativePositionBias with pad_to 1 and one head: bias[q, j] = j - (P + q), of the shape [Q, P + Q].
As in an engine, a context is told of its extents in its first run and when they differ from those of its run before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

MOST_RUNS = 8
CONTEXTS = (1, 2)
EXTENTS = ("Q", "P")
BLOCK = 8  # elements that a block of no-tail writes

Profile = Mapping[str, tuple[int, int, int]]  # of each extent min, opt, max
Pair = tuple[int, int]  # Q and P
Run = tuple[int, int, int]  # a context, Q and P

VISIBLE: tuple[Profile, ...] = (
    {"Q": (1, 8, 32), "P": (0, 8, 32)},
    {"Q": (0, 16, 40), "P": (8, 16, 40)},
    {"Q": (8, 16, 64), "P": (8, 16, 64)},
    {"Q": (0, 8, 16), "P": (0, 8, 16)},
)


def right(extents: Pair) -> np.ndarray:
    queries, past = extents
    return np.arange(past + queries)[None, :] - (past + np.arange(queries)[:, None]).astype(float)


@dataclass
class Engine:
    """What a model knows: the profile, what each context was told, what it keeps for itself."""

    profile: Profile
    told: dict[int, Pair] = field(default_factory=dict)  # by context, in its last run
    kept: dict = field(default_factory=dict)

    def at(self, which: int) -> Pair:
        return tuple(self.profile[name][which] for name in EXTENTS)  # 0 min, 1 opt, 2 max


# What a model computes with in a run, or an array that is the output itself; None for a run that ends with an error.
Compute = Callable[[Engine, int, Pair, bool], "Pair | np.ndarray | None"]


def outcome(model: Compute, engine: Engine, run: Run) -> np.ndarray | None:
    """The output of a run, NaN where nothing was written; None where it ends with an error."""
    context, extents = run[0], (run[1], run[2])
    changed = engine.told.get(context) != extents
    found = model(engine, context, extents, changed)
    engine.told[context] = extents
    if found is None or isinstance(found, np.ndarray):
        return found
    output, flat = np.full(max(0, extents[0] * sum(extents)), np.nan), right(found).ravel()
    output[: flat.size] = flat[: output.size]
    return output.reshape(extents[0], -1) if extents[0] else output


def first_wrong(model: Compute, profile: Profile, runs: Sequence[Run]) -> int | None:
    """The number of the first run whose output is not right; None where the model passes."""
    engine = Engine(profile)
    for number, run in enumerate(runs):
        found, expected = outcome(model, engine, run), right(run[1:])
        if found is None or not np.array_equal(found.ravel(), expected.ravel()):
            return number
    return None


def _allowed(engine: Engine, extents: Pair) -> bool:
    return all(low <= each <= high for low, each, high in zip(engine.at(0), extents, engine.at(2), strict=True))


def _plain(engine, context, extents, changed):
    """Right: computes with the extents of the run, and refuses those that the profile excludes."""
    return extents if _allowed(engine, extents) else None


def _prepared(engine, context, extents, changed):
    """Right: keeps for each context what it was told last."""
    if changed:
        engine.kept[context] = extents
    return engine.kept[context] if _allowed(engine, extents) else None


def _first_run(engine, context, extents, changed):
    return engine.kept.setdefault(context, extents)


def _usual(engine, context, extents, changed):
    return engine.at(1)


def _grows_only(engine, context, extents, changed):
    before = engine.kept.get(context, extents)
    engine.kept[context] = tuple(map(max, before, extents))
    return engine.kept[context]


def _static(engine, context, extents, changed):
    if changed:
        engine.kept["static"] = extents
    return engine.kept["static"]


def _same_row(engine, context, extents, changed):
    if sum(engine.kept.get(context, (-1, 0))) != sum(extents):
        engine.kept[context] = extents
    return engine.kept[context]


def _square(engine, context, extents, changed):
    return extents[0], extents[0]


def _no_tail(engine, context, extents, changed):
    output = right(extents).ravel()
    output[output.size // BLOCK * BLOCK :] = np.nan
    return output


def _diagonals(extents: Pair) -> int:
    return extents[1] + 2 * extents[0] - 1


def _one_short(engine, context, extents, changed):
    return extents if _diagonals(extents) < _diagonals(engine.at(2)) else None


def _empty_output(engine, context, extents, changed):
    return extents if extents[0] else None


def _empty_past(engine, context, extents, changed):
    return extents if extents[1] else np.full(extents[0] * sum(extents), np.nan)


@dataclass(frozen=True)
class Wrong:
    """``what`` it does, as the end of a sentence; ``shows`` says what the runs must have for it to be seen."""

    name: str
    what: str
    compute: Compute
    needs_zero: str = ""  # the extent that must be allowed to be 0

    def can_show(self, profile: Profile) -> bool:
        return not self.needs_zero or profile[self.needs_zero][0] == 0


RIGHT: tuple[Compute, ...] = (_plain, _prepared)
WRONG: tuple[Wrong, ...] = (
    Wrong("first-run", "keeps the extents of a context's first run", _first_run),
    Wrong("usual", "computes with the profile's opt, whatever the extents are", _usual),
    Wrong("grows-only", "keeps the largest extents that a context has met", _grows_only),
    Wrong("same-row", "looks at the extents again only when the length of a row, P + Q, is another one", _same_row),
    Wrong("static", "keeps in a static variable what onShapeChange() said last, to whichever context", _static),
    Wrong("square", "takes the number of queries for the length of the past", _square),
    Wrong("no-tail", f"writes whole blocks of {BLOCK} elements only", _no_tail),
    Wrong("one-short", "asks for one float of workspace less than the largest run needs", _one_short),
    Wrong("empty-output", "launches an empty grid where there are no queries", _empty_output, "Q"),
    Wrong("empty-past", "takes a run without a past for one without work", _empty_past, "P"),
)


def drawn_profile(rng: np.random.Generator) -> Profile:
    """Bounds that hide as much as they can: whole blocks at the corners, or 0, and both extents alike now and then."""

    def extent() -> tuple[int, int, int]:
        low = int(rng.choice([0, 0, 8, 16]))
        usual = low + BLOCK * int(rng.integers(1, 4))
        return low, usual, usual + BLOCK * int(rng.integers(1, 5))

    queries = extent()
    return {"Q": queries, "P": queries if rng.random() < 0.3 else extent()}


def catches(runs: Callable[[Profile], Sequence[Run]]) -> None:
    """A line for each plugin: the first run of yours that shows it, in each of the four visible profiles; "-" where
    none could, since the profile has no 0."""
    tried = [(profile, [tuple(run) for run in runs(dict(profile))]) for profile in VISIBLE]
    for name in EXTENTS:
        print(f"{name + ' of':14}" + "".join(str(profile[name]).ljust(18) for profile in VISIBLE).rstrip())
    for name, compute, can_show in [
        *(("right", each, lambda profile: True) for each in RIGHT),
        *((each.name, each.compute, each.can_show) for each in WRONG),
    ]:
        cells = []
        for profile, mine in tried:
            at = first_wrong(compute, profile, mine)
            cells.append("-" if not can_show(profile) else "passes" if at is None else f"{mine[at]}")
        print(f"{name:14}" + "".join(cell.ljust(18) for cell in cells).rstrip())
