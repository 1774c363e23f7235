"""The pristine tree and an author's tree are never mixed."""

import pytest

from grader.course import CourseError, authors_tree, chapters, find, pristine
from grader.course import tree as tree_module


@pytest.fixture
def package_in(tmp_path, monkeypatch):
    """Pretend that the package lies in tmp_path/clone/grader."""
    package = tmp_path / "clone" / "grader"
    package.mkdir(parents=True)
    monkeypatch.setattr(tree_module, "_PACKAGE", package)
    return package


def make(root):
    (root / "course").mkdir(parents=True)
    (root / "plugin_skeletons").mkdir()


def test_a_clone_is_found_beside_the_package(package_in):
    make(package_in.parent)
    assert pristine().root == package_in.parent


def test_a_wheel_carries_its_own_copy(package_in):
    make(package_in.parent)
    make(package_in / "_course")
    assert pristine().root == package_in / "_course"


def test_no_data_says_what_to_do(package_in):
    with pytest.raises(CourseError, match="Install the package again"):
        pristine()


def test_grading_ignores_the_authors_tree(package_in, make_tree, chapter_text, monkeypatch):
    make(package_in.parent)
    monkeypatch.setenv("GRADER_COURSE", str(make_tree({"10_masked_gelu": chapter_text()}).root))
    assert [c.name for c in chapters(authors_tree())] == ["10_masked_gelu"]
    assert pristine().root == package_in.parent
    assert chapters() == []
    with pytest.raises(CourseError):
        find("masked-gelu-forward")


def test_an_authors_tree_that_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_COURSE", str(tmp_path / "nowhere"))
    with pytest.raises(CourseError, match="GRADER_COURSE names .*nowhere"):
        authors_tree()


def test_paths_follow_one_rule(make_tree, chapter_text):
    tree = make_tree({"10_masked_gelu": chapter_text()})
    [chapter] = chapters(tree)
    assert tree.notebook(chapter) == tree.root / "course" / "10_masked_gelu" / "10_masked_gelu.ipynb"
    assert tree.skeletons(chapter) == tree.root / "plugin_skeletons" / "10_masked_gelu"
    assert tree.solutions(chapter) is None
    (tree.root / "solutions" / "10_masked_gelu").mkdir(parents=True)
    assert tree.solutions("10_masked_gelu") == tree.root / "solutions" / "10_masked_gelu"


def test_a_learner_gets_notebook_skeletons_and_the_chapters_part_of_the_kit(make_tree, chapter_text):
    text = chapter_text().replace("prerequisites", 'kit = ["status.h"]\nprerequisites')
    tree = make_tree({"10_masked_gelu": text})
    skeletons = tree.root / "plugin_skeletons"
    for folder, name in (
        (tree.course / "10_masked_gelu", "10_masked_gelu.ipynb"), (skeletons / "10_masked_gelu", "masked_gelu.cu"),
        (skeletons / "common", "status.h"), (skeletons / "common", "fields.h"),
        (skeletons / "10_masked_gelu" / "__pycache__", "x.pyc"),
    ):  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    given = tree.given(chapters(tree)[0])
    assert list(given) == ["10_masked_gelu.ipynb", "masked_gelu.cu", "common/status.h"]
    assert given["common/status.h"] == skeletons / "common" / "status.h"
