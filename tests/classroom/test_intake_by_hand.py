"""What the instructor put into `submitted/` by hand, and what an archive may replace of it."""

import classroom_toy as toy
import pytest
from intake_archives import BOOK, answers, book, canvas, moodle, zipped

OLD, NEW, NEWEST = (2026, 11, 1, 9, 0, 0), (2026, 11, 2, 9, 0, 0), (2099, 1, 1, 0, 0, 0)  # the last counts as now
ROSTER = "id,name,submitted\nada,Ada,{}\n"


def archive(cu, time=OLD, **more):
    return moodle({("Ada", 1): answers(cu, **more)}, time=time)


def put(take, name="toy.cu", data=b"by hand", student="Ada_1"):
    path = take.tree.submitted(student, toy.NAME) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def cu(take, student="Ada_1"):
    return take.there()[student]["toy.cu"]


def told(report, *words):
    (line,) = [line for line in report.lines() if words[0] in line]
    assert all(word in line for word in words), line
    return line


@pytest.mark.parametrize("time", [OLD, NEWEST])
def test_what_was_seen_before_never_replaces_it(take, time):
    """The same archive, or another download of the same work."""
    take(archive(b"wrong"))
    put(take)
    for _ in range(2):
        report = take(archive(b"wrong", time))
        assert cu(take) == b"by hand" and not report.count("replaced")
        told(report, "Put there by hand", "Ada_1 (toy.cu)", "--replace STUDENT")


def test_what_was_seen_long_ago_does_not_either(take):
    for time, text in ((OLD, b"first"), (NEW, b"second")):
        take(archive(text, time))
    put(take)
    take(archive(b"first", NEWEST))
    assert cu(take) == b"by hand"


def test_an_earlier_hand_in_put_back_by_hand_stays(take):
    take(archive(b"first"))
    take(archive(b"second", NEW))
    put(take, data=b"first")
    take(archive(b"second", NEWEST))
    assert cu(take) == b"first"


def test_what_is_not_newer_does_not_replace_it_and_what_is_newer_does(take):
    put(take)
    told(take(archive(b"older", NEW)), "Put there by hand")
    assert cu(take) == b"by hand"
    report = take(archive(b"newer", NEWEST))
    assert cu(take) == b"newer"
    line = told(report, "Ada_1: what you had put there by hand was replaced; it is in submitted_before/Ada_1/")
    (kept,) = (take.tree.root / "submitted_before" / "Ada_1" / toy.NAME).glob("*-by-hand")
    assert str(kept.relative_to(take.tree.root)) in line and (kept / "toy.cu").read_bytes() == b"by hand"


def test_a_file_beside_it_may_be_replaced(take):
    take(archive(b"old"))
    put(take, BOOK, b'{"cells": []}')
    report = take(archive(b"new", NEWEST))
    assert take.there()["Ada_1"] == {"toy.cu": b"new", BOOK: b'{"cells": []}'}
    told(report, "Put there by hand", f"Ada_1 ({BOOK})")
    assert take(archive(b"new", NEWEST)).count("replaced") == 0


def test_a_part_that_comes_later_leaves_it(take):
    take(canvas({("ada", 1, False): answers(b"first")}, time=OLD))
    put(take, BOOK, b'{"cells": []}', "ada_1")
    take(canvas({("ada", 1, True): {"toy-1.cu": b"second"}}, time=NEWEST))
    assert take.there()["ada_1"] == {"toy.cu": b"second", BOOK: b'{"cells": []}'}
    take(canvas({("ada", 1, True): answers(b"second")}, time=NEWEST))
    assert take.there()["ada_1"][BOOK] == b'{"cells": []}'


def test_a_folder_that_replaces_all_leaves_it_too(take):
    whole = zipped({"ada/toy.cu": b"first"}, time=OLD)
    take(whole)
    put(take, BOOK, book(), "ada")
    put(take, "toy.cu", b"by hand", "ada")
    for _ in range(2):
        take(whole)
        assert take.there()["ada"] == {"toy.cu": b"by hand", BOOK: book()}


def test_a_time_in_the_roster_changes_the_time_alone(take):
    take(archive(b"wrong"), roster=ROSTER.format(""))
    put(take, student="ada")
    for time in ("2026-10-30 09:00 UTC", "2026-10-31 09:00 UTC"):
        take(archive(b"wrong"), roster=ROSTER.format(time))
        assert cu(take, "ada") == b"by hand"
        assert take.there()["ada"]["timestamp.txt"].decode().startswith(time[:16])


def test_an_empty_file_is_no_work_of_a_persons(take):
    """A power failure leaves such."""
    take(archive(b"right"))
    put(take, data=bytes(10))
    take(archive(b"right"))
    assert cu(take) == b"right"


def test_it_can_be_replaced_all_the_same_and_so_can_what_is_newer(take):
    take(archive(b"newer", NEW))
    report = take(archive(b"older"))
    assert cu(take) == b"newer"
    told(report, "Not taken, because what is there is newer: Ada_1.", "--replace")
    report = take(archive(b"older"), anyway=["Ada*"])
    assert cu(take) == b"older"
    told(report, "submitted_before/Ada_1/")
    put(take)
    take(archive(b"older"), anyway=["bob"])
    assert cu(take) == b"by hand"
    report = take(archive(b"older"), anyway=["*"])
    assert cu(take) == b"older"
    told(report, "what you had put there by hand was replaced")


def test_whoever_is_replaced_is_named_with_where_the_earlier_one_is(take):
    take(archive(b"old"))
    line = told(take(archive(b"new", NEW)), "Replaced; the earlier work lies in submitted_before/Ada_1/")
    (kept,) = (take.tree.root / "submitted_before" / "Ada_1" / toy.NAME).iterdir()
    assert str(kept.relative_to(take.tree.root)) in line


def test_an_older_archive_of_the_same_work_is_not_worth_a_word(take):
    take(archive(b"same", NEW))
    report = take(archive(b"same"))
    assert report.count("unchanged") == 1 and not any("--replace" in line for line in report.lines())


def test_a_kill_before_the_record_loses_nothing(take, monkeypatch):
    from grader.classroom.intake import take as intake

    take(archive(b"old"))
    with monkeypatch.context() as patch:
        real = intake.place

        def killed(*arguments):
            real(*arguments)
            raise KeyboardInterrupt

        patch.setattr(intake, "place", killed)
        with pytest.raises(KeyboardInterrupt):
            take(archive(b"new", NEW))
    assert cu(take) == b"new"
    assert take(archive(b"new", NEW)).count("unchanged") == 1
    take(archive(b"newest", NEWEST))
    assert cu(take) == b"newest"


def test_a_record_from_before_contents_were_noted(take):
    import json

    take(archive(b"old"))
    path = take.tree.root / "results" / "Ada_1" / toy.NAME / "handed_in.json"
    data = json.loads(path.read_text())
    del data["placed"], data["seen"]
    path.write_text(json.dumps(data))
    take(archive(b"new", NEW))
    put(take)
    take(archive(b"new", NEWEST))
    assert cu(take) == b"by hand"


def test_the_option_needs_an_archive(classroom):
    from typer.testing import CliRunner

    from grader.cli.main import app

    done = CliRunner().invoke(app, ["autograde", "10", "--replace", "ada", "--course", str(classroom.tree.root)])
    assert done.exit_code == 2 and "--from" in str(done.output) + str(done.exception)
