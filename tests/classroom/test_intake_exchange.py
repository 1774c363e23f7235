"""nbgrader's exchange, where a student makes the folder that bears a name."""

import os

import classroom_toy as toy
import pytest
from intake_archives import answers

from grader.classroom.errors import ClassroomError
from grader.classroom.intake import exchange


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
