import re
from html.parser import HTMLParser

import pytest

from grader.notebook import pages, words
from grader.notebook.panel import Panel, headline
from grader.notebook.style import STYLE
from grader.notebook.text import panel_text
from grader.verdict import State

CASE = {
    "kernel": "masked_gelu", "label": "n = 257", "output": "y", "index": 256, "got": "nan", "expected": "0.0",
    "inputs": {"x": "nan", "mask": "0"}, "wrong": 17, "of": 257, "block": 1, "thread": 0, "grid": [2, 1, 1],
    "threads": [256, 1, 1], "tolerance": {"absolute": 1e-5, "relative": 0.0},
}  # fmt: skip
FAULT = {
    "kind": "out_of_bounds", "sentence": "It reads past the end of x.", "kernel": "masked_gelu", "block": (1, 0, 0),
    "thread": (1, 0, 0), "file": "masked_gelu.cu", "line": 5, "address": 4096, "size": 4, "space": "global",
    "buffer": "x", "offset": 1028, "buffer_bytes": 1028,
}  # fmt: skip


class _Page(HTMLParser):
    """Text and structure of a page; fails on an element that is not closed."""

    VOID = {"br", "img", "meta", "hr"}

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.words, self.attributes = [], [], [], []
        self.feed(html)
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def page(verdict, exercise, sources=None, note=""):
    return _Page(Panel(verdict, exercise, sources or {}, note=note)._repr_html_())


def test_passed(exercise, sources, verdict):
    shown = page(verdict(rest={"seed": 7}), exercise, sources)
    assert "Passed" in shown.text and "10 of 10 points" in shown.text
    assert shown.text.count("✓ passed") == 3 and "seed 7" in shown.text
    assert "hint" not in shown.text


def test_what_says_nothing_about_the_trouble_is_folded_away(exercise, verdict):
    failing = verdict(coalesced={"state": State.FAIL, "message": "Too many."})
    html = Panel(failing, exercise, {})._repr_html_()
    folded, _, after = html.partition("passed</span>, 2 checks</summary>")
    assert folded.rpartition("<details>")[2].count('class="grader-state"') == 1 and "Too many." in after
    assert "2 checks</summary>" not in Panel(verdict(), exercise, {})._repr_html_()


def test_where_no_random_case_was_run_none_is_spoken_of(exercise, verdict):
    shown = page(verdict(), exercise).text
    assert "Done." in shown and "random cases" not in shown and "seed" not in shown


def test_the_smallest_failing_case(exercise, sources, verdict):
    failing = verdict(mask={"state": State.FAIL, "message": "y[256] is nan.", "detail": {"case": CASE}})
    text = page(failing, exercise, sources).text
    for phrase in ("Not there yet", "4 of 10 points", "✗ not yet", "y[256] is nan.", "n = 257", "y[256] = nan",
                  "y[256] = 0.0", "x[256] = nan", "17 of 257 elements differ", "block 1, thread 0", "1e-05",
                  "grid (2, 1, 1), block (256, 1, 1)", "NaN times 0 is NaN.", "special values", ".hint()"):  # fmt: skip
        assert phrase in text, phrase


def test_an_element_that_nobody_wrote(exercise, verdict):
    failing = verdict(mask={"state": State.FAIL, "detail": {"case": {**CASE, "got": None}}})
    assert "y[256], which was never written" in page(failing, exercise).text


def test_a_fault_shows_the_learners_line(exercise, sources, verdict):
    failing = verdict(mask={"state": State.FAIL, "message": FAULT["sentence"], "detail": {"fault": FAULT}})
    shown = page(failing, exercise, sources)
    for phrase in ("past the end of x", "block (1, 0, 0), thread (1, 0, 0)", "4 bytes of global memory",
                  "1,028 bytes long; the access begins at byte 1,028", "masked_gelu.cu, line 5",
                  "5 ▶ this line: y[i] = x[i]"):  # fmt: skip
        assert phrase in shown.text, phrase


def test_a_fault_in_a_file_that_is_not_the_learners_has_no_excerpt(exercise, sources, verdict):
    detail = {"fault": {**FAULT, "file": "cuda_fp16.hpp", "line": 5}}
    shown = page(verdict(mask={"state": State.FAIL, "detail": detail}), exercise, sources)
    assert "pre" not in shown.tags and "cuda_fp16.hpp, line 5" in shown.text


def test_compiler_messages_stand_at_the_learners_column(exercise, sources, verdict):
    diagnostics = [
        {"message": "unused", "severity": "warning", "file": "masked_gelu.cu", "line": 4, "column": 15},
        {"message": "expected a `;`", "severity": "error", "file": "masked_gelu.cu", "line": 5, "column": 7},
    ]
    blocked = {"state": State.ERROR, "blocked_by": "compiles", "message": "Not run: it needs “compiles”."}
    failing = verdict(
        compiles={"state": State.FAIL, "message": "1 error.", "detail": {"diagnostics": diagnostics}},
        mask=blocked, coalesced=blocked,
    )  # fmt: skip
    panel = Panel(failing, exercise, sources)
    text = page(failing, exercise, sources).text
    assert "It does not compile yet" in text and "– not run" in text
    assert text.index("line 5, column 7: error") < text.index("line 4, column 15: warning")
    assert "2 checks not run: first this has to pass: “It compiles.”" in text
    rows = re.findall(r'class="grader-row[^"]*"[^>]*>(.*?)\n</span>', panel._repr_html_(), re.DOTALL)
    plain = [re.sub(r"<[^>]*>", "", row).replace("this line: ", "") for row in rows]
    marked = next(i for i, row in enumerate(plain) if "y[i] = x[i]" in row)
    assert plain[marked + 1].index("^") == plain[marked].index("= x")  # column 7, a tab before it


def test_many_messages_are_folded(exercise, sources, verdict):
    many = [{"message": f"error {n}", "severity": "error", "file": None, "line": None} for n in range(9)]
    failing = verdict(compiles={"state": State.FAIL, "detail": {"diagnostics": many}})
    assert "6 more messages" in page(failing, exercise, sources).text


@pytest.mark.parametrize(
    "state, word, title",
    [
        (State.CRASH, "crashed", "Your code crashed"),
        (State.TIMEOUT, "did not end", "Your code did not end"),
        (State.OUT_OF_MEMORY, "out of memory", "Your code needed too much memory"),
        (State.ERROR, "error", "It cannot be checked yet"),
        (State.GRADER_FAULT, "grader's fault", "The grader failed, not you"),
        (State.UNSUPPORTED_HERE, "not checked here", "Passed as far as this machine can tell"),
    ],
)
def test_every_state_is_said_in_words(exercise, verdict, state, word, title):
    one = verdict(coalesced={"state": state, "message": "Because."})
    text = page(one, exercise).text
    assert word in text and title in text and "Because." in text


def test_what_could_not_be_checked_is_said_aloud(exercise, verdict):
    text = page(verdict(coalesced={"state": State.UNSUPPORTED_HERE, "message": "g++ is missing."}), exercise).text
    assert "6 of 6 points, 4 pending" in text and "Not checked here: g++ is missing." in text


def test_nothing_checked_is_no_pass(exercise, verdict):
    nothing = {"state": State.UNSUPPORTED_HERE, "message": "No compiler."}
    empty = verdict(compiles=nothing, mask=nothing, coalesced=nothing)
    assert headline(empty) == "Nothing could be checked on this machine"
    assert "passed" not in page(empty, exercise).text.lower()


def test_a_hidden_case_says_how_to_see_it_again(exercise, verdict):
    failing = verdict(mask={"state": State.FAIL, "hidden": True, "detail": {"case": CASE}}, rest={"seed": 9})
    assert 'exercise("masked-gelu-forward").check(seed=9)' in page(failing, exercise).text


def test_counters(exercise, verdict):
    counters = {"masked_gelu": {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 2,
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 8}}  # fmt: skip
    shown = page(verdict(rest={"counters": counters}), exercise)
    text = shown.text
    assert ["load sectors per request", "bytes loaded", "masked_gelu", "4", "256"] == shown.words[
        shown.words.index("load sectors per request") :
    ][:5]
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" in text


EVIL = '</pre><script>alert("x")</script><img src=x onerror=alert(1)> `<b>`'


def test_a_learners_text_never_becomes_html(exercise, verdict):
    diagnostic = {"message": EVIL, "severity": EVIL, "file": "masked_gelu.cu", "line": 1, "column": 1}
    detail = {
        "diagnostics": [diagnostic], "fault": {**FAULT, "kernel": EVIL, "buffer": EVIL, "line": 1}, "stderr": EVIL,
        "case": {**CASE, "label": EVIL, "got": EVIL, "inputs": {EVIL: EVIL}, EVIL: EVIL}, "source_line": 1,
        "counters": {EVIL: 3.0},
    }  # fmt: skip
    failing = verdict(
        mask={"state": State.FAIL, "message": EVIL, "detail": detail, "source": EVIL, "sentence": EVIL},
        rest={"counters": {EVIL: {EVIL: 1.0}}},
    )
    shown = page(failing, exercise, {"masked_gelu.cu": EVIL}, note=EVIL)
    assert not {"script", "img"} & set(shown.tags)
    assert not [name for name, _ in shown.attributes if name.startswith("on")]
    assert 'alert("x")' in shown.text


def test_reads_without_sight_and_without_style(exercise, sources, verdict):
    failing = verdict(mask={"state": State.FAIL, "detail": {"fault": FAULT, "case": CASE}})
    shown = page(failing, exercise, sources)
    labels = [value for name, value in shown.attributes if name == "aria-label"]
    assert shown.attributes.count(("role", "heading")) == 3
    assert labels[0] == "Result of masked-gelu-forward: Not there yet, 4 of 10 points"
    assert {"section", "header", "ul", "li", "dl", "summary"} <= set(shown.tags)


def test_text_for_terminals(exercise, verdict):
    failing = verdict(
        mask={"state": State.FAIL, "message": "y[256] is nan.", "detail": {"fault": FAULT}},
        coalesced={"state": State.ERROR, "blocked_by": "mask", "message": "blocked words"},
    )
    text = panel_text(failing, exercise)
    assert text.splitlines()[0] == "Masked GELU, forward (masked-gelu-forward): Not there yet, 0 of 10 points"
    assert "✗ not yet" in text and "y[256] is nan." in text and "at masked_gelu.cu:5" in text
    assert "– not run" in text and "blocked words" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert repr(Panel(failing, exercise)) == text


def test_every_class_has_the_projects_prefix(exercise, sources, verdict, tmp_path):
    """JupyterLab and its extensions have rules for classes with plain names, such as Bootstrap's .row and .caret."""
    diagnostics = [{"message": "a `;`", "severity": "error", "file": "masked_gelu.cu", "line": 5, "column": 7}] * 5
    detail = {"fault": FAULT, "case": CASE, "diagnostics": diagnostics, "stderr": "words", "source_line": 3,
              "counters": {"a": 1.0}}  # fmt: skip
    counters = {"masked_gelu": {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 8}}
    verdicts = [
        verdict(rest={"counters": counters}),
        verdict(mask={"state": State.FAIL, "message": "No.", "detail": detail, "hidden": True}, rest={"seed": 1}),
        verdict(compiles={"state": State.FAIL}, mask={"state": State.ERROR, "blocked_by": "compiles"}),
        verdict(coalesced={"state": State.UNSUPPORTED_HERE}),
    ]
    shown = [Panel(each, exercise, sources, note="A note.") for each in verdicts]
    shown += [pages.contract(exercise), pages.hints(exercise, 2, "Noted."), pages.files(exercise, tmp_path)]
    used = set()
    for each in shown:
        attributes = _Page(each._repr_html_()).attributes
        used |= {name for key, value in attributes if key == "class" for name in value.split()}
    assert {"grader-panel", "grader-row", "grader-marked", "grader-caret", "grader-num", "grader-waiting"} <= used
    assert all(name.startswith("grader-") for name in used), used
    styled = set(re.findall(r"\.([a-z][\w-]*)", STYLE))
    assert all(name.startswith("grader-") for name in styled), styled


@pytest.mark.parametrize(
    "text, offered",
    [
        ("Infinities go well. (They give NaN (0 * Inf).)",
         "You may have thought: “Infinities go well.” In fact: They give NaN (0 * Inf)."),
        ("gridDim.x (blocks) is taken for blockDim.x (threads in a block).",
         "A common slip: gridDim.x (blocks) is taken for blockDim.x (threads in a block)."),
    ],
)  # fmt: skip
def test_a_belief_is_never_told_as_a_truth(text, offered):
    assert words.behind(text) == offered


def test_nothing_that_a_page_says_breaks_in_the_middle_of_a_name(exercise):
    table = pages.contract(exercise)._repr_html_()
    assert '<th scope="row">special values</th>' in table
    assert re.search(r"th\[scope=row\][^{]*\{[^}]*white-space: nowrap", STYLE)
