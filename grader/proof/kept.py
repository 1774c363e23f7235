"""Kept proofs, `tests/proofs/SLUG.json`: small, and the same bytes for the same files."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from grader.proof import keys
from grader.proof.answer import Place, ProofError
from grader.proof.proving import Proof


@dataclass(frozen=True)
class Standing:
    """How a kept proof stands against the present files."""

    state: str  # "fresh", "stale" (only engine, host or pins differ), "missing" or "outdated"
    reason: str = ""


def keep(place: Place, proof: Proof, key: str, proven_with: dict[str, str]) -> None:
    """Write the proof of a proven exercise; `key` and `proven_with` are what it was made from."""
    data = dataclasses.asdict(proof)
    del data["problems"], data["grader_fault"]
    data = {"key": key, "proven_with": proven_with, **data}
    place.proof.parent.mkdir(parents=True, exist_ok=True)
    part = place.proof.with_suffix(".part")
    part.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(place.proof)


def standing(place: Place) -> Standing:
    """Compare the kept proof of an exercise with its files; what cannot be read is outdated."""
    if not place.proof.exists():
        return Standing("missing", "there is no proof")
    try:
        data = json.loads(place.proof.read_text(encoding="utf-8"))
        kept, surroundings = data["key"], data["proven_with"]
        present = keys.key(place)
    except (ValueError, KeyError, TypeError, OSError, SyntaxError, ProofError) as problem:
        return Standing("outdated", f"the proof cannot be compared: {problem}")
    if kept != present:
        return Standing("outdated", "the exercise's files or its checks have changed since")
    now = keys.surroundings(place.root, plugins=keys.with_plugins(place))
    different = sorted(name for name in now if surroundings.get(name) != now[name])
    return Standing("stale", ", ".join(different)) if different else Standing("fresh")
