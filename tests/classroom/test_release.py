"""The instructor's tree, the class release and the wheel in it."""

import json
import os
import subprocess
import sys
import venv
import zipfile

import classroom_toy as toy
import pytest

from grader.classroom import material, release, wheel
from grader.classroom.create import create
from grader.classroom.errors import ClassroomError


def test_an_instructors_tree_is_private_and_complete(toy_course, tmp_path):
    tree, added = create(tmp_path / "class")
    assert [chapter.name for chapter in added] == [toy.NAME]
    assert tree.root.stat().st_mode & 0o077 == 0 and tree.secret.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tree.source(toy.NAME).iterdir()) == [
        f"{toy.NAME}.ipynb",
        "common",
        "supplied.h",
        "toy.cu",
    ]
    assert len(bytes.fromhex(tree.secret.read_text())) == 32


def test_making_it_again_overwrites_nothing(toy_course, tmp_path):
    tree, _ = create(tmp_path / "class")
    before = tree.secret.read_bytes()
    (tree.source(toy.NAME) / "toy.cu").write_text("changed by the instructor")
    tree.config.write_text("# mine")
    _, added = create(tmp_path / "class")
    assert added == [] and tree.secret.read_bytes() == before
    assert tree.config.read_text() == "# mine"
    assert (tree.source(toy.NAME) / "toy.cu").read_text() == "changed by the instructor"


def test_a_folder_of_something_else_is_refused(toy_course, tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ClassroomError, match="not empty"):
        create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_nbgraders_release_keeps_what_learners_start_from(classroom):
    from grader.classroom.autograde import read_release

    book = read_release(classroom.tree, material.chapter(10))
    sources = {cell.id: cell.source for cell in book.cells}
    assert sources["toy-cell-answer"] == toy.STARTER and sources["toy-explain"] == toy.QUESTION


def test_a_class_release(classroom, tmp_path):
    place = release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")
    names = sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    assert [name for name in names if not name.startswith("wheels/")] == [
        "Makefile",
        "README.md",
        f"my/{toy.NAME}/{toy.NAME}.ipynb",
        f"my/{toy.NAME}/common/given.h",
        f"my/{toy.NAME}/supplied.h",
        f"my/{toy.NAME}/toy.cu",
        "release.json",
        "requirements.lock",
        "setup/environment.sh",
    ]
    (built,) = (place / "wheels").iterdir()
    inside = zipfile.ZipFile(built).namelist()
    assert f"grader/_course/course/{toy.NAME}/chapter.toml" in inside
    assert [name for name in inside if "/common/" in name] == ["grader/_course/plugin_skeletons/common/given.h"]
    assert "grader/verdict/records.py" in inside
    assert "grader/toolchain/locks/requirements-plugin.lock" in inside  # the plugin lane is installed from it
    assert not [name for name in inside if "solutions" in name or "__pycache__" in name or "variants" in name]


@pytest.fixture
def two_chapters(toy_course, monkeypatch, tmp_path):
    """A class of a clone with a second chapter, 11, that needs chapter 10."""
    import shutil

    root = tmp_path / "clone"
    shutil.copytree(toy_course, root)
    for tree in ("course", "plugin_skeletons", "solutions"):
        shutil.copytree(root / tree / toy.NAME, root / tree / "11_next")
    (root / "course" / "11_next" / f"{toy.NAME}.ipynb").rename(root / "course" / "11_next" / "11_next.ipynb")
    about = root / "course" / "11_next" / "chapter.toml"
    text = about.read_text().replace("number = 10", "number = 11").replace("10_toy", "11_next")
    text = text.replace('"toy', '"next').replace("prerequisites = []", "prerequisites = [10]")
    about.write_text(text)
    toy.patch(root, monkeypatch.setattr)
    tree, _ = create(tmp_path / "class")
    return tree


def released_course(place, tmp_path):
    """The chapters as the wheel of a class release has them, by number."""
    from grader.course import Tree, chapters

    (built,) = (place / "wheels").iterdir()
    zipfile.ZipFile(built).extractall(tmp_path / "unpacked")
    return {c.number: c for c in chapters(Tree(tmp_path / "unpacked" / "grader" / "_course"))}


def test_a_class_release_holds_the_named_chapter_only(two_chapters, tmp_path):
    place = release.release(two_chapters, [material.chapter(11)])
    assert place.name == "11_next"
    assert [path.name for path in (place / "my").iterdir()] == ["11_next"]
    inside = released_course(place, tmp_path)
    assert list(inside) == [11] and inside[11].prerequisites == ()
    assert inside[11].exercises == material.chapter(11).exercises
    assert "builds on chapter 10 (A toy <chapter>)" in " ".join((place / "README.md").read_text().split())


def test_a_class_release_of_several_chapters(two_chapters, tmp_path):
    place = release.release(two_chapters, [material.chapter(11), material.chapter(10)])
    assert place.name == "chapters_10_11"
    inside = released_course(place, tmp_path)
    assert list(inside) == [10, 11] and inside[11].prerequisites == (10,)
    text = (place / "README.md").read_text()
    assert "Chapters 10 and 11 of the course" in text and "builds on" not in text
    assert "- `my/11_next/11_next.ipynb`" in text


def test_prerequisites_over_several_lines_are_understood_and_nothing_else_is_changed():
    text = 'name = "x"\nprerequisites = [\n  0, # warm up\n  10,\n]\nsummary = "prerequisites = [0]"\n'
    changed = wheel.among_themselves(text, [material.chapter(10)])
    assert changed == 'name = "x"\nprerequisites = [10]\nsummary = "prerequisites = [0]"\n'


def test_an_instructors_own_cells_are_handed_out_and_graded_by_hand(classroom, tmp_path):
    from grader.classroom.session import Session

    path = classroom.tree.source(toy.NAME) / f"{toy.NAME}.ipynb"
    book = toy.notebook()
    question = "Your guess?\n### BEGIN SOLUTION\nthe instructor's own answer\n### END SOLUTION"
    book["cells"].append(toy.cell("markdown", "own-words", question, grade=True, solution=True, points=2))
    book["cells"].append(toy.cell("code", "own-test", "assert 1", grade=True, locked=True, points=1))
    path.write_text(json.dumps(book))
    Session(classroom.tree).release(toy.NAME)
    place = release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")
    handed_out = (place / "my" / toy.NAME / f"{toy.NAME}.ipynb").read_text()
    assert "Your guess?" in handed_out and "own answer" not in handed_out
    done = toy.answered()
    done["cells"].append(toy.cell("markdown", "own-words", "42", grade=True, solution=True, points=2))
    classroom.hand_in("ada", book=done)
    classroom.hand_in("bob")
    classroom.grade()
    assert classroom.scores("ada") == {
        "toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True),
        "own-words": (None, True), "own-test": (None, True),
    }  # fmt: skip
    assert classroom.scores("bob")["own-words"] == (0, True)


def test_a_release_is_made_again_but_replaces_nothing_else(classroom, tmp_path):
    chapter = material.chapter(10)
    first = release.release(classroom.tree, [chapter])
    again = release.release(classroom.tree, [chapter])
    assert first == again and first.parent == classroom.tree.root / "class_release"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("x")
    with pytest.raises(ClassroomError, match="not a class release"):
        release.release(classroom.tree, [chapter], tmp_path / "home")


@pytest.mark.parametrize(
    "planted",
    [
        "// the right kernel of the toy chapter, which nobody may see",
        "The master of the toy chapter has a sentence of its own.",
    ],
)
def test_a_leak_stops_the_release(classroom, monkeypatch, tmp_path, planted):
    fill = release.fill

    def careless(stage, chapters):
        fill(stage, chapters)
        with zipfile.ZipFile(next((stage / "wheels").iterdir()), "a") as archive:
            archive.writestr("grader/extra.py", f"text = '''\n{planted}\n'''\n")

    monkeypatch.setattr(release, "fill", careless)
    with pytest.raises(ClassroomError, match="would give away"):
        release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_leak_in_nbgraders_release_stops_it_too(classroom, tmp_path):
    solution = "// the right kernel of the toy chapter, which nobody may see"
    (classroom.tree.released(toy.NAME) / "toy.cu").write_text(solution)
    with pytest.raises(ClassroomError, match="would give away"):
        release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_search_that_can_find_nothing_is_refused(classroom, toy_course, monkeypatch, tmp_path):
    import shutil

    shutil.copytree(toy_course, tmp_path / "clone")
    for folder in ("solutions", "authoring", "tests"):
        shutil.rmtree(tmp_path / "clone" / folder)
    (tmp_path / "clone" / "solutions").mkdir()
    toy.patch(tmp_path / "clone", monkeypatch.setattr)
    with pytest.raises(ClassroomError, match="cannot be searched"):
        release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")


def test_the_secret_in_a_release_stops_it(classroom, monkeypatch, tmp_path):
    fill = release.fill

    def careless(stage, chapters):
        fill(stage, chapters)
        (stage / "my" / "backup").write_bytes(classroom.tree.secret.read_bytes())

    monkeypatch.setattr(release, "fill", careless)
    with pytest.raises(ClassroomError, match="secret"):
        release.release(classroom.tree, [material.chapter(10)], tmp_path / "out")


def test_the_wheel_is_the_same_bytes_each_time(toy_course, tmp_path):
    one = wheel.build_wheel(material.tree(), tmp_path / "a", material.chapters())
    os.utime(toy_course / f"course/{toy.NAME}/chapter.toml")
    two = wheel.build_wheel(material.tree(), tmp_path / "b", material.chapters())
    assert one.name == two.name and one.read_bytes() == two.read_bytes()


def test_the_wheel_holds_every_file_that_the_package_needs():
    """A file of a kind that the wheel does not know would be missed by students only."""
    package = wheel.Path(wheel.grader.__file__).parent
    tracked = subprocess.run(["git", "ls-files", "."], cwd=package, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not in a clone")
    missing = set(tracked.stdout.split()) - set(wheel.package_files(package))
    settings = {name for name in missing if name.rpartition("/")[2].startswith(".")}  # of editors and formatters
    assert {name for name in missing - settings if (package / name).exists()} == set()


def test_the_wheel_installs_and_finds_its_course(toy_course, tmp_path):
    built = wheel.build_wheel(material.tree(), tmp_path / "w", material.chapters())
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(built),
    ]
    subprocess.run(pip, check=True, cwd=tmp_path, capture_output=True)
    code = "from grader.course import chapters, pristine; print(chapters()[0].name, pristine().root.name)"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.split() == [toy.NAME, "_course"]
    assert (tmp_path / "env" / "bin" / "grader").exists()


def test_a_lost_secret_is_made_again_and_nothing_else_is_touched(classroom):
    tree, before = classroom.tree, classroom.tree.secret.read_text()
    tree.secret.unlink()
    tree.config.write_text(tree.config.read_text() + "# mine\n")
    create(tree.root)
    assert tree.secret.read_text() != before and tree.config.read_text().endswith("# mine\n")
    (tree.root / "nbgrader_config.py").write_text("c = get_config()\n")
    tree.secret.unlink()
    with pytest.raises(ClassroomError, match="not empty"):
        create(tree.root)
