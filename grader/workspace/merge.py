"""Three-way merge of text, line by line."""

from __future__ import annotations

from difflib import SequenceMatcher


def merge_text(base: str, mine: str, new: str) -> str | None:
    """Bring what changed from `base` to `new` into `mine`.

    Changes to different places are both kept. None where both sides changed the same place, or places with no
    unchanged line between them, in different ways: then a person must choose.
    """
    base_lines, mine_lines, new_lines = (text.splitlines(keepends=True) for text in (base, mine, new))
    merged: list[str] = []
    b = m = n = 0
    for base_at, mine_at, new_at, size in _common(base_lines, mine_lines, new_lines):
        chunk = _choose(base_lines[b:base_at], mine_lines[m:mine_at], new_lines[n:new_at])
        if chunk is None:
            return None
        merged += chunk
        merged += base_lines[base_at : base_at + size]
        b, m, n = base_at + size, mine_at + size, new_at + size
    return "".join(merged)


def _choose(base: list[str], mine: list[str], new: list[str]) -> list[str] | None:
    if mine == base:
        return new
    if new in (base, mine):
        return mine
    return None


def _common(base: list[str], mine: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs of lines that all have: (at in base, at in mine, at in new, length), closed by an empty run."""
    in_mine = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    in_new = SequenceMatcher(None, base, new, autojunk=False).get_matching_blocks()
    runs = []
    i = j = 0
    while i < len(in_mine) and j < len(in_new):
        (a1, m, size1), (a2, n, size2) = in_mine[i], in_new[j]
        start, end = max(a1, a2), min(a1 + size1, a2 + size2)
        if start < end:
            runs.append((start, m + start - a1, n + start - a2, end - start))
        if a1 + size1 < a2 + size2:
            i += 1
        else:
            j += 1
    runs.append((len(base), len(mine), len(new), 0))
    return runs
