"""Around nbgrader's gradebook: a SQLite file in the tree, or a department's PostgreSQL by its address.

nbgrader speaks to both through SQLAlchemy. What is added here: sentences instead of tracebacks, no password in any of
them, patience with a file that another program holds, and one grading run at a time on a shared server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from nbgrader import api, dbutil
from nbgrader.api import Assignment, Gradebook, InvalidEntry
from sqlalchemy import URL, Engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from grader.classroom.errors import ClassroomError

EXAMPLE = "postgresql+psycopg://teacher@db.example.org/plugins_2026"
LONGEST_NAME = 128  # characters of a name or an address in nbgrader's tables; SQLite does not mind more
LOCK = 0x7E5019  # of grading runs, in the server's own table of locks
# An address with a password, wherever it is printed. As SQLAlchemy splits it: a password holds no plain @.
_PASSWORD = re.compile(r"([\w+]+://[^:/@]*):[^@]*@")


def parse(address: str) -> URL:
    """`ClassroomError` for what is no address of a database, or one whose driver is not installed."""
    try:
        url = make_url(address)
        url.get_dialect().import_dbapi()
        return url
    except NoSuchModuleError:
        raise ClassroomError(f"{shown(address)}: there is no such kind of database; write {EXAMPLE}") from None
    except (ArgumentError, ValueError):  # its text would show the password
        raise ClassroomError(
            f"c.CourseDirectory.db_url is not the address of a database. One looks like this: {EXAMPLE} ; write "
            "other signs than letters and digits in a name or a password as %40 (@), %3A (:), %2F (/), %25 (%)"
        ) from None
    except ImportError as problem:
        raise ClassroomError(
            f"{shown(address)}: its driver {problem.name} is not installed; PostgreSQL's is psycopg here: {EXAMPLE}"
        ) from None


def shown(address: str) -> str:
    """An address as it may be printed: without its password."""
    return _PASSWORD.sub(r"\1:***@", address)


def open_book(address: str, course: str) -> Gradebook:
    """nbgrader's gradebook, made if there is none yet. `ClassroomError` says why it cannot be used."""
    install()
    url = parse(address)
    wait = {"timeout": "30"} if url.get_backend_name() == "sqlite" else {"connect_timeout": "10"}
    url = url.set(query={**wait, **url.query})
    with plain_errors(address):
        book = Gradebook(url.render_as_string(hide_password=False), course)
        try:
            _complete(book)
            _refuse_another_course(book, address)
        except BaseException:
            book.close()
            raise
        return book


def check(address: str, course: str) -> None:
    """Open and close it: called before nbgrader does, whose own message would be wrong."""
    open_book(address, course).close()


def _complete(book: Gradebook) -> None:
    """Note the schema's version, which nbgrader leaves out where it does not find the database empty; then
    `nbgrader db upgrade` would change tables that are new."""
    tables = inspect(book.engine)
    if tables.has_table("alembic_version") or "course_id" not in {c["name"] for c in tables.get_columns("assignment")}:
        return
    with book.engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": newest_schema()})


def _refuse_another_course(book: Gradebook, address: str) -> None:
    """nbgrader finds an assignment by its name alone, so two classes in one database would share theirs."""
    if book.engine.dialect.name == "sqlite":  # a file in a tree; its class may have been given another name
        return
    other = book.db.query(Assignment.course_id).filter(Assignment.course_id != book.course_id).first()
    book.db.rollback()
    if other:
        raise ClassroomError(
            f"{shown(address)} holds the gradebook of the course {other[0]}, and this is {book.course_id}: each class "
            "needs a database or a schema (?options=-csearch_path%3DNAME) of its own"
        )


def newest_schema() -> str:
    """The version of the tables that this nbgrader makes."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(dbutil.ALEMBIC_DIR).get_current_head()


@contextmanager
def plain_errors(address: str) -> Iterator[None]:
    """What a database or its driver says, as a `ClassroomError` that names the database."""
    try:
        yield
    except DBAPIError as problem:
        raise ClassroomError(_sentence(problem, address)) from None
    except InvalidEntry as problem:  # nbgrader's wrapping of the same
        raise ClassroomError(f"{shown(address)} refused an entry: {_line(problem, address)}") from None


def _sentence(problem: DBAPIError, address: str) -> str:
    told = _line(problem.orig or problem, address)
    if "database is locked" in told:
        return (
            f"another program holds the gradebook {shown(address)} and did not let go of it for 30 seconds; "
            "close what has it open, then run the same command again"
        )
    if "no such column" in told or "UndefinedColumn" in type(problem.orig).__name__:
        return f"the gradebook {shown(address)} is of an older nbgrader; back it up, then run  nbgrader db upgrade"
    return (
        f"the gradebook {shown(address)} could not be used; run the same command when it works again (what was judged "
        f"is kept until then). It said: {told}"
    )


def _line(problem: BaseException, address: str) -> str:
    """The first line of a driver's text. It holds no password as far as is known; should it, it is hidden."""
    first = (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")
    secret = make_url(address).password
    return first.replace(str(secret), "***") if secret else first


@contextmanager
def only_writer(engine: Engine, address: str) -> Iterator[None]:
    """Hold a PostgreSQL gradebook for one grading run, whichever machine it comes from. (A SQLite file lies in a tree,
    whose own lock does that.) The server lets go of it when this process ends, however it does."""
    if engine.dialect.name != "postgresql":
        yield
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.scalar(text(_TAKE), {"lock": LOCK}):
            holder = connection.execute(text(_HOLDER), {"lock": LOCK}).first()
            where = f", since {holder[1]:%H:%M} from {holder[0] or 'the server itself'}" if holder else ""
            raise ClassroomError(f"another grading run is writing to {shown(address)}{where}; wait until it is done")
        yield


# A lock is of a database; classes that share one have a schema each.
_TAKE = "SELECT pg_try_advisory_lock(:lock, hashtext(current_schema()))"
_HOLDER = """SELECT client_addr, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND datname = current_database()
AND classid = :lock AND objid::bigint = hashtext(current_schema())::bigint & 4294967295"""


def install() -> None:
    """Mend what in nbgrader is in the way: it asks a program for the newest schema, which must be on PATH and takes two
    seconds; its migrations read the address from an ini file, where % must be doubled, and log it, password and all."""
    if getattr(dbutil.write_alembic_ini, "of_the_course", False):
        return
    stock = dbutil.write_alembic_ini

    def write_alembic_ini(alembic_ini: str = "alembic.ini", db_url: str = "sqlite:///gradebook.db") -> None:
        stock(alembic_ini, db_url.replace("%", "%%"))

    write_alembic_ini.of_the_course = True
    dbutil.write_alembic_ini = write_alembic_ini
    api.get_alembic_version = newest_schema

    from nbgrader.apps.dbapp import DbUpgradeApp

    begin = DbUpgradeApp.start

    def start(self) -> None:
        self.log.addFilter(_hide_passwords)
        begin(self)

    DbUpgradeApp.start = start


def _hide_passwords(record) -> bool:
    record.msg, record.args = shown(record.getMessage()), ()
    return True
