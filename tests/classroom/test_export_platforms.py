"""What goes back to Canvas and to Moodle."""

import csv
import zipfile

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, canvas, moodle
from typer.testing import CliRunner

from grader.classroom import material
from grader.classroom.commands import app
from grader.classroom.export.table import cell
from grader.classroom.intake.roster import read_roster
from grader.classroom.intake.take import take_in
from grader.classroom.session import Session

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,"Notes",Toy (776),A toy <chapter> (777),Current Score
,,,,,,,Manual Posting,
"    Points Possible",,,,,,5.00,20.00,(read only)
"Lovelace, Ada",11,S1,ada,"A and B",x,,1.00,
"O'Neil, Bob",12,S2,bob,A,,4.00,17.00,50
"=1+1, Cy",13,,cy,A,,,,
"Dee, Dan",14,,dan,A,,,EX,
"Absent, Eve",15,,eve,A,,,3.00,
"Student, Test",16,,teststudent,A,,,,
"""
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    "Participant 101,Ada Lovelace,ada@x.example,Submitted,,{0},Yes,-,-,\n"
    "Participant 102,Bob Bo,bob@x.example,Submitted,,{0},Yes,-,-,Well done\n"
    "Participant 103,=Cy,cy@x.example,Submitted,,{0},Yes,-,-,\n"
    "Participant 104,Dan,dan@x.example,Submitted,,{0},No,-,-,\n"
    "Participant 105,Eve,eve@x.example,No submission,,{0},Yes,-,-,\n"
)


@pytest.fixture
def run(classroom, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def call(*words):
        done = CliRunner().invoke(app, ["export", *map(str, words), "--course", str(classroom.tree.root)])
        if done.exit_code not in (0, 2):
            raise done.exception
        return done

    return call


@pytest.fixture
def graded(classroom, tmp_path):
    """graded(archive, roster text) -> the roster's path; all but cy's words are graded by a person."""

    def call(archive, text, roster_first=True, leave=("cy",)):
        (tmp_path / "in.zip").write_bytes(archive)
        (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
        roster = read_roster(tmp_path / "roster.csv")
        take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster if roster_first else None)
        classroom.grade()
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{classroom.tree.database}") as gradebook:
            for student in classroom.tree.students(toy.NAME):
                if not student.startswith(leave):
                    grade = gradebook.find_grade("toy-explain", toy.NAME, toy.NAME, student)
                    grade.manual_score, grade.needs_manual_grade = 2.5, False
            gradebook.db.commit()
        return tmp_path / "roster.csv"

    return call


def table(path):
    return list(csv.reader(path.open(newline="", encoding="utf-8")))


IN_CANVAS = {
    ("lovelaceada", 11, False): answers(), ("oneilbob", 12, True): answers(b"half"), ("11cy", 13, False): answers(),
    ("deedan", 14, False): answers(), ("stranger", 99, False): answers(),
}  # fmt: skip


@pytest.mark.parametrize("roster_first", [True, False])
def test_from_canvas_to_canvas(graded, run, tmp_path, roster_first):
    """The archive in, graded, and the scores back under the right ids, whether or not the roster was there before."""
    roster = graded(canvas(IN_CANVAS), CANVAS, roster_first, leave=("cy", "11cy"))
    done = run(tmp_path / "out.csv", "--format", "canvas", "--roster", roster, "--column", "A toy <chapter> (777)")
    assert done.exit_code == 0, done.output
    assert table(tmp_path / "out.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "A toy <chapter> (777)"],
        ["    Points Possible", "", "", "", "", "20.00"],
        ["Lovelace, Ada", "11", "S1", "ada", "A and B", "22.5"],
        ["O'Neil, Bob", "12", "S2", "bob", "A", "18.5"],
    ]
    told = done.output
    assert "2 rows in" in told and "has 20.00 points in Canvas, and 23 here" in told
    assert "Left out, because points wait for a grade: " in told and "cy" in told and "(3)" in told
    assert "because the roster does not name them: stranger_99" in told
    assert "Excused in Canvas, or not assigned there, and left so: dan" in told
    assert not (tmp_path / "out.csv.part").exists()
    assert (tmp_path / "out.csv").read_bytes().startswith(b"Student,")  # no byte order mark


def test_a_file_without_a_grade_is_not_written(graded, run, tmp_path):
    roster = graded(canvas(IN_CANVAS), CANVAS, leave=tuple("abcdefghijklmnopqrstuvwxyzS"))
    done = run(tmp_path / "o.csv", "--format", "canvas", "--roster", roster, "--column", "A toy <chapter>",
               "--chapter", "10")  # fmt: skip
    assert done.exit_code == 2 and not (tmp_path / "o.csv").exists()
    assert "No grade can go out, so" in done.output and "points wait for a grade" in done.output


def test_pending_points_as_zeros_only_when_asked_for(graded, run, tmp_path):
    roster = graded(canvas(IN_CANVAS), CANVAS)
    done = run(tmp_path / "o.csv", "--format", "canvas", "--roster", roster, "--pending-as-zero", "--chapter", "10",
               "--column", "A toy <chapter>")  # fmt: skip
    cy = table(tmp_path / "o.csv")[4]
    assert cy == ["'=1+1, Cy", "13", "", "cy", "A", "20"]
    assert "went out as zeros, as you asked: cy (3)" in done.output


def test_an_assignment_that_canvas_does_not_have(graded, run, tmp_path):
    roster = graded(
        canvas(IN_CANVAS), CANVAS.replace("A toy <chapter> (777)", "Else (777)").replace("Toy (776)", "X (776)")
    )
    done = run(tmp_path / "o.csv", "--format", "canvas", "--roster", roster)
    rows = table(tmp_path / "o.csv")
    assert rows[0][-1] == "A toy <chapter>" and rows[1][-1] == "23" and rows[2][-1] == "22.5"
    assert "importing makes one of 23 points" in done.output


def test_two_assignments_that_may_be_meant(graded, run, tmp_path):
    roster = graded(canvas(IN_CANVAS), CANVAS)
    done = run(tmp_path / "o.csv", "--format", "canvas", "--roster", roster)
    assert done.exit_code == 2 and "may be any of these in Canvas: Toy (776); A toy <chapter> (777)" in done.output
    assert not (tmp_path / "o.csv").exists()


IN_MOODLE = {("Ada Lovelace", 101): answers(), ("Bob Bo", 102): answers(b"half"), ("Cy", 103): {BOOK: book()},
             ("Dan", 104): answers(), ("Stranger", 999): answers()}  # fmt: skip


@pytest.mark.parametrize("maximum, ada", [("23.00", "22.5"), ("23,00", "22,5")])
def test_moodles_grading_worksheet(graded, run, tmp_path, maximum, ada):
    text = WORKSHEET.format(f'"{maximum}"').replace("=Cy", "Cy")
    roster = graded(moodle(IN_MOODLE), text)
    done = run(tmp_path / "w.csv", "--format", "moodle", "--roster", roster)
    assert done.exit_code == 0, done.output
    header, *rows = table(tmp_path / "w.csv")
    assert header[0] == "Identifier" and [row[0] for row in rows] == ["Participant 101", "Participant 102"]
    assert [row[4] for row in rows] == [ada, ada.replace("22", "18")]
    assert rows[0][9].startswith("Graded by the course's checks: 22.5 of 23 points. The kernel: 10 of 10.")
    assert rows[1][9] == "Well done"
    told = done.output
    # The kernel was not handed in, so those points wait for a person too.
    assert (
        "points wait for a grade: cy@x.example (13)" in told and "Moodle has their grades locked: dan@x.example" in told
    )
    assert "comments that a person wrote in Moodle stay: bob@x.example" in told and "Stranger_999" in told


def test_the_worksheet_of_a_class_with_ids_of_its_own(graded, run, classroom, tmp_path):
    """Whom neither id nor number tells is found by the address that the class's own roster gave."""
    own = "id,name,email\nada,Ada Lovelace,Ada@x.example\nbob,Bob Bo,bob@x.example\ncy,Cy,bob@x.example\n"
    people = {(name, n, False): answers() for n, name in enumerate(("lovelaceada", "bobob", "cy"))}
    roster = graded(canvas(people), own, leave=())
    Session(classroom.tree).enrol(read_roster(roster))
    (tmp_path / "sheet.csv").write_text(WORKSHEET.format("23"), encoding="utf-8")
    done = run(tmp_path / "w.csv", "--format", "moodle", "--roster", tmp_path / "sheet.csv")
    assert [row[0] for row in table(tmp_path / "w.csv")[1:]] == ["Participant 101"]
    assert "because the roster does not name them: bob, cy." in done.output  # two have that address
    done = run(tmp_path / "f.zip", "--format", "moodle-feedback", "--roster", roster)
    assert "run  grader class feedback 10  first" in done.output
    classroom.feedback("ada")
    done = run(tmp_path / "f.zip", "--format", "moodle-feedback", "--roster", roster)
    assert "roster.csv has no participant's number for any of: ada" in done.output


def test_a_score_above_moodles_maximum_is_told(graded, run, tmp_path):
    roster = graded(moodle(IN_MOODLE), WORKSHEET.format("20.00").replace("=Cy", "Cy"))
    done = run(tmp_path / "w.csv", "--format", "moodle", "--roster", roster)
    assert [row[0] for row in table(tmp_path / "w.csv")[1:]] == ["Participant 102"]
    assert "their score is above Moodle's maximum: ada@x.example" in done.output
    assert "The maximum in Moodle is 20, and 23 here" in done.output


def test_moodles_grade_import(graded, run, tmp_path):
    text = "First name,Last name,ID number,Email address\nAda,Lovelace,7,ada@x.example\n=Bob,Bo,8,bob@x.example\n"
    roster = graded(moodle({("Ada Lovelace", 1): answers(), ("=Bob Bo", 2): answers(b"half")}), text)
    done = run(tmp_path / "g.csv", "--format", "moodle", "--roster", roster)
    rows = table(tmp_path / "g.csv")
    assert rows[0][:5] == ["First name", "Last name", "ID number", "Email address", "A toy <chapter>"]
    assert rows[0][5] == "A toy <chapter> (feedback)"
    assert [row[:5] for row in rows[1:]] == [["Ada", "Lovelace", "7", "ada@x.example", "22.5"],
                                             ["'=Bob", "Bo", "8", "bob@x.example", "18.5"]]  # fmt: skip
    assert "map the column that says who it is" in done.output and "Written as text" in done.output


def test_feedback_pages_for_moodle(graded, run, classroom, tmp_path):
    graded(moodle(IN_MOODLE), "id\nx\n", roster_first=False)
    done = run(tmp_path / "f.zip", "--format", "moodle-feedback")
    assert done.exit_code == 2 and "run  grader class feedback 10  first" in done.output
    assert not list(tmp_path.glob("f.zip*"))
    classroom.feedback("Ada_Lovelace_101")
    done = run(tmp_path / "f.zip", "--format", "moodle-feedback")
    with zipfile.ZipFile(tmp_path / "f.zip") as archive:
        assert archive.namelist() == [f"Ada Lovelace_101_assignsubmission_file_/{toy.NAME}.html"]
        assert b"Feedback for Ada_Lovelace_101" in archive.read(archive.namelist()[0])
    assert "No page was made yet for: Bob_Bo_102" in done.output


def test_a_page_goes_by_the_worksheets_number(graded, run, classroom, tmp_path):
    roster = graded(canvas({("adalovelace", 1, False): answers()}), WORKSHEET.format("23"))
    classroom.feedback("ada@x.example")
    run(tmp_path / "f.zip", "--format", "moodle-feedback", "--roster", roster)
    assert zipfile.ZipFile(tmp_path / "f.zip").namelist() == [
        f"Ada Lovelace_101_assignsubmission_file_/{toy.NAME}.html"
    ]


@pytest.mark.parametrize(
    "words, told",
    [
        (["--format", "xls"], "no format 'xls'; there are csv, canvas"),
        (["--format", "canvas"], "needs --roster FILE"),
        (["--format", "moodle", "--roster", "gone.csv"], "gone.csv cannot be read as a roster"),
        (["--pending-as-zero"], "are for --format canvas and moodle"),
        (["--format", "moodle", "--column", "x", "--roster", "r"], "--column is for --format canvas"),
    ],
)
def test_wrong_use(run, tmp_path, words, told):
    done = run(tmp_path / "out.csv", *words)
    assert done.exit_code == 2 and told in done.output
    assert not list(tmp_path.glob("out.csv*"))


def test_wrong_rosters(graded, run, tmp_path):
    roster = graded(canvas(IN_CANVAS), CANVAS)
    assert "is from Canvas. For Moodle give" in run(tmp_path / "o", "--format", "moodle", "--roster", roster).output
    done = run(tmp_path / "o", "--format", "canvas", "--roster", roster, "--column", "Homework")
    assert "no one assignment 'Homework'. It has: Toy (776); A toy <chapter> (777)" in done.output
    roster.write_text("id\nada\n")
    assert "is not Canvas' gradebook" in run(tmp_path / "o", "--format", "canvas", "--roster", roster).output


def test_what_a_spreadsheet_would_run_is_text():
    for text in ("=1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "＝1", "－1"):
        assert cell(text) == f"'{text}"
    for value, text in (
        (-1.5, "-1.5"),
        ("-", "-"),
        ("    Points Possible", "    Points Possible"),
        (None, ""),
        ("a=1", "a=1"),
    ):
        assert cell(value) == text
