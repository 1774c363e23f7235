"""The parts of a panel that show evidence: a failing case, a device fault, compiler messages, counters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.gpu.counters import BYTES, MEANING, RATIOS, ratios
from grader.notebook.markup import Html, code, join, prose, table, tag
from grader.notebook.source import excerpt

SHOWN_DIAGNOSTICS = 3


def facts(pairs) -> Html | None:
    """A description list of (name, value); pairs whose value is ``None`` or empty are left out."""
    rows = [(name, value) for name, value in pairs if value not in (None, "", (), [])]
    return tag("dl", [(tag("dt", name), tag("dd", value)) for name, value in rows]) if rows else None


def triple(value) -> str | None:
    """Grid, block or thread coordinates as they are written: "(3, 0, 0)"; a number as it is."""
    if value is None:
        return None
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list | tuple) else str(value)


# Keys of a case that `case_part` words itself.
_KNOWN = {
    "kernel", "label", "output", "index", "got", "expected", "inputs", "wrong", "of", "block", "thread", "grid",
    "threads", "tolerance", "shape",
}  # fmt: skip


def case_part(case: Mapping[str, Any], fault: bool = False) -> Html | None:
    """The smallest failing case: which element, what came, what should have, from what, by which thread."""
    index, output = case.get("index"), case.get("output") or "output"
    where = f"{output}[{', '.join(map(str, index)) if isinstance(index, list | tuple) else index}]"
    compared = index is not None and "expected" in case
    tolerance = case.get("tolerance")
    wrong, of = case.get("wrong"), case.get("of")
    block, thread = case.get("block"), case.get("thread")
    pairs = [
        ("case", case.get("label")),
        ("shape", triple(case.get("shape"))),
        ("launch", _launch(case)),
        ("got", _got(where, case) if compared else None),
        ("expected", code(f"{where} = {case['expected']}") if compared else None),
        ("tolerance", _tolerance(tolerance) if compared and isinstance(tolerance, Mapping) else None),
        ("inputs", _inputs(case.get("inputs") or {}, index) if compared else None),
        ("thread", f"block {triple(block)}, thread {triple(thread)}" if block is not None and not fault else None),
        ("in all", f"{wrong:,} of {of:,} elements differ" if isinstance(wrong, int) and isinstance(of, int) else None),
        *((key.replace("_", " "), code(_plain(value))) for key, value in case.items() if key not in _KNOWN),
    ]
    if [name for name, value in pairs if value] == ["case"]:
        return None  # the message has named the case already
    return facts(pairs)


def _got(where: str, case) -> Html:
    if case.get("got") is None:
        return join(code(where), ", which was never written")
    return code(f"{where} = {case['got']}")


def _inputs(inputs: Mapping[str, Any], index) -> list[object]:
    items = [code(f"{name}[{index}] = {value}") for name, value in inputs.items()]
    return [part for item in items for part in (", ", item)][1:]


def _launch(case) -> Html | None:
    if not case.get("kernel"):
        return None
    shape = f", grid {triple(case.get('grid'))}, block {triple(case.get('threads'))}" if case.get("grid") else ""
    return join(code(case["kernel"]), shape)


def _tolerance(tolerance) -> str | None:
    absolute, relative = tolerance.get("absolute") or 0, tolerance.get("relative") or 0
    if not absolute and not relative:
        return "none: the values must be equal"
    parts = [f"{absolute:.3g}"] if absolute else []
    parts += [f"{relative:.3g} × |expected|"] if relative else []
    return " + ".join(parts)


def _plain(value) -> str:
    text = str(value)
    return text if len(text) <= 400 else text[:400] + " …"


def fault_part(fault: Mapping[str, Any], sources: Mapping[str, str]) -> Html:
    """What the device saw: the kernel, the thread, the buffer and the learner's line."""
    thread = None
    if fault.get("thread") is not None:
        thread = f"block {triple(fault.get('block'))}, thread {triple(fault['thread'])}"
    line = f"{fault['file']}, line {fault['line']}" if fault.get("file") and fault.get("line") else None
    size = fault.get("size")
    access = f"{size} byte{'' if size == 1 else 's'} of {fault.get('space') or 'global'} memory" if size else None
    return join(
        facts([
            ("kernel", code(fault["kernel"]) if fault.get("kernel") else None),
            ("thread", thread),
            ("access", access),
            ("buffer", _buffer(fault)),
            ("line", line),
        ]),
        excerpt(sources, fault.get("file"), fault.get("line")),
    )  # fmt: skip


def _buffer(fault) -> Html | None:
    if not fault.get("buffer"):
        return None
    offset, size = fault.get("offset"), fault.get("buffer_bytes")
    text = f", {size:,} bytes long" if size is not None else ""
    if offset is not None:
        before = f"lies {-offset:,} bytes before it"
        text += f"; the access {before if offset < 0 else f'begins at byte {offset:,}'}"
    return join(code(fault["buffer"]), text)


def diagnostics_part(diagnostics, sources: Mapping[str, str]) -> Html | None:
    """The compiler's messages, errors first, each at the learner's line with a mark under the column."""
    order = {"error": 0, "warning": 1}
    known = sorted(diagnostics, key=lambda d: order.get(d.get("severity", "error"), 2))
    if not known:
        return None
    items = [tag("li", _diagnostic(d, sources)) for d in known]
    first, rest = items[:SHOWN_DIAGNOSTICS], items[SHOWN_DIAGNOSTICS:]
    more = tag("summary", f"{len(rest)} more message{'' if len(rest) == 1 else 's'}")
    return join(
        tag("ul", first, class_="messages"),
        tag("details", more, tag("ul", rest, class_="messages")) if rest else None,
    )


def _diagnostic(d: Mapping[str, Any], sources) -> Html:
    place = ""
    if d.get("file"):
        place = str(d["file"]) + (f", line {d['line']}" if d.get("line") else "")
        place += f", column {d['column']}" if d.get("line") and d.get("column") else ""
        place += ": "
    around = 1 if d.get("severity", "error") == "error" else 0
    return join(
        tag("p", tag("strong", place, d.get("severity", "error")), ": ", prose(str(d.get("message", "")))),
        excerpt(sources, d.get("file"), d.get("line"), column=d.get("column"), around=around),
    )


def counters_part(counters: Mapping[str, Mapping[str, float]]) -> Html | None:
    """Counters by kernel: the readable ratios in sight, Nsight Compute's own names folded away."""
    tables = {kernel: {**values, **ratios(values)} for kernel, values in counters.items() if values}
    names = [name for name in (*RATIOS, *BYTES) if any(name in values for values in tables.values())]
    if not tables:
        return None
    columns = [tag("th", n.replace("_", " "), scope="col", class_="num", title=MEANING[n]) for n in names]
    head = tag("tr", tag("th", "counted exactly", scope="col"), columns)
    rows = [
        tag("tr", tag("th", code(kernel), scope="row"), [_number(values.get(name)) for name in names])
        for kernel, values in tables.items()
    ]
    raw = [
        tag("tr", tag("th", code(kernel), scope="row"), tag("td", code(name), class_="name"), _number(value))
        for kernel, values in tables.items() for name, value in values.items() if name not in MEANING
    ]  # fmt: skip
    all_head = tag("tr", [tag("th", word, scope="col") for word in ("kernel", "metric", "sum")])
    return join(
        table(head, rows) if rows else None,
        tag("details", tag("summary", "All counters, by Nsight Compute's names"), table(all_head, raw))
        if raw else None,
    )  # fmt: skip


def _number(value) -> Html:
    if value is None:
        return tag("td", "none", class_="num")
    return tag("td", f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}", class_="num")
