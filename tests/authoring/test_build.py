"""The build of masters: the right cells, the same bytes every time, nothing but what is committed."""

import json
import textwrap
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from grader.authoring.__main__ import main
from grader.authoring.build import notebooks
from grader.authoring.clone import HERE, AuthoringError, Clone
from grader.authoring.master import parse

CHAPTER = Path(__file__).with_name("toy_chapter.toml").read_text()

MASTER = """
# Toy

Opening words.

## What you will build

A toy.

## What you need

Nothing.

## Why it is so

A block that is shown, not run:

````
```{code-cell} python
:check: toy-kernel
```
````

## Worked example

```{code-cell} python
from grader import exercise
x = 1
```

### More

```{code-cell} python
:tags: [hide-input]

y = ":tags:"
```

## Your turn

Open [the skeleton](toy.cu).

```{code-cell} python
:check: toy-kernel
exercise("toy-kernel").check()
```

```{code-cell} python
:answer: toy-python
def double(x):
    ...
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

[Up](#Toy)
"""


@pytest.fixture
def clone(tmp_path):
    def put(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"))

    put("authoring/07_toy.md", MASTER)
    put("course/07_toy/chapter.toml", CHAPTER)
    put("plugin_skeletons/07_toy/toy.cu", "// start here\n")
    put("solutions/07_toy/toy_python.py", "def double(x):\n    return 2 * x\n")
    return Clone(tmp_path)


def built(clone):
    learner, solved = notebooks(clone, "07_toy").values()
    return json.loads(learner), json.loads(solved)


def assert_valid(data):
    """A notebook that Jupyter and nbgrader take, without outputs."""
    notebook = nbformat.reads(data.decode(), as_version=4)
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)


def test_both_notebooks_are_valid_for_jupyter_and_for_nbgrader(clone):
    for data in notebooks(clone, "07_toy").values():
        assert_valid(data)


def test_each_kind_of_cell(clone):
    learner, solved = built(clone)
    by_id = {cell["id"]: cell for cell in learner["cells"]}
    assert len(by_id) == len(learner["cells"]) == 18

    check = by_id["toy-kernel"]
    assert check["source"] == ['exercise("toy-kernel").check()']
    assert check["metadata"]["tags"] == ["raises-exception"]
    assert check["metadata"]["nbgrader"] == {
        "schema_version": 3, "grade_id": "toy-kernel", "grade": True, "solution": False, "locked": True,
        "task": False, "points": 10, "cell_type": "code",
    }  # fmt: skip
    answer = by_id["toy-python-answer"]["metadata"]["nbgrader"]
    assert (answer["grade"], answer["solution"], answer["locked"], "points" in answer) == (
        False,
        True,
        False,
        False,
    )
    explain = by_id["toy-explain"]
    assert explain["cell_type"] == "markdown"
    assert explain["metadata"]["nbgrader"]["points"] == 3
    assert explain["metadata"]["nbgrader"]["solution"] and explain["metadata"]["nbgrader"]["grade"]
    examples = [cell for cell in learner["cells"] if cell["id"].startswith("example-")]
    assert ["".join(cell["source"]) for cell in examples] == [
        "from grader import exercise\nx = 1",
        'y = ":tags:"',
    ]
    assert all(cell["metadata"]["nbgrader"]["locked"] for cell in examples)
    assert examples[1]["metadata"]["tags"] == ["hide-input"]
    shown = next(cell for cell in learner["cells"] if "not run" in "".join(cell["source"]))
    assert shown["cell_type"] == "markdown" and "```{code-cell} python\n" in shown["source"]

    different = [(a, b) for a, b in zip(learner["cells"], solved["cells"], strict=True) if a != b]
    assert [b["id"] for _, b in different] == ["toy-python-answer"]
    assert "".join(different[0][0]["source"]) == "def double(x):\n    ..."
    assert "".join(different[0][1]["source"]) == "def double(x):\n    return 2 * x"


def test_ids_hold_when_text_elsewhere_changes(clone):
    before, _ = built(clone)
    path = clone.master("07_toy")
    text = (
        path.read_text()
        .replace("Much.", "Very much.")
        .replace("Opening words.", "Other words, and\n\nmore of them.")
    )
    path.write_text(text.replace("Nothing.", "Nothing.\n\n### Really\n\nNothing at all."))
    after, _ = built(clone)
    ids = [cell["id"] for cell in after["cells"]]
    assert [cell["id"] for cell in before["cells"] if cell["id"] not in ids] == []
    assert len(ids) == len(before["cells"]) + 1


def test_the_command_writes_once_and_then_finds_nothing_to_do(clone, capsys):
    assert main(["build", "--root", str(clone.root)]) == 0
    assert "written" in capsys.readouterr().out
    assert main(["build", "7", "--root", str(clone.root)]) == 0
    assert "written" not in capsys.readouterr().out
    assert main(["build", "nonsense", "--root", str(clone.root)]) == 1
    assert "07_toy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'exercise("toy-kernel").check()',
            'exercise("toy-kernel").check(seed=1)',
            "07_toy.md:44: a check cell holds one line",
        ),
        (":check: toy-python", ":check: toy-other", "a check cell holds"),
        (":answer: toy-python", ":respuesta: toy-python", "option :respuesta: is not known"),
        (":tags: [hide-input]", ":tags: hide", ":tags: takes a list"),
        (":tags: [hide-input]", ":check: a\n:answer: b", "a cell is one of"),
        ("{code-cell} markdown", "{code-cell} python", "must be markdown"),
        ("{code-cell} python\nfrom", "{code-cell} cuda\nfrom", "must be python"),
        ("*In your own words.*\n```", "*In your own words.*", "never closed"),
        ("x = 1\n```", "x = 1\n```\n\n- item\n\n  ```{code-cell} python\n  z = 1\n  ```", "left margin"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(clone, old, new, message):
    path = clone.master("07_toy")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(AuthoringError, match="authoring/07_toy.md:[0-9]+: ") as caught:
        notebooks(clone, "07_toy")
    assert message in str(caught.value)


def test_a_missing_solution_and_an_unknown_exercise_are_named(clone):
    clone.answer("07_toy", "toy-python").unlink()
    with pytest.raises(AuthoringError, match="solutions/07_toy/toy_python.py is not there"):
        notebooks(clone, "07_toy")
    toml = clone.root / "course/07_toy/chapter.toml"
    toml.write_text(CHAPTER.replace('"toy-kernel"', '"toy-renamed"'))
    with pytest.raises(AuthoringError, match="no exercise 'toy-kernel'"):
        notebooks(clone, "07_toy")
    toml.write_text("number = ")
    with pytest.raises(AuthoringError, match="course/07_toy/chapter.toml"):
        notebooks(clone, "07_toy")


def test_lines_of_blocks_are_those_of_the_master():
    text = MASTER.lstrip("\n")
    lines = text.split("\n")
    for block in parse(text).blocks:
        assert lines[block.line - 1] == block.source.split("\n")[0]


MASTERS = sorted(path.stem for path in (HERE / "authoring").glob("[0-9]*_*.md"))


@pytest.mark.parametrize("name", MASTERS)
def test_rebuilding_finds_no_difference(name):
    for path, data in notebooks(Clone(), name).items():
        assert path.exists() and path.read_bytes() == data, (
            f"{path} differs: run python -m grader.authoring build {name}"
        )
        assert_valid(data)


def test_every_committed_notebook_has_a_master():
    built_ones = {
        path for name in MASTERS for path in (Clone().learner_notebook(name), Clone().solved_notebook(name))
    }
    committed = {path for tree in ("course", "solutions") for path in (HERE / tree).glob("*/*.ipynb")}
    assert committed <= built_ones
