"""Proves the rules of conformance: every defective plugin fails what its header names and nothing else, and no rule
fails a right plugin.

    python tests/plugin/prove_defects.py [--jobs 2] [--all] [--messages] [--markdown FILE] [NAME...]

Results are kept in ``defects.json``; without ``--all`` and names, only what is not fresh there is judged. Ends with 1
where something is not proven.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import defective
from defective import Judged, Subject

from grader.checks.conformance import rules as _rules  # noqa: F401  (fills RULES)
from grader.checks.conformance.rule import GROUPS, RULES

_SPAWN = multiprocessing.get_context("spawn")


def main(arguments: Sequence[str]) -> int:
    options = _parsed(arguments)
    subjects = [*defective.right(), *defective.defects()]
    chosen = _chosen(subjects, options)
    began = time.perf_counter()
    judged = []
    with ProcessPoolExecutor(options.jobs, mp_context=_SPAWN) as pool:
        for found in pool.map(defective.judge, chosen):
            judged.append(found)
            _show(found, options.messages)
    defective.keep(chosen, judged)
    seconds = time.perf_counter() - began
    print("\n".join(matrix(subjects, {**_kept_failures(), **{each.name: each.failed for each in judged}})))
    print(f"{len(chosen)} judged in {seconds:.0f} s with {options.jobs} processes{_share(judged)}")
    if options.markdown:
        options.markdown.write_text(markdown([each for each in subjects if each.patch]))
    return _verdict(subjects, judged)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="defects or right plugins; none: what is not fresh")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="judge fresh ones again")
    parser.add_argument("--messages", action="store_true", help="show what the rules say of each")
    parser.add_argument("--markdown", type=Path, help="write the table of rules and their defects, too")
    return parser.parse_args(arguments)


def _chosen(subjects: list[Subject], options) -> list[Subject]:
    if unknown := set(options.names) - {each.name for each in subjects}:
        raise SystemExit(f"There is no defect or plugin {', '.join(sorted(unknown))}.")
    if options.names:
        return [each for each in subjects if each.name in options.names]
    kept = defective.kept()
    return [each for each in subjects if options.all or defective.standing(each, kept) != "fresh"]


def _show(found: Judged, messages: bool) -> None:
    for problem in found.problems:
        print(f"NOT PROVEN {found.name}: {problem}")
    if messages:
        for rule, message in found.failed.items():
            print(f"{found.name}: {rule}: {message}")
    sys.stdout.flush()


def _kept_failures() -> dict[str, list[str]]:
    return {name: entry["failed"] for name, entry in defective.kept().items()}


def matrix(subjects: list[Subject], failed: Mapping[str, Collection[str]]) -> list[str]:
    """Defects by rule: O its owner, + one that must fail too, ! one that must not, ? one that must and does not."""
    ids = sorted(RULES, key=lambda id: [*GROUPS].index(RULES[id].group))
    width = max((len(each.name) for each in subjects if each.patch), default=0)
    lines = [f"{number + 1:>3} {id}" for number, id in enumerate(ids)]
    lines += [" " * width + "  " + "".join(str((n + 1) // 10 or " ") for n in range(len(ids)))]
    lines += [" " * width + "  " + "".join(str((n + 1) % 10) for n in range(len(ids)))]
    for each in subjects:
        if each.patch and each.name in failed:
            lines.append(f"{each.name:<{width}}  " + "".join(_mark(id, each, failed[each.name]) for id in ids))
    patches = [each.patch for each in subjects if each.patch]
    lines.append(f"{len(patches)} defects, {sum('first-named' in each.more for each in patches)} of them first named "
                 "otherwise")  # fmt: skip
    alarms = sum(len(failed.get(each.name, ())) for each in subjects if not each.patch)
    lines.append(f"False alarms on {sum(not each.patch for each in subjects)} right plugins: {alarms}")
    return lines


def _mark(id: str, subject: Subject, failed) -> str:
    if id not in subject.must_fail:
        return "!" if id in failed else "."
    return "?" if id not in failed else "O" if id == subject.patch.owner else "+"


def _share(judged: list[Judged]) -> str:
    if not judged:
        return ""
    build, run = (
        sum(getattr(each, what) for each in judged) / len(judged) for what in ("build_seconds", "run_seconds")
    )
    return f"; one takes {build:.1f} s to build and {run:.1f} s to run"


def markdown(defects: list[Subject]) -> str:
    """A table: what each rule says, and the defects that it owns with the reports that they follow."""
    lines = [
        "# Defective plugins",
        "",
        "Every rule of `grader plugin conform` is shown to work by plugins with one defect each: small patches on",
        "right plugins, in `tests/plugin/defects`, many after public reports. Each names beforehand the rule that must",
        "catch it. `python tests/plugin/prove_defects.py` builds and runs them all; this page is made by it, with",
        "`--markdown docs/plugin_defects.md`.",
        "",
        f"{len(defects)} defects, {sum(bool(each.report) for each in defects)} of them after public reports.",
        "",
        "| Rule | What it asks | Defects that it catches |",
        "|---|---|---|",
    ]
    for id, rule in RULES.items():
        own = [each for each in defects if each.patch.owner == id]
        cell = "<br>".join(f"{each.patch.title}{f' ({each.report})' if each.report else ''}" for each in own)
        lines.append(f"| `{id}` | {_cell(rule.sentence)} | {_cell(cell)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _verdict(subjects: list[Subject], judged: list[Judged]) -> int:
    owned = {each.patch.owner for each in subjects if each.patch}
    for id in RULES:
        if id not in owned:
            print(f"No defect shows that rule {id} can fail.")
    kept = defective.kept()
    unproven = [each.name for each in subjects if defective.standing(each, kept) != "fresh"]
    print(f"{len(subjects) - len(unproven)} of {len(subjects)} proven")
    return 1 if any(each.problems for each in judged) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
