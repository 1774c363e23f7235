"""Every rule of chapter.toml, broken once; the error must name the file and the field."""

import pytest

from grader.course import CourseError, chapters

WRONG = [
    # (old text, new text, words that the error must hold)
    ('title = "Masked GELU"\n', "", ['"title"', "is missing"]),
    ('title = "Masked GELU"', 'title = 7', ['"title"', "must be text"]),
    ('title = "Masked GELU"', 'title = "  "', ['"title"', "empty"]),
    ('title = "Masked GELU"', 'titel = "Masked GELU"', ['"title"', "is missing"]),
    ("[explain]", 'sumary = "x"\n[explain]', ['"sumary"', "unknown", '"summary"']),
    ("number = 10", "number = true", ['"number"', "whole number"]),
    ("number = 10", "number = 11", ['"name"', "two digits"]),
    ('name = "10_masked_gelu"', 'name = "10_other"', ['"name"', "folder"]),
    ('slug = "masked-gelu"\n', 'slug = "masked.gelu"\n', ['"slug"', "letters, digits"]),
    ('stage = "development"', 'stage = "middle"', ['"stage"', "foundations"]),
    ("prerequisites = []", "prerequisites = [10]", ['"prerequisites"', "itself"]),
    ("prerequisites = []", "prerequisites = [4]", ['"prerequisites"', "no chapter 4"]),
    ("prerequisites = []", 'prerequisites = ["0"]', ['"prerequisites"', "whole number"]),
    ("prerequisites = []", 'kit = ["../x.h"]\nprerequisites = []', ['"kit"', "plugin_skeletons/common"]),
    ("prerequisites = []", 'kit = ["a.h", "a.h"]\nprerequisites = []', ['"kit"', "twice"]),
    ("core_minutes = 25", "core_minutes = 71", ['"core_minutes"', "71", "70"]),
    ("core_minutes = 25", "core_minutes = 0", ['"core_minutes"', "at least 1"]),
    ("points = 3", "points = 0", ["[explain]", '"points"', "above 0"]),
    ("points = 3", "points = inf", ["[explain]", '"points"']),
    ('rubric = ["names NaN", "names infinity"]', "rubric = []", ['"rubric"', "at least 1"]),
    ('id = "masked-gelu-explain"', 'id = "masked-gelu-forward"', ['"explain.id"', "already taken"]),
    ("points = 10", "points = 11", ['exercise "masked-gelu-forward"', '"points"', "11", "sum of its groups"]),
    ('kind = "kernel"', 'kind = "cuda"', ['"kind"', "kernel, cpp, python"]),
    ('track = "core"', 'track = "extra"', ['"track"']),
    ("revision = 2", "revision = 0", ['"revision"']),
    ('files = ["masked_gelu.cu"]', "files = []", ['"files"', "at least 1"]),
    ('files = ["masked_gelu.cu"]', 'files = ["../x.cu"]', ['"files"', "plain file name"]),
    ('files = ["masked_gelu.cu"]', 'files = ["a.cu", "a.cu"]', ['"files"', "twice"]),
    ('files = ["masked_gelu.cu"]', 'cell = "x"', ['"cell"', "Python"]),
    ('kind = "kernel"', 'kind = "python"', ['"files"', "cell"]),
    ('needs = ["compiler", "simulated-gpu"]', 'needs = ["luck"]', ['"needs"', "luck"]),
    ("wall_seconds = 20", 'wall_seconds = "20"', ['"wall_seconds"', "number"]),
    ('row = "special values"\n', "", ["contract number 1", '"row"', "is missing"]),
    ('id = "bounds"', 'id = "values"', ['"group"', "twice"]),
    ('[[exercise.hint]]\ntext = "Look at the mask."\n', "", ['"hint"', "4 rungs", "has 3"]),
    ('id = "mask-multiply"', 'id = "mask multiply"', ['misconception "mask multiply"', '"id"']),
    ('alias = "forward"', 'alias = "for.ward"', ['"alias"']),
]  # fmt: skip


def test_a_right_chapter_is_read_whole(make_tree, chapter_text):
    [chapter] = chapters(make_tree({"10_masked_gelu": chapter_text()}))
    [exercise] = chapter.exercises
    assert (chapter.number, chapter.slug, chapter.points) == (10, "masked-gelu", 13)
    assert chapter.explain.rubric == ("names NaN", "names infinity")
    assert (exercise.files, exercise.cell, exercise.revision) == (("masked_gelu.cu",), None, 2)
    assert [group.points for group in exercise.groups] == [6, 4]
    assert exercise.hints[3].text == "The line that stores."
    assert exercise.contract[0].row == "special values"
    assert exercise.misconceptions[0].id == "mask-multiply"
    assert exercise.dotted == "10.forward"


def test_a_python_exercise_has_a_cell(make_tree, chapter_text):
    text = chapter_text().replace('kind = "kernel"', 'kind = "python"')
    text = text.replace('files = ["masked_gelu.cu"]', 'cell = "masked-gelu-cases"')
    [chapter] = chapters(make_tree({"10_masked_gelu": text}))
    assert chapter.exercises[0].cell == "masked-gelu-cases"
    assert chapter.exercises[0].files == ()


@pytest.mark.parametrize("old, new, words", WRONG)
def test_a_wrong_field_is_named(make_tree, chapter_text, old, new, words):
    right = chapter_text()
    assert old in right
    with pytest.raises(CourseError) as caught:
        chapters(make_tree({"10_masked_gelu": right.replace(old, new, 1)}))
    for word in ["10_masked_gelu/chapter.toml", *words]:
        assert word in str(caught.value)


def test_no_toml_names_file_and_line(make_tree, chapter_text):
    text = chapter_text().replace("number = 10", "number = = 10")
    with pytest.raises(CourseError, match=r"10_masked_gelu/chapter\.toml: is not valid TOML: .*line 1"):
        chapters(make_tree({"10_masked_gelu": text}))


def test_bytes_that_are_no_text(make_tree):
    tree = make_tree({"10_masked_gelu": ""})
    (tree.course / "10_masked_gelu" / "chapter.toml").write_bytes(b"\xff\xfe\x00title")
    with pytest.raises(CourseError, match="is not valid TOML"):
        chapters(tree)


def test_a_scalar_where_tables_belong(make_tree, chapter_text):
    text = chapter_text().split("[explain]")[0] + 'exercise = ["x"]\n'
    with pytest.raises(CourseError, match=r'"exercise".*\[\[exercise\]\]'):
        chapters(make_tree({"10_masked_gelu": text}))
