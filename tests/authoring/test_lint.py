"""The lint: silent on a sound master, and one message with the right line for each thing that is not."""

from pathlib import Path

import pytest

from grader.authoring.__main__ import main
from grader.authoring.clone import HERE, Clone
from grader.authoring.lint import lint

CHAPTER = Path(__file__).with_name("toy_chapter.toml").read_text()

MASTER = """# Toy

## What you will build
![a toy](toy.svg)

## What you need
[The chapter before](../06_before/06_before.ipynb), [its picture](../06_before/small%20picture.svg).

## Why it is so
It is $x_{i} < y$, see [CUDA](https://docs.nvidia.com/cuda/) and `{code-cell}`.

## Worked example
```{code-cell} python
from grader import exercise
%matplotlib inline
```

```{code-cell} python
print(f"grid:\\n/ {1 / 2}")
```

## Your turn
[The skeleton](toy.cu)

```{code-cell} python
:check: toy-kernel
exercise("toy-kernel").check()
```

```{code-cell} python
:answer: toy-python
def double(x): ...
```

```{code-cell} python
:check: toy-python
exercise("toy-python").check()
```

## What goes wrong
Much.

## What this machine cannot tell you
Time.

## Check yourself
Why?

## Explain it
```{code-cell} markdown
:explain: toy-explain
*In your own words.*
```

## Where next
[Up](#Why-it-is-so)
"""


@pytest.fixture
def clone(tmp_path):
    files = {
        "authoring/07_toy.md": MASTER,
        "authoring/06_before.md": "# Before\n",
        "course/07_toy/chapter.toml": CHAPTER,
        "course/07_toy/toy.svg": "<svg/>",
        "course/06_before/small picture.svg": "<svg/>",
        "plugin_skeletons/07_toy/toy.cu": "// start here\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return Clone(tmp_path)


def test_a_sound_master_has_no_problem(clone, capsys):
    assert lint(clone, "07_toy") == []
    assert main(["lint", "07_toy", "--root", str(clone.root)]) == 0
    assert "nothing to put right" in capsys.readouterr().out


AGAIN = '```{code-cell} python\n:check: toy-kernel\nexercise("toy-kernel").check()\n```'
FAULTS = [
    ("# Toy\n", "---\njupytext: 1\n---\n# Toy\n", 1, "front matter"),
    ("Much.", "```{note}\nMuch.\n```", 41, "directive {note}"),
    ("Much.", "```{code-cellar}\nMuch.\n```", 41, "directive {code-cellar}"),
    ("Much.", ":::{tip}\nMuch.\n:::", 41, "MyST"),
    ("Much.", "Much.\n+++\nmore", 42, "MyST"),
    ("Much.", "Much.\n% a note to myself", 42, "MyST"),
    ("Much.", "(a-target)=\nMuch.", 41, "MyST"),
    ("Much.", "Much\nof {math}`x` here.", 42, "role {math}"),
    ("Much.", "Much <b>more</b>.", 41, "raw HTML is not used: <b>"),
    ("Much.", "<!-- the answer is 42 -->", 41, "raw HTML"),
    ("Much.", "Much.\nSee [it](gone.cu).", 42, "leads nowhere"),
    ("Much.", "![it](../07_toy/gone.svg)", 41, "leads nowhere"),
    ("Much.", "[it](../../docs/authors.md)", 41, "leads nowhere"),
    ("Much.", "[it](/etc/passwd)", 41, "absolute"),
    ("Much.", "[it](#Nowhere)", 41, "no heading answers"),
    ("Much.", "Look in /home/ada/course.", 41, "absolute path"),
    ("Much.", "```{code-cell} python\nx = 1\nopen('/usr/share/words')\n```", 43, "absolute path"),
    ("Much.", "```{code-cell} python\nx = 1\nx = = 2\n```", 43, "not Python"),
    ("Much.", "```{code-cell} python\n!pip install numpy\n```", 42, "no set-up"),
    ("Much.", "```{code-cell} python\n%%bash\nls\n```", 42, "shell cell"),
    ("Much.", "Look at the last thread\nof the last block.", 1, "a hint"),
    ("Much.", AGAIN, 43, "a second :check:"),
    ("Much.", AGAIN.replace("-kernel", "-new"), 43, "no exercise toy-new"),
    ("Much.", "```{code-cell} python\n:answer: toy-kernel\nx = 1\n```", 43, "answered in files"),
    ("Much.", "```{code-cell} markdown\n:explain: toy-other\nx\n```", 43, "no [explain] with the id"),
    (":check: toy-kernel\nexercise(\"toy-kernel\").check()", "1", 1, "toy-kernel of chapter.toml has no"),
    (":answer: toy-python\n", "", 1, "has no :answer: cell"),
    (":explain: toy-explain\n", "", 1, "toy-explain of chapter.toml has no :explain: cell"),
    ("from grader import exercise", "import numpy", 27, "before the first check"),
    ("from grader import exercise", "from grader import exercise\n" + "x = 1\n" * 10, 14, "at most 10 lines"),
    ("## What goes wrong\n", "", 1, "'## What goes wrong' is missing"),
    ("## What goes wrong\n", "## What goes wrong\n\n## What goes wrong\n", 42, "there twice"),
    ("## What goes wrong\n", "## Musings\n", 40, "not a section"),
    ("## What goes wrong\n", "# What goes wrong\n", 40, "the only heading of level 1"),
    ("# Toy\n", "", 1, "opens with its title"),
    ("## Explain it", "## Check yourself", 49, "there twice"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), FAULTS)
def test_each_fault_is_found_at_its_line(clone, old, new, line, message):
    assert MASTER.count(old) >= 1
    clone.master("07_toy").write_text(MASTER.replace(old, new, 1))
    found = lint(clone, "07_toy")
    assert any(p.line == line and message in p.message and p.file == "authoring/07_toy.md" for p in found), (
        found
    )
    assert main(["lint", "07_toy", "--root", str(clone.root)]) == 1


def test_order_of_sections_and_of_the_answer(clone):
    text = MASTER.replace("## What goes wrong", "## X").replace("## Check yourself", "## What goes wrong")
    clone.master("07_toy").write_text(text.replace("## X", "## Check yourself"))
    assert any("not in the order" in p.message for p in lint(clone, "07_toy"))
    answer = "```{code-cell} python\n:answer: toy-python\ndef double(x): ...\n```\n"
    clone.master("07_toy").write_text(
        MASTER.replace(answer, "").replace("## What goes wrong", answer + "\n## What goes wrong")
    )
    assert any("before its :answer:" in p.message for p in lint(clone, "07_toy"))


def test_hints_and_examples_do_not_give_the_solution_away(clone):
    lines = [
        "first = blockIdx.x * blockDim.x;",
        "step = gridDim.x * blockDim.x;",
        "for (; first < n; first += step)",
    ]
    solution = clone.root / "solutions/07_toy/toy.cu"
    solution.parent.mkdir(parents=True)
    solution.write_text("// start here\n" + "\n  ".join(lines) + "\n")
    assert lint(clone, "07_toy") == []
    clone.master("07_toy").write_text(MASTER.replace("Much.", "```cpp\n" + "\n".join(lines[:2]) + "\n```"))
    assert lint(clone, "07_toy") == []
    clone.master("07_toy").write_text(MASTER.replace("Much.", "```cpp\n" + "\n".join(lines) + "\n```"))
    assert [(p.line, "several lines in a row" in p.message) for p in lint(clone, "07_toy")] == [(42, True)]
    clone.master("07_toy").write_text(MASTER)
    toml = clone.root / "course/07_toy/chapter.toml"
    toml.write_text(
        CHAPTER.replace("Look at the last thread", f"Write `{lines[1]}`, then look at the last thread")
    )
    found = [problem.message for problem in lint(clone, "07_toy")]
    assert found and all("hint 1 of toy-" in message and lines[1] in message for message in found)


def test_chapter_0_has_no_explain(clone):
    toml = clone.root / "course/00_toy/chapter.toml"
    toml.parent.mkdir()
    toml.write_text(CHAPTER.replace("number = 7", "number = 0").replace("07_toy", "00_toy"))
    clone.master("00_toy").write_text(MASTER)
    assert any("'## Explain it' is not a section" in p.message for p in lint(clone, "00_toy"))
    toml = clone.root / "course/07_toy/chapter.toml"
    start, end = CHAPTER.index("[explain]"), CHAPTER.index("[[exercise]]")
    toml.write_text(CHAPTER[:start] + CHAPTER[end:])
    assert any("has no [explain];" in p.message for p in lint(clone, "07_toy"))


def test_files_that_cannot_be_read_are_one_problem(clone):
    clone.master("07_toy").write_bytes(b"\xff\xfe")
    assert "cannot be read" in lint(clone, "07_toy")[0].message
    clone.master("07_toy").write_text(MASTER)
    (clone.root / "course/07_toy/chapter.toml").unlink()
    assert "chapter.toml: cannot be read" in lint(clone, "07_toy")[0].message


@pytest.mark.parametrize("name", sorted(path.stem for path in (HERE / "authoring").glob("[0-9]*_*.md")))
def test_the_masters_of_the_course_are_clean(name):
    assert lint(Clone(), name) == []
