"""`grader class ...` and `grader autograde` as an instructor types them."""

import classroom_toy as toy
import pytest
from intake_archives import book, zipped
from typer.testing import CliRunner

from grader.classroom import material
from grader.cli.main import app


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def call(*words):
        words = [str(word) for word in words]
        return CliRunner().invoke(app, words if words[0] == "autograde" else ["class", *words])

    return call


def test_from_an_empty_folder_to_grades(toy_course, tmp_path, run, monkeypatch):
    assert run("init", tmp_path / "class").exit_code == 0
    monkeypatch.chdir(tmp_path / "class")
    made = run("release", "10")
    assert made.exit_code == 0 and "grader autograde 10 --from" in made.output
    classroom = toy.Classroom(toy_tree(tmp_path / "class"))
    classroom.hand_in("ada")
    classroom.hand_in("bob", cu="half", book=False)
    refused = run("autograde", "10")
    assert refused.exit_code == 2 and "--trust-submissions" in refused.output
    done = run("autograde", "toy", "--trust-submissions")
    assert done.exit_code == 0, done.output
    assert "10 ✓" in done.output and "was not handed in" in done.output
    assert run("feedback", "10").exit_code == 0
    assert classroom.tree.feedback("bob", toy.NAME).is_dir()
    assert run("export", "grades.csv").exit_code == 0
    assert (tmp_path / "class" / "grades.csv").read_text().count("\n") == 3


def test_what_lies_under_a_wrong_name_is_told(classroom, run):
    classroom.hand_in("ada")
    classroom.hand_in("bob", cu=None)
    (classroom.tree.submitted("bob", toy.NAME) / "Toy kernel.cu").write_text("right")
    (classroom.tree.submitted("bob", toy.NAME) / "hw.zip").write_bytes(b"PK")
    classroom.tree.submitted("cy", "10_tpy").mkdir(parents=True)
    (classroom.tree.root / "submitted" / "loose.cu").write_text("right")
    done = run("autograde", "10", "--trust-submissions", "--course", classroom.tree.root)
    assert "bob: Files under other names, which were not looked into: Toy kernel.cu, hw.zip." in done.output
    assert "ada: Files" not in done.output
    assert "no assignment is called so; in submitted/: cy/10_tpy, loose.cu." in done.output
    again = run("autograde", "10", "--trust-submissions", "--course", classroom.tree.root)
    assert "2 submissions, 2 of them unchanged since the last grading." in again.output


def test_an_upgrade_that_changes_what_judges_is_told(classroom, run, monkeypatch):
    classroom.hand_in("ada")
    classroom.hand_in("bob")
    words = ["autograde", "10", "--trust-submissions", "--course", classroom.tree.root]
    told = "judged again: the checks or the simulated GPU changed since."
    assert told not in run(*words).output
    (classroom.tree.submitted("bob", toy.NAME) / "toy.cu").write_text("half")
    assert told not in run(*words).output
    monkeypatch.setattr(material, "judging", lambda exercise: f"{exercise.slug} by newer checks")
    assert f"All 2 submissions were {told}" in run(*words).output
    assert told not in run(*words).output
    classroom.hand_in("cy")
    monkeypatch.setattr(material, "judging", lambda exercise: f"{exercise.slug} by a newer simulated GPU")
    assert f"2 of 3 submissions were {told}" in run(*words).output


def test_what_is_odd_about_a_hand_in_is_told_once(classroom, run, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.classroom.report._MOST_ROWS", 2)
    words = ["--trust-submissions", "--course", classroom.tree.root]
    for who in ("ada", "bob", "cy"):
        (tmp_path / "in.zip").write_bytes(zipped({f"{who}/toy (1).cu": b"right", f"{who}/{toy.NAME}.ipynb": book()}))
        done = run("autograde", "10", "--from", tmp_path / "in.zip", *words)
        assert done.exit_code == 0, done.output
        # The third time the class is too large for the table, so it is told when it is taken in.
        assert done.output.count(f"{who}: toy.cu was taken from toy (1).cu.") == 1


def test_a_roster_alone_names_students_and_takes_nothing_in(classroom, run, tmp_path):
    classroom.hand_in("ada")
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada Lovelace\neve,Eve\n")
    words = ["--roster", tmp_path / "roster.csv", "--trust-submissions", "--course", classroom.tree.root]
    done = run("autograde", "10", *words)
    assert "Handed in" not in done.output and "Nothing from 1 of the roster: eve." in done.output


def toy_tree(root):
    from grader.classroom.tree import ClassTree

    return ClassTree(root)


def test_a_fault_is_told_by_the_exit_status(classroom, run):
    classroom.hand_in("ada", cu="boom")
    done = run("autograde", "--trust-submissions", "--course", classroom.tree.root)
    assert done.exit_code == 3 and "The grader itself failed" in done.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["autograde", "10"], "not in an instructor's tree"),
        (["release", "10"], "not in an instructor's tree"),
        (["feedback", "10"], "not in an instructor's tree"),
        (["export", "x.csv"], "not in an instructor's tree"),
    ],
)
def test_outside_a_class(toy_course, tmp_path, monkeypatch, run, words, told):
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert done.exit_code == 2 and told in done.output and "Traceback" not in done.output


def test_a_grade_is_reproduced_with_its_hidden_case(classroom, run):
    classroom.hand_in("ada", cu="hidden")
    words = ["reproduce", "ada", "10.kernel", "--trust-submissions", "--course", classroom.tree.root]
    done = run(*words)
    assert done.exit_code == 2 and "has no grade" in done.output
    seed = classroom.grade()["ada"].result.seeds["toy-kernel"]
    before = classroom.tree.result("ada", toy.NAME).read_bytes()
    done = run(*words)
    assert done.exit_code == 0, done.output
    for told in (toy.SECRET_EXPECTATION, "76", str(seed), "the same as the grade"):
        assert told in done.output
    assert done.output.startswith("ada, 10_toy: judged again")
    assert "grader hint" not in done.output and "/tmp/" not in done.output and "Checked on" in done.output
    refused = run(*words[:3], *words[4:])
    assert refused.exit_code == 2 and "a test says so" in refused.output
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("right")
    done = run(*words)
    assert done.exit_code == 1 and "NOT come to the same" in done.output and "has changed since" in done.output
    whole = run("reproduce", "ada", "10", *words[3:])
    assert whole.exit_code == 1 and whole.output.count("as the grade") == 2
    assert classroom.tree.result("ada", toy.NAME).read_bytes() == before
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").unlink()
    told = run(*words).output
    assert "was not handed in" in told and "No hidden case was run." in told and "Checked on" not in told


def test_what_is_odd_is_told_again_only_where_nothing_is_new(classroom, run):
    words = ["autograde", "--trust-submissions", "--course", classroom.tree.root]
    classroom.hand_in("ada", book=False)
    once, again = run(*words).output, run(*words).output
    odd = "ada: 10_toy.ipynb was not handed in."
    assert odd in once and odd in again
    classroom.hand_in("bob", book=False)
    third = run(*words).output
    assert odd not in third and odd.replace("ada", "bob") in third and "What is odd about those was told then" in third


def test_a_wrong_chapter_suggests_the_nearest(classroom, run):
    done = run("autograde", "toi", "--course", classroom.tree.root)
    assert done.exit_code == 2 and 'did you mean "toy"' in done.output


def test_nobody_handed_in(classroom, run):
    for chapter in (["10"], []):
        done = run("autograde", *chapter, "--trust-submissions", "--course", classroom.tree.root)
        assert done.exit_code == 2 and "nothing to grade" in done.output


@pytest.mark.parametrize(
    ("config", "told"), [("c = (", "SyntaxError"), ("c = get_config()", "does not call configure")]
)
def test_a_configuration_that_is_broken_or_not_ours(classroom, run, config, told):
    classroom.hand_in("ada")
    classroom.tree.config.write_text(config)
    done = run("autograde", "10", "--trust-submissions", "--course", classroom.tree.root)
    assert done.exit_code == 2 and told in done.output and "Traceback" not in done.output
    assert not classroom.tree.autograded("ada", toy.NAME).exists()
