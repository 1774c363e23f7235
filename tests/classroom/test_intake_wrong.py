"""Another chapter's archive, and another chapter's notebook among the right ones."""

import json
from dataclasses import replace

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, moodle, zipped

from grader.classroom import material
from grader.classroom.errors import ClassroomError

FIRST = "00_first.ipynb"


@pytest.fixture(autouse=True)
def two_chapters(toy_course, monkeypatch):
    toys = material.chapter(10)
    exercise = replace(toys.exercises[0], slug="first-kernel", files=("first.cu", "shared.h"))
    first = replace(toys, name="00_first", number=0, exercises=(exercise,), explain=None)
    monkeypatch.setattr(material, "chapters", lambda: [first, toys])


def first_book():
    cells = [toy.cell("code", "first-kernel", "check()", grade=True), toy.cell("code", "first-kernel-answer", "1")]
    return json.dumps(toy.notebook() | {"cells": cells}).encode()


def first(**more):
    return {"first.cu": b"of the first", FIRST: first_book(), **more}


@pytest.mark.parametrize(
    "files", [first(), {FIRST: first_book()}, {"a.zip": zipped(first())}, {"my book.ipynb": first_book()},
              {BOOK: first_book()}, {"first (1).cu": b"1", "notes.pdf": b"-"}]
)  # fmt: skip
def test_an_archive_of_another_chapter_is_refused_before_anything_changes(take, files):
    take(moodle({("Ada", 1): answers()}))
    before = take.there()
    with pytest.raises(ClassroomError, match=r"belongs to chapter 0 \(00_first\), and nothing of it to chapter 10"):
        take(moodle({("Ada", 1): files, ("Eve", 9): files}, time=(2026, 12, 1, 0, 0, 0)))
    assert take.there() == before and take.tree.students(toy.NAME) == ["Ada_1"]


@pytest.mark.parametrize(
    "files", [answers(), {"my.ipynb": book()}, {"toy (1).cu": b"right"}, {"a.zip": zipped(answers())}]
)
def test_one_right_hand_in_is_enough(take, files):
    report = take(moodle({("Ada", 1): first(), ("Bob", 2): files, ("Cy", 3): {"notes.pdf": b"-"}}))
    assert report.count("new") == 3


def test_a_notebook_of_another_chapter_displaces_none(take, classroom):
    take(moodle({("Ada", 1): answers(), ("Bob", 2): answers()}))
    before = take.there()
    for files in (first(), {FIRST: first_book(), "toy.cu": b"right"}, {BOOK: first_book(), "toy.cu": b"right"}):
        report = take(moodle({("Ada", 1): files, ("Bob", 2): answers()}, time=(2026, 12, 1, 0, 0, 0)))
        assert take.there() == before
        assert any("Ada_1: " in line and "chapter 0 (00_first)" in line for line in report.lines()), report.lines()
    assert classroom.grade()["Ada_1"].result.verdicts["toy-cell"].earned == 10


def test_a_whole_hand_in_of_another_chapter_replaces_nothing_either(take):
    take(zipped({"ada/toy.cu": b"right", f"ada/{BOOK}": book()}))
    before = take.there()
    take(zipped({"ada/toy.cu": b"right", f"ada/{BOOK}": first_book(), "bob/toy.cu": b"x"}, time=(2026, 12, 1, 0, 0, 0)))
    assert take.there()["ada"] == before["ada"]


def test_a_stranger_with_nothing_of_the_chapter_gets_no_submission(take):
    roster = "id,name\nada,Ada\nbob,Bob\n"
    people = {("Ada", 1): answers(), ("Bob", 2): first(), ("Eve", 9): first(), ("Max", 8): {"a.txt": b"-"}}
    report = take(moodle(people), roster=roster)
    assert take.tree.students(toy.NAME) == ["ada", "bob"]  # Bob is told what he handed in
    assert any("Eve_9: handed in nothing of chapter 10 (10_toy), but 00_first.ipynb of chapter 0" in line
               for line in report.lines())  # fmt: skip
    assert report.count("none") == 2 and not report.count("failed")


def test_its_student_is_told_so(take, classroom):
    take(moodle({("Ada", 1): answers(), ("Bob", 2): first()}))
    classroom.hand_in("cy", book=first_book())
    classroom.hand_in("dan", book=False, **{"my work.ipynb": first_book()})
    classroom.hand_in("eve", book=first_book(), **{"my work.ipynb": book()})
    found = classroom.grade()
    said = {who: " ".join(note.sentence for note in one.result.notes) for who, one in found.items()}
    assert "00_first.ipynb is the notebook of chapter 0 (00_first), and was not taken." in said["Bob_2"]
    assert "Of chapter 0 (00_first), and left out: first.cu." in said["Bob_2"]
    assert f"{BOOK} was not handed in. {BOOK} is the notebook of chapter 0 (00_first)." in said["cy"]
    assert "my work.ipynb is the notebook of chapter 0" in said["dan"]
    assert found["eve"].result.verdicts["toy-cell"].earned == 10 and "taken from my work.ipynb" in said["eve"]
    assert classroom.scores("cy")["toy-explain"] == (0, True)


def test_files_under_other_names_are_named(take, classroom):
    report = take(moodle({("Ada", 1): {"kernel_final.cu": b"right", BOOK: book(), "notes.pdf": b"-"},
                          ("Bob", 2): answers() | {"notes.pdf": b"-"}}))  # fmt: skip
    assert "Ada_1: Files under other names, which were left out: kernel_final.cu." in report.lines()
    assert not any(line.startswith("Bob_2: ") for line in report.lines())
    assert "kernel_final.cu" in classroom.grade()["Ada_1"].result.notes[-1].sentence
