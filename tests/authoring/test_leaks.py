"""The test of the leak test: what is planted is found in every kind of file; clean folders stay silent."""

import base64
import csv
import gzip
import html
import io
import json
import sqlite3
import tarfile
import zipfile

import pytest

from grader.authoring.clone import HERE
from grader.authoring.leaks import find_leaks
from grader.authoring.unpack import pieces

SOLUTION = '    if (mask[i] != 0) { out[i] = "gelu\\n"[0] + tanh_form<float>(x[i]) && scale; }'
MASTER = ":check: toy-kernel-of-the-test"
VARIANT = "    out[i] = static_cast<float>(mask[i]) * tanh_form(x[i]);  // multiplied"
SECRET = bytes(range(200, 232))
PLANTS = {"solution": SOLUTION, "master": MASTER, "variant": VARIANT}


@pytest.fixture
def clone(tmp_path):
    head = '#include "course_types.h"\n__global__ void gelu(const float* x, float* out)\n{\n'
    files = {
        "plugin_skeletons/07_toy/toy.cu": head + "    // YOUR CODE: out[i] = gelu of x[i]\n}\n",
        "solutions/07_toy/toy.cu": head + SOLUTION + "\n    return;\n}\n",
        "authoring/07_toy.md": f"# A toy of a chapter\n\n```{{code-cell}}\n{MASTER}\nexercise()\n```\n",
        "course/07_toy/07_toy.ipynb": json.dumps({"cells": [{"source": ["# A toy of a chapter"]}]}),
        "tests/variants/toy/multiply.patch": f"# title: wrong\n--- a\n+++ b\n@@ -4 +4 @@\n-x\n+{VARIANT}\n",
    }
    for path, text in files.items():
        (tmp_path / "clone" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "clone" / path).write_text(text)
    return tmp_path / "clone"


def notebook(**cell):
    return json.dumps({"cells": [{"metadata": {}, **cell}], "nbformat": 4}, indent=1).encode()


def as_csv(text):
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["student", "feedback"], ["ada", text]])
    return buffer.getvalue().encode()


def as_zip(name, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("grader/__init__.py", "")
        archive.writestr(name, content)
    return buffer.getvalue()


def as_tar(content):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo("sub/file.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def as_sqlite(tmp_path, text, wal):
    path = tmp_path / "made.db"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute(f"pragma journal_mode={'wal' if wal else 'delete'}")
        connection.execute("create table cell (id integer, source text)")
        for shift in range(
            0, 400, 7
        ):  # wherever a page ends, some copy is split there; each is found by value
            connection.execute("insert into cell values (?, ?)", (shift, "x\n" * (shift + 1900) + text))
    connection.close()
    return path.read_bytes()


def spans(text):
    """As a highlighter writes code: every word in a tag of its own."""
    return " ".join(f'<span class="n">{html.escape(word)}</span>' for word in text.split()).encode()


FORMS = {
    "code_cell.ipynb": lambda t, _: notebook(cell_type="code", source=[t + "\n", "y"]),
    "markdown_cell.ipynb": lambda t, _: notebook(cell_type="markdown", source=f"Look:\n\n> `{t.strip()}`"),
    "output.ipynb": lambda t, _: notebook(
        cell_type="code", outputs=[{"data": {"text/html": f"<pre>{html.escape(t)}"}}]
    ),
    "attachment.ipynb": lambda t, _: notebook(attachments={"a": base64.encodebytes(t.encode() * 3).decode()}),
    "nested.json": lambda t, _: json.dumps({"log": json.dumps({"message": t})}).encode(),
    "escaped.json": lambda t, _: (
        json.dumps({"a": t}).replace("<", "\\u003c").replace("&", "\\u0026").encode()
    ),
    "plain.html": lambda t, _: f"<p>{html.escape(t)}</p>".encode(),
    "highlighted.html": lambda t, _: spans(t),
    "code.py": lambda t, _: f"LINE = {t!r}\n".encode(),
    "kernel.cu": lambda t, _: b"// 12 | " + t.encode() + b"\r\n",
    "utf16.txt": lambda t, _: t.encode("utf-16"),
    "binary.so": lambda t, _: b"\x7fELF\xff\xfe\x00" + t.encode() + b"\x00\xff",
    "grades.csv": lambda t, _: as_csv(t),
    "package.whl": lambda t, _: as_zip("grader/exercises/toy.py", f"LINE = {t!r}"),
    "release.zip": lambda t, _: as_zip("inner.whl", as_zip("deep/a.cu", t)),
    "release.tar.gz": lambda t, _: as_tar(t.encode()),
    "log.gz": lambda t, _: gzip.compress(t.encode()),
    "gradebook.db": lambda t, tmp: as_sqlite(tmp, t, wal=False),
    "gradebook_wal.db": lambda t, tmp: as_sqlite(tmp, t, wal=True),
}


@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("name", FORMS)
def test_a_planted_line_is_found_in_every_kind_of_file(clone, tmp_path, name, kind):
    target = tmp_path / "release"
    target.mkdir()
    innocent = "# A toy of a chapter, with nothing else to tell"
    (target / name).write_bytes(FORMS[name](innocent, tmp_path))
    assert find_leaks(target, clone=clone, secrets=[SECRET]) == []
    (target / name).write_bytes(FORMS[name](PLANTS[kind], tmp_path))
    leaks = find_leaks(target, clone=clone, secrets=[SECRET])
    assert {(leak.file, leak.kind) for leak in leaks} == {(name, kind)}
    assert PLANTS[kind].strip() in {leak.excerpt for leak in leaks}


SPELLINGS = {
    "raw": lambda s: s,
    "hex": lambda s: s.hex().encode(),
    "HEX": lambda s: s.hex().upper().encode(),
    "base64": base64.b64encode,
    "base64url": base64.urlsafe_b64encode,
    "inside base64": lambda s: base64.b64encode(b"x" + s + b"yz"),
    "zip": lambda s: as_zip("secret.bin", s),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("form", ["raw.bin", "page.html", "package.whl", "notebook.ipynb"])
def test_a_planted_secret_is_found_in_every_spelling(clone, tmp_path, spelling, form):
    spelled = SPELLINGS[spelling](SECRET)
    data = {
        "raw.bin": b"key=" + spelled,
        "page.html": b"<html>" + spelled + b"</html>",
        "package.whl": as_zip("grader/data.bin", spelled),
        "notebook.ipynb": notebook(cell_type="code", source=spelled.decode("latin-1")),
    }[form]
    if form == "notebook.ipynb" and spelling in ("raw", "zip"):
        data = notebook(cell_type="code", source="") + spelled  # no JSON string holds raw bytes
    (tmp_path / form).write_bytes(data)
    leaks = find_leaks(tmp_path / form, clone=clone, secrets=[SECRET])
    assert "secret" in {leak.kind for leak in leaks}
    assert "secret" not in {
        leak.kind for leak in find_leaks(tmp_path / form, clone=clone, secrets=[b"x" * 32])
    }


def test_a_secret_kept_as_a_line_of_digits_is_found_as_bytes_too(clone, tmp_path):
    kept = SECRET.hex().encode() + b"\n"
    for spelled in (SECRET, SECRET.hex().encode(), base64.b64encode(SECRET)):
        (tmp_path / "raw.bin").write_bytes(b"key=" + spelled)
        assert "secret" in {
            leak.kind for leak in find_leaks(tmp_path / "raw.bin", clone=clone, secrets=[kept])
        }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("authoring/07_toy.md", "master"),
        ("solutions/07_toy/toy.cu", "solution"),
        ("tests/variants/toy/multiply.patch", "variant"),
    ],
)
@pytest.mark.parametrize("ending", ["", ".whl"])
def test_a_whole_file_is_found_under_any_name(clone, tmp_path, path, kind, ending):
    content = (clone / path).read_bytes()
    target = tmp_path / f"innocent{ending}"
    target.write_bytes(as_zip("innocent.txt", content) if ending else content)
    leaks = find_leaks(target, clone=clone)
    assert f"the whole of {path}" in {leak.excerpt for leak in leaks if leak.kind == kind}


def test_what_is_public_or_the_students_own_is_no_leak(clone, tmp_path):
    assert find_leaks(clone / "plugin_skeletons", clone=clone) == []
    assert find_leaks(clone / "course", clone=clone) == []
    submission = tmp_path / "submitted.cu"
    submission.write_text(SOLUTION)
    page = tmp_path / "feedback.html"
    page.write_bytes(spans(SOLUTION))
    assert {leak.kind for leak in find_leaks(page, clone=clone)} == {"solution"}
    assert find_leaks(page, clone=clone, own=[submission]) == []


def test_what_cannot_be_opened_is_told(clone, tmp_path):
    whole = as_zip("a.txt", "hello")
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"hello" * 99)[:20])
    (tmp_path / "bad.db").write_bytes(b"SQLite format 3\0" + b"\1" * 200)
    for name in ("cut.zip", "cut.gz", "bad.db"):
        assert "unreadable" in {leak.kind for leak in find_leaks(tmp_path / name, clone=clone)}, name
    deep = b"hello"
    for _ in range(9):
        deep = gzip.compress(deep)
    (tmp_path / "deep.gz").write_bytes(deep)
    assert [leak.kind for leak in find_leaks(tmp_path / "deep.gz", clone=clone)] == ["unreadable"]


def test_a_search_that_could_find_nothing_is_refused(clone, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no file"):
        find_leaks(tmp_path / "empty", clone=clone)
    with pytest.raises(ValueError, match="no line is private"):
        find_leaks(clone / "course", clone=tmp_path / "empty")
    with pytest.raises(ValueError, match="too short"):
        find_leaks(clone / "course", clone=clone, secrets=[b"short"])


def test_pieces_name_the_way_in():
    made = as_zip("inner.whl", as_zip("deep/a.cu", "hello"))
    assert "inner.whl/deep/a.cu" in {piece.member for piece in pieces(made)}


@pytest.mark.skipif(not list(HERE.glob("solutions/*/*")), reason="no solution is there yet")
@pytest.mark.parametrize("tree", ["plugin_skeletons", "course", "grader"])
def test_the_public_trees_of_the_course_are_clean(tree):
    assert find_leaks(HERE / tree, clone=HERE) == []
