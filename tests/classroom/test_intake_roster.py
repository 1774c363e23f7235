"""Who is who: rosters of four kinds, and the names of folders without one."""

import unicodedata

import classroom_toy as toy
import pytest
from intake_archives import answers, canvas, moodle, zipped

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.intake import names
from grader.classroom.intake.handin import Sender
from grader.classroom.intake.roster import read_roster
from grader.classroom.intake.take import take_in

CANVAS = '''Student,ID,SIS User ID,SIS Login ID,Section,A toy <chapter> (777),Current Score
,,,,,Manual Posting,
"    Points Possible",,,,,23.00,(read only)
"Lovelace, Ada",11,S1,ada,"A and B",,
"O'Neil, Bob",12,S2,,A,17.00,50
"=""=Cy, Dee""",13,,,A,,
"Student, Test",14,,teststudent,A,,
'''
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 101,Ada Lovelace,ada@x.example,Submitted,,23.00,Yes,"Monday, 30 November 2026, 9:00 AM",-,\n'
    "Participant 102,Bob Bo,bob@x.example,Submitted,,23.00,Yes,-,-,\n"
)
MOODLE = (
    "First name,Last name,ID number,Institution,Department,Email address,Assignment: Toy (Real),"
    "Last downloaded from this course\n"
    "Ada,Lovelace,1,,,ada@x.example,-,1796040000\n"
    "Bob,Bo,2,,,bob@x.example,-,1796040000\n"
    "Bob,Bo,3,,,bob2@x.example,-,1796040000\n"
)
PLAIN = """id;name;email;canvas;moodle;group;submitted
ada;Ada Lovelace;ada@x.example;11;101;;2026-11-30 09:00 UTC
bob;Bob O'Neil;bob@x.example;12;102;Team_1;
cy;Cy Dee;;13;;Team 1;
"""


@pytest.fixture
def roster(tmp_path):
    def call(text, encoding="utf-8"):
        (tmp_path / "roster.csv").write_bytes(text.encode(encoding))
        return read_roster(tmp_path / "roster.csv")

    return call


def test_canvas_gradebook(roster):
    found = roster(CANVAS)
    assert found.kind == "canvas" and len(found.rows) == 6
    assert [person.id for person in found.people] == ["ada", "S2", "Dee_Cy_13", "teststudent"]
    assert [person.name for person in found.people] == ["Ada Lovelace", "Bob O'Neil", "Dee =Cy", "Test Student"]
    assert found.find(Sender("canvas", "lovelaceada", "11")) == ([found.people[0]], "")
    people, doubt = found.find(Sender("canvas", "rockets", "12"))
    assert people == [found.people[1]] and "the roster calls that number Bob O'Neil" in doubt
    assert found.find(Sender("canvas", "nobody", "99")) == ([], "")


def test_canvas_turns_names_round_and_an_own_roster_need_not(roster):
    found = roster(PLAIN)
    assert found.find(Sender("canvas", "lovelaceada", "11")) == ([found.people[0]], "")
    assert "the roster calls that number" in found.find(Sender("canvas", "lovelaceeve", "11"))[1]
    found = roster("id,name\nada,Ada van der Lovelace\nm,Paul Martin\np,Martin Paul\n")
    for name in ("vanderlovelaceada", "lovelaceadavander"):  # numbers are not needed
        assert found.find(Sender("canvas", name, "11")) == ([found.people[0]], "")
    assert found.find(Sender("canvas", "paulmartin", "12")) == ([found.people[1]], "")


def test_canvas_gradebook_with_names_in_two_columns_and_semicolons(roster):
    found = roster("LastName;FirstName;ID;SIS Login ID;Section\r\n    Points Possible;;;;\r\nLovelace;Ada;11;ada;A\r\n")
    assert [(person.id, person.name) for person in found.people] == [("ada", "Ada Lovelace")]
    assert found.find(Sender("canvas", "lovelaceada", "11"))[1] == ""


def test_moodles_grading_worksheet(roster):
    found = roster(WORKSHEET)
    assert found.kind == "worksheet" and [p.id for p in found.people] == ["ada@x.example", "bob@x.example"]
    assert found.find(Sender("moodle", "Ada Lovelace", "101"))[0] == [found.people[0]]
    assert found.find(Sender("moodle", "Participant", "102"))[0] == [found.people[1]]
    people, doubt = found.find(Sender("moodle", "Team 5", "101"))  # a group's number that is a participant's too
    assert people == [] and "Ada Lovelace" in doubt
    hidden = roster("Identifier,Status,Grade\nParticipant 101,Submitted,\n")
    assert hidden.people[0].id == "Participant_101" == names.student_id("Participant", "101")


def test_moodles_gradebook(roster):
    found = roster(MOODLE)
    assert found.kind == "moodle" and found.people[0].id == "ada@x.example"
    assert found.find(Sender("moodle", "Ada Lovelace", "5"))[0] == [found.people[0]]
    assert found.find(Sender("moodle", "Lovelace Ada", "5"))[0] == [found.people[0]]
    assert found.find(Sender("moodle", "Bob Bo", "6")) == ([], "2 people in the roster are called so")
    assert found.find(Sender("folder", "2", ""))[0] == []


def test_a_roster_of_the_instructors_own(roster):
    found = roster(PLAIN)
    assert found.kind == "plain" and [p.id for p in found.people] == ["ada", "bob", "cy"]
    assert found.find(Sender("exchange", "Ada"))[0] == [found.people[0]]
    assert found.find(Sender("folder", "bob@x.example"))[0] == [found.people[1]]
    assert found.find(Sender("canvas", "team1", "12"))[0] == list(found.people[1:])
    assert roster("id\nzoë\n", "utf-16").people[0].id == "zoë"


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "it is empty|is empty"),
        ("who,when\na,b\n", "line 1: no roster has these columns: who, when"),
        ("id,name\nada,Ada\n,Bob\n", "line 3: no id for Bob"),
        ("id,name\nada,Ada\nbob,Bob\nADA,Ada\n", "line 4: the id ADA is that of line 2 too"),
        ('id,name\nada,"Ada\n', "is not a CSV file"),
        ("id,submitted\nada,soon\n", "line 2: the time soon in the column 'submitted'"),
        ("First name,Last name,Email address\nAda,L,\n", "line 2: no id for Ada L"),
    ],
)
def test_a_roster_that_is_wrong(roster, text, told):
    with pytest.raises(ClassroomError, match=told):
        roster(text)
    with pytest.raises(ClassroomError, match="roster.csv"):
        roster(text)


def test_a_roster_names_folders_and_says_who_is_missing(classroom, tmp_path, roster):
    (tmp_path / "in.zip").write_bytes(moodle({("Ada Lovelace", 101): answers(), ("Eve", 9): answers()}))
    report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster(PLAIN))
    assert classroom.tree.students(toy.NAME) == ["Eve_9", "ada"]
    assert "Eve_9: Eve 9 is not in the roster." in report.lines()
    assert "Nothing from 2 of the roster: bob, cy." in report.lines()
    (tmp_path / "in.zip").write_bytes(zipped({"eve/toy.cu": b"right", "bob/toy.cu": b"right"}))
    report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster(PLAIN))
    assert "eve: not in the roster." in report.lines()
    stamp = classroom.tree.submitted("ada", toy.NAME) / "timestamp.txt"
    assert stamp.read_text() == "2026-11-30 09:00:00.000000 UTC"


def test_whose_time_is_not_known_is_named(classroom, tmp_path, roster):
    def said(text):
        report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster(text))
        return [line for line in report.lines() if "penalty" in line]

    (tmp_path / "in.zip").write_bytes(moodle({("Ada", 1): answers(), ("Bob", 2): answers(), ("Eve", 3): answers()}))
    time = "2026-11-30 09:00 UTC"
    (line,) = said("id,name\nada,Ada\nbob,Bob\neve,Eve\n")
    assert "do not say when" in line
    (line,) = said(f"id,name,submitted\nada,Ada,{time}\nbob,Bob,\neve,Eve,{time}\n")
    assert line.endswith("no penalty for being late is taken from them: bob.")
    assert not said(f"id,name,submitted\nada,Ada,{time}\nbob,Bob,{time}\neve,Eve,{time}\n")
    assert not said("id,name\nada,Ada\nbob,Bob\neve,Eve\n")  # it is known from before


def test_a_groups_work_is_each_members(classroom, tmp_path, roster):
    (tmp_path / "in.zip").write_bytes(canvas({("team1", 13, False): answers()}))
    take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster(PLAIN))
    assert classroom.tree.students(toy.NAME) == ["bob", "cy"]


def test_a_roster_that_comes_later_is_told_of_the_folder_from_before(classroom, tmp_path, roster):
    (tmp_path / "in.zip").write_bytes(moodle({("Ada Lovelace", 101): answers()}))
    take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"])
    report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], roster(PLAIN))
    assert any("ada: taken in before as Ada_Lovelace_101: if that is one" in line for line in report.lines())


def test_names_of_folders():
    assert names.student_id("Ada Lovelace", "7") == "Ada_Lovelace_7"
    assert names.student_id("Ünal, Ö.", "7") == "Ünal_Ö_7" and names.student_id("山田 太郎", "7") == "山田_太郎_7"
    assert names.student_id("हिन्दी", "7") == "हिन्दी_7"
    for text in (
        "../../etc",
        "a/b",
        "-rf",
        ".hidden",
        "con",
        "NUL.txt",
        "x" * 999,
        "ü" * 999,
        "a\0b",
        "\u202e",
        "*?[",
        "",
        "🎓",
    ):
        for name in (names.student_id(text, "7"), names.as_it_is(text or "x")):
            assert name.isprintable() and len(name.encode()) <= 120
            assert (
                not set(name) & set("/\\*?[+\0") and name[0] not in ".-" and name.casefold() not in ("con", "nul.txt")
            )
    assert names.as_it_is("zoe, the last") == "zoe, the last"
    assert len({names.as_it_is(name) for name in ("a*b", "a?b", "a[b", "a_b")}) == 4
    composed, decomposed = "José", unicodedata.normalize("NFD", "José")
    assert names.student_id(composed, "7") == names.student_id(decomposed, "7")


def test_two_people_of_one_name_stay_two_in_every_run(classroom, tmp_path):
    """One number of Moodle's and the same of Canvas', and one name: the first to come keeps the plain folder."""
    (tmp_path / "m.zip").write_bytes(moodle({("ada", 7): answers(b"moodle")}, time=(2026, 11, 1, 0, 0, 0)))
    (tmp_path / "c.zip").write_bytes(canvas({("ada", 7, False): answers(b"canvas")}, time=(2026, 11, 2, 0, 0, 0)))
    chapter, both = material.chapter(10), [tmp_path / "m.zip", tmp_path / "c.zip"]
    take_in(classroom.tree, chapter, both)
    students = classroom.tree.students(toy.NAME)
    assert len(students) == 2 and students[0] == "ada_7" and students[1].startswith("ada_7_")
    assert (classroom.tree.submitted("ada_7", toy.NAME) / "toy.cu").read_bytes() == b"moodle"
    report = take_in(classroom.tree, chapter, both[::-1])
    assert classroom.tree.students(toy.NAME) == students and report.count("unchanged") == 2


def test_a_name_with_a_comma_has_its_last_name_first(roster):
    text = 'id,name\nada,"Byron Lovelace, Ada"\nbob,Bob Bo\ncy,"Dee, Cy, Jr."\ndan,"Dan,"\n'
    people = roster(text).people
    assert [person.last_and_first for person in people[:2]] == [("Byron Lovelace", "Ada"), ("Bo", "Bob")]
    assert [person.name for person in people] == ["Ada Byron Lovelace", "Bob Bo", "Dee, Cy, Jr.", "Dan,"]
    for sent in ("Ada Byron Lovelace", "Byron Lovelace Ada"):
        assert roster(text).find(Sender("moodle", sent, "5")) == ([people[0]], "")
    assert roster(text).find(Sender("canvas", "byronlovelaceada", "5"))[0] == [people[0]]


def test_names_and_addresses_reach_the_gradebook_once(classroom, roster):
    from nbgrader.api import Gradebook

    from grader.classroom.session import Session

    session = Session(classroom.tree)
    assert (session.enrol(roster(CANVAS)), session.enrol(roster(CANVAS))) == (4, 0)
    session.enrol(roster("id,name,email\nada,A. Byron,ada@x.example\n"))
    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        found = {s.id: (s.last_name, s.first_name, s.email) for s in book.students}
    assert found["ada"] == ("Lovelace", "Ada", "ada@x.example") and found["S2"] == ("O'Neil", "Bob", None)


def test_two_of_one_name_in_an_archive_are_not_one_of_the_roster(classroom, tmp_path, roster):
    (tmp_path / "in.zip").write_bytes(
        moodle({("Ada Lovelace", 5): answers(b"one"), ("Ada Lovelace", 6): answers(b"two")})
    )
    people = roster("id,name\nada,Ada Lovelace\n")
    report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"], people)
    there = {
        s: (classroom.tree.submitted(s, toy.NAME) / "toy.cu").read_bytes() for s in classroom.tree.students(toy.NAME)
    }
    assert there == {"Ada_Lovelace_5": b"one", "Ada_Lovelace_6": b"two"}
    assert any("Ada Lovelace 6 may be ada of the roster, but somebody else" in line for line in report.lines())


def test_a_cell_may_be_long(roster):
    text = "Identifier,Full name,Status,Grade,Online text\nParticipant 1,Ada,Submitted,," + "x" * 300_000 + "\n"
    assert roster(text).people[0].name == "Ada"
