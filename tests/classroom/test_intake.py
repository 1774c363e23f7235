"""Whatever way it comes in, it lies under submitted/STUDENT/ASSIGNMENT/ and is graded."""

import errno
import os
import zipfile
from datetime import datetime
from pathlib import Path

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, canvas, moodle, zipped

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.intake.place import Origin, origin_path
from grader.classroom.intake.take import mend


@pytest.mark.parametrize("folders, new", [(True, True), (True, False), (False, True)])
def test_moodles_archive(take, folders, new):
    people = {("Ada Lovelace", 101): answers(), ("Zoë O'Hara-Ñ", 102): answers(b"half"), ("李 明", 103): answers(b"x")}
    report = take(moodle(people, folders=folders, new=new))
    there = take.there()
    assert list(there) == ["Ada_Lovelace_101", "Zoë_O_Hara-Ñ_102", "李_明_103"]
    assert there["Zoë_O_Hara-Ñ_102"] == answers(b"half")
    assert report.count("new") == 3 and not any(taken.sentences + taken.notes for taken in report.taken)
    for told in ("do not say when", "another one in each assignment: give --roster"):
        assert any(told in line for line in report.lines())


def test_moodles_typed_text_is_told_and_not_read(take):
    data = moodle({("Ada L", 1): answers()})
    typed = zipped(
        {
            "Ada L_1_assignsubmission_file/toy.cu": b"right",
            "Ada L_1_assignsubmission_onlinetext/o.html": b"<p>",
            "Bob_2_assignsubmission_onlinetext_/onlinetext.html": b"only this",
        }
    )
    report = take(data, typed)
    for said in ("Ada_L_1: Text typed into Moodle was handed in beside files; it is not read.",
                 "Bob_2: Text typed into Moodle was handed in and no file; it is not read."):  # fmt: skip
        assert any(said in line for line in report.lines())
    assert any("Bob_2: handed in, but nothing of what the chapter asks for." in line for line in report.lines())
    assert take.tree.students(toy.NAME) == ["Ada_L_1", "Bob_2"]  # he handed in something, and is graded as missing


def test_canvas_archive(take):
    data = canvas({("lovelaceada", 11, False): answers(), ("bobo", 12, True): answers(b"half")})
    report = take(data)
    assert take.there() == {"lovelaceada_11": answers(), "bobo_12": answers(b"half")}
    assert [taken.student for taken in report.taken if taken.late] == ["bobo_12"]
    assert Origin.read(origin_path(take.tree, "bobo_12", toy.NAME)).late


def test_canvas_names(take):
    members = {
        "anon_ab12c_9001_toy.cu": b"1",
        "LATE_anon_de34f_9002_toy.cu": b"2",
        "teamrocket_77_9003_toy-1.cu": b"3",
        "kim_lee_LATE_78_9004_my_file_1_2_toy.cu": b"4",
        "kim_lee_LATE_78_9005_toy.cu": b"5",
        "lou_79_text.html": b"<p>",
        "max_80_link.html": b"<a>",
        "max_80_9006_toy.cu": b"6",
    }
    report = take(zipped(members))
    there = {student: files.get("toy.cu") for student, files in take.there().items()}
    assert there == {"anon_ab12c": b"1", "anon_de34f": b"2", "teamrocket_77": b"3", "kim_lee_78": b"5", "max_80": b"6"}
    assert any(line.startswith("lou_79: Text or a link typed into Canvas") for line in report.lines())
    assert not any(line.startswith("teamrocket_77") for line in report.lines())  # toy-1.cu is Canvas' own name


def test_of_two_attachments_the_newer_counts(take):
    take(canvas({("ada", 1, False): {"toy.cu": b"first", "toy-1.cu": b"second", BOOK: book()}}))
    assert take.there()["ada_1"]["toy.cu"] == b"second"


def test_a_later_part_of_a_submission_completes_the_earlier_one(take):
    take(canvas({("ada", 1, False): answers(b"first")}, time=(2026, 11, 1, 9, 0, 0)))
    report = take(canvas({("ada", 1, True): {"toy-1.cu": b"second"}}, time=(2026, 11, 2, 9, 0, 0)))
    assert take.there()["ada_1"] == answers(b"second")
    assert f"ada_1: {BOOK} is the one handed in earlier; the newest hand-in has none." in report.lines()
    (before,) = (take.tree.root / "submitted_before" / "ada_1" / toy.NAME).iterdir()
    assert (before / "toy.cu").read_bytes() == b"first" and before.name == "2026-11-01T09-00-00Z"


def test_the_newest_wins_in_any_order_and_nothing_is_lost(take):
    old = moodle({("Ada", 1): answers(b"old")}, time=(2026, 11, 1, 9, 0, 0))
    new = moodle({("Ada", 1): answers(b"new")}, time=(2026, 11, 2, 9, 0, 0))
    take(new, old)
    assert take.there()["Ada_1"]["toy.cu"] == b"new"
    kept = take.tree.root / "submitted_before" / "Ada_1" / toy.NAME
    assert [path.joinpath("toy.cu").read_bytes() for path in kept.iterdir()] == [b"old"]
    report = take(old)
    assert (report.count("older"), report.count("replaced")) == (1, 0)
    assert take.there()["Ada_1"]["toy.cu"] == b"new"


def test_taking_in_again_changes_nothing(take):
    sources = moodle({("Ada", 1): answers()}), canvas({("bob", 2, False): answers(b"half")})
    take(*sources)
    before = {path: os.stat(path).st_mtime_ns for path in take.tree.root.rglob("*") if path.name != ".lock"}
    report = take(*sources)
    after = {path: os.stat(path).st_mtime_ns for path in take.tree.root.rglob("*") if path.name != ".lock"}
    assert report.count("unchanged") == 2
    assert before.keys() == after.keys()
    assert all(before[path] == after[path] for path in before if path.is_file())


@pytest.mark.parametrize(
    "top, deep", [("", ""), ("", f"{toy.NAME}/"), ("submitted/", f"{toy.NAME}/"), ("my class/", f"{toy.NAME}/")]
)
def test_a_zip_of_a_folder_like_submitted(take, top, deep):
    stamp = {"timestamp.txt": b"2026-11-30 12:00:00.5 +0100"}
    files = {**answers(), **stamp}
    members = {f"{top}{who}/{deep}{name}": data for who in ("ada", "bob b") for name, data in files.items()}
    take(zipped(members))
    assert take.there()["bob b"] == {**answers(), "timestamp.txt": b"2026-11-30 11:00:00.500000 UTC"}
    assert list(take.there()) == ["ada", "bob b"]


@pytest.mark.parametrize("top", ["", f"{toy.NAME}/"])
def test_a_class_release_is_not_what_a_class_handed_in(take, top):
    members = {"release.json": b"{}", "Makefile": b"", "wheels/a.whl": b"", f"my/{toy.NAME}/toy.cu": b"right"}
    with pytest.raises(ClassroomError, match="is a class release"):
        take(zipped({f"{top}{name}": data for name, data in members.items()}))
    assert not take.there()
    # A student may hand in all of it.
    take(zipped({f"{who}/{name}": data for who in ("ada", "bob") for name, data in members.items()}))
    assert take.there() == {who: {"toy.cu": b"right"} for who in ("ada", "bob")}


def test_a_folder_like_submitted(take, tmp_path):
    for name, data in {
        "ada/toy.cu": b"right",
        f"bob/{toy.NAME}/toy.cu": b"half",
        "bob/20_other/toy.cu": b"no",
        "x.pdf": b"-",
        f"cy/{toy.NAME}/a/deep/toy.cu": b"deep",
    }.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    (tmp_path / "in" / "ada" / BOOK).symlink_to("/etc/passwd")
    (tmp_path / "in" / "dan").symlink_to(tmp_path / "in" / "ada")
    report = take(tmp_path / "in")
    assert take.there() == {
        "bob": {"toy.cu": b"half"},
        "cy": {"toy.cu": b"deep"},
    }
    lines = "\n".join(report.lines())
    assert "in, dan: it is a link" in lines and "4 files are no student's 10_toy" in lines


def test_a_time_that_is_none_stops_nobody(take, tmp_path):
    """A zone is looked for among files, under the name that a student wrote."""
    for student in ("ada", "bob"):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "toy.cu").write_bytes(b"right")
    (tmp_path / "in" / "bob" / "timestamp.txt").write_text("2026-11-30 12:00 " + 900 * "A")
    take(tmp_path / "in")
    assert take.there() == {"ada": {"toy.cu": b"right"}, "bob": {"toy.cu": b"right"}}


def test_a_whole_hand_in_replaces_all_of_the_earlier_one(take, tmp_path):
    for name in ("toy.cu", BOOK):
        (tmp_path / "in" / "ada").mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "ada" / name).write_bytes(b"{}")
    take(tmp_path / "in")
    (tmp_path / "in" / "ada" / BOOK).unlink()
    (tmp_path / "in" / "ada" / "toy.cu").write_bytes(b"new")
    take(tmp_path / "in")
    assert take.there() == {"ada": {"toy.cu": b"new"}}


def test_an_archive_that_was_unpacked(take, tmp_path):
    (tmp_path / "m.zip").write_bytes(moodle({("Ada L", 1): answers(), ("Bob", 2): answers(b"half")}))
    zipfile.ZipFile(tmp_path / "m.zip").extractall(tmp_path / "m")
    take(tmp_path / "m")
    assert take.there() == {"Ada_L_1": answers(), "Bob_2": answers(b"half")}


def test_an_archive_that_was_packed_again_with_a_folder_around_it(take):
    members = {"Toy assignment/": b"", "__MACOSX/Toy assignment/._x": b"-"}
    members |= {f"Toy assignment/Ada L_1_assignsubmission_file_/{name}": data for name, data in answers().items()}
    take(zipped(members))
    assert take.there() == {"Ada_L_1": answers()}


def test_what_is_taken_in_is_graded(take, classroom):
    take(
        moodle(
            {
                ("Ada L", 1): answers(),
                ("Bob", 2): {"hw.zip": zipped({f"hw/{n}": d for n, d in answers(b"half").items()})},
            }
        )
    )
    graded = classroom.grade()
    assert {who: one.result.verdicts["toy-kernel"].earned for who, one in graded.items()} == {"Ada_L_1": 10, "Bob_2": 6}
    assert not any(one.result.notes for one in graded.values())


def test_a_notebook_with_a_name_of_its_own_reaches_grading(take, classroom):
    take(moodle({("Ada", 1): {"toy.cu": b"right", "my ★ answers.ipynb": book()}}))
    assert set(take.there()["Ada_1"]) == {"toy.cu", "my_answers.ipynb"}
    result = classroom.grade()["Ada_1"].result
    assert result.verdicts["toy-cell"].earned == 10


def test_a_kill_between_two_steps_is_mended_by_the_next_run(take):
    take(moodle({("Ada", 1): answers(b"old")}, time=(2026, 11, 1, 9, 0, 0)))
    rename = Path.rename

    def killed(self, to):
        if "submitted/Ada_1" in str(to):
            raise KeyboardInterrupt
        return rename(self, to)

    new = moodle({("Ada", 1): answers(b"new")}, time=(2026, 11, 2, 9, 0, 0))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "rename", killed)
        take(new)
    assert take.there() == {}
    mend(take.tree)
    assert take.there() == {"Ada_1": answers(b"new")}
    assert not list((take.tree.root / "submitted_before" / ".ready").iterdir())


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_disk_that_fails_leaves_the_earlier_work(take, tmp_path, number):
    take(moodle({("Ada", 1): answers(b"old")}, time=(2026, 11, 1, 9, 0, 0)))
    write = Path.write_bytes

    def fail(path, data):
        if "Ada_1" in str(path) and path.name == "toy.cu":
            raise OSError(number, os.strerror(number))
        return write(path, data)

    new = moodle({("Ada", 1): answers(b"new"), ("Bob", 2): answers()}, time=(2026, 11, 2, 9, 0, 0))
    (tmp_path / "new.zip").write_bytes(new)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_bytes", fail)
        if number == errno.ENOSPC:
            with pytest.raises(ClassroomError, match="a disk is full, so taking in stopped at Ada_1"):
                take(tmp_path / "new.zip")
            assert take.there() == {"Ada_1": answers(b"old")}
        else:
            report = take(tmp_path / "new.zip")
            assert any(line.startswith("Ada_1: not taken in: OSError") for line in report.lines())
            assert take.there() == {"Ada_1": answers(b"old"), "Bob_2": answers()}
    take(tmp_path / "new.zip")
    assert take.there() == {"Ada_1": answers(b"new"), "Bob_2": answers()}


def test_a_link_in_place_of_a_students_folder_is_not_followed(take, tmp_path):
    (take.tree.root / "submitted").mkdir(exist_ok=True)
    (tmp_path / "elsewhere" / toy.NAME).mkdir(parents=True)
    (take.tree.root / "submitted" / "Ada_1").symlink_to(tmp_path / "elsewhere")
    report = take(moodle({("Ada", 1): answers()}))
    assert any("Ada_1: not taken in: a link stands in place" in line for line in report.lines())
    assert not any((tmp_path / "elsewhere" / toy.NAME).iterdir())


def test_wrong_use(take, tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK nothing")
    for source, told in [
        (tmp_path / "gone", "there is no"),
        (tmp_path / "no.zip", "not a zip file"),
        (take.tree.root / "submitted", "leave --from out"),
    ]:
        take.tree.submitted("ada", toy.NAME).mkdir(parents=True, exist_ok=True)
        with pytest.raises(ClassroomError, match=told):
            take(source)


def test_times():
    from grader.classroom.intake import times

    noon = datetime(2026, 11, 30, 12)
    for text in (
        "2026-11-30 12:00:00.000000 UTC",
        "2026-11-30 13:00 +0100",
        "2026-11-30T07:00:00-05:00",
        "2026-11-30 12:00",
        "2026-11-30 13:00:00 Europe/Berlin",
    ):
        assert times.parse(text) == noon, text
    for text in ("", "yesterday", "2026-13-30 12:00 UTC", "2026-11-30 12:00 Nowhere/Land", "0001-01-01 00:00 +0100",
                 f"2026-11-30 12:00 {'A' * 900}"):  # fmt: skip
        assert times.parse(text) is None, text
    assert times.parse(times.stamp(noon)) == noon


def test_what_could_not_be_read_is_not_called_missing(take, classroom):
    """The notes of taking in reach the submission that is graded."""
    from grader.classroom import graft
    from grader.classroom.autograde import read_release
    from grader.classroom.intake.told import with_origin
    from grader.classroom.submission import collect

    people = {
        ("Ada", 1): {"hw.zip": b"no zip file"},
        ("Bob", 2): {"toy.cu": bytes(2 << 20), BOOK: book()},
        ("Cy", 3): {"toy (1).cu": b"right", BOOK: book()},
        ("Dan", 4): {BOOK: book()},
        ("Eve", 5): {"hw.tar.gz": b"\x1f"},
    }
    take(moodle(people))
    chapter = material.chapter(10)
    cells = graft.answer_cells(read_release(take.tree, chapter))
    found = {}
    for student in take.tree.students(toy.NAME):
        plain = collect(take.tree.submitted(student, toy.NAME), chapter, cells)
        found[student[:3]] = with_origin(plain, take.tree, student, toy.NAME)
    assert not found["Ada"].missing and {"toy.cu", BOOK, "toy-cell-answer"} <= found["Ada"].lost
    assert not found["Bob"].missing and found["Bob"].lost == {"toy.cu"}
    assert [note.sentence for note in found["Bob"].notes] == ["toy.cu was not taken: it has more than 1 MiB."]
    assert [note.sentence for note in found["Cy_"].notes] == ["toy.cu was taken from toy (1).cu."]
    assert found["Dan"].missing == {"toy.cu"}
    assert not found["Eve"].missing and "toy.cu" in found["Eve"].lost


def test_the_command_takes_in_grades_and_tells(classroom, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from grader.cli.main import app

    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "in.zip").write_bytes(moodle({("Ada Lovelace", 1): answers(), ("Bob", 2): {"hw.zip": b"junk"}}))
    (tmp_path / "roster.csv").write_text("id,name,email\nada,Ada Lovelace\neve,Eve,eve@x.example\n")
    words = ["10", "--from", tmp_path / "in.zip", "--roster", tmp_path / "roster.csv", "--trust-submissions",
             "--course", classroom.tree.root, "--jobs", "1"]  # fmt: skip
    done = CliRunner().invoke(app, ["autograde", *map(str, words)])
    assert done.exit_code == 0, done.output
    for told in ("Handed in: 2 new.", "Bob_2: Bob 2 is not in the roster.", "Nothing from 1 of the roster: eve.",
                 "hw.zip was not opened: it is not a zip file", "unreadable"):  # fmt: skip
        assert told in done.output, told
    assert classroom.scores("ada")["toy-kernel"] == (10, False)
    assert classroom.scores("Bob_2")["toy-kernel"] == (0, True)
    from grader.classroom.session import Session

    Session(classroom.tree).export(tmp_path / "grades.csv")
    rows = [line.split(",")[3:7] for line in (tmp_path / "grades.csv").read_text().splitlines()[1:]]
    assert sorted(rows) == [
        ["Bob_2", "Bob_2", "", ""],
        ["ada", "Lovelace", "Ada", ""],
        ["eve", "Eve", "", "eve@x.example"],
    ]
