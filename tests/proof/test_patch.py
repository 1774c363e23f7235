"""Patches: applied exactly or refused with the file and the hunk."""

import pytest

from grader.proof.patch import PatchError, read_variant

SOLUTION = {"toy.cu": b"one\ntwo\n\nfour\nfive\nsix\nseven\n", "other.h": b"x\n"}
HEADER = "# title: a title\n# misconception: off-by-one\n# owner: values\n# also: edge, last\n\n"
DIFF = (
    "--- a/toy.cu\n+++ b/toy.cu\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n \n"
    "@@ -6,2 +6,3 @@\n six\n+six and a half\n seven\n"
)


def variant(tmp_path, text):
    path = tmp_path / "name.patch"
    path.write_text(text)
    return read_variant(path)


def test_a_patch_is_read_and_applied(tmp_path):
    found = variant(tmp_path, HEADER + DIFF)
    assert (found.name, found.title, found.misconception) == ("name", "a title", "off-by-one")
    assert (found.owner, found.also, found.alternative) == ("values", {"edge", "last"}, False)
    changed = found.apply(SOLUTION)
    assert changed["toy.cu"] == b"one\nTWO\n\nfour\nfive\nsix\nsix and a half\nseven\n"
    assert changed["other.h"] == b"x\n"


def test_an_alternative_needs_no_owner(tmp_path):
    assert variant(tmp_path, "# title: another way\n# alternative: true\n" + DIFF).alternative


def test_what_an_editor_or_git_does_to_a_patch_is_no_harm(tmp_path):
    text = "diff --git a/toy.cu b/toy.cu\nindex 1..2 100644\n" + DIFF.replace("\n \n", "\n\n")
    text = text.replace("--- a/toy.cu", "--- a/toy.cu\t2026-01-01")
    header = HEADER.rstrip("\n") + "\n"
    assert b"TWO" in variant(tmp_path, header + text[text.index("---") :]).apply(SOLUTION)["toy.cu"]


def test_a_hunk_may_have_moved_if_only_one_place_fits(tmp_path):
    found = variant(tmp_path, HEADER + DIFF)
    moved = {"toy.cu": b"zero\n" + SOLUTION["toy.cu"]}
    assert found.apply(moved)["toy.cu"].startswith(b"zero\none\nTWO\n")
    twice = {"toy.cu": b"zero\n" + SOLUTION["toy.cu"] * 2}
    with pytest.raises(PatchError, match="name.patch:8: .* fits in 2 places"):
        found.apply(twice)


def test_the_end_of_a_file_without_a_newline(tmp_path):
    mark = "\\ No newline at end of file\n"
    diff = f"--- a/toy.cu\n+++ b/toy.cu\n@@ -1,2 +1,2 @@\n a\n-b\n{mark}+c\n{mark}"
    assert variant(tmp_path, HEADER + diff).apply({"toy.cu": b"a\nb"})["toy.cu"] == b"a\nc"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# title: a title\n", "", "needs '# title"),
        ("# owner: values\n", "", "needs '# owner"),
        ("# owner: values", "# ownr: values", "name.patch:3: a header line"),
        ("# owner: values", "# title: twice", "name.patch:3: the key title is given twice"),
        ("# owner: values", "# alternative: yes", "true or false"),
        ("# also: edge, last", "# alternative: true", "an alternative is right"),
        ("--- a/toy.cu", "", "no unified diff|name.patch"),
        ("+++ b/toy.cu", "+++ b/other.h", "must name one file"),
        ("--- a/toy.cu\n+++ b/toy.cu", "--- a/../toy.cu\n+++ b/../toy.cu", "must name one file"),
        ("@@ -1,3 +1,3 @@", "@@ -1,9 +1,3 @@", "name.patch:8: the hunk has other numbers"),
        ("@@ -6,2 +6,3 @@", "@@ -6,2 +6,2 @@", "name.patch"),
        (DIFF[DIFF.index("@@ -6") :], "stray\n", "belongs to no hunk"),
        (DIFF[DIFF.index("@@ -1") :], "@@ -1,1 +1,1 @@\n one\n", "changes nothing"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, old, new, message):
    assert old in HEADER + DIFF
    with pytest.raises(PatchError, match=message):
        variant(tmp_path, (HEADER + DIFF).replace(old, new, 1))


def test_what_does_not_fit_is_refused_by_hunk(tmp_path):
    found = variant(tmp_path, HEADER + DIFF)
    with pytest.raises(PatchError, match=r"name.patch:13: the hunk for toy.cu, line 6, does not fit"):
        found.apply({"toy.cu": SOLUTION["toy.cu"].replace(b"seven", b"eight")})
    with pytest.raises(PatchError, match="no file toy.cu"):
        found.apply({"other.h": b"x\n"})
