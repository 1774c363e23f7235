"""Prints the fault matrix as Markdown: ``python tests/simulator/corpus/matrix.py [--right] [--shrink] [FILE]``.

``--right`` adds the right and the mended kernels. ``--shrink`` takes what is right by now out of ``not_yet.toml``, and
puts in what is wrong; the reasons of the others stay. ``FILE`` gets the table instead of the terminal.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus.case import HERE, Case, all_cases  # noqa: E402
from corpus.judge import Verdict, judge  # noqa: E402
from grader.simulator import Device  # noqa: E402

HOW = "The kernels of `tests/simulator/corpus/faulty`, as told by the simulated GPU; made by `matrix.py` there."


def table(verdicts: list[tuple[Case, Verdict]]) -> str:
    rows = ["| expected | kernel | found | line right | told |", "|---|---|---|---|---|"]
    for case, verdict in sorted(verdicts, key=lambda pair: (not pair[0].kinds, pair[0].kinds, pair[0].name)):
        expected = " or ".join(case.kinds) or "nothing"
        line = "-" if verdict.line is None else "yes" if verdict.line in case.lines else "no"
        cells = (expected, case.name, _found(case, verdict), line, verdict.sentence.replace("|", "\\|"))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _found(case: Case, verdict: Verdict) -> str:
    if not verdict.wrong:
        return "yes" if case.kinds else "silent, right"
    return f"**{verdict.kind or ('no' if case.kinds else 'silent, wrong result')}**"


def summary(verdicts: list[tuple[Case, Verdict]]) -> str:
    parts = []
    for what, cases in (
        ("faulty kernels found, the line right", [v for c, v in verdicts if c.kinds]),
        ("mended kernels silent", [v for c, v in verdicts if c.name.endswith("mended")]),
        ("right kernels silent, their results right", [v for c, v in verdicts if c.name.startswith("right")]),
    ):
        parts.append(f"{sum(not v.wrong for v in cases)} of {len(cases)} {what}")
    return "; ".join(parts) + "."


def shrink(verdicts: list[tuple[Case, Verdict]]) -> None:
    path = HERE / "not_yet.toml"
    before = tomllib.loads(path.read_text()) if path.exists() else {}
    reasons = {c.name: before.get(c.name, v.wrong[0].split(": The")[0]) for c, v in verdicts if v.wrong}
    lines = [f'"{name}" = "{reason.replace(chr(34), chr(39))}"' for name, reason in sorted(reasons.items())]
    head = "# Kernels whose verdict is not right yet, and why. One that is right by now fails the test: take it out.\n"
    path.write_text(head + "".join(f"{line}\n" for line in lines))


def main(arguments: list[str]) -> None:
    with Device.in_process() as device:
        verdicts = [(case, judge(case, device)) for case in all_cases()]
    if "--shrink" in arguments:
        shrink(verdicts)
    shown = [(c, v) for c, v in verdicts if c.kinds or "--right" in arguments]
    text = f"# What is found\n\n{HOW}\n\n{summary(verdicts)}\n\n{table(shown)}\n"
    files = [a for a in arguments if not a.startswith("--")]
    if files:
        Path(files[0]).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
