"""A released class of a toy chapter, made once; each test gets a copy."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for classroom_toy, which a child process imports too

import classroom_toy as toy  # noqa: E402
from classroom_toy import Classroom  # noqa: E402


@pytest.fixture(scope="session")
def toy_root(tmp_path_factory):
    root = tmp_path_factory.mktemp("clone")
    toy.make_course(root)
    return root


@pytest.fixture
def toy_course(toy_root, monkeypatch):
    toy.patch(toy_root, monkeypatch.setattr)
    return toy_root


@pytest.fixture(scope="session")
def released(toy_root, tmp_path_factory):
    from grader.classroom.create import create
    from grader.classroom.session import Session

    with pytest.MonkeyPatch.context() as patch:
        toy.patch(toy_root, patch.setattr)
        tree, _ = create(tmp_path_factory.mktemp("class") / "class")
        session = Session(tree)
        session.release(toy.NAME)
        session.mark_released(toy.NAME)
    return tree.root


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, for as long as the tests take."""
    import postgres_server

    programs = postgres_server.find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL: `make test` installs one, and so does  apt install postgresql")
    server = postgres_server.Server(programs)
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def classroom(released, toy_course, tmp_path):
    """An instructor's tree with the toy chapter released, and `hand_in` to fill it."""
    from grader.classroom.tree import ClassTree

    shutil.copytree(released, tmp_path / "class")
    return Classroom(ClassTree(tmp_path / "class"))


@pytest.fixture
def take(classroom, tmp_path):
    """take(bytes or path, ...) -> report; `take.there()` is what lies in submitted/ now."""

    from grader.classroom import material
    from grader.classroom.intake import take as intake

    def call(*sources, roster=None, anyway=()):
        paths = []
        for number, source in enumerate(sources):
            if isinstance(source, bytes):
                source, data = tmp_path / f"handed in {number}.zip", source
                source.write_bytes(data)
            paths.append(source)
        if isinstance(roster, str):
            (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
            roster = tmp_path / "roster.csv"
        return intake.take_in(classroom.tree, material.chapter(10), paths, roster, anyway=anyway)

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


@pytest.fixture
def workers(toy_course, monkeypatch):
    """Real worker processes do the tasks."""
    from grader.classroom import crew

    monkeypatch.setattr(crew, "local", crew.LocalCrew)
    monkeypatch.setattr(crew, "COMMAND", toy.worker_command(toy_course))
    return toy_course
