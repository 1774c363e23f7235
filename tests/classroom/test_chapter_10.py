"""The whole path on the real chapter 10: release, three submissions, grades, feedback, table."""

import csv
import json
import re

import pytest
from leaks import leaks_of
from rich.console import Console

from grader.classroom import demo, material, secret
from grader.classroom.page import belief
from grader.classroom.result import Result
from grader.classroom.tree import ClassTree

STUDENTS = ("right", "wrong", "unfinished")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    root = tmp_path_factory.mktemp("demo")
    console = Console(record=True, width=100)
    chapter = material.chapter(10)
    assert demo.run(console, chapter, demo.bundled(chapter), root), console.export_text()
    tree = ClassTree(root / "class")
    return tree, {s: Result.read(tree.result(s, chapter.name)) for s in STUDENTS}


def test_the_right_answer_has_all_points_and_the_wrong_one_not(done):
    _, results = done
    forward = {student: results[student].verdicts["masked-gelu-forward"] for student in STUDENTS}
    assert forward["right"].passed and forward["right"].earned == 10
    assert 0 < forward["wrong"].earned < 10
    assert forward["unfinished"].earned < forward["wrong"].earned


def test_a_grade_is_reproduced_from_its_seed(done):
    tree, results = done
    exercise = material.chapter(10).exercises[0]
    seed = results["wrong"].seeds[exercise.slug]
    assert seed == secret.hidden_seed(secret.read(tree.secret), "10_masked_gelu", exercise.slug, "wrong")
    again = material.check(exercise, tree.submitted("wrong", "10_masked_gelu"), seed=seed, cells={})
    first = results["wrong"].verdicts[exercise.slug]
    assert [(c.check, c.state, c.message) for c in again.checks] == [
        (c.check, c.state, c.message) for c in first.checks
    ]


def test_feedback_tells_the_misconception_and_gives_nothing_away(done):
    tree, results = done
    assert leaks_of(tree, material.chapter(10), STUDENTS, names=("unfinished",)) == []
    for student in STUDENTS:
        place = tree.feedback(student, "10_masked_gelu")
        page = (place / "10_masked_gelu.html").read_text()
        assert not any(str(seed) in page for seed in results[student].seeds.values())
        assert "http://" not in page and "https://" not in page and "<script" not in page
    wrong = results["wrong"].verdicts["masked-gelu-forward"]
    caught = {check.misconception for check in wrong.checks if check.state != "pass" and not check.blocked_by}
    texts = {m.id: m.text for m in material.chapter(10).exercises[0].misconceptions}
    import html

    page = html.unescape((tree.feedback("wrong", "10_masked_gelu") / "10_masked_gelu.html").read_text())
    page = re.sub(r"</?code>", "", page)
    assert caught and all(belief(texts[m]).replace("`", "") in page for m in caught if m in texts)


def test_the_table(done):
    tree, _ = done
    rows = {row["student_id"]: row for row in csv.DictReader((tree.root / "grades.csv").open(newline=""))}
    assert set(rows) == set(STUDENTS)
    assert rows["right"]["masked-gelu-forward"] == "10.0" and float(rows["right"]["pending"]) == 3


@pytest.mark.parametrize(
    ("what", "place"),
    [
        ("seed", "feedback"),
        ("secret", "autograded"),
        ("solution", "feedback"),
        ("folder", "autograded"),
        ("traceback", "feedback"),
        ("name", "autograded"),
    ],
)
def test_the_leak_search_finds_what_it_looks_for(done, place, what):
    tree, results = done
    chapter = material.chapter(10)
    solution = (material.tree().solutions(chapter) / "masked_gelu.cu").read_text()
    public = (material.tree().skeletons(chapter) / "masked_gelu.cu").read_text()
    line = max((line for line in solution.splitlines() if line not in public), key=len)
    leaked = {
        "seed": str(results["unfinished"].seeds["masked-gelu-cases"]),
        "secret": tree.secret.read_text().strip(),
        "solution": line,
        "folder": str(tree.root / "results"),
        "traceback": 'File "/opt/checks.py", line 3',
        "name": "as unfinished did",
    }[what]
    student = "right" if what == "name" else "unfinished"
    folder = getattr(tree, place)(student, chapter.name)
    path = folder / ("10_masked_gelu.html" if place == "feedback" else "10_masked_gelu.ipynb")
    before, mode = path.read_text(), path.stat().st_mode
    path.chmod(0o644)
    try:
        path.write_text(before.replace("</body>", leaked + "</body>") if place == "feedback" else added(before, leaked))
        assert leaks_of(tree, chapter, [student], names=("unfinished",)) != []
    finally:
        path.write_text(before)
        path.chmod(mode)


def added(notebook, text):
    book = json.loads(notebook)
    book["cells"][0]["source"] = [text]
    return json.dumps(book)
