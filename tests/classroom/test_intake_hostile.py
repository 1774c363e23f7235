"""Archives made to do harm, and those that are merely broken: one student's never stops the others'."""

import io
import stat
import warnings
import zipfile

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, entry, moodle, zipped

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Unreadable
from grader.classroom.intake import choose as choosing
from grader.classroom.intake.archive import Archive, BadArchive
from grader.classroom.intake.take import take_in


@pytest.fixture
def outcome(classroom, tmp_path):
    """outcome(files) -> (what lies in submitted/ of a student who hands these in, the lines about the student). Another
    student's work must be there too, and no file anywhere else."""

    def call(files, **options):
        data = moodle({("Eve", 1): files, ("Good", 2): answers()}, **options)
        (tmp_path / "in.zip").write_bytes(data)
        report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"])
        there = {}
        for path in (classroom.tree.root / "submitted").rglob("*"):
            if not path.is_dir() or path.is_symlink():
                student, _, name = path.relative_to(classroom.tree.root / "submitted").parts
                there.setdefault(student, {})[name] = path.read_bytes()
        assert there.pop("Good_2") == answers() and set(there) <= {"Eve_1"}
        assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "in.zip"]
        return there.get("Eve_1", {}), [line[7:] for line in report.lines() if line.startswith("Eve_1: ")]

    return call


def encrypted(name, data):
    """One stored member that says that it is encrypted, in both of its headers."""
    packed = bytearray(zipped({name: data}, compression=zipfile.ZIP_STORED))
    packed[6] |= 1
    packed[packed.index(b"PK\1\2") + 8] |= 1
    return bytes(packed)


def damaged(name, data):
    packed = bytearray(zipped({name: data}, compression=zipfile.ZIP_STORED))
    packed[packed.index(data)] ^= 1
    return bytes(packed)


def lying(name, size, claimed=5):
    """A member that claims to have few bytes and unpacks to many."""
    packed = bytearray(zipped({name: bytes(size)}))
    at = packed.index(b"PK\1\2")
    packed[at + 24 : at + 28] = packed[22:26] = claimed.to_bytes(4, "little")
    return bytes(packed)


LINK, DEVICE = stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o666
CASES = {
    "traversal": (zipped({"../../../up/toy.cu": b"x", "a/../../toy.cu": b"x"}), "its name points out of the archive"),
    "backslashes": (zipped({"..\\..\\toy.cu": b"x"}), "its name points out of the archive"),
    "absolute": (zipped({"/etc/toy.cu": b"x"}), "its name is an absolute path"),
    "drive": (zipped({"C:\\Users\\toy.cu": b"x"}), "its name is an absolute path"),
    "link": (zipped([(entry("toy.cu", mode=LINK), b"/etc/passwd")]), "it is a link, and links are not followed"),
    "device": (zipped([(entry("toy.cu", mode=DEVICE), b"")]), "it is not a regular file"),
    "control characters": (zipped({"a\x07/toy.cu": b"x"}), "a sign that cannot be printed"),
    "turned text": (zipped({"uc.\u202eyot/toy.cu": b"x"}), "a sign that cannot be printed"),
    "endless name": (zipped({f"{'d/' * 600}toy.cu": b"x"}), "its name is too long"),
    "encrypted": (encrypted("toy.cu", b"right"), "toy.cu was not taken: it is encrypted"),
    "damaged": (damaged("toy.cu", b"right and so on"), "toy.cu was not taken: it is damaged"),
    "large": (zipped({"toy.cu": bytes(3 << 20)}), "toy.cu was not taken: it has more than 1 MiB"),
    "lying": (lying("toy.cu", 3 << 20), "toy.cu was not taken: it is damaged"),
    "lzma": (zipped({"toy.cu": b"x"}, compression=zipfile.ZIP_LZMA), "packed in a way that is not read"),
    "bzip2": (zipped({"toy.cu": b"x"}, compression=zipfile.ZIP_BZIP2), "packed in a way that is not read"),
    "an archive in an archive": (zipped({"in.zip": zipped({"toy.cu": b"x"})}), "it is an archive inside an archive"),
    "many entries": (zipped({f"{n}": b"" for n in range(20_001)}), "it has more than 20000 entries"),
    "cut off": (zipped({"toy.cu": b"right" * 99})[:-30], "not a zip file, or it is damaged or cut off"),
    "no zip file": (b"PK\3\4 or so they say", "not a zip file, or it is damaged or cut off"),
    "empty": (b"", "not a zip file, or it is damaged or cut off"),
    "a web page": (b"<!DOCTYPE html>", "not a zip file, or it is damaged or cut off"),
    "a table of contents that goes on": (
        zipped({f"{n}/{'x' * 900}": b"" for n in range(5000)}), "its table of contents is too long",
    ),
    "names that are no UTF-8": (
        zipped({"tÖy.cu": b"x"}).replace("Ö".encode(), b"\xff\xfe"), "not a zip file, or it is damaged or cut off",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_archive_is_refused_and_named(outcome, case):
    data, told = CASES[case]
    there, lines = outcome({"hw.zip": data, BOOK: book()})
    assert there == {BOOK: book()}
    assert any(told in line for line in lines), lines


def test_the_right_file_beside_a_hostile_one_is_taken(outcome):
    data = zipped(
        [(entry("../toy.cu"), b"x"), (entry("a/toy.cu", mode=LINK), b"/etc/passwd"), (entry("hw/toy.cu"), b"right")]
    )
    there, lines = outcome({"hw.zip": data})
    assert there == {"toy.cu": b"right"} and len(lines) == 2


def test_a_bomb_is_read_no_further_than_the_limit(outcome, monkeypatch):
    monkeypatch.setattr(choosing, "LARGEST_ARCHIVE", 1 << 20)
    there, lines = outcome({"hw.zip": zipped({"big": b""}) + bytes(2 << 20), BOOK: book()})
    assert there == {BOOK: book()}
    assert "hw.zip was not opened: it has more than 1 MiB." in lines


def test_the_last_of_two_entries_of_one_name_counts_as_when_it_is_unpacked(outcome):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = zipped([("toy.cu", b"first"), ("toy.cu", b"last")])
    there, lines = outcome({"hw.zip": data})
    assert there == {"toy.cu": b"last"} and "more than once; the last one was taken" in lines[0]


def test_names_that_differ_by_case_or_copy_marks(outcome):
    there, lines = outcome({"TOY.CU": b"shouted", "toy.cu": b"right", "toy (1).cu": b"copy", BOOK.upper(): book()})
    assert there == {"toy.cu": b"right", BOOK: book()}
    assert any("10_toy.ipynb was taken from 10_TOY.IPYNB" in line for line in lines)


def test_a_copy_is_taken_and_told(outcome):
    there, lines = outcome({"toy (2).cu": b"right"})
    assert there == {"toy.cu": b"right"} and "toy.cu was taken from toy (2).cu." in lines


def test_two_files_of_the_right_name_in_two_folders(outcome):
    there, lines = outcome({"hw.zip": zipped({"old/deep/toy.cu": b"old", "hw/toy.cu": b"right"})})
    assert there == {"toy.cu": b"right"}
    assert "toy.cu: there are more copies, which were not taken: hw.zip/old/deep/toy.cu." in lines


def test_what_a_mac_and_a_notebook_server_leave_is_no_copy(outcome):
    data = zipped({"__MACOSX/._toy.cu": b"\0", ".ipynb_checkpoints/10_toy-checkpoint.ipynb": b"{}", "hw/.DS_Store": b"",
                   **{f"hw/{name}": data for name, data in answers().items()}})  # fmt: skip
    there, lines = outcome({"hw.zip": data})
    assert there == answers() and lines == []


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".ipynb", "CON.ipynb", "a" + "é" * 90 + ".ipynb", "...ipynb", "a?b*.ipynb"]
)
def test_a_notebooks_own_name_is_made_safe(outcome, name):
    there, _ = outcome({"hw.zip": zipped({name: book()})})
    (taken,) = there or [None]
    if taken:  # one that begins with a dot is hidden
        assert len(taken.encode()) < 120 and taken != "CON.ipynb" and not set(taken) & set("?*/\\")
    assert (taken is None) == name.startswith(".")


def test_other_archives_are_named(outcome):
    there, lines = outcome({"hw.tar.gz": b"\x1f\x8b", "hw.rar": b"Rar!"})
    assert there == {} and sum("of archives only zip files are opened" in line for line in lines) == 2


def test_many_archives_in_one_hand_in(outcome):
    there, lines = outcome({f"{n}.zip": zipped({"x": b""}) for n in range(9)})
    assert sum("only 3 archives are looked into" in line for line in lines) == 6


def test_an_archive_of_submissions_that_is_itself_hostile(classroom, tmp_path):
    members = [
        (entry("../../Eve_1_assignsubmission_file/toy.cu"), b"x"),
        (entry("/Eve_2_assignsubmission_file/toy.cu"), b"x"),
        (entry("Eve_3_assignsubmission_file/toy.cu", mode=LINK), b"/etc/passwd"),
        (entry("*?[_4_assignsubmission_file/toy.cu"), b"star"),
        (entry("_5_assignsubmission_file/toy.cu"), b"nameless"),
        (entry("._6_assignsubmission_file/toy.cu"), b"hidden"),
        (entry("CON_7_assignsubmission_file/toy.cu"), b"reserved"),
        (entry("a\u0301da_8_assignsubmission_file/toy.cu"), b"decomposed"),
    ]
    (tmp_path / "in.zip").write_bytes(zipped(members))
    report = take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"])
    assert sorted(classroom.tree.students(toy.NAME)) == ["5", "CON__7", "student_4", "student_6", "áda_8"]
    assert sum("in.zip, " in line for line in report.lines()) == 3
    assert report.nobodys == 3
    assert len(classroom.grade()) == 5


def test_names_without_the_mark_for_utf_8(classroom, tmp_path):
    """macOS writes UTF-8 and does not say so; old programs write code page 437."""
    data = zipped({"Zoë_1_assignsubmission_file/toy.cu": b"mac", "Jos\u00e9_2_assignsubmission_file/toy.cu": b"dos"})
    unmarked = bytearray(data.replace("José".encode(), b"Jos\x82 ").replace(b"Jos\x82 _2_", b"Jos\x82_22_"))
    for at in range(len(unmarked) - 3):
        if unmarked[at : at + 4] in (b"PK\3\4", b"PK\1\2"):
            unmarked[at + (7 if unmarked[at + 2] == 3 else 9)] &= ~8
    (tmp_path / "in.zip").write_bytes(unmarked)
    take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"])
    assert classroom.tree.students(toy.NAME) == ["José_22", "Zoë_1"]


def test_an_archive_that_cannot_be_read_at_all_says_so(classroom, tmp_path):
    for data in (b"", zipped({"a": b"b"})[:40], b"PK\5\6" + bytes(10)):
        (tmp_path / "in.zip").write_bytes(data)
        with pytest.raises(ClassroomError, match=r"in\.zip cannot be taken in"):
            take_in(classroom.tree, material.chapter(10), [tmp_path / "in.zip"])


def test_the_limits_of_an_archive():
    with pytest.raises(BadArchive, match="more than 2 entries"):
        Archive(io.BytesIO(zipped({"a": b"", "b": b"", "c": b""})), most=2)
    with pytest.raises(BadArchive, match="table of contents is too long"):
        Archive(io.BytesIO(zipped({f"{n}": b"" for n in range(2000)})), table=70_000)
    archive = Archive(io.BytesIO(zipped({"a": bytes(100)})))
    assert archive.files[0].read(100) == bytes(100)
    with pytest.raises(Unreadable):
        archive.files[0].read(99)


def test_cut_at_every_byte_and_changed_bytes_never_raise_anything_else():
    import random

    whole = zipped({"toy.cu": b"right" * 50, f"hw/{BOOK}": book(), "ünïcode/x": b"1"})
    rng = random.Random(5)
    variants = [whole[:cut] for cut in range(0, len(whole), 7)]
    for _ in range(400):
        changed = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        variants.append(bytes(changed))
    for data in variants:
        try:
            for file in Archive(io.BytesIO(data)).files:
                file.read(1 << 20)
        except (BadArchive, Unreadable):
            pass
