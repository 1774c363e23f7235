"""Whatever way it comes in, it lies under submitted/STUDENT/ASSIGNMENT/ and is graded."""

import os
import zipfile
from datetime import datetime

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, canvas, moodle, zipped

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.intake import exchange
from grader.classroom.intake.place import Origin, origin_path
from grader.classroom.intake.take import take_in


@pytest.fixture
def take(classroom, tmp_path):
    """take(bytes or path, ...) -> report; `take.there()` is what lies in submitted/ now."""

    def call(*sources, roster=None):
        paths = []
        for number, source in enumerate(sources):
            if isinstance(source, bytes):
                source, data = tmp_path / f"handed in {number}.zip", source
                source.write_bytes(data)
            paths.append(source)
        if isinstance(roster, str):
            (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
            roster = tmp_path / "roster.csv"
        return take_in(classroom.tree, material.chapter(10), paths, roster)

    def there():
        found = {}
        for path in sorted((classroom.tree.root / "submitted").rglob("*")):
            if path.is_file():
                student, assignment, name = path.relative_to(classroom.tree.root / "submitted").parts
                assert assignment == toy.NAME
                found.setdefault(student, {})[name] = path.read_bytes()
        return found

    call.there, call.tree = there, classroom.tree
    return call


@pytest.mark.parametrize("folders, new", [(True, True), (True, False), (False, True)])
def test_moodles_archive(take, folders, new):
    people = {("Ada Lovelace", 101): answers(), ("Zoë O'Hara-Ñ", 102): answers(b"half"), ("李 明", 103): answers(b"x")}
    report = take(moodle(people, folders=folders, new=new))
    there = take.there()
    assert list(there) == ["Ada_Lovelace_101", "Zoë_O_Hara-Ñ_102", "李_明_103"]
    assert there["Zoë_O_Hara-Ñ_102"] == answers(b"half")
    assert report.count("new") == 3 and not any(taken.sentences for taken in report.taken)
    assert any("do not say when" in line for line in report.lines())


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
    assert any("Ada_L_1: Text typed into Moodle" in line for line in report.lines())
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


def test_a_whole_hand_in_replaces_all_of_the_earlier_one(take, tmp_path):
    for name in ("toy.cu", BOOK):
        (tmp_path / "in" / "ada").mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "ada" / name).write_bytes(b"{}")
    take(tmp_path / "in")
    (tmp_path / "in" / "ada" / BOOK).unlink()
    (tmp_path / "in" / "ada" / "toy.cu").write_bytes(b"new")
    take(tmp_path / "in")
    assert take.there() == {"ada": {"toy.cu": b"new"}}


def exchange_folder(root, *entries, course="c", cu=b"right"):
    inbound = root / "exchange" / course / "inbound"
    for entry in entries:
        (inbound / entry).mkdir(parents=True)
        for name, data in answers(cu).items():
            (inbound / entry / name).write_bytes(data)
    return inbound


@pytest.mark.parametrize("up", [0, 1, 2])
def test_nbgraders_exchange(take, tmp_path, up):
    inbound = exchange_folder(
        tmp_path,
        f"ada+{toy.NAME}+2026-11-01 09:00:00.000001 UTC+r-_1",
        f"c++er+{toy.NAME}+2026-11-02 09:00:00.000001 UTC",
        "ada+20_other+2026-11-09 09:00:00.000001 UTC+x",
        "junk",
    )
    exchange_folder(tmp_path, f"ada+{toy.NAME}+2026-11-03 10:00:00 +0100+z", cu=b"newest")
    report = take([inbound, inbound.parent, inbound.parent.parent][up])
    assert take.there()["ada"] == {**answers(b"newest"), "timestamp.txt": b"2026-11-03 09:00:00.000000 UTC"}
    assert {path.split("_")[0] for path in take.there()} == {"ada", "c"}
    lines = "\n".join(report.lines())
    assert "1 earlier submissions of the same students stay" in lines and "1 submissions of other assignments" in lines
    assert "junk: not a name that nbgrader gives" in lines and "could not be checked (they belong to" in lines


def test_the_exchange_of_several_courses_asks_which(take, tmp_path):
    for course in ("one", "two"):
        exchange_folder(tmp_path, f"ada+{toy.NAME}+2026-11-01 09:00:00.0 UTC", course=course)
    with pytest.raises(ClassroomError, match="several courses"):
        take(tmp_path / "exchange")


def test_nobody_hands_in_as_somebody_else(take, tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "user", lambda uid: {0: "root"}.get(uid, f"s{uid}"))
    entry = f"+{toy.NAME}+2026-11-01 09:00:00.0 UTC"
    names = {f"{who}{entry}+{n}": who for n, who in enumerate(("s1", "s2", "s1"))}
    refused, told = exchange.impostors(names, dict(zip(names, (1, 2, 2), strict=True)), set())
    assert list(refused) == [f"s1{entry}+2"] and "NOT TAKEN, the folder belongs to s2" in refused[f"s1{entry}+2"]
    assert told == []
    # A known student's folder is refused even where no folder matches its owner.
    refused, _ = exchange.impostors({"ada": "ada"}, {"ada": 7}, {"s7"})
    assert list(refused) == ["ada"]
    # Where all belong to one who is no student, as on a hub, that cannot be checked, which is said.
    refused, told = exchange.impostors({"a": "ada", "b": "bob"}, {"a": 1000, "b": 1000}, set())
    assert not refused and "2 submissions come from whom they name could not be checked" in told[0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_an_impostors_folder_is_left_in_the_exchange(take, tmp_path):
    import pwd

    time = "2026-11-01 09:00:00.000001 UTC"
    inbound = exchange_folder(
        tmp_path, *(f"{who}+{toy.NAME}+{time}+{r}" for who, r in (("daemon", "a"), ("games", "a")))
    )
    forged = exchange_folder(tmp_path, f"games+{toy.NAME}+2026-11-02 09:00:00.000001 UTC+b", cu=b"forged")
    owners = {"a": None, "b": "daemon"}
    for path in forged.iterdir():
        who = owners[path.name[-1]] or path.name.split("+")[0]
        os.chown(path, pwd.getpwnam(who).pw_uid, -1)
    report = take(inbound)
    assert take.there()["games"]["toy.cu"] == b"right"
    assert any("games: NOT TAKEN, the folder belongs to daemon" in line for line in report.lines())


def test_an_exchange_folder_cannot_reach_out_by_a_link(take, tmp_path):
    secret = tmp_path / "secret"
    (secret / "sub").mkdir(parents=True)
    (secret / "toy.cu").write_bytes(b"of somebody else")
    inbound = exchange_folder(tmp_path, f"ada+{toy.NAME}+2026-11-01 09:00:00.0 UTC")
    folder = next(inbound.iterdir())
    (folder / "toy.cu").unlink()
    (folder / "toy.cu").symlink_to(secret / "toy.cu")
    report = take(inbound)
    assert "toy.cu" not in take.there()["ada"]
    assert "ada: toy.cu was not taken: it is a link, and links are not followed." in report.lines()
    from grader.classroom.folder import Unreadable
    from grader.classroom.intake.listing import read_inside

    (folder / "sub").symlink_to(secret)  # put there after the listing
    with pytest.raises(Unreadable):
        read_inside(inbound, f"{folder.name}/sub/toy.cu", 100)


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


def test_a_kill_between_two_steps_is_mended_by_the_next_run(take, monkeypatch):
    from pathlib import Path

    take(moodle({("Ada", 1): answers(b"old")}, time=(2026, 11, 1, 9, 0, 0)))
    rename = Path.rename

    def killed(self, to):
        if "submitted/Ada_1" in str(to):
            raise KeyboardInterrupt
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", killed)
    new = moodle({("Ada", 1): answers(b"new")}, time=(2026, 11, 2, 9, 0, 0))
    with pytest.raises(KeyboardInterrupt):
        take(new)
    assert take.there() == {}
    monkeypatch.undo()
    from grader.classroom.intake.place import recover

    assert recover(take.tree) == ["Ada_1"] and recover(take.tree) == []
    assert take.there() == {"Ada_1": answers(b"new")}


def test_a_full_disk_stops_one_student_and_leaves_the_earlier_work(take, monkeypatch):
    from grader.classroom.intake import place

    take(moodle({("Ada", 1): answers(b"old")}, time=(2026, 11, 1, 9, 0, 0)))
    write = place.Path.write_bytes

    def full(self, data):
        if "Ada_1" in str(self):
            raise OSError(28, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(place.Path, "write_bytes", full)
    report = take(moodle({("Ada", 1): answers(b"new"), ("Bob", 2): answers()}, time=(2026, 11, 2, 9, 0, 0)))
    assert any(line.startswith("Ada_1: not taken in: OSError") for line in report.lines())
    assert take.there() == {"Ada_1": answers(b"old"), "Bob_2": answers()}


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


def test_work_put_there_by_hand_is_kept_when_an_archive_replaces_it(take, classroom):
    classroom.hand_in("Ada_1", cu="by hand")
    take(moodle({("Ada", 1): answers()}, time=(2020, 1, 1, 0, 0, 0)))
    assert take.there()["Ada_1"] == answers()
    (kept,) = (take.tree.root / "submitted_before" / "Ada_1" / toy.NAME).iterdir()
    assert (kept / "toy.cu").read_bytes() == b"by hand"


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
    for text in ("", "yesterday", "2026-13-30 12:00 UTC", "2026-11-30 12:00 Nowhere/Land", "0001-01-01 00:00 +0100"):
        assert times.parse(text) is None, text
    assert times.parse(times.stamp(noon)) == noon


def test_what_could_not_be_read_is_not_called_missing(take, classroom):
    """The notes of taking in reach the submission that is graded."""
    from grader.classroom import graft
    from grader.classroom.autograde import read_release
    from grader.classroom.intake.told import with_origin
    from grader.classroom.submission import collect

    take(moodle({("Ada", 1): {"hw.zip": b"no zip file"}, ("Bob", 2): {"toy.cu": bytes(2 << 20), BOOK: book()},
                 ("Cy", 3): {"toy (1).cu": b"right", BOOK: book()}, ("Dan", 4): {BOOK: book()}}))  # fmt: skip
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


def test_what_nbgrader_itself_submits(take, classroom, tmp_path, monkeypatch):
    from nbgrader.auth import Authenticator
    from nbgrader.exchange.default.submit import ExchangeSubmit

    from grader.classroom.session import Session

    (tmp_path / "mine" / toy.NAME).mkdir(parents=True)
    for name, data in answers(b"half").items():
        (tmp_path / "mine" / toy.NAME / name).write_bytes(data)
    monkeypatch.chdir(tmp_path / "mine")
    session = Session(take.tree)
    session.course.assignment_id = toy.NAME
    cache = str(tmp_path / "cache")
    submit = ExchangeSubmit(
        coursedir=session.course, authenticator=Authenticator(), config=session.config, cache=cache, assignment_dir="."
    )
    submit.start()
    report = take(take.tree.exchange)
    (student,) = take.there()
    assert student == exchange.user(os.getuid())
    stamp = take.there()[student].pop("timestamp.txt").decode()
    assert take.there()[student]["toy.cu"] == b"half" and stamp == submit.timestamp
    assert report.lines()[0] == "Handed in: 1 new." and not any(
        "could not be checked" in line for line in report.lines()
    )
