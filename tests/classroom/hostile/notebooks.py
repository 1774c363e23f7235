"""Notebooks that are damaged, edited or saved by something else. The answer in them is right."""

from __future__ import annotations

import json
import random

from hostile_case import ANSWER, EXPLAIN, by_id, notebook, released, solution

TITLE = "Notebooks"
CHECK = "masked-gelu-cases"
LOST = "error 0"


def with_cells(book, change):
    return book | {"cells": [new for cell in book["cells"] for new in change(cell)]}


def on(grade_id, change):
    """A change of the cell of this grade id: it returns the cells in its place."""

    def all_of(book):
        wanted = by_id(book, grade_id)
        return with_cells(book, lambda cell: change(cell) if cell is wanted else [cell])

    return all_of


def marks(cell, **values):
    found = cell["metadata"]["nbgrader"] | values
    return cell | {"metadata": {"nbgrader": {k: v for k, v in found.items() if v is not None}}}


def everywhere(**values):
    return lambda book: with_cells(book, lambda c: [marks(c, **values)] if "nbgrader" in c["metadata"] else [c])


def extra(*sources, first=True):
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": s} for s in sources
    ]
    return lambda book: book | {"cells": cells + book["cells"] if first else book["cells"] + cells}


def outputs(data):
    def all_of(book):
        by_id(book, CHECK)["outputs"] = data
        return book

    return all_of


def encoded(encoding, **options):
    return lambda book: json.dumps(book, ensure_ascii=False, **options).encode(encoding)


def old_format(book):
    cells = []
    for cell in book["cells"]:
        source = cell.pop("source")
        cells.append(cell | ({"input": source} if cell["cell_type"] == "code" else {"source": source}))
    return {"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}


SCRIPT = "<script>document.title = 'BRE' + 'ACH'</script><img src=x onerror=\"document.title='BRE'+'ACH'\">"
HTML = [{"output_type": "display_data", "metadata": {}, "data": {"text/html": SCRIPT,
         "application/javascript": "document.title = 'BRE' + 'ACH'"}}]  # fmt: skip


def explain(text):
    return on(EXPLAIN, lambda c: [c | {"source": text}])


CASES = (
    notebook("untouched", "nothing: it is right", lambda b: b),
    notebook("check-deleted", "the check cells deleted",
             lambda b: with_cells(b, lambda c: [] if c["metadata"].get("nbgrader", {}).get("grade") and
                                  c["cell_type"] == "code" else [c]), source="nbgrader: deletes test cells"),
    notebook("check-edited", "the check replaced by a print of success",
             on(CHECK, lambda c: [c | {"source": "print('passed'); earned = 8"}]), source="nbgrader#1372"),
    notebook("check-copied", "a check cell copied and pasted", on(CHECK, lambda c: [c, c]), source="nbgrader#1083"),
    notebook("check-is-solution", "a check cell marked as an answer",
             on(CHECK, lambda c: [marks(c, solution=True, grade=False)]), source="nbgrader: flag changed"),
    notebook("check-raw", "a check cell made raw text", on(CHECK, lambda c: [c | {"cell_type": "raw"}]),
             source="nbgrader#92"),
    notebook("points-200", "gives itself 200 points", everywhere(points=200), source="nbgrader: points 2 -> 200"),
    notebook("points-words", "points that are words", everywhere(points="lots"), source="nbgrader: points"),
    notebook("points-nan", "points that are not a number", everywhere(points=float("nan")), source="nbgrader#1374"),
    notebook("schema-99", "marks of a future version", everywhere(schema_version=99), source="nbgrader: SchemaTooOld"),
    notebook("schema-0", "marks of an ancient version", everywhere(schema_version=0), source="nbgrader: SchemaTooOld"),
    notebook("unlocked", "every lock taken off", everywhere(locked=False), source="nbgrader#500"),
    notebook("forged-checksums", "checksums that are wrong", everywhere(checksum="0" * 32), source="nbgrader#1423"),
    notebook("answer-copied", "the answer copied to try things; the first copy is the changed one",
             on(ANSWER, lambda c: [c, c | {"source": "def cases(seed): return None"}]), notes=("duplicate",),
             source="nbgrader#108"),
    notebook("answer-split", "the answer split in two, which doubles its id",
             on(ANSWER, lambda c: [c | {"source": "import numpy as np\n"}, c]), "error 0", notes=("duplicate",),
             source="nbgrader#1331"),
    notebook("answer-deleted", "the answer deleted", on(ANSWER, lambda c: []), LOST, notes=("missing",)),
    notebook("answer-markdown", "the answer made Markdown", on(ANSWER, lambda c: [c | {"cell_type": "markdown"}]),
             notes=("changed",), source="nbgrader#878"),
    notebook("answer-raw", "the answer made raw", on(ANSWER, lambda c: [c | {"cell_type": "raw"}]), notes=("changed",),
             source="nbgrader#92"),
    notebook("answer-no-id", "the answer's grade id removed", on(ANSWER, lambda c: [marks(c, grade_id=None)]),
             notes=("changed",), source="nbgrader: grade_id removed"),
    notebook("answer-anonymous", "all ids of the answer removed",
             on(ANSWER, lambda c: [c | {"metadata": {}, "id": "x"}]), LOST, notes=("missing",)),
    notebook("answer-lines", "the answer as a list of lines",
             on(ANSWER, lambda c: [c | {"source": c["source"].splitlines(keepends=True)}])),
    notebook("answer-number", "a number for the answer's text", on(ANSWER, lambda c: [c | {"source": 7}]),
             "fail|error 0"),
    notebook("answer-nested", "lists in lists for the answer's text", on(ANSWER, lambda c: [c | {"source": [["a"],
             {}]}]),
             "fail|error 0"),
    notebook("answer-huge", "an answer of 20 MB", on(ANSWER,
             lambda c: [c | {"source": c["source"] + "\n#" + "x" * 20_000_000}]),
             "pass 8 or error 0", seconds=4),
    notebook("cells-shuffled", "the cells in another order",
             lambda b: b | {"cells": random.Random(1).sample(b["cells"], len(b["cells"]))}),
    notebook("extra-cells", "cells that would break a kernel run before the answer",
             extra("import os; os._exit(0)", "while True: pass", "raise SystemExit", "%reset -f"),
                   source="nbgrader#70"),
    notebook("extra-patches", "cells that replace the kernel's functions",
             extra("get_ipython().kernel.do_execute = lambda *a, **k: {'status': 'ok'}",
                   "import builtins; builtins.__import__ = None", "import sys; sys.excepthook = print"),
             source="nbgrader#1324"),
    notebook("many-cells", "twenty thousand cells", extra(*["1 + 1"] * 20_000, first=False), seconds=2),
    notebook("output-script", "outputs that are programs for the instructor's browser", outputs(HTML),
             source="nbgrader#1324"),
    notebook("output-huge", "30 MB of output", outputs([{"output_type": "stream", "name": "stdout",
             "text": "x" * 30_000_000}]),
             seconds=3, source="PrairieLearn#3015"),
    notebook("output-error", "outputs that say that all went wrong", outputs(
        [{"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["\x1b[31mBad\x1b[0m"]}]),
        source="nbgrader#1904"),
    notebook("output-stderr", "a warning on stderr", outputs([{"output_type": "stream", "name": "stderr",
             "text": "warning"}]),
             source="nbgrader#1904"),
    notebook("output-nonsense", "outputs of no known kind", outputs([None, 7, {"output_type": "magic"}, []])),
    notebook("words-script", "an answer in words that is a program for the instructor's browser",
             explain(SCRIPT + "\n\n[click](javascript:alert(1)) ![x](javascript:alert(1)) "
                     "$\\href{javascript:alert(1)}{x}$"),
             source="nbgrader#1324"),
    notebook("words-remote", "an answer in words that loads a picture from the network",
             explain("![x](http://127.0.0.1:@PORT@/taken) <img src='http://127.0.0.1:@PORT@/taken'>")),
    notebook("words-long", "an answer in words of five megabytes", explain("word " * 1_000_000), seconds=2),
    notebook("words-control", "control characters in the answer in words", explain("a\0b\x1b[2Jc\u202e\ud800\ufeff")),
    notebook("other-kernel", "a kernel that is not there", lambda b: b | {"metadata": {"kernelspec": {
        "name": "../../bin/sh", "language": "R", "display_name": "R"}}}),
    notebook("no-metadata", "no metadata", lambda b: {k: v for k, v in b.items() if k != "metadata"}),
    notebook("metadata-list", "metadata that is a list", lambda b: with_cells(b | {"metadata": []}, lambda c: [
        c if "nbgrader" in c["metadata"] else c | {"metadata": []}])),
    notebook("cells-nothing", "cells that are none", lambda b: b | {"cells": [None, 7, "x", [], {}, *b["cells"]]}),
    notebook("duplicate-cell-ids", "every cell with the same id", lambda b: with_cells(b,
             lambda c: [c | {"id": "same"}])),
    notebook("format-3", "saved in format 3", old_format, source="nbgrader: nbformat"),
    notebook("format-5", "says that it is of format 5", lambda b: b | {"nbformat": 5}, source="nbgrader: nbformat 5"),
    notebook("format-words", "a format that is a word", lambda b: b | {"nbformat": "four"},
             source="nbgrader: nbformat"),
    notebook("mark", "a byte order mark", lambda b: b"\xef\xbb\xbf" + json.dumps(b).encode(), source="nbgrader: BOM"),
    notebook("utf-16-book", "saved as UTF-16", encoded("utf-16"), source="nbgrader: encoding"),
    notebook("utf-32-book", "saved as UTF-32", encoded("utf-32"), "pass 8 or error 0", source="nbgrader: encoding"),
    notebook("latin-1-book", "saved as Latin-1", lambda b: json.dumps(
        explain("n\xe4mlich")(b), ensure_ascii=False).encode("latin-1", "replace"), source="nbgrader: latin-1"),
    notebook("windows-lines", "the line ends of Windows", encoded("utf-8", indent=1)),
    notebook("empty-book", "an empty file", lambda b: b"", LOST, notes=("unreadable",), source="otter#433"),
    notebook("cut-off", "half of the file", lambda b: json.dumps(b).encode()[:20_000], LOST, notes=("unreadable",),
             source="nbgrader: malformed JSON"),
    notebook("two-in-one", "two notebooks in one file", lambda b: json.dumps(b).encode() * 2, LOST,
             notes=("unreadable",)),
    notebook("json-list", "a list", lambda b: b"[]", LOST, notes=("unreadable",), source="nbgrader: JSON list"),
    notebook("json-null", "null", lambda b: b"null", LOST, notes=("unreadable",)),
    notebook("no-cells", "no cells", lambda b: b"{}", LOST, notes=("unreadable",)),
    notebook("deep-json", "nested without end", lambda b: b'{"cells":' * 200_000 + b"1" + b"}" * 200_000, LOST,
             notes=("unreadable",)),
    notebook("long-number", "a number of ten million digits", lambda b: b'{"cells": ' + b"9" * 10_000_000 + b"}", LOST,
             notes=("unreadable",)),
    notebook("binary-book", "no text at all", lambda b: bytes(range(256)) * 400, LOST, notes=("unreadable",)),
    notebook("zip-book", "a zip file under the notebook's name", lambda b: b"PK\x03\x04" + b"\0" * 200, LOST,
             notes=("unreadable",)),
    notebook("merge-conflict", "the marks of a merge conflict in the file",
             lambda b: b"<<<<<<< HEAD\n" + json.dumps(b, indent=1).encode() + b"\n>>>>>>> mine\n", LOST,
             notes=("unreadable",)),
    notebook("other-chapter", "the notebook of another chapter",
             lambda b: (solution("00_warm_up.ipynb")).encode(), LOST, notes=("missing",)),
    notebook("many-values", "twenty million empty lists, which take a gigabyte of memory to read",
             lambda b: b'{"cells":[' + b"[]," * 20_000_000 + b"0]}", LOST, notes=("unreadable",), seconds=2),
    notebook("released-text", "nothing answered", lambda b: released(), "fail|error 0"),
)  # fmt: skip
