"""The kept proofs of the course, held against the files as they are."""

import pytest

from grader.proof import keys, verify


def test_every_exercise_has_a_proof_that_stands(capsys):
    """Fails where a proof is missing or outdated: run `grader prove`. What is stale is told aloud."""
    with capsys.disabled():
        print()
        assert verify(sample=1) == 0


@pytest.mark.parametrize(
    ("file", "kinds"),
    [("plugin/life.py", ["plugin"]), ("checks/conformance/run.py", ["plugin"]), ("verdict/records.py", ["", "plugin"])],
)
def test_what_judges_an_exercise_depends_on_its_kind(tmp_path, file, kinds):
    path = tmp_path / "grader" / file
    path.parent.mkdir(parents=True)
    path.write_text("one")
    before = {kind: keys.surroundings(tmp_path, kind) for kind in ("", "plugin")}
    path.write_text("another")
    assert [kind for kind in before if keys.surroundings(tmp_path, kind) != before[kind]] == kinds
